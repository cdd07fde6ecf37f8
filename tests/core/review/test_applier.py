"""A delta as a whole: order, decisions, ids, room, and the document that is left (A1, A3, A10, A11, R3, R3b, D6)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memory_core.capacity import Trimmed, encode, encoded_size
from memory_core.delta import MemoryDelta, MemoryDeltaParser
from memory_core.document import MemoryDocument
from memory_core.policy import Limits, Policy
from memory_core.review.applier import MemoryDeltaApplier, pending_batch
from memory_core.review.judging import Judging
from memory_core.review.verdict import Decision, JudgeContext, TurnedDown
from tests.core.review.judged import (
    BARE,
    BASE,
    GONE,
    NEW_NOTE,
    NEW_PREFERENCE,
    NEW_TOPIC,
    NOTE,
    PREFERENCE,
    READY,
    SUMMARISE,
    SUMMARY,
    TOPIC,
    TURN,
    UPDATE_NOTE,
    UPDATE_TOPIC,
    changed,
    context,
    found,
    judge,
    one,
)
from tests.core.samples import AT, document, note, topic, turn

HOLD = TurnedDown("long_term", "project_note", "held", "缓存模块的失效方式。", "2026-04-30")
HELD = changed(NEW_NOTE, label="held", summary=HOLD.summary)
"""An operation that a rule holds, where `HOLD` was turned down before."""
FIRST, SECOND = "long_term_operations[0]", "long_term_operations[1]"


def limited(**limits: int) -> Policy:
    """The bare policy with other limits."""
    return BARE.model_copy(update={"limits": Limits(**limits)})


# What is applied, and nothing else


def test_only_what_the_operations_say_changes() -> None:
    review = judge(turns=[SUMMARISE], topics=[UPDATE_TOPIC, NEW_TOPIC], items=[UPDATE_NOTE, NEW_PREFERENCE])
    assert [op.verdict for op in review.operations] == ["accepted"] * 5
    expected = json.loads(encode(BASE))
    expected["updated_at"] = AT
    working, long_term = expected["working_memory"], expected["long_term_memory"]
    working["recent_turns"][0] |= {"summary": SUMMARY, "summary_status": "ready"}
    working["active_topics"][0] |= {"summary": SUMMARY, "last_touched_at": AT}
    working["active_topics"].append(
        {
            "id": "topic_20260501_002",
            "label": NEW_TOPIC["label"],
            "summary": SUMMARY,
            "related_turn_ids": [],
            "last_touched_at": AT,
        }
    )
    long_term["project_notes"][0] |= {"summary": SUMMARY, "updated_at": AT}
    long_term["durable_preferences"].append(
        {
            "id": "mem_20260501_004",
            "type": "durable_preference",
            "label": "api",
            "summary": SUMMARY,
            "status": "active",
            "source": "user_explicit",
            "created_at": AT,
            "updated_at": AT,
        }
    )
    assert json.loads(encode(review.document)) == expected
    assert (review.changes, review.trimmed) == (True, ())
    assert (review.bytes.before, review.bytes.after) == (len(encode(BASE)), len(encode(review.document)))


def test_unknown_keys_of_an_entry_stay() -> None:
    of = document(items=(note(2, pinned=True, label="review module"),))
    review = judge(of=of, items=[UPDATE_NOTE])
    assert review.document.notes[0].model_dump()["pinned"] is True


@pytest.mark.parametrize(
    "sections",
    [
        {},
        {"turns": [changed(SUMMARISE, turn_id="x")], "items": [changed(NEW_NOTE, source="x")]},
        {"items": [HELD]},
    ],
)
def test_the_document_is_the_same_object_where_nothing_is_applied(sections: dict[str, Any]) -> None:
    review = judge(**sections, turned_down=(HOLD,))
    assert review.document is BASE
    assert not review.changes
    assert review.bytes.before == review.bytes.after == len(encode(BASE))


def test_a_rejected_or_held_operation_changes_nothing_else() -> None:
    bad: list[Any] = [changed(NEW_NOTE, source="x"), None, changed(NEW_NOTE, label="…")]
    mixed = judge(items=[bad[0], NEW_NOTE, *bad[1:], UPDATE_NOTE], turns=[{}, SUMMARISE])
    alone = judge(items=[NEW_NOTE, UPDATE_NOTE], turns=[SUMMARISE])
    assert mixed.document == alone.document
    assert mixed.counts() == {"accepted": 3, "held": 0, "rejected": 4}


# Order (A3)


def test_each_is_judged_against_what_those_before_it_leave() -> None:
    twice = judge(topics=[UPDATE_TOPIC, UPDATE_TOPIC])
    assert [op.code for op in twice.operations] == ["accepted", "no_change"]
    assert twice.operations[1].before == twice.operations[0].after
    back = judge(topics=[UPDATE_TOPIC, changed(UPDATE_TOPIC, summary=TOPIC.summary)])
    assert [op.verdict for op in back.operations] == ["accepted", "accepted"]
    assert back.document.topics[0].summary == TOPIC.summary


def test_rules_see_what_the_effective_ones_before_create() -> None:
    """What waits, or was turned down, creates nothing (A8)."""
    items = [HELD, NEW_NOTE, changed(NEW_NOTE, label="third"), UPDATE_NOTE]
    judging = Judging(BASE, BARE, context(turned_down=(HOLD,)), {"long_term_operations[2]": "turn_down"})
    for operation in MemoryDelta.from_object({"long_term_operations": items}).operations:
        judging.verdict(operation)
    assert [(earlier.at, earlier.item.id) for earlier in judging.earlier] == [(SECOND, "mem_20260501_005")]


def test_the_order_is_that_of_the_sections() -> None:
    raw = {"long_term_operations": [NEW_NOTE], "topic_operations": [NEW_TOPIC], "turn_summaries": [SUMMARISE]}
    review = MemoryDeltaApplier.judge(BASE, MemoryDelta.from_object(raw), BARE, context())
    assert [op.kind for op in review.operations] == ["turn_summary", "topic", "long_term"]


# Decisions (R3, R3b)


def test_one_that_is_turned_down_is_not_applied_and_those_after_it_are_judged_anew() -> None:
    review = judge(topics=[UPDATE_TOPIC, UPDATE_TOPIC], decisions={"topic_operations[0]": "turn_down"})
    assert [(op.verdict, op.decision, op.effective) for op in review.operations] == [
        ("accepted", "turn_down", "close"),
        ("accepted", None, "apply"),
    ]
    assert review.operations[0].after == review.operations[1].after


def test_turning_down_makes_room() -> None:
    of = document(items=tuple(note(number) for number in range(1, 50)))
    new = [NEW_NOTE, changed(NEW_NOTE, label="second")]
    assert [op.code for op in judge(of=of, items=new).operations] == ["accepted", "long_term_full"]
    review = judge(of=of, items=new, decisions={FIRST: "turn_down"})
    assert [op.code for op in review.operations] == ["accepted", "accepted"]
    assert [item.label for item in review.document.notes[-1:]] == ["second"]


@pytest.mark.parametrize(("decision", "effective"), [(None, "wait"), ("accept", "apply"), ("turn_down", "close")])
def test_a_held_one_follows_the_person(decision: Decision | None, effective: str) -> None:
    decisions: dict[str, Decision] = {FIRST: decision} if decision else {}
    review = judge(items=[HELD], turned_down=(HOLD,), decisions=decisions)
    (verdict,) = review.operations
    assert (verdict.verdict, verdict.decision, verdict.effective) == ("held", decision, effective)
    assert review.changes is (effective == "apply")


def test_a_rejected_one_cannot_be_forced() -> None:
    review = judge(items=[changed(NEW_NOTE, source="x")], decisions={FIRST: "accept"})
    assert (review.operations[0].decision, review.operations[0].effective) == (None, "close")
    assert review.document is BASE


def test_a_held_one_that_waits_leaves_its_turn() -> None:
    """The first summary of a turn wins, also while it waits (A9c)."""
    before = TurnedDown("turn_summary", None, "", SUMMARY, "2026-04-30")
    review = judge(turns=[SUMMARISE, changed(SUMMARISE, summary="换个说法。")], turned_down=(before,))
    assert [op.code for op in review.operations] == ["turned_down_before", "duplicate_summary"]


def test_places_that_were_closed_before_are_left_out() -> None:
    review = judge(items=[NEW_NOTE, UPDATE_NOTE, None], closed=frozenset({FIRST, "long_term_operations[2]"}))
    assert [op.at for op in review.operations] == [SECOND]
    assert not judge(items=[NEW_NOTE], closed=frozenset({FIRST})).operations


# Ids and times (A1, D4)


def test_the_same_input_gives_the_same_review() -> None:
    def ask() -> Any:
        return judge(items=[NEW_NOTE, None, UPDATE_NOTE], topics=[NEW_TOPIC], turns=[SUMMARISE])

    assert ask() == ask()


def test_ids_are_above_every_one_in_use() -> None:
    marks = {"mem_20260501": 7, "topic_20260430": 50}
    review = judge(items=[NEW_NOTE, NEW_PREFERENCE], topics=[NEW_TOPIC], marks=marks)
    assert review.ids == {
        "topic_operations[0]": "topic_20260501_002",
        FIRST: "mem_20260501_008",
        SECOND: "mem_20260501_009",
    }
    assert review.marks["mem_20260501"] == 9


def test_what_waits_or_was_turned_down_keeps_its_id() -> None:
    items = [HELD, NEW_NOTE]
    waiting = judge(items=items, turned_down=(HOLD,))
    assert waiting.ids == {FIRST: "mem_20260501_004", SECOND: "mem_20260501_005"}
    assert waiting.document.notes[-1].id == "mem_20260501_005"
    assert waiting.marks["mem_20260501"] == 5
    decided: list[dict[str, Decision]] = [{FIRST: "accept"}, {FIRST: "turn_down"}]
    for decisions in decided:
        assert judge(items=items, turned_down=(HOLD,), decisions=decisions).ids == waiting.ids
    rest = judge(
        of=waiting.document,
        items=items,
        turned_down=(HOLD,),
        closed=frozenset({SECOND}),
        ids=waiting.ids,
        decisions={FIRST: "accept"},
    )
    assert [item.id for item in rest.document.notes] == [NOTE.id, "mem_20260501_005", "mem_20260501_004"]


def test_an_id_that_was_taken_meanwhile_gives_way() -> None:
    taken = note(4, label="taken")
    of = BASE.with_items((*BASE.items, taken))
    review = judge(of=of, items=[NEW_NOTE], ids={FIRST: taken.id})
    assert review.ids == {FIRST: "mem_20260501_005"}


def test_an_id_beyond_every_mark_is_never_used_twice() -> None:
    far = note(1, id="mem_20260501_999999999")
    review = judge(of=document(items=(far,)), items=[NEW_NOTE, NEW_PREFERENCE])
    assert len({item.id for item in review.document.items}) == 3


def test_a_rejected_one_gets_no_id() -> None:
    verdict = one(items=[changed(NEW_NOTE, summary="长" * 301)])
    assert verdict.after is not None
    assert verdict.after["id"] == ""
    assert judge(items=[changed(NEW_NOTE, source="x"), NEW_NOTE]).ids == {SECOND: "mem_20260501_004"}


# Before and after (R2)


@pytest.mark.parametrize(
    ("section", "operation", "before", "after"),
    [
        ("topics", UPDATE_TOPIC, TOPIC.summary, SUMMARY),
        ("items", changed(UPDATE_NOTE, source=...), NOTE.summary, SUMMARY),
        ("items", changed(UPDATE_NOTE, summary="长" * 301), NOTE.summary, "长" * 301),
        ("items", changed(UPDATE_NOTE, summary=...), NOTE.summary, None),
        ("items", changed(UPDATE_NOTE, target_id=GONE.id), GONE.summary, SUMMARY),
        ("items", changed(UPDATE_NOTE, target_id=TOPIC.id), TOPIC.summary, None),
        ("items", changed(UPDATE_NOTE, target_id="x"), None, None),
        ("items", changed(UPDATE_NOTE, operation="delete"), NOTE.summary, None),
        ("items", changed(NEW_NOTE, source="x"), None, SUMMARY),
        ("items", changed(NEW_NOTE, type="x"), None, None),
        ("items", changed(NEW_NOTE, label=...), None, None),
        ("items", changed(NEW_NOTE, target_id=NOTE.id), NOTE.summary, None),
        ("items", "text", None, None),
    ],
)
def test_before_and_after_are_shown_as_far_as_they_can_be_told(
    section: str, operation: Any, before: str | None, after: str | None
) -> None:
    verdict = one(**{section: [operation]})
    assert (verdict.before or {}).get("summary") == before
    assert (verdict.after or {}).get("summary") == after


@pytest.mark.parametrize("word", ["\ud800" * 99, "无" * 10_000])
def test_what_a_verdict_names_can_be_shown(word: str) -> None:
    for operation in (changed(UPDATE_NOTE, operation=word), changed(UPDATE_NOTE, target_id=word)):
        verdict = one(items=[operation])
        shown = [verdict.operation or "", verdict.target_id or "", verdict.message]
        assert all(len(text.encode()) < 500 for text in shown)


# Counts and room (D6)


def test_a_ninth_topic_drops_the_one_touched_longest_ago() -> None:
    topics = tuple(topic(number) for number in (5, 1, 2, 3, 4, 6, 7, 8))
    review = judge(of=document(topics=topics), topics=[NEW_TOPIC])
    (verdict,) = review.operations
    assert verdict.dropped == (topic(1).id,)
    assert found(verdict, "drops_entry").observed == topic(1).id
    assert review.trimmed == (Trimmed("topic", topic(1).id, "count"),)
    assert len(review.document.topics) == 8


def test_a_held_one_says_what_it_would_drop_and_drops_nothing() -> None:
    of = document(topics=tuple(topic(number) for number in range(1, 9)))
    before = TurnedDown("topic", None, "", SUMMARY, "2026-04-30")
    review = judge(of=of, topics=[NEW_TOPIC], turned_down=(before,))
    assert review.operations[0].dropped == (topic(1).id,)
    assert (review.trimmed, review.document) == ((), of)


def test_turns_beyond_their_count_go_with_the_first_change_and_are_reported() -> None:
    ready = [turn(number, summary="好。", summary_status="ready") for number in range(1, 15)]
    of = document(turns=tuple(ready), items=(note(2),))
    operation = changed(UPDATE_NOTE, summary="改写。")
    review = judge(of=of, items=[operation])
    assert [step.id for step in review.trimmed] == [ready[0].id, ready[1].id]
    assert review.operations[0].dropped == (ready[0].id, ready[1].id)
    assert len(review.document.turns) == 12
    assert judge(of=of, items=[changed(operation, source="x")]).document is of


def test_a_pending_turn_is_never_the_price() -> None:
    of = document(turns=tuple(turn(number) for number in range(1, 14)))
    review = judge(of=of, items=[NEW_NOTE])
    assert review.operations[0].code == "no_room"
    assert turn(1).id in review.operations[0].message
    assert review.document is of


def crowded(hard: int, **more: Any) -> MemoryDocument:
    """Two turns of which the second waits, and a topic: all that may be trimmed."""
    done = turn(1, summary="好。", summary_status="ready", assistant_text="答" * 100)
    waits = turn(2, user_text="问" * 100, assistant_text="答" * 100)
    of = document(turns=(done, waits), topics=(topic(1),), **more)
    assert encoded_size(of) <= hard
    return of


@pytest.mark.parametrize(
    ("free", "dropped"),
    [
        (0, []),
        (-1, [("assistant_text", 1)]),
        (-303, [("turn", 1)]),
        (-1000, [("turn", 1), ("topic", 1), ("assistant_text", 2)]),
    ],
)
def test_room_is_made_to_the_byte_in_the_order_of_d6(free: int, dropped: list[tuple[str, int]]) -> None:
    of = crowded(4000)
    exact = judge(of=of, items=[NEW_NOTE]).bytes.after
    review = judge(of=of, items=[NEW_NOTE], policy=limited(hard_bytes=exact + free, soft_bytes=1024))
    assert review.operations[0].verdict == "accepted"
    ids = {"turn": turn, "assistant_text": turn, "topic": topic}
    assert [(step.what, step.id) for step in review.trimmed] == [(what, ids[what](n).id) for what, n in dropped]
    assert review.bytes.after == len(encode(review.document)) <= exact + free
    remarks = [check.code for check in review.operations[0].checks if check.outcome == "remark"]
    assert remarks == ["trims_text" if what == "assistant_text" else "drops_entry" for what, _ in dropped]


def test_there_is_no_room_where_a_pending_turn_would_have_to_go() -> None:
    of = crowded(4000)
    exact = judge(of=of, items=[NEW_NOTE]).bytes.after
    policy = limited(hard_bytes=exact - 1400, soft_bytes=1024)
    review = judge(of=of, items=[NEW_NOTE], policy=policy)
    (verdict,) = review.operations
    assert (verdict.verdict, verdict.code) == ("rejected", "no_room")
    assert turn(2).id in verdict.message
    assert review.document is of


def test_there_is_no_room_where_nothing_is_left_to_trim() -> None:
    of = document(items=tuple(note(number) for number in range(1, 9)))
    policy = limited(hard_bytes=encoded_size(of) + 40, soft_bytes=1024)
    verdict = one(of=of, items=[NEW_NOTE], policy=policy)
    assert verdict.code == "no_room"
    assert f"of {policy.limits.hard_bytes}" in verdict.message


def test_there_is_no_room_for_what_would_be_dropped_again_at_once() -> None:
    assert one(topics=[NEW_TOPIC], policy=limited(active_topics=0)).code == "no_room"
    of = document(turns=(turn(1, user_text="问" * 100),), items=tuple(note(number) for number in range(1, 4)))
    policy = limited(hard_bytes=encoded_size(of), soft_bytes=1024)
    summary = changed(SUMMARISE, summary="答" * 200)
    assert one(of=of, turns=[summary], policy=policy).code == "no_room"


def test_the_answer_of_a_turn_may_go_once_its_summary_stands() -> None:
    of = document(turns=(turn(1, assistant_text="答" * 300),))
    policy = limited(hard_bytes=encoded_size(of), soft_bytes=1024)
    review = judge(of=of, turns=[SUMMARISE], policy=policy)
    assert review.trimmed == (Trimmed("assistant_text", TURN.id, "space"),)
    assert (review.document.turns[0].summary, review.document.turns[0].assistant_text) == (SUMMARY, "")


# Replies, and what cannot be told


def test_a_refused_reply_has_its_reason_and_no_operations() -> None:
    parsed = MemoryDeltaParser.parse("not a delta")
    review = MemoryDeltaApplier.refused_review(BASE, parsed, BARE, base="b")
    assert review == MemoryDeltaApplier.judge_reply(BASE, parsed, BARE, context(), base="b")
    assert (review.reply, review.reason, review.operations) == ("refused", parsed.reason, ())
    assert review.reason is not None
    assert (review.document, review.changes, review.base, review.delta) == (BASE, False, "b", None)


def test_a_parsed_reply_brings_its_remarks() -> None:
    reply = f'{{"turn_summaries": [{{"turn_id": "{TURN.id}", "summary": "好的。", "mood": 1}},]}}'
    parsed = MemoryDeltaParser.parse(reply)
    review = MemoryDeltaApplier.judge_reply(BASE, parsed, BARE, context())
    assert parsed.delta is not None
    assert review.delta == parsed.delta.sha256
    assert review.remarks == parsed.remarks != ()
    assert review.ignored_keys == ("turn_summaries[0].mood",)
    assert review.operations[0].verdict == "accepted"


def test_the_policy_is_bound_into_the_review() -> None:
    assert judge().policy != judge(policy=limited(summary=299)).policy


def test_the_batch_of_a_bare_plan_is_the_newest_four_pending_turns() -> None:
    turns = tuple(turn(number) for number in range(1, 7))
    ready = turn(7, summary_status="ready", summary="好。")
    assert pending_batch(document(turns=(*turns, ready))) == turns[2:]


def test_an_unreadable_time_of_the_proposal_is_no_reason_to_fail() -> None:
    assert JudgeContext(proposed_at="").moment.year == 1970
    review = judge(items=[NEW_NOTE], topics=[NEW_TOPIC], proposed_at="")
    assert review.counts()["accepted"] == 2


def test_turns_that_are_ready_stay_as_they_are() -> None:
    review = judge(turns=[SUMMARISE])
    assert review.document.turns[1] is READY
    assert review.document.preferences == (PREFERENCE, GONE)
