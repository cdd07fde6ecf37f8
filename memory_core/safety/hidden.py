"""What a reviewer cannot see: controls, bidirectional and invisible characters, Unicode tags (A9)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from memory_core.safety.finding import Finding

# Two letters and up to four letters or digits name a region; anything longer is a message.
_TAG_FLAG = re.compile(
    "\U0001f3f4[\U000e0061-\U000e007a]{2}[\U000e0030-\U000e0039\U000e0061-\U000e007a]{1,4}\U000e007f"
)
_SUSPECT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)
_JOINING_SCRIPTS = re.compile(
    "[\u0600-\u08ff\u0900-\u0dff\u0e00-\u0fff\u1000-\u109f\u1780-\u18af\ufb50-\ufdff\ufe70-\ufeff\U00010d00-\U00011fff]"
)
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")
_HAN = re.compile("[\u3400-\u9fff\U00020000-\U0003ffff]")


def find_hidden(text: str) -> Iterator[Finding]:
    """Every character that is there and cannot be seen, runs of one kind together."""
    flags = (
        {at for match in _TAG_FLAG.finditer(text) for at in range(match.start(), match.end())}
        if "\U0001f3f4" in text
        else set()
    )
    open_kind, start, end = "", 0, 0
    for match in _SUSPECT.finditer(text):
        at = match.start()
        kind = "" if at in flags else _kind(text, at)
        if not kind:
            continue
        if kind == open_kind and at == end:
            end = at + 1
            continue
        if open_kind:
            yield _finding(open_kind, text, start, end)
        open_kind, start, end = kind, at, at + 1
    if open_kind:
        yield _finding(open_kind, text, start, end)


def _finding(kind: str, text: str, start: int, end: int) -> Finding:
    return Finding(kind, "reject", start, end, "A9", text[start:end])


def _kind(text: str, at: int) -> str:
    """The kind of a suspect character; empty where its neighbours make it an honest one."""
    ch = text[at]
    code = ord(ch)
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    if code < 0x20 or 0x7F <= code <= 0x9F:
        return "" if ch == "\r" and after == "\n" else "control_chars"
    if 0xE0000 <= code <= 0xE007F:
        return "unicode_tags"
    if code in {0x200E, 0x200F, 0x061C}:
        return "" if _RIGHT_TO_LEFT.search(text) else "bidi"
    if 0x202A <= code <= 0x202E or 0x2066 <= code <= 0x2069:
        return "bidi"
    if code in {0x200C, 0x200D}:
        return "" if _joins(text, at) else "invisible_chars"
    if code in {0xFE0E, 0xFE0F}:
        return "" if _takes_style(before) else "invisible_chars"
    if 0xFE00 <= code <= 0xFE0D or 0xE0100 <= code <= 0xE01EF:
        return "" if _HAN.match(before) else "invisible_chars"
    if 0x180B <= code <= 0x180F:
        return "" if "\u1800" <= before <= "\u18af" else "invisible_chars"
    if code == 0x2800:
        return "" if "\u2801" <= before <= "\u28ff" or "\u2801" <= after <= "\u28ff" else "invisible_chars"
    return "invisible_chars"


def _joins(text: str, at: int) -> bool:
    """Whether a joiner stands between letters of a script that uses it, or a ZWJ between emoji."""
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    if _JOINING_SCRIPTS.match(before) and _JOINING_SCRIPTS.match(after):
        return True
    return text[at] == "\u200d" and _is_emoji(before) and _is_emoji(after)


def _is_emoji(ch: str) -> bool:
    return bool(ch) and (unicodedata.category(ch) in {"So", "Sk"} or ch == "\ufe0f" or ch in "♂♀⚕⚖✈❤")


def _takes_style(ch: str) -> bool:
    """Whether a variation selector for emoji or text style may follow."""
    return bool(ch) and (
        unicodedata.category(ch) in {"So", "Sm", "Po", "Ps"}
        or ch in "0123456789#*‼⁉〰〽ℹⓂ"
        or _HAN.match(ch) is not None
    )


def has_hidden(text: str) -> bool:
    """Whether anything in a text cannot be seen."""
    return next(find_hidden(text), None) is not None
