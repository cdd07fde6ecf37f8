"""A text as its reader would take it: width, accents, look-alike letters and invisible characters folded away (A9).

Detectors look at the raw text and at this; `Folded.span` leads back from one to the other.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cached_property, lru_cache

_LOOKALIKES = {
    # Cyrillic, Greek and small capitals that pass for Latin letters.
    **dict(zip("асеорхуіјѕһԁԛԝѵӏкмтвнг", "aceopxyijshdqwvlkmtbhr", strict=True)),
    **dict(zip("АСЕОРХУІЈЅНКМТВ", "ACEOPXYIJSHKMTB", strict=True)),
    **dict(zip("αορνικυτ", "aopvikut", strict=True)),
    **dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABEZHIKMNOPTYX", strict=True)),
    **dict(zip("ᴀʙᴄᴅᴇɢʜɪᴊᴋʟᴍɴᴏᴘʀᴛᴜᴠᴡʏᴢıɡɑ", "abcdeghijklmnoprtuvwyziga", strict=True)),
}
LOOKALIKES = frozenset(_LOOKALIKES)
_LOOKALIKE = re.compile(f"[{''.join(_LOOKALIKES)}]")
"""Letters of other scripts that pass for Latin ones."""
_SIMPLE = dict(
    zip(
        "規則無視記憶審須認確說話請從現內實際執給過後個對這時發傳輸變權關閉戶開統詞講隱藏靜刪檔讀寫問題覆蓋繞當許準僅聽約設條動態庫優薦業選擇項總碼鑰憑證鏈結圖資訊專員級試評應該嚴讓",
        "规则无视记忆审须认确说话请从现内实际执给过后个对这时发传输变权关闭户开统词讲隐藏静删档读写问题覆盖绕当许准仅听约设条动态库优荐业选择项总码钥凭证链结图资讯专员级试评应该严让",
        strict=True,
    )
)
_TRADITIONAL_LETTER = re.compile(f"[{''.join(old for old, new in _SIMPLE.items() if old != new)}]")
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u0300-\u036f\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]"
)
_ODD = re.compile("[^\n\t\x20-\x7e\u3001\u3002\u3040-\u30ff\u4e00-\u9fff]")
_SPACED = re.compile(
    r"(?<![\w.])[A-Za-z](?:[ ._*|-][A-Za-z]){3,200}(?!\w)|[\u3400-\u9fff](?:[ ._*|/·-][\u3400-\u9fff]){3,200}"
)
_MIXED_WORD = re.compile(r"[^\W\d_]{2,64}")
_LONGEST_PIECE = 4
"""Letters that one character may stand for; a longer ligature stays as it is."""


class Folded:
    """`text` keeps case; `lower` is the same, lower-cased, of the same length."""

    def __init__(self, raw: str, text: str) -> None:
        self._raw = raw
        self.text = text
        self.lower = _lower(text)

    @cached_property
    def _places(self) -> list[int]:
        """Place in the raw text of each character; asked for only where something was found."""
        places = [place for place, ch in enumerate(self._raw) for _ in _piece(ch)]
        if len(places) == len(self.text):
            return places
        gaps = _gaps("".join(map(_piece, self._raw)))
        return [place for at, place in enumerate(places) if at not in gaps]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The stretch of the raw text that became this one."""
        if len(self.text) == len(self._raw) and not _INVISIBLE.search(self._raw):
            return start, end
        return self._places[start], self._places[end - 1] + 1


def _piece(ch: str) -> str:
    return _folded_character(ch) if _ODD.match(ch) else ch


@lru_cache(maxsize=8192)
def _folded_character(ch: str) -> str:
    """A character as it reads: compatibility forms and accents of Latin letters gone."""
    if _INVISIBLE.match(ch):
        return ""
    if ch in "’‘ʼ":
        return "'"
    whole = unicodedata.normalize("NFKC", ch)
    if len(whole) > _LONGEST_PIECE:
        return ch
    apart = unicodedata.normalize("NFKD", ch)
    return apart[0] if len(apart) > 1 and apart[0].isascii() and apart[0].isalpha() and len(whole) == 1 else whole


def _lower(text: str) -> str:
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else "".join(low if len(low := ch.lower()) == 1 else ch for ch in text)


def fold(text: str) -> Folded:
    """The text as it reads. Linear."""
    shown = _ODD.sub(lambda match: _folded_character(match[0]), text)
    if not shown.isascii():
        shown = _TRADITIONAL_LETTER.sub(lambda match: _SIMPLE[match[0]], _latin(shown))
    gaps = _gaps(shown)
    if gaps:
        shown = "".join(ch for at, ch in enumerate(shown) if at not in gaps)
    return Folded(text, shown)


def _gaps(text: str) -> set[int]:
    """Places of what keeps letters apart that belong together: `i g n o r e`, `忽-略-规-则`."""
    return {at for match in _SPACED.finditer(text) for at in range(match.start() + 1, match.end(), 2)}


def _latin(text: str) -> str:
    """Look-alike letters made Latin in words that hold Latin letters too; words of one script stay."""

    def word(match: re.Match[str]) -> str:
        found = match[0]
        if found.isascii() or not any(ch in LOOKALIKES for ch in found):
            return found
        if any("a" <= ch <= "z" or "A" <= ch <= "Z" for ch in found) or all(ch in LOOKALIKES for ch in found):
            return "".join(_LOOKALIKES.get(ch, ch) for ch in found)
        return found

    return _MIXED_WORD.sub(word, text) if _LOOKALIKE.search(text) else text
