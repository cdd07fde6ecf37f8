"""The only way from stored text to a screen or terminal: makes it safe, cuts it, measures it.

Nothing of a stored text may act on the terminal: controls, bidirectional and invisible characters become visible tokens
(`␛`, `⟨U+202E⟩`). Honest uses stay: emoji joined by ZWJ, flags, joiners in scripts that need them. What comes out is
still no markup: widgets take it as `Content` or `rich.text.Text`, never as a plain string.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.text import Text

LONGEST_CLUSTER = 12
"""Code points that may share one place on the screen; the longest emoji takes 10, and no letter needs more marks."""

# What the fast path lets through: printable ASCII, Latin, kana, Han, full-width forms; no mark, no filler.
_SUSPECT = re.compile(
    "[^\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u3000-\u3029\u3030-\u3098\u309b-\u3163\u3165-\u9fff\uff01-\uff5e]"
)
_ACTS = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f]")
# England, Scotland, Wales: the only flags that are written with tag characters, exactly so.
_TAG_FLAG = re.compile(
    "\U0001f3f4\U000e0067\U000e0062(?:\U000e0065\U000e006e\U000e0067|\U000e0073\U000e0063\U000e0074|"
    "\U000e0077\U000e006c\U000e0073)\U000e007f"
)
_NO_CHARACTER = frozenset({"Cc", "Cs", "Co", "Cn", "Zl", "Zp"})
_INVISIBLE = frozenset({*_NO_CHARACTER, "Cf"})
# Emoji and Han that are younger than Python's tables count as characters.
_YOUNG = re.compile("[\U0001f000-\U0001faff\U00020000-\U0003fffd]")
_FILLER = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_MARKS = frozenset({"Mn", "Me", "Mc"})


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The marks of the console; those of `ASCII` are never of ambiguous width."""

    accepted: str = "✓"
    held: str = "?"
    rejected: str = "✗"
    unread: str = "•"
    cut: str = "…"
    arrow: str = "→"
    dash: str = "–"
    full: str = "█"
    empty: str = "░"
    bar: str = "│"
    marked: str = "◆"


UNICODE = Glyphs()
ASCII = Glyphs("v", "?", "x", "*", "~", "->", "-", "#", ".", "|", "+")


def glyphs(*, ascii_only: bool = False) -> Glyphs:
    """The marks for a terminal, plain ones for `--ascii`."""
    return ASCII if ascii_only else UNICODE


@lru_cache(maxsize=8192)
def masked(text: str) -> str:
    """The text with recognised secrets masked, also those that a file held before anybody looked (A9, D8).

    Takes a whole text: a part of a secret is not recognised.
    """
    from memory_core.safety.secrets import mask_secrets  # its patterns take time to compile

    return mask_secrets(text)


def safe(text: str, *, one_line: bool = True) -> str:
    """The text with secrets masked, and everything that could act, or hide, made visible (A9).

    Where `one_line` is set, line breaks become `⏎` and a tab one space; else they stay, a tab as four spaces.
    """
    text = masked(text)
    if not _SUSPECT.search(text):
        return text
    text = text.replace("\r\n", "\n")
    flags = _places(_TAG_FLAG, text)
    from memory_core.safety.hidden import find_hidden  # loads every rule; most texts never come here

    hidden = {at for finding in find_hidden(text) for at in range(finding.start, finding.end)}
    out: list[str] = []
    at = 0
    for cluster in clusters(text):
        for place, ch in enumerate(cluster):
            if ch == "\n":
                out.append("⏎" if one_line else "\n")
            elif ch == "\t":
                out.append(" " if one_line else "    ")
            elif at in flags:
                out.append(ch)
            elif at in hidden or _is_token(ch) or (place >= LONGEST_CLUSTER and _extends(ch)):
                out.append(token(ch))
            else:
                out.append(ch)
            at += 1
    return "".join(out)


def _places(pattern: re.Pattern[str], text: str) -> set[int]:
    return {at for match in pattern.finditer(text) for at in range(*match.span())}


def _is_token(ch: str) -> bool:
    """Whether a character is shown as a token wherever it stands."""
    if _ACTS.match(ch):
        return True
    return unicodedata.category(ch) in _NO_CHARACTER and not _YOUNG.match(ch)


