"""Reading the file's bytes: what loads, what is left out, what is told (S2-S4, S7c, D7)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.capacity import encode
from memory_core.codec import RAW_LIMIT, decode
from memory_core.policy import Limits
from tests.core.samples import NOW, V1_SAMPLES, document, note, preference, topic, turn

LIMITS = Limits()


def read(data: bytes) -> Any:
    return decode(data, LIMITS, NOW)


def base() -> dict[str, Any]:
    """A good file as JSON values."""
    whole = document(turns=(turn(1), turn(2)), topics=(topic(1),), items=(preference(1), note(2)))
    values: dict[str, Any] = json.loads(encode(whole))
    return values


def codes(values: dict[str, Any]) -> list[tuple[str, str]]:
    return [(problem.at, problem.code) for problem in read(json.dumps(values).encode()).problems]


@pytest.mark.parametrize("sample", V1_SAMPLES, ids=lambda path: path.name)
def test_what_v1_wrote_round_trips_byte_for_byte(sample: Path) -> None:
    data = sample.read_bytes()
    loaded = read(data)
    assert loaded.status == "ok"
    assert encode(loaded.document) == data
    told = {problem.code for problem in loaded.problems} - {"future_time"}
    assert told == ({"over_count"} if sample.name == "seventy_items.json" else set())


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "not_json"),
        (b'{"version": 1', "not_json"),
        (b"[]", "not_object"),
        (b'"text"', "not_object"),
        ("{}".encode("utf-16"), "not_utf8"),
        ('{"a": "规"}'.encode("gbk"), "not_utf8"),
        (b'{"a": NaN}', "not_a_number"),
        (b'{"a": 1e999}', "number_out_of_range"),
        (b'{"a": ' + b"9" * 5000 + b"}", "number_out_of_range"),
        (b"[" * 200_000, "too_deep"),
    ],
)
def test_damage_gives_no_document_and_the_raw_text(data: bytes, code: str) -> None:
    loaded = read(data)
    assert (loaded.status, loaded.problems[0].code) == ("corrupt", code)
    assert loaded.document.items == ()
    assert len(loaded.raw) <= RAW_LIMIT
    assert loaded.raw_left_out == max(0, len(data) - RAW_LIMIT)


@pytest.mark.parametrize(
    ("version", "label"), [(2, "2"), ("1", "-unknown"), (True, "-unknown"), (1.0, "-unknown"), (None, "-unknown")]
)
def test_only_the_integer_one_is_version_one(version: object, label: str) -> None:
    loaded = read(json.dumps({**base(), "version": version}).encode())
    assert (loaded.status, loaded.version_label) == ("other_version", label)


def test_a_missing_version_is_another_version() -> None:
    values = base()
    del values["version"]
    assert read(json.dumps(values).encode()).status == "other_version"


def test_a_byte_order_mark_is_read_and_not_written_back() -> None:
    data = b"\xef\xbb\xbf" + json.dumps(base()).encode().replace(b"\n", b"\r\n")
    loaded = read(data)
    assert loaded.status == "ok"
    assert encode(loaded.document) == encode(read(json.dumps(base()).encode()).document)
    assert ("memory.json", "byte_order_mark") in [(p.at, p.code) for p in loaded.problems]


def change(path: str, value: Any) -> dict[str, Any]:
    """The good file with one value changed; `path` such as `working_memory.recent_turns.0.intent`."""
    values = base()
    *way, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    place: Any = values
    for part in way:
        place = place[part]
    place[last] = value
    return values


@pytest.mark.parametrize(
    ("path", "value", "code"),
    [
        ("working_memory.recent_turns.0.intent", "code_audit", "foreign_intent"),
        ("working_memory.recent_turns.0.user_text", 7, "wrong_type_stored"),
        ("working_memory.recent_turns.0.user_text", "长" * 1001, "too_long_stored"),
        ("working_memory.recent_turns.0.created_at", "yesterday", "bad_time"),
        ("working_memory.recent_turns.0.id", "", "empty_stored"),
        ("working_memory.recent_turns.0.summary_status", "done", "illegal_value"),
        ("working_memory.active_topics.0.label", "长" * 61, "too_long_stored"),
        ("working_memory.active_topics.0.related_turn_ids", "turn", "wrong_type_stored"),
        ("long_term_memory.durable_preferences.0.source", "conversation_summary", "wrong_source"),
        ("long_term_memory.durable_preferences.0.type", "project_note", "wrong_list"),
        ("long_term_memory.project_notes.0.summary", "长" * 301, "too_long_stored"),
        ("long_term_memory.project_notes.0.summary", "\ud800", "bad_unicode_stored"),
        ("long_term_memory.project_notes.0", "text", "wrong_type_stored"),
    ],
)
def test_one_bad_entry_is_left_out_and_the_rest_loads(path: str, value: Any, code: str) -> None:
    values = change(path, value)
    loaded = read(json.dumps(values).encode())
    assert loaded.status == "ok"
    assert [problem.code for problem in loaded.problems] == [code]
    assert loaded.needs_copy
    assert len(list(loaded.document.entries())) == len(list(read(json.dumps(base()).encode()).document.entries())) - 1


def test_the_second_of_two_equal_ids_is_left_out() -> None:
    values = base()
    notes = values["long_term_memory"]["project_notes"]
    notes.append({**notes[0], "summary": "另一条"})
    loaded = read(json.dumps(values).encode())
    assert [item.summary for item in loaded.document.notes] == [notes[0]["summary"]]
    assert codes(values) == [("long_term_memory.project_notes[1]", "same_id")]


def test_dangling_links_foreign_ids_and_ellipses_are_no_fault() -> None:
    values = base()
    values["working_memory"]["active_topics"][0]["related_turn_ids"] = ["turn_gone"]
    values["working_memory"]["recent_turns"][0]["id"] = "其他编号 7"
    values["long_term_memory"]["project_notes"][0]["summary"] = "很长的话…"
    assert codes(values) == []


def test_times_without_offset_and_in_the_future_are_told_and_kept() -> None:
    values = base()
    values["working_memory"]["active_topics"][0]["last_touched_at"] = "2026-05-01T04:00:00"
    values["long_term_memory"]["project_notes"][0]["created_at"] = "2999-01-01T00:00:00+08:00"
    loaded = read(json.dumps(values).encode())
    assert [problem.code for problem in loaded.problems] == ["no_offset", "future_time"], loaded.problems
    assert all(problem.severity == "warning" for problem in loaded.problems)
    assert len(loaded.document.topics) == len(loaded.document.notes) == 1


def test_unknown_keys_are_kept_at_the_top_and_in_items_and_dropped_elsewhere() -> None:
    values = base()
    values["mine"] = {"a": [1]}
    values["long_term_memory"]["project_notes"][0]["colour"] = "red"
    values["working_memory"]["extra"] = 1
    loaded = read(json.dumps(values).encode())
    written = json.loads(encode(loaded.document))
    assert written["mine"] == {"a": [1]}
    assert written["long_term_memory"]["project_notes"][0]["colour"] == "red"
    assert "extra" not in written["working_memory"]
    assert loaded.needs_copy
    assert {problem.code for problem in loaded.problems} == {"unknown_key_kept", "unknown_key_dropped"}


def test_a_key_that_stands_twice_is_told_and_a_copy_asked_for() -> None:
    loaded = read(b'{"version": 1, "mine": 1, "mine": 2}')
    assert loaded.needs_copy
    assert "duplicate_key" in {problem.code for problem in loaded.problems}


@given(st.binary(max_size=300))
def test_any_bytes_give_a_result(data: bytes) -> None:
    assert read(data).status in {"ok", "corrupt", "other_version"}


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


@given(st.sampled_from(["working_memory", "repo_profile", "long_term_memory", "updated_at", "other"]), json_values)
def test_any_value_in_any_section_loads_and_can_be_written(section: str, value: Any) -> None:
    loaded = read(json.dumps({**base(), section: value}).encode())
    assert loaded.status == "ok"
    assert decode(encode(loaded.document), LIMITS, NOW).document == loaded.document
