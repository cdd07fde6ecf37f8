"""The shape of an operation (A4, A9c, D6, U2): what passes, and what is stopped, by which code."""

from __future__ import annotations

from typing import Any

import pytest

from memory_core.policy import Limits, Policy
from memory_core.summary.prompt import PLACEHOLDERS
from tests.core.review.judged import (
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
    UPDATE_PREFERENCE,
    UPDATE_TOPIC,
    changed,
    failures,
    found,
    judge,
    one,
)
from tests.core.samples import document, note, topic, turn

WELL_SHAPED: list[tuple[str, dict[str, Any]]] = [
    ("turns", SUMMARISE),
    ("topics", NEW_TOPIC),
    ("topics", changed(NEW_TOPIC, related_turn_ids=[TURN.id, READY.id])),
    ("topics", changed(NEW_TOPIC, related_turn_ids=[])),
    ("topics", UPDATE_TOPIC),
    ("topics", changed(UPDATE_TOPIC, label="另一个名字")),
    ("topics", changed(UPDATE_TOPIC, summary=TOPIC.summary, related_turn_ids=[READY.id])),
    ("items", NEW_NOTE),
    ("items", NEW_PREFERENCE),
    ("items", UPDATE_NOTE),
    ("items", UPDATE_PREFERENCE),
    ("items", changed(UPDATE_PREFERENCE, type="durable_preference", label=PREFERENCE.label, source="user_explicit")),
    ("items", changed(NEW_NOTE, target_id=None)),
    ("items", changed(NEW_NOTE, label="好" * 60, summary="界" * 300)),
    ("items", changed(NEW_NOTE, label=" 好\n" + "好" * 58, summary="  界\t" + "界" * 298)),
    ("items", changed(NEW_NOTE, label="👍", summary="1")),
    ("items", changed(NEW_NOTE, confidence=0.2, id="mem_20260501_001", status=["odd"])),
]

