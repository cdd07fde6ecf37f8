"""The last look at every line: nothing acts on the terminal, `--ascii` shows no glyph of ambiguous width."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.segment import Segment
from textual.color import Color

from inspector.clipboard import send_through_tmux, sendable
from inspector.display import UNICODE, cells
from inspector.filters import PLAIN, PlainFilter, ScrubFilter, plain

BLACK = Color(0, 0, 0)


def through(filter_: ScrubFilter | PlainFilter, text: str) -> str:
    return "".join(segment.text for segment in filter_.apply([Segment(text)], BLACK))


@given(st.text(max_size=40))
def test_the_backstop_lets_nothing_through_that_acts(text: str) -> None:
    shown = through(ScrubFilter(), text)
    assert not any(ord(ch) < 0x20 or 0x7F <= ord(ch) <= 0x9F or ch in "\u202e\u2066" for ch in shown)


@pytest.mark.parametrize("text", ["plain", "中文 finding", "👩‍👩‍👧 é", "✓ accepted"])
def test_honest_text_is_left_alone(text: str) -> None:
    assert through(ScrubFilter(), text) == text


@given(st.text(st.sampled_from([*PLAIN, *"│─╭█▁中a"]), max_size=30))
def test_plain_marks_are_as_wide_as_before(text: str) -> None:
    shown = plain(text)
    assert cells(shown) == cells(text)
    assert not any(unicodedata.east_asian_width(ch) == "A" for ch in shown)


def test_every_mark_of_the_console_has_a_plain_one() -> None:
    for name in UNICODE.__slots__:
        assert plain(getattr(UNICODE, name)).isascii(), name


def test_what_is_copied_keeps_its_lines_and_acts_nowhere() -> None:
    assert sendable("一\n二\x1b]52;c;aaaa\x07") == "一\n二␛]52;c;aaaa␇"


def test_without_tmux_nothing_is_run() -> None:
    assert send_through_tmux("正文", {}) is False
