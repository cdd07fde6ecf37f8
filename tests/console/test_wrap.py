"""Lines break by cells, between Chinese characters, with an indent; nothing of them is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.content import Content

from inspector.display import cells
from inspector.widgets.text import field_change, fitted, line, raw, words
from inspector.widgets.wrap import NOT_FIRST, NOT_LAST, wrapped


def plain(text: str, width: int, hang: int = 0) -> list[str]:
    return [piece.plain for piece in wrapped(Content(text), width, hang)]


@pytest.mark.parametrize(
    ("text", "width", "hang", "expected"),
    [
        ("short", 10, 0, ["short"]),
        ("one two three", 8, 0, ["one two", "three"]),
        ("用户关注模块的分工", 8, 0, ["用户关注", "模块的分", "工"]),
        ("先给结论，再给理由。", 8, 0, ["先给结", "论，再给", "理由。"]),
        ("关注 finding 队列", 10, 0, ["关注", "finding 队", "列"]),
        ("  - one two three", 10, 4, ["  - one", "    two", "    three"]),
        ("turn_20260501_124500_004", 12, 0, ["turn_", "20260501_", "124500_004"]),
        ("（括号）不断", 4, 0, ["（括", "号）", "不断"]),
        ("[-管理-]{+逐条+}", 8, 0, ["[-管理-]", "{+逐条+}"]),
        ("x" * 9, 4, 0, ["xxxx", "xxxx", "x"]),
    ],
)
def test_where_lines_break(text: str, width: int, hang: int, expected: list[str]) -> None:
    assert plain(text, width, hang) == expected


texts = st.text(st.sampled_from("ab 模块。，（）-_/x👍🏽é"), max_size=80)


@given(texts, st.integers(4, 30), st.integers(0, 6))
def test_every_line_fits_and_no_character_is_lost(text: str, width: int, hang: int) -> None:
    pieces = plain(text, width, hang)
    assert all(cells(piece) <= width for piece in pieces)
    assert "".join(pieces).replace(" ", "") == text.replace(" ", "")


@given(st.text(st.sampled_from("模块的分工，。（）"), min_size=1, max_size=60), st.integers(10, 30))
def test_punctuation_stands_at_no_wrong_end(text: str, width: int) -> None:
    runs = max((len(run) for run in text.replace("模", " ").split()), default=0)
    pieces = plain(text, width)
    if runs < width // 4:  # longer runs of punctuation alone must break somewhere
        assert all(piece[0] not in NOT_FIRST or piece[-1] in NOT_FIRST for piece in pieces[1:])
        assert all(piece[-1] not in NOT_LAST or len(piece) == 1 for piece in pieces[:-1])


def test_styles_go_with_their_words() -> None:
    content = Content.assemble(("一二三四", "bold"), "五六七八")
    first, second = wrapped(content, 8)
    assert (first.plain, second.plain) == ("一二三四", "五六七八")
    assert first.spans
    assert not second.spans


def test_a_continued_line_is_indented_as_it_began() -> None:
    assert fitted([line("    one two three four")], 14).plain == "    one two\n    three four"


def test_stored_text_is_never_markup_nor_acts() -> None:
    shown = line("[@click=app.quit]退出[/] \x1b[2J \u202e").content
    assert shown.plain == "[@click=app.quit]退出[/] ␛[2J ⟨U+202E⟩"
    assert not shown.spans


def test_changed_words_are_marked_by_signs_as_well_as_colour() -> None:
    assert words("用户关注缓存", "用户关注日志").plain == "用户关注[-缓存-]{+日志+}"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("pending", "ready", ["    status  pending → ready"]),
        ("", "新的", ["    status", "      + 新的"]),
        ("旧的", "", ["    status", "      - 旧的"]),
        (["a", "b"], ["b", "c"], ["    status", "      - a", "      + c"]),
        (["a", "b"], ["b", "a"], ["    status", "      in another order: b, a"]),
    ],
)
def test_a_field_shows_what_came_and_went(before: object, after: object, expected: list[str]) -> None:
    assert [entry.plain for entry in field_change("status", before, after)] == expected


def test_a_long_text_says_how_much_is_left_out() -> None:
    shown = raw("\n".join(str(number) for number in range(30)), most=10)
    assert [entry.plain for entry in shown][-2:] == ["9", "… 20 more lines"]