STOPPED: list[tuple[str, Any, str, str | None]] = [
    # the operation's own word
    ("topics", changed(NEW_TOPIC, operation=...), "missing_field", "operation"),
    ("topics", changed(NEW_TOPIC, operation=None), "missing_field", "operation"),
    ("topics", changed(NEW_TOPIC, operation=1), "wrong_type", "operation"),
    ("topics", changed(NEW_TOPIC, operation=["create_new"]), "wrong_type", "operation"),
    ("topics", changed(NEW_TOPIC, operation="Create_New"), "unknown_operation", "operation"),
    ("items", changed(NEW_NOTE, operation="delete"), "unknown_operation", "operation"),
    ("items", changed(NEW_NOTE, operation=""), "unknown_operation", "operation"),
    ("items", changed(NEW_NOTE, operation="create_new\ud800"), "unknown_operation", "operation"),
    ("items", changed(NEW_NOTE, target_id=NOTE.id), "create_with_target", "target_id"),
    ("items", changed(NEW_NOTE, target_id=""), "create_with_target", "target_id"),
    ("topics", changed(NEW_TOPIC, target_id=7), "create_with_target", "target_id"),
    # fields that are missing, empty, of the wrong type, too long, not storable
    ("turns", {"summary": SUMMARY}, "missing_field", "turn_id"),
    ("turns", {"turn_id": TURN.id}, "missing_field", "summary"),
    ("turns", {"turn_id": TURN.id, "summary": None}, "missing_field", "summary"),
    ("topics", changed(NEW_TOPIC, label=...), "missing_field", "label"),
    ("topics", changed(UPDATE_TOPIC, target_id=...), "missing_field", "target_id"),
    ("items", changed(NEW_NOTE, type=...), "missing_field", "type"),
    ("items", changed(NEW_NOTE, summary=...), "missing_field", "summary"),
    ("turns", changed(SUMMARISE, turn_id=" "), "empty_field", "turn_id"),
    ("turns", changed(SUMMARISE, summary="　\n\t "), "empty_field", "summary"),
    ("topics", changed(NEW_TOPIC, label="\u200b\u2060"), "empty_field", "label"),
    ("topics", changed(NEW_TOPIC, summary="……。!"), "empty_field", "summary"),
    ("topics", changed(UPDATE_TOPIC, label="  "), "empty_field", "label"),
    ("items", changed(UPDATE_NOTE, target_id=""), "empty_field", "target_id"),
    ("items", changed(NEW_NOTE, type=""), "empty_field", "type"),
    ("turns", changed(SUMMARISE, turn_id=[TURN.id]), "wrong_type", "turn_id"),
    ("turns", changed(SUMMARISE, summary={"text": SUMMARY}), "wrong_type", "summary"),
    ("items", changed(NEW_NOTE, label=True), "wrong_type", "label"),
    ("items", changed(NEW_NOTE, type=["project_note"]), "wrong_type", "type"),
    ("items", changed(NEW_NOTE, source=1), "wrong_type", "source"),
    ("topics", changed(NEW_TOPIC, related_turn_ids=TURN.id), "wrong_type", "related_turn_ids"),
    ("topics", changed(NEW_TOPIC, related_turn_ids=[TURN.id, None]), "wrong_type", "related_turn_ids"),
    ("turns", changed(SUMMARISE, summary="界" * 301), "too_long", "summary"),
    ("topics", changed(NEW_TOPIC, label="超" * 61), "too_long", "label"),
    ("items", changed(NEW_NOTE, summary="界" * 301), "too_long", "summary"),
    ("items", changed(NEW_NOTE, summary="半\ud83d"), "bad_unicode", "summary"),
    ("turns", changed(SUMMARISE, turn_id="\udc00"), "bad_unicode", "turn_id"),
    # ids and targets
    ("turns", changed(SUMMARISE, turn_id="1"), "unknown_id", "turn_id"),
    ("turns", changed(SUMMARISE, turn_id=TURN.id.upper()), "unknown_id", "turn_id"),
    ("turns", changed(SUMMARISE, turn_id=f" {TURN.id}"), "unknown_id", "turn_id"),
    ("turns", changed(SUMMARISE, turn_id=TOPIC.id), "wrong_kind", "turn_id"),
    ("turns", changed(SUMMARISE, turn_id=READY.id), "already_summarised", "turn_id"),
    ("topics", changed(UPDATE_TOPIC, target_id=TOPIC.id[:-1]), "unknown_id", "target_id"),
    ("topics", changed(UPDATE_TOPIC, target_id=NOTE.id), "wrong_kind", "target_id"),
    ("items", changed(UPDATE_NOTE, target_id=TOPIC.id), "wrong_kind", "target_id"),
    ("items", changed(UPDATE_NOTE, target_id=TURN.id), "wrong_kind", "target_id"),
    ("items", changed(UPDATE_PREFERENCE, target_id=GONE.id), "inactive_target", "target_id"),
    (
        "topics",
        changed(NEW_TOPIC, related_turn_ids=[TURN.id, "turn_20260430_080000_001"]),
        "unknown_id",
        "related_turn_ids",
    ),
    ("topics", changed(NEW_TOPIC, related_turn_ids=["\ud800"]), "unknown_id", "related_turn_ids"),
    ("topics", changed(UPDATE_TOPIC, related_turn_ids=[NOTE.id]), "unknown_id", "related_turn_ids"),
    # types, labels, changes
    ("items", changed(NEW_NOTE, type="user_profile"), "illegal_type", "type"),
    ("items", changed(NEW_NOTE, type=" project_note"), "illegal_type", "type"),
    ("items", changed(UPDATE_NOTE, type="odd"), "illegal_type", "type"),
    ("items", changed(UPDATE_NOTE, type="durable_preference"), "type_change", "type"),
    ("items", changed(UPDATE_NOTE, label="Review module"), "label_change", "label"),
    ("items", changed(UPDATE_NOTE, summary=f" {NOTE.summary}\n"), "no_change", "summary"),
    ("topics", changed(UPDATE_TOPIC, summary=TOPIC.summary), "no_change", "summary"),
    ("topics", changed(UPDATE_TOPIC, summary=TOPIC.summary, related_turn_ids=[TURN.id]), "no_change", "summary"),
    ("topics", changed(UPDATE_TOPIC, summary=TOPIC.summary, label=TOPIC.label), "no_change", "summary"),
]


@pytest.mark.parametrize(("section", "operation"), WELL_SHAPED)
def test_a_well_shaped_operation_is_accepted(section: str, operation: dict[str, Any]) -> None:
    review = judge(**{section: [operation]})
    (verdict,) = review.operations
    assert (verdict.verdict, verdict.code, verdict.effective) == ("accepted", "accepted", "apply")
    assert {check.outcome for check in verdict.checks} <= {"passed", "remark"}
    assert review.changes
    assert verdict.after in [entry.model_dump(mode="json") for entry in review.document.entries()]


