"""Judging as the tests of the rules ask for it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from memory_core.codec import decode
from memory_core.delta import MemoryDelta, MemoryDeltaParser
from memory_core.document import MemoryDocument
from memory_core.policy import Policy
from memory_core.review.applier import MemoryDeltaApplier, pending_batch
from memory_core.review.verdict import Check, Decisions, JudgeContext, Review, Verdict
from tests.cases.reader import Case
from tests.core.samples import AT, NOW, document, note, preference, topic, turn

TURN, READY = turn(1), turn(2, summary="用户问了 Optional。", summary_status="ready")
TOPIC = topic(1, related_turn_ids=(TURN.id,))
PREFERENCE = preference(1, label="commit format", summary="提交信息必须使用 type: phrase 格式。")
NOTE = note(2, label="review module", summary="用户关注 review 模块如何管理 finding 队列。")
GONE = preference(3, label="answer length", summary="回答尽量简短。", status="inactive")
BASE = document(turns=(TURN, READY), topics=(TOPIC,), items=(PREFERENCE, NOTE, GONE))

SUMMARY = "用户想了解分层。"
NEW_NOTE = {
    "operation": "create_new",
    "type": "project_note",
    "label": "api",
    "summary": SUMMARY,
    "source": "conversation_summary",
}
NEW_PREFERENCE = {**NEW_NOTE, "type": "durable_preference", "source": "user_explicit"}
NEW_TOPIC = {"operation": "create_new", "label": "分层", "summary": SUMMARY}
UPDATE_TOPIC = {"operation": "update_existing", "target_id": TOPIC.id, "summary": SUMMARY}
UPDATE_NOTE = {
    "operation": "update_existing",
    "target_id": NOTE.id,
    "summary": SUMMARY,
    "source": "conversation_summary",
}
UPDATE_PREFERENCE = {"operation": "update_existing", "target_id": PREFERENCE.id, "summary": SUMMARY}
SUMMARISE = {"turn_id": TURN.id, "summary": SUMMARY}

BARE = Policy(rules_off=frozenset({"A6", "A7", "A8", "A9", "A9b", "A9d", "A9e"}))
"""What is left where a person switched off every rule that can be."""


def context(of: MemoryDocument = BASE, **values: Any) -> JudgeContext:
    """What judging knows; the batch is that of a bare `plan`."""
    given: dict[str, Any] = {"proposed_at": AT, "batch": pending_batch(of), **values}
    return JudgeContext(**given)


def judge(
    *,
    of: MemoryDocument = BASE,
    turns: Any = (),
    topics: Any = (),
    items: Any = (),
    decisions: Decisions | None = None,
    policy: Policy = BARE,
    **values: Any,
) -> Review:
    """The review of a delta with these operations."""
    sections = {"turn_summaries": turns, "topic_operations": topics, "long_term_operations": items}
    raw = {name: list(value) if isinstance(value, tuple) else value for name, value in sections.items()}
    delta = MemoryDelta.from_object(raw)
    return MemoryDeltaApplier.judge(of, delta, policy, context(of, **values), decisions or {})


def one(**values: Any) -> Verdict:
    """The verdict of a delta with one operation."""
    (verdict,) = judge(**values).operations
    return verdict


def failures(verdict: Verdict) -> list[tuple[str, str | None]]:
    """Code and field of every check that failed."""
    return [(check.code, check.field) for check in verdict.checks if check.outcome == "failed"]


def found(verdict: Verdict, code: str) -> Check:
    """The verdict's check of that code."""
    return next(check for check in verdict.checks if check.code == code)


def changed(operation: Mapping[str, Any], /, **values: Any) -> dict[str, Any]:
    """The operation with other fields; one that is given as `...` is left out."""
    return {name: value for name, value in {**operation, **values}.items() if value is not ...}


def judged_case(case: Case) -> tuple[MemoryDocument, Review]:
    """The document of a case, and the review of its reply."""
    policy = Policy()
    loaded = decode(json.dumps(case.memory).encode(), policy.limits, NOW)
    assert loaded.status == "ok"
    parsed = MemoryDeltaParser.parse(case.reply)
    return loaded.document, MemoryDeltaApplier.judge_reply(loaded.document, parsed, policy, context(loaded.document))
