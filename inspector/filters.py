"""The last look at every line on its way to the terminal."""

from __future__ import annotations

import re

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from inspector.display import scrub

PLAIN = {
    "✓": "v", "✗": "x", "•": "*", "◆": "+", "●": "*", "○": "o", "·": ".", "…": "~", "→": ">", "←": "<", "↑": "^",
    "↓": "v", "–": "-", "—": "-", "“": '"', "”": '"', "‘": "'", "’": "'", "×": "x", "⟳": "@", "›": ">", "‹": "<",
    "⏎": "$", "▏": "|", "▎": "|", "▍": "|", "▌": "|", "█": "#", "░": ".", "▔": " ", "▁": " ", "⧗": "~",
    "⟨": "<", "⟩": ">",
}  # fmt: skip
"""Marks whose width terminals disagree on, and plain ones of the same width for `--ascii`."""
_LINES = re.compile("[\u2500-\u259f]")


class ScrubFilter(LineFilter):
    """A backstop: whatever could act on the terminal becomes a token, whoever let it through."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The same segments, with tokens in place of what acts."""
        return [
            segment
            if segment.text.isascii() and segment.text.isprintable()
            else segment._replace(text=scrub(segment.text))
            for segment in segments
        ]


class PlainFilter(LineFilter):
    """For `--ascii`: no mark, frame or block of ambiguous width; stored letters stay."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The same segments in plain marks, each as wide as before."""
        return [
            segment if segment.text.isascii() else segment._replace(text=plain(segment.text)) for segment in segments
        ]


def plain(text: str) -> str:
    """The text in plain marks."""
    text = "".join(PLAIN.get(ch, ch) for ch in text)
    return _LINES.sub(lambda match: _line(match[0]), text)


def _line(ch: str) -> str:
    """A frame's or block's character in plain."""
    if ch in "─━┄┅┈┉╌╍═▀▄▂▃":
        return "-"
    if ch in "│┃┆┇┊┋╎╏║▐▊▋▉▕":
        return "|"
    return "+" if ch < "\u2580" else "#"