@pytest.mark.parametrize(("section", "operation", "code", "field"), STOPPED)
def test_a_misshapen_operation_is_rejected(section: str, operation: Any, code: str, field: str) -> None:
    review = judge(**{section: [operation]})
    (verdict,) = review.operations
    assert (verdict.verdict, verdict.code, verdict.effective) == ("rejected", code, "close")
    assert failures(verdict) == [(code, field)]
    assert verdict.message
    assert "{" not in verdict.message
    assert review.document is BASE
    verdict.message.encode()


@pytest.mark.parametrize("value", [None, "text", 3, 2.5, True, [SUMMARISE]])
@pytest.mark.parametrize("section", ["turns", "topics", "items"])
def test_an_entry_that_is_no_object(section: str, value: Any) -> None:
    verdict = one(**{section: [value]})
    assert (verdict.verdict, verdict.code, verdict.operation) == ("rejected", "wrong_type", None)
    assert verdict.message.startswith("The operation is ")
    assert verdict.message.endswith("; an object is expected.")


@pytest.mark.parametrize("value", ["[]", {"turn_id": TURN.id}, 0, False])
def test_a_section_of_the_wrong_type_is_one_rejection_and_the_others_stand(value: Any) -> None:
    review = judge(turns=value, items=[NEW_NOTE])
    assert [(op.at, op.verdict) for op in review.operations] == [
        ("turn_summaries", "rejected"),
        ("long_term_operations[0]", "accepted"),
    ]
    assert "a list is expected" in review.operations[0].message


def test_every_broken_field_of_an_operation_is_named() -> None:
    verdict = one(items=[{"operation": "create_new", "label": "长" * 61, "summary": 3}])
    assert failures(verdict) == [("too_long", "label"), ("wrong_type", "summary"), ("missing_field", "type")]
    assert (found(verdict, "too_long").observed, found(verdict, "too_long").limit) == (61, 60)


def test_nothing_is_asked_of_content_where_the_shape_is_broken() -> None:
    verdict = one(items=[changed(NEW_NOTE, source=..., summary="\x1b[31m红")], policy=Policy())
    assert failures(verdict) == [("missing_field", "source")]


def test_checks_that_passed_are_listed_with_what_they_saw() -> None:
    verdict = one(topics=[changed(NEW_TOPIC, related_turn_ids=[TURN.id])], placeholders=("<turn id>",))
    lengths = [(check.field, check.observed, check.limit) for check in verdict.checks if check.code == "too_long"]
    assert lengths == [("label", 2, 60), ("summary", len(SUMMARY), 300)]
    assert found(verdict, "unknown_operation").observed == "create_new"
    assert found(verdict, "unknown_id").observed == [TURN.id]
    codes = {check.code for check in verdict.checks if check.outcome == "passed"}
    assert {"create_with_target", "missing_field", "wrong_type", "empty_field", "bad_unicode"} <= codes
    assert {"placeholder", "no_room"} <= codes
    assert {check.rule for check in verdict.checks} == {"A4", "A9c", "D6", "U2"}


def test_texts_are_stored_with_their_white_space_folded_and_never_clipped() -> None:
    verdict = one(items=[changed(NEW_NOTE, label="  api \n module ", summary="界\t" + "界" * 298)])
    assert verdict.after is not None
    assert (verdict.after["label"], verdict.after["summary"]) == ("api module", "界 " + "界" * 298)


def test_a_policy_may_set_a_stricter_limit() -> None:
    policy = Policy(limits=Limits(summary=5))
    assert one(turns=[changed(SUMMARISE, summary="五个字以内")], policy=policy).verdict == "accepted"
    assert one(turns=[changed(SUMMARISE, summary="六个字就不行")], policy=policy).code == "too_long"


@pytest.mark.parametrize(
    ("mark", "text", "stopped"),
    [
        ("<topic label>", "<topic label>", True),
        ("<topic label>", "关于 <Topic  LABEL> 的话题", True),
        ("<topic label>", "＜topic label＞", True),
        ("<topic label>", "Topic label", True),
        ("<topic label>", "the topic label of a page", False),
        ("<topic label>", "<div> 标签", False),
        ("", "什么都行", False),
        (" ", "a b", False),
    ],
)
def test_placeholders_of_the_prompt(mark: str, text: str, stopped: bool) -> None:
    verdict = one(topics=[changed(NEW_TOPIC, label=text)], placeholders=(mark,))
    assert (verdict.code == "placeholder") is stopped
    assert (verdict.verdict == "rejected") is stopped


