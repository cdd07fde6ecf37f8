"""Decisions as values: undo, redo, what a change of the file does to them (R3, R4)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.panes.decisions import Desk, refusal
from memory_core.capacity import Sizes
from memory_core.document import MemoryDocument
from memory_core.review.verdict import Decision, Judgement, Review, Verdict

PLACES = ("turn_summaries[0]", "topic_operations[0]", "long_term_operations[0]")


def verdict(at: str, judged: Judgement = "accepted", after: dict[str, Any] | None = None) -> Verdict:
    return Verdict(at, "topic", "create_new", None, judged, "accepted", "", (), None, after or {"summary": "话题"})


def review(*verdicts: Verdict, base: str = "a") -> Review:
    return Review(
        "parsed", None, (), (), base, "d", "p", verdicts, MemoryDocument(), (), Sizes(before=0, after=0, soft=1, hard=1)
    )


def test_a_decision_stays_where_verdict_before_and_after_are_the_same() -> None:
    desk = Desk({PLACES[0]: "accept", PLACES[1]: "turn_down"}, {PLACES[0]: "好"})
    before = review(*map(verdict, PLACES))
    now = review(*(replace(entry, message="other words") for entry in before.operations), base="b")
    assert desk.carry_over(before, now) == ()
    assert desk.decisions == {PLACES[0]: "accept", PLACES[1]: "turn_down"}
    assert desk.cleared == {}


@pytest.mark.parametrize(
    "now",
    [
        verdict(PLACES[0], "rejected"),
        verdict(PLACES[0], "held"),
        verdict(PLACES[0], after={"summary": "另一个"}),
        replace(verdict(PLACES[0]), before={"summary": "以前"}),
    ],
    ids=["rejected", "held", "other after", "other before"],
)
def test_a_decision_on_what_changed_is_cleared_and_marked_and_no_undo_brings_it_back(now: Verdict) -> None:
    desk = Desk()
    desk.decide({PLACES[0]: "accept"})
    desk.decide({PLACES[1]: "turn_down"})
    desk.undo()
    assert desk.carry_over(review(*map(verdict, PLACES)), review(now, *map(verdict, PLACES[1:]))) == (PLACES[0],)
    assert desk.decisions == {}
    assert "your decision was cleared" in desk.cleared[PLACES[0]]
    for step in (desk.redo, desk.undo):
        while step():
            assert PLACES[0] not in desk.decisions


def test_what_flipped_without_a_decision_is_marked_too_until_it_is_decided() -> None:
    desk = Desk()
    desk.carry_over(review(*map(verdict, PLACES)), review(verdict(PLACES[0], "held"), *map(verdict, PLACES[1:])))
    assert desk.cleared == {PLACES[0]: "was accepted, is held since the file changed"}
    desk.decide({PLACES[0]: "accept"})
    assert desk.cleared == {}


def test_places_that_are_gone_take_their_notes_along() -> None:
    desk = Desk({PLACES[0]: "accept", PLACES[2]: "accept"}, {PLACES[0]: "一", PLACES[2]: "三"}, {PLACES[2]: "flipped"})
    desk.keep_only(PLACES[:2])
    assert (desk.decisions, desk.notes, desk.cleared) == ({PLACES[0]: "accept"}, {PLACES[0]: "一"}, {})


steps = st.lists(st.tuples(st.sampled_from(PLACES), st.sampled_from(["accept", "turn_down", None])), max_size=12)


@given(steps)
def test_undo_goes_back_to_the_beginning_and_redo_to_the_end(taken: list[tuple[str, Decision | None]]) -> None:
    desk = Desk()
    for at, decision in taken:
        desk.decide({at: decision})
    end = dict(desk.decisions)
    undone = 0
    while desk.undo():
        undone += 1
    assert desk.decisions == {}
    assert undone <= len(taken)
    while desk.redo():
        pass
    assert desk.decisions == end


@pytest.mark.parametrize(
    ("judged", "decision", "several", "refused"),
    [
        ("accepted", "accept", True, False),
        ("accepted", "turn_down", False, False),
        ("held", "accept", False, False),
        ("held", "accept", True, True),
        ("held", "turn_down", True, False),
        ("rejected", "accept", False, True),
        ("rejected", "turn_down", False, True),
        ("rejected", None, False, False),
    ],
)
def test_what_may_be_decided(judged: Judgement, decision: Decision | None, several: bool, refused: bool) -> None:
    assert bool(refusal(verdict(PLACES[0], judged), decision, several=several)) is refused
