"""What holds for every reply: wrappers and repairs change no content, cut text is never used, work is bounded (U2)."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.delta import SECTIONS, MemoryDeltaParser
from memory_core.json_scan import MAX_STEPS
from memory_core.reply import MAX_LENGTH

parse = MemoryDeltaParser.parse

HARD = st.sampled_from(
    [
        "```",
        "<think>",
        "</think>",
        ",]",
        ",}",
        "{}",
        "}{",
        '{"a": 1}',
        '\\"',
        "\\",
        "//",
        "NaN",
        "\n\t",
        " \r\n ",
        "\ufeff",
        "\ud83d",
    ]
)
WORDS = st.lists(HARD | st.text(max_size=6), max_size=5).map("".join)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | WORDS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(WORDS, inner, max_size=2),
    max_leaves=6,
)
DELTAS = st.dictionaries(st.sampled_from(sorted(SECTIONS)) | WORDS, VALUES, max_size=3).map(
    lambda value: {"turn_summaries": value.pop("turn_summaries", None) or [], **value}
)
PROSE = st.text("好的，ab.: \n`'“”‘’()<>/#*-1", max_size=30).filter(lambda text: "</think>" not in text)
THOUGHT = st.lists(
    st.sampled_from(['{"a": 1}', '{"a": [', '{"a": "', "{", "}", '"', "[", "想", "NaN", "\\", "```", "\n"]), max_size=8
).map("".join)
NOISE = st.lists(
    HARD | st.sampled_from(['{"a":', '{"turn_summaries": [', "[", "]", "}", "{", '"', ":", ",", "1", "null", " "]),
    max_size=25,
).map("".join)


def shuffled_json(draw: st.DrawFn, value: Any) -> tuple[str, int, int]:
    """JSON with trailing commas and raw breaks strewn in, and how many of each."""
    commas = breaks = 0

    def string(text: str) -> str:
        nonlocal breaks
        if "\ud83d" in text or not draw(st.booleans()):
            return json.dumps(text)
        breaks += 1
        return '"' + draw(st.sampled_from(["\n", "\t", "\r\n", " \n\t "])) + json.dumps(f"|{text}")[1:]

    def close(parts: list[str], mark: str) -> str:
        nonlocal commas
        if parts and draw(st.booleans()):
            commas += 1
            return draw(st.sampled_from([",", " , ", ",\n"])) + mark
        return mark

    def of(value: Any) -> str:
        if isinstance(value, str):
            return string(value)
        if isinstance(value, list):
            parts = [of(part) for part in value]
            return "[" + ",".join(parts) + close(parts, "]")
        if isinstance(value, dict):
            parts = [f"{json.dumps(key)}: {of(part)}" for key, part in value.items()]
            return "{" + ", ".join(parts) + close(parts, "}")
        return json.dumps(value)

    return of(value), commas, breaks


def without_breaks(value: Any) -> Any:
    """The value that was meant, its added breaks read as the one space that they are folded into."""
    if isinstance(value, str):
        return value.removeprefix(" |")
    if isinstance(value, list):
        return [without_breaks(part) for part in value]
    if isinstance(value, dict):
        return {key: without_breaks(part) for key, part in value.items()}
    return value


@given(DELTAS, st.booleans(), st.sampled_from([None, 2]))
def test_any_object_is_read_as_it_is(value: dict[str, Any], ascii_only: bool, indent: int | None) -> None:
    parsed = parse(json.dumps(value, ensure_ascii=ascii_only, indent=indent))
    assert parsed.reason is None
    assert parsed.delta is not None
    assert parsed.delta.raw == value
    assert parsed.remarks == ()


@given(
    DELTAS, PROSE, PROSE, st.lists(THOUGHT, max_size=3), st.sampled_from(["{}", "```json\n{}\n```", "````\n{} ````"])
)
def test_fences_prose_and_reasoning_change_nothing(
    value: dict[str, Any], before: str, after: str, thoughts: list[str], fence: str
) -> None:
    text = json.dumps(value)
    bare = parse(text)
    reasoning = "".join(f"<think>{thought}</think>" for thought in thoughts)
    wrapped = parse(f"{reasoning}{before}:\n{fence.replace('{}', text)}\n。{after}")
    assert wrapped.reason is None
    assert wrapped == bare
    assert parse(("\ufeff" + text).encode()) == bare


@given(DELTAS, THOUGHT)
def test_a_lone_closing_tag_drops_all_before_it(value: dict[str, Any], thought: str) -> None:
    assert parse(f"{thought}</think>{json.dumps(value)}") == parse(json.dumps(value))


@given(st.data(), DELTAS)
def test_repairs_change_what_they_repair_and_nothing_else(data: st.DataObject, value: dict[str, Any]) -> None:
    text, commas, breaks = data.draw(st.composite(shuffled_json)(value))
    parsed = parse(text)
    assert parsed.reason is None
    assert parsed.delta is not None
    assert without_breaks(parsed.delta.raw) == without_breaks(value)
    assert [remark.split(" ")[0] for remark in parsed.remarks] == ["Trailing"] * bool(commas) + ["Raw"] * bool(breaks)
    assert all(f"({count})" in " ".join(parsed.remarks) for count in (commas, breaks) if count)


@given(DELTAS, st.data())
def test_a_cut_object_is_never_used(value: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps(value)
    cut = text[: data.draw(st.integers(0, len(text) - 1))]
    assert parse(cut).delta is None
    reason = parse(cut, finish_reason="length", token_limit=9).reason
    assert reason is not None
    assert reason.code == "reply_cut_off"


@given(DELTAS, DELTAS, st.sampled_from(["", "\n", "\n或者：\n", "```\n```json\n", "}", "]", ", "]))
def test_two_objects_are_never_chosen_between(one: dict[str, Any], other: dict[str, Any], between: str) -> None:
    assert parse(json.dumps(one) + between + json.dumps(other)).delta is None


@given(
    DELTAS,
    st.sampled_from(["[{}]", "[{}, 1]", "[1, {}]", "{{}}", '{"delta": {}', "{'a': {}}", "{}}", "{}]", '{}, "a": 1}']),
)
def test_an_object_within_something_else_is_not_taken_out(value: dict[str, Any], around: str) -> None:
    assert parse(around.replace("{}", json.dumps(value), 1)).delta is None


@given(DELTAS, st.sets(st.sampled_from(sorted(SECTIONS))))
def test_a_null_section_is_an_absent_one(value: dict[str, Any], absent: set[str]) -> None:
    with_null = parse(json.dumps({**value, **dict.fromkeys(absent)}))
    without = parse(json.dumps({key: part for key, part in value.items() if key not in absent}))
    assert (with_null.reason, with_null.ignored_keys) == (without.reason, without.ignored_keys)
    if with_null.delta and without.delta:
        assert with_null.delta.operations == without.delta.operations


@given(NOISE | NOISE.map(lambda text: text.encode("utf-8", "surrogatepass")) | st.binary(max_size=60))
def test_any_reply_is_a_delta_or_a_reason_with_a_place_in_it(reply: str | bytes) -> None:
    for finish in (None, "length"):
        parsed = parse(reply, finish_reason=finish, token_limit=1)
        assert (parsed.delta is None) == (parsed.reason is not None)
        reason = parsed.reason
        if reason is None:
            continue
        assert reason.message.encode()
        assert reason.hint
        assert (reason.line is None) == (reason.column is None)
        if reason.line is not None and reason.column is not None:
            lines = (reply if isinstance(reply, str) else reply.decode()).split("\n")
            assert 1 <= reason.column <= len(lines[reason.line - 1]) + 1


NESTED = '{"a":' * 31
HOSTILE = {
    "brackets": "[",
    "braces": "{",
    "spaced braces": "{ ",
    "objects": "{}",
    "more objects": '{"a":1} ',
    "begun": '{"a":',
    "begun and broken": '{"a":x ',
    "closed and broken": '{"a":x} ',
    "half keys": '{"',
    "quotes": '"',
    "backslashes": "\\",
    "escaped quotes": '\\"',
    "keys in turn": '{"a":"',
    "deep and broken": NESTED + "x ",
    "long and broken": NESTED + '"' + "\\\\" * 20 + '" x ',
    "not a number": '{"a":NaN ',
    "tags": "<think>",
    "closing tags": "</think>",
    "pairs of tags": "<think></think>",
    "tags in strings": '{"a":"</think>',
    "single quotes": "{'",
    "bare keys": "{a:",
    "spaces": " ",
    "backticks": "`",
    "line breaks": "{\n",
    "byte order marks": "\ufeff",
    "commas": ",",
}
AROUND = {
    "": ("", ""),
    "after a brace": ("{", ""),
    "in a string": ('{"turn_summaries": ["', '"]}'),
    "in a folded string": ('{"turn_summaries": ["\nx', '"]}'),
    "in a list": ('{"turn_summaries": [', "]}"),
    "in reasoning": ("<think>", "</think>{}"),
    "in open reasoning": ("<think>", ""),
    "before a closing tag": ("", "</think>{}"),
    "before an object": ("", "{}"),
}


def filled(part: str, around: tuple[str, str], length: int) -> str:
    """About `length` characters of the part, with its surroundings."""
    return around[0] + part * ((length - len(around[0]) - len(around[1])) // len(part)) + around[1]


@contextmanager
def counted_calls() -> Iterator[list[int]]:
    """Counts the calls, of Python and of C functions, that are made within."""
    calls = [0]

    def count(frame: FrameType, event: str, argument: object) -> None:
        calls[0] += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        yield calls
    finally:
        sys.setprofile(before)


def calls_of(reply: str) -> int:
    with counted_calls() as calls:
        parsed = parse(reply)
    assert (parsed.delta is None) == (parsed.reason is not None)
    return calls[0]


@pytest.mark.parametrize("around", AROUND.values(), ids=AROUND.keys())
@pytest.mark.parametrize("part", HOSTILE.values(), ids=HOSTILE.keys())
def test_work_grows_no_faster_than_the_reply(part: str, around: tuple[str, str]) -> None:
    small, large = (calls_of(filled(part, around, length)) for length in (1_000, 4_000))
    assert large <= 4.5 * small + 500


@pytest.mark.parametrize("around", ["", "in a folded string", "in open reasoning", "before a closing tag"])
@pytest.mark.parametrize("part", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_reply_of_the_greatest_length_ends_in_a_result(part: str, around: str) -> None:
    """Any step that went over the whole text again for each part of it would run for minutes here."""
    parsed = parse(filled(part, AROUND[around], MAX_LENGTH))
    assert (parsed.delta is None) == (parsed.reason is not None)


@pytest.mark.parametrize("part", ["1,", "[],", '{"a":1},', '"a\n",', "[[1]],"])
def test_tokens_are_bounded_where_the_length_is_not_yet(part: str) -> None:
    reply = filled(part, ('{"turn_summaries": [', "1]}"), MAX_LENGTH)
    assert calls_of(reply) < 8 * MAX_STEPS
    reason = parse(reply).reason
    assert reason is not None
    assert reason.code == "reply_too_many"