def test_the_prompts_own_examples_are_stopped() -> None:
    """S18: whatever the prompt shows as an example comes back as nothing."""
    assert PLACEHOLDERS
    items = [changed(NEW_NOTE, label=mark, summary=SUMMARY) for mark in PLACEHOLDERS]
    items += [changed(NEW_NOTE, label=f"标签 {index}", summary=mark) for index, mark in enumerate(PLACEHOLDERS)]
    turns = [changed(SUMMARISE, turn_id=mark) for mark in PLACEHOLDERS]
    review = judge(items=items, turns=turns, placeholders=PLACEHOLDERS)
    assert {op.code for op in review.operations} == {"placeholder", "unknown_id"}
    assert review.document is BASE


def test_a_turn_of_the_batch_that_has_left_is_dropped_with_a_remark() -> None:
    left = turn(9)
    operation = changed(NEW_TOPIC, related_turn_ids=[left.id, TURN.id, left.id, TURN.id])
    verdict = one(topics=[operation], batch=(TURN, left))
    assert verdict.verdict == "accepted"
    assert [check.observed for check in verdict.checks if check.outcome == "remark"] == [left.id]
    assert verdict.after is not None
    assert verdict.after["related_turn_ids"] == [TURN.id]
    stranger = one(topics=[changed(NEW_TOPIC, related_turn_ids=[left.id, "turn_x"])], batch=(TURN, left))
    assert stranger.code == "unknown_id"


def test_related_turns_are_added_to_those_a_topic_has() -> None:
    dangling = topic(1, related_turn_ids=("turn_long_gone", TURN.id))
    of = document(turns=(TURN, READY), topics=(dangling,))
    verdict = one(of=of, topics=[changed(UPDATE_TOPIC, related_turn_ids=[READY.id, TURN.id])])
    assert verdict.after is not None
    assert verdict.after["related_turn_ids"] == ["turn_long_gone", TURN.id, READY.id]


def test_a_turn_is_summarised_once() -> None:
    review = judge(turns=[SUMMARISE, changed(SUMMARISE, summary="用户决定不用 Optional。")])
    assert [(op.verdict, op.code) for op in review.operations] == [
        ("accepted", "accepted"),
        ("rejected", "duplicate_summary"),
    ]
    assert review.document.turns[0].summary == SUMMARY


@pytest.mark.parametrize("first", [changed(SUMMARISE, summary=""), {"turn_id": TURN.id}])
def test_a_rejected_summary_does_not_stand_in_the_way(first: dict[str, Any]) -> None:
    assert [op.verdict for op in judge(turns=[first, SUMMARISE]).operations] == ["rejected", "accepted"]


def test_a_summary_that_was_turned_down_does_not_either() -> None:
    review = judge(turns=[SUMMARISE, SUMMARISE], decisions={"turn_summaries[0]": "turn_down"})
    assert [op.effective for op in review.operations] == ["close", "apply"]


def full(active: int, inactive: int) -> Any:
    items = [note(number) for number in range(1, active + 1)]
    resting = [note(100 + number, status="inactive") for number in range(inactive)]
    return document(items=(*items, *resting))


@pytest.mark.parametrize(
    ("active", "inactive", "code", "dropped"),
    [
        (48, 1, "accepted", ()),
        (49, 0, "accepted", ()),
        (49, 1, "accepted", (note(100).id,)),
        (48, 2, "accepted", (note(100).id,)),
        (50, 0, "long_term_full", ()),
        (50, 1, "long_term_full", ()),
        (40, 30, "long_term_full", ()),
    ],
)
def test_fifty_items(active: int, inactive: int, code: str, dropped: tuple[str, ...]) -> None:
    of = full(active, inactive)
    review = judge(of=of, items=[NEW_NOTE])
    (verdict,) = review.operations
    assert (verdict.code, verdict.dropped) == (code, dropped)
    assert [step.id for step in review.trimmed] == list(dropped)
    if dropped:
        assert found(verdict, "drops_item").outcome == "remark"
        assert dropped[0] in found(verdict, "drops_item").message
        assert review.document.find(dropped[0]) is None
    assert all(review.document.find(item.id) for item in of.items if item.is_active)


def test_a_full_memory_still_takes_updates() -> None:
    of = full(50, 20)
    review = judge(of=of, items=[changed(UPDATE_NOTE, target_id=of.items[0].id)])
    assert review.operations[0].verdict == "accepted"
    assert len(review.document.items) == 70
