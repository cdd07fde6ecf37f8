"""What holds of judging for every delta and every document (A1, A10, D6, R3)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_core.capacity import encode
from memory_core.clock import iso
from memory_core.delta import SECTIONS, DeltaOperation, Kind, MemoryDelta
from memory_core.document import SOURCE_OF, ActiveTopic, LongTermItem, MemoryDocument
from memory_core.policy import Limits, Policy
from memory_core.review.applier import MemoryDeltaApplier
from memory_core.review.verdict import Decisions, Review, TurnedDown
from tests.core.review.judged import BARE, BASE, NEW_NOTE, NEW_TOPIC, SUMMARISE, changed, context
from tests.core.samples import NOW, document, note, preference, topic, turn

FEW = settings(max_examples=40, deadline=None)
MANY = settings(max_examples=100, deadline=None)

Case = tuple[MemoryDocument, MemoryDelta]

HELD_TEXT = "缓存模块的失效方式。"
HOLD = (
    TurnedDown("turn_summary", None, "", HELD_TEXT, "2026-04-30"),
    TurnedDown("topic", None, "", HELD_TEXT, "2026-04-30"),
    TurnedDown("long_term", "project_note", "", HELD_TEXT, "2026-04-30"),
)
"""What makes a rule hold an operation with that text; a preference with it is accepted."""
GOOD_TEXT = st.sampled_from(["用户在看分层。", HELD_TEXT, "Prefer short answers.", "👍", "长" * 300])
BAD_TEXT = st.sampled_from(["…", "", " ", "长" * 301, "半\ud83d", None, 3])
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=4,
)
FIELDS = ("operation", "turn_id", "target_id", "label", "summary", "type", "source", "related_turn_ids")
LIMITS = Limits(recent_turns=4, active_topics=2, long_term_items=4, hard_bytes=3000, soft_bytes=1024)
TIGHT = BARE.model_copy(update={"limits": LIMITS})
"""Limits that a handful of operations reach."""


@st.composite
def documents(draw: st.DrawFn) -> MemoryDocument:
    """Documents within `LIMITS`, of pending and ready turns, topics, active and inactive items."""
    numbers = st.lists(st.integers(1, 5), unique=True, max_size=4)
    turns = tuple(
        turn(
            n,
            summary_status=draw(st.sampled_from(["pending", "ready"])),
            assistant_text="答" * draw(st.integers(0, 60)),
        )
        for n in sorted(draw(numbers))
    )
    topics = tuple(topic(n) for n in sorted(draw(numbers))[:2])
    items = tuple(
        draw(st.sampled_from([note, preference]))(n, status=draw(st.sampled_from(["active", "inactive"])))
        for n in sorted(draw(numbers))
    )
    of = document(turns=turns, topics=topics, items=items)
    while len(encode(of)) > LIMITS.hard_bytes:
        of = of.with_items(of.items[1:]) if of.items else of.with_turns(of.turns[1:])
    return of


@st.composite
def operations(draw: st.DrawFn, of: MemoryDocument, kind: Kind) -> Any:
    """Operations that are mostly sound, against that document."""
    if draw(st.integers(0, 9)) == 0:
        return draw(JSON)
    text = GOOD_TEXT if draw(st.integers(0, 4)) else BAD_TEXT
    known = {"turn_summary": of.turns, "topic": of.topics, "long_term": of.items}[kind]
    target = draw(st.sampled_from([*(entry.id for entry in known), "nowhere"]))
    summary = draw(text)
    if kind == "turn_summary":
        return {"turn_id": target, "summary": summary}
    word = draw(st.sampled_from(["create_new", "update_existing"]))
    named = {"target_id": target} if word == "update_existing" else {}
    if kind == "topic":
        related = draw(st.lists(st.sampled_from([*(turn.id for turn in of.turns), "gone"]), max_size=2))
        return {"operation": word, **named, "label": draw(text), "summary": summary, "related_turn_ids": related}
    item_type = draw(st.sampled_from(list(SOURCE_OF)))
    made = {"type": item_type, "label": draw(text)} if word == "create_new" else {}
    return {"operation": word, **named, **made, "summary": summary, "source": SOURCE_OF[item_type]}


@st.composite
def cases(draw: st.DrawFn) -> tuple[MemoryDocument, MemoryDelta]:
    """A document, and a delta that has to do with it."""
    of = draw(documents())
    raw = {section: draw(st.lists(operations(of, kind), max_size=4)) for section, kind in SECTIONS.items()}
    return of, MemoryDelta.from_object(raw)


def judge(of: MemoryDocument, delta: MemoryDelta, decisions: Decisions | None = None, **values: Any) -> Review:
    """The review with tight limits, where one text is held in turns and topics."""
    told = context(of, **{"turned_down": HOLD, "placeholders": ("<x y>",), **values})
    return MemoryDeltaApplier.judge(of, delta, TIGHT, told, decisions or {})


def delta_of(operations: list[DeltaOperation]) -> MemoryDelta:
    """A delta of ready-made operations."""
    return MemoryDelta({}, tuple(operations), "x")


@FEW
@given(cases())
def test_the_same_input_gives_the_same_review(case: Case) -> None:
    of, delta = case
    review = judge(of, delta)
    assert review == judge(of, delta)
    assert [op.at for op in review.operations] == [op.at for op in delta.operations]
    assert all(op.checks and op.message for op in review.operations)
    for verdict in review.operations:
        outcomes = {check.outcome for check in verdict.checks}
        assert (verdict.verdict == "rejected") is ("failed" in outcomes)
        assert verdict.verdict == "rejected" or verdict.after is not None


@MANY
@given(cases())
def test_the_document_stays_within_its_limits(case: Case) -> None:
    of, delta = case
    review = judge(of, delta)
    left = review.document
    assert review.bytes.after == len(encode(left)) <= LIMITS.hard_bytes
    assert len(left.turns) <= LIMITS.recent_turns
    assert len(left.topics) <= LIMITS.active_topics
    assert len(left.items) <= LIMITS.long_term_items
    assert len({entry.id for entry in left.entries()}) == len(list(left.entries()))
    for entry in left.entries():
        assert len(entry.summary) <= LIMITS.summary
        if isinstance(entry, ActiveTopic | LongTermItem):
            assert 0 < len(entry.label) <= LIMITS.label
        if isinstance(entry, LongTermItem):
            assert entry.source == SOURCE_OF[entry.type]
    assert MemoryDocument.model_validate_json(encode(left)) == left


@MANY
@given(cases())
def test_what_may_not_be_lost_is_there(case: Case) -> None:
    """Pending turns that got no summary, and active items; whatever else went is reported."""
    of, delta = case
    review = judge(of, delta)
    left = {entry.id for entry in review.document.entries()}
    summarised = {op.target_id for op in review.operations if op.kind == "turn_summary" and op.effective == "apply"}
    assert {turn.id for turn in of.turns if turn.is_pending} <= left | summarised
    assert {item.id for item in of.items if item.is_active} <= left
    assert {entry.id for entry in of.entries()} - left <= {step.id for step in review.trimmed}
    dropped = [identifier for op in review.operations if op.effective == "apply" for identifier in op.dropped]
    assert dropped == [step.id for step in review.trimmed if step.what != "assistant_text"]


@MANY
@given(cases())
def test_nothing_applied_is_the_same_document(case: Case) -> None:
    of, delta = case
    review = judge(of, delta)
    assert review.changes is any(op.effective == "apply" for op in review.operations)
    assert (review.document is of) is not review.changes
    refused = judge(of, delta, {op.at: "turn_down" for op in delta.operations})
    assert refused.document is of
    assert not refused.changes
    assert not refused.trimmed


@MANY
@given(cases(), st.data())
def test_what_is_applied_does_not_depend_on_what_is_rejected(case: Case, data: st.DataObject) -> None:
    of, delta = case
    places = [op.at for op in delta.operations]
    decisions = {at: data.draw(st.sampled_from(["accept", "turn_down"])) for at in places if data.draw(st.booleans())}
    review = judge(of, delta, decisions)
    kept = {op.at for op in review.operations if op.verdict != "rejected"}
    alone = judge(of, delta_of([op for op in delta.operations if op.at in kept]), decisions)
    assert alone.document == review.document
    assert alone.operations == tuple(op for op in review.operations if op.at in kept)


@FEW
@given(cases(), st.data())
def test_ids_of_the_proposal_last(case: Case, data: st.DataObject) -> None:
    """Whatever a person decides, what an operation would create keeps the id that it had."""
    of, delta = case
    first = judge(of, delta)
    decisions = {
        op.at: data.draw(st.sampled_from(["accept", "turn_down"]))
        for op in delta.operations
        if data.draw(st.booleans())
    }
    later = judge(of, delta, decisions, ids=first.ids)
    assert {at: later.ids[at] for at in later.ids if at in first.ids}.items() <= first.ids.items()
    assert len(set(later.ids.values())) == len(later.ids)


@FEW
@given(cases())
def test_what_is_left_waits_for_the_next_application(case: Case) -> None:
    """Applying closes what is not held; the rest, judged against the result, is only the rest (R3b)."""
    of, delta = case
    first = judge(of, delta)
    waiting = [op.at for op in first.operations if op.effective == "wait"]
    closed = frozenset(op.at for op in delta.operations) - set(waiting)
    rest = judge(first.document, delta, closed=closed, ids=first.ids)
    assert [op.at for op in rest.operations] == waiting
    assert rest.document is first.document or any(op.effective == "apply" for op in rest.operations)


@FEW
@given(JSON, JSON, JSON)
def test_any_json_is_judged(turns: Any, topics: Any, items: Any) -> None:
    raw = {"turn_summaries": turns, "topic_operations": topics, "long_term_operations": items}
    operations = [
        DeltaOperation(section, SECTIONS[section], value, section_of_wrong_type=not isinstance(value, list))
        for section, value in zip(SECTIONS, raw.values(), strict=True)
    ]
    for policy in (TIGHT, Policy()):
        review = MemoryDeltaApplier.judge(BASE, delta_of(operations), policy, context())
        assert all(op.verdict == "rejected" for op in review.operations)


@FEW
@given(st.dictionaries(st.sampled_from(FIELDS), JSON))
def test_any_values_of_any_fields_are_judged(value: dict[str, Any]) -> None:
    for kind in SECTIONS.values():
        for operation in (None, "create_new", "update_existing"):
            entry = value if operation is None else {**value, "operation": operation}
            review = MemoryDeltaApplier.judge(
                BASE, delta_of([DeltaOperation("x", kind, entry)]), Policy(), context(placeholders=("<x y>",))
            )
            for verdict in review.operations:
                "".join([verdict.message, *(check.message for check in verdict.checks)]).encode()


def nested(levels: int) -> list[Any]:
    """A list in a list in a list."""
    value: list[Any] = []
    for _ in range(levels):
        value = [value]
    return value


HOSTILE = {
    "nested": nested(200_000),
    "huge": 10**5_000,
    "huge and negative": -(10**5_000),
    "not a number": float("nan"),
    "infinity": float("inf"),
    "half characters": "\ud800" * 1000,
    "long": "长" * 200_000,
}
GOOD: tuple[tuple[Kind, dict[str, Any]], ...] = (
    ("turn_summary", SUMMARISE),
    ("topic", NEW_TOPIC),
    ("long_term", NEW_NOTE),
)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_values_cost_a_reason_and_no_exception(name: str) -> None:
    value = HOSTILE[name]
    for kind, good in GOOD:
        entries = [value, *(changed(good, **{field: value}) for field in FIELDS)]
        entries.append(changed(good, related_turn_ids=[value]))
        operations = [DeltaOperation(f"x[{n}]", kind, entry) for n, entry in enumerate(entries)]
        review = MemoryDeltaApplier.judge(BASE, delta_of(operations), Policy(), context(placeholders=("<x y>",)))
        assert len(review.operations) == len(entries)
        assert review.operations[0].code == "wrong_type"
        for verdict in review.operations:
            assert len(verdict.message) < 500
            verdict.message.encode()


@FEW
@given(cases())
def test_the_time_is_that_of_the_proposal(case: Case) -> None:
    of, delta = case
    review = judge(of, delta, proposed_at=iso(NOW.replace(year=2031)))
    if review.changes:
        assert review.document.updated_at == "2031-05-01T12:45:00+08:00"
    assert all("_2031" in identifier for identifier in review.ids.values())


@FEW
@given(cases())
def test_no_policy_switches_the_shape_off(case: Case) -> None:
    of, delta = case
    everything = frozenset(
        {"A2", "A3", "A4", "A5", "A6", "A7", "A8", "A9", "A9b", "A9c", "A9d", "A9e", "A10", "D6", "R4c"}
    )
    off = TIGHT.model_copy(update={"rules_off": everything})
    told = context(of, turned_down=HOLD)
    plain = MemoryDeltaApplier.judge(of, delta, TIGHT, told)
    assert replace(MemoryDeltaApplier.judge(of, delta, off, told), policy=plain.policy) == plain
