"""The project's cases: replies that broke other people's systems, each with its right answer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memory_core.codec import decode
from memory_core.delta import MemoryDeltaParser
from memory_core.document import MemoryDocument
from memory_core.review.applier import pending_batch
from memory_core.policy import Policy
from memory_core.review.applier import MemoryDeltaApplier
from memory_core.review.verdict import JudgeContext, Review
from tests.cases.reader import Case, load
from tests.core.samples import NOW

STRUCTURE = frozenset({"A1", "A2", "A3", "A4", "A5", "A9c", "A10", "A11", "D4", "D6", "D7"})


def judged(case: Case) -> tuple[MemoryDocument, Review]:
    """The case's document, and the review of its reply."""
    policy = Policy()
    loaded = decode(json.dumps(case.memory).encode(), policy.limits, NOW)
    assert loaded.status == "ok"
    context = JudgeContext(proposed_at="2026-05-01T12:45:00+08:00", batch=pending_batch(loaded.document))
    parsed = MemoryDeltaParser.parse(case.reply)
    return loaded.document, MemoryDeltaApplier.judge_reply(loaded.document, parsed, policy, context)


def ids(case: Case) -> str:
    return case.name


@pytest.mark.parametrize("case", load("parse"), ids=ids)
def test_parse_case(case: Case) -> None:
    document, review = judged(case)
    expected: Any = case.expect.get("reply") or case.expect["per_variant"][case.variant]
    assert review.reply == expected.split(":")[0].split(",")[0]
    if review.reply == "refused":
        assert review.reason is not None
        assert review.reason.message
    if "ops" in case.expect:
        assert {op.at: op.verdict for op in review.operations} == {op["at"]: op["verdict"] for op in case.expect["ops"]}
    if str(case.expect.get("document", "")).startswith("document unchanged"):
        assert review.document is document


@pytest.mark.parametrize("case", load("semantic", only_rules=STRUCTURE), ids=ids)
def test_semantic_case(case: Case) -> None:
    document, review = judged(case)
    assert review.reply == "parsed"
    verdicts = [op.verdict for op in review.operations]
    if "ops" in case.expect:
        assert verdicts == [op["verdict"] for op in case.expect["ops"]]
        assert [op.at for op in review.operations] == [op["at"] for op in case.expect["ops"]]
    else:
        words = {"accepted": "accepted", "rejected": "rejected"}
        told = case.expect["per_memory"][case.variant].replace(";", ",").split(", ")
        assert verdicts == [
            next(word for word in words if word in part) for part in told if "create" in part or "update" in part
        ]
    if str(case.expect.get("document", "")).startswith("document unchanged"):
        assert review.document is document