def token(ch: str) -> str:
    """The visible token of a character."""
    code = ord(ch)
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else f"⟨U+{code:04X}⟩"


def scrub(text: str) -> str:
    """A backstop for one line on its way to the terminal: what acts on it becomes a token, all else stays as it is."""
    if not _ACTS.search(text):
        return text
    flags = _places(_TAG_FLAG, text)
    return _ACTS.sub(lambda match: match[0] if match.start() in flags else token(match[0]), text)


def cells(text: str) -> int:
    """How many terminal cells a text takes."""
    from rich.cells import cell_len  # a command that prints needs no widths

    return cell_len(text)


def clusters(text: str) -> Iterator[str]:
    """The text in pieces that must not be cut: a character with its marks, joined emoji, flags, Hangul syllables."""
    cluster = ""
    for ch in text:
        if cluster and ch not in "\n\t" and (_extends(ch) or _joins(cluster, ch)):
            cluster += ch
            continue
        if cluster:
            yield cluster
        cluster = ch
    if cluster:
        yield cluster


def _extends(ch: str) -> bool:
    """Whether a character belongs to the one before it: marks, joiners, skin tones, tags."""
    if ch.isascii():
        return False
    code = ord(ch)
    return (
        unicodedata.category(ch) in _MARKS
        or ch in "\u200c\u200d\uff9e\uff9f"
        or 0x1F3FB <= code <= 0x1F3FF
        or 0xE0020 <= code <= 0xE007F
    )


def _joins(cluster: str, ch: str) -> bool:
    """Whether a character that could stand alone goes on with this cluster."""
    last, code = cluster[-1], ord(ch)
    if last == "\u200d":
        return True
    if 0x1F1E6 <= code <= 0x1F1FF:
        return len(cluster) == 1 and 0x1F1E6 <= ord(last) <= 0x1F1FF
    if 0x1160 <= code <= 0x11FF:
        return 0x1100 <= ord(last) <= 0x11FF or 0xAC00 <= ord(last) <= 0xD7A3
    return False


def cut(text: str, width: int, *, mark: str = "…") -> str:
    """At most `width` cells; a cut is marked, and never inside a cluster. Empty where not even the mark fits."""
    if cells(text) <= width:
        return text
    room = width - cells(mark)
    if room < 0:
        return ""
    taken: list[str] = []
    for cluster in clusters(text):
        room -= cells(cluster)
        if room < 0:
            break
        taken.append(cluster)
    result = "".join(taken).rstrip() + mark
    # A joiner or a selector at a seam may make the whole another width than its parts.
    return result if cells(result) <= width else mark


def pad(text: str, width: int, *, mark: str = "…") -> str:
    """Exactly `width` cells: cut, or filled with spaces."""
    shown = cut(text, width, mark=mark)
    return shown + " " * (width - cells(shown))


def text_cell(text: str, width: int, *, mark: str = "…") -> Text:
    """A stored text for a table or a tree: safe, on one line, at most `width` cells, never read as markup."""
    from rich.text import Text

    return Text(cut(safe(text), width, mark=mark), no_wrap=True, overflow="ellipsis", end="")


def json_dump(value: Any) -> str:
    """One JSON document, indented by two, secrets masked; what acts or hides in a text stands as `\\uXXXX`."""
    text = json.dumps(_masked_value(value), ensure_ascii=False, indent=2, allow_nan=False)
    if not _SUSPECT.search(text.replace("\n", "")):
        return text
    return "".join(_escaped(ch) if _is_invisible(ch) else ch for ch in text)


def _masked_value(value: Any) -> Any:
    if isinstance(value, str):
        return masked(value)
    if isinstance(value, dict):
        return {masked(key) if isinstance(key, str) else key: _masked_value(entry) for key, entry in value.items()}
    return [_masked_value(entry) for entry in value] if isinstance(value, list | tuple) else value


def _is_invisible(ch: str) -> bool:
    if ch == "\n":  # only the indentation holds raw ones
        return False
    return _FILLER.match(ch) is not None or (unicodedata.category(ch) in _INVISIBLE and not _YOUNG.match(ch))


def _escaped(ch: str) -> str:
    return f"\\u{ord(ch):04x}" if ord(ch) <= 0xFFFF else json.dumps(ch)[1:-1]
