"""Whole entries are found among broken JSON; nothing is repaired, and the work is bounded."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.policy import Limits
from memory_core.salvage import MOST_ENTRIES, salvage
from tests.core.samples import NOW, V1_SAMPLES


@pytest.mark.parametrize("sample", V1_SAMPLES, ids=lambda path: path.name)
def test_a_whole_document_is_read_as_it_is(sample) -> None:  # type: ignore[no-untyped-def]
    found = salvage(sample.read_bytes(), Limits(), NOW)
    assert found.whole
    assert found.document.entries()


def test_a_file_cut_off_gives_the_entries_before_the_cut() -> None:
    data = next(path for path in V1_SAMPLES if path.name == "typical.json").read_bytes()
    whole = salvage(data, Limits(), NOW).document
    text = data.decode()
    last = list(whole.entries())[-1]
    cut = text[: text.index(f'"{last.id}"') + 40].encode()
    found = salvage(cut, Limits(), NOW)
    assert not found.whole
    assert [entry.id for entry in found.document.entries()] == [
        entry.id for entry in whole.entries() if entry.id != last.id
    ]


def test_an_entry_that_the_rules_forbid_is_reported_and_left_out() -> None:
    bad = {"id": "mem_1", "type": "durable_preference", "label": "x", "summary": "y", "status": "active"}
    bad |= {"source": "conversation_summary", "created_at": NOW.isoformat(), "updated_at": NOW.isoformat()}
    found = salvage(b'{"version": 1, "broken": ' + json.dumps(bad).encode(), Limits(), NOW)
    assert found.document.items == ()
    assert len(found.problems) == 1


@given(st.binary(max_size=200))
def test_any_bytes_give_an_answer(data: bytes) -> None:
    assert salvage(data, Limits(), NOW).document is not None


def test_the_work_is_bounded() -> None:
    many = b'{"id": "x", "a": ' * (4 * MOST_ENTRIES)
    assert salvage(b"{" + many, Limits(), NOW).document.items == ()
