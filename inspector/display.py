"""The only way from stored text to a screen or terminal: makes it safe, cuts it, measures it.

Nothing of a stored text may act on the terminal: controls, bidirectional and invisible characters become visible tokens
(`␛`, `⟨U+202E⟩`). Honest uses stay: emoji joined by ZWJ, flags, joiners in scripts that need them.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rich.cells import cell_len, get_character_cell_size

from memory_core.safety.hidden import find_hidden

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_SUSPECT = re.compile("[^\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u3000-\u9fff\uff01-\uff5e]")
_ALWAYS_TOKEN = frozenset({"Cc", "Cs", "Cn", "Co", "Zl", "Zp"})
_ALWAYS_BIDI = re.compile("[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The marks of the console; `ASCII` has twins for terminals where a width is ambiguous."""

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


def safe(text: str, *, one_line: bool = True) -> str:
    """The text with everything that could act, or hide, made visible. Line breaks become `⏎` where `one_line` is set."""
    if not _SUSPECT.search(text):
        return text
    text = text.replace("\r\n", "\n")
    hidden = {at for finding in find_hidden(text) for at in range(finding.start, finding.end)}
    out: list[str] = []
    for at, ch in enumerate(text):
        if ch == "\n":
            out.append("⏎" if one_line else "\n")
        elif ch == "\t":
            out.append(" " if one_line else "    ")
        elif at in hidden or unicodedata.category(ch) in _ALWAYS_TOKEN or _ALWAYS_BIDI.match(ch):
            out.append(token(ch))
        else:
            out.append(ch)
    return "".join(out)


def token(ch: str) -> str:
    """The visible token of a character."""
    code = ord(ch)
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else f"⟨U+{code:04X}⟩"


def scrub(text: str) -> str:
    """A backstop for lines on their way to the terminal: controls and bidirectional characters become tokens."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        token(ch) if _CONTROL.match(ch) or _ALWAYS_BIDI.match(ch) or 0xE0000 <= ord(ch) <= 0xE007F else ch
        for ch in text
    )


def cells(text: str) -> int:
    """How many terminal cells a text takes."""
    return cell_len(text)


def clusters(text: str) -> Iterator[str]:
    """The text in pieces that must not be cut: a character with its marks, joined emoji, flags."""
    cluster = ""
    for ch in text:
        if cluster and (_extends(ch) or cluster.endswith("\u200d") or _pairs_flag(cluster, ch)):
            cluster += ch
            continue
        if cluster:
            yield cluster
        cluster = ch
    if cluster:
        yield cluster


def _extends(ch: str) -> bool:
    return (
        unicodedata.combining(ch) != 0
        or ch in "\u200d\u200c\ufe0e\ufe0f\u20e3"
        or 0x1F3FB <= ord(ch) <= 0x1F3FF
        or 0xE0020 <= ord(ch) <= 0xE007F
    )


def _pairs_flag(cluster: str, ch: str) -> bool:
    return len(cluster) == 1 and all(0x1F1E6 <= ord(part) <= 0x1F1FF for part in (cluster, ch))


def cut(text: str, width: int, *, mark: str = "…") -> str:
    """At most `width` cells; a cut is marked and never inside a cluster."""
    if width <= 0:
        return ""
    if cell_len(text) <= width:
        return text
    room = width - cell_len(mark)
    if room < 0:
        return ""
    taken: list[str] = []
    used = 0
    for cluster in clusters(text):
        size = max(cell_len(cluster), sum(get_character_cell_size(ch) for ch in cluster[:1]))
        if used + size > room:
            break
        taken.append(cluster)
        used += size
    result = "".join(taken).rstrip() + mark
    return result if cell_len(result) <= width else mark


def pad(text: str, width: int) -> str:
    """Exactly `width` cells: cut or filled with spaces."""
    shown = cut(text, width)
    return shown + " " * (width - cell_len(shown))


def json_dump(value: Any) -> str:
    """One JSON document; every control, invisible and bidirectional character stands as `\\uXXXX`."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    if not _SUSPECT.search(text):
        return text
    return "".join(_escaped(ch) if _is_hidden(ch) else ch for ch in text)


def _is_hidden(ch: str) -> bool:
    return ch != "\n" and unicodedata.category(ch) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"} or _is_filler(ch)


def _is_filler(ch: str) -> bool:
    code = ord(ch)
    return (
        code in {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0}
        or 0xFE00 <= code <= 0xFE0F
        or (0xE0100 <= code <= 0xE01EF)
    )


def _escaped(ch: str) -> str:
    return json.dumps(ch, ensure_ascii=True)[1:-1] if ord(ch) >= 0x80 else f"\\u{ord(ch):04x}"
