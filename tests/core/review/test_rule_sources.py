"""Where long-term memory may come from (A5)."""

from __future__ import annotations

from typing import Any

import pytest

from memory_core.policy import Policy
from tests.core.review.judged import (
    NEW_NOTE,
    NEW_PREFERENCE,
    UPDATE_NOTE,
    UPDATE_PREFERENCE,
    changed,
    failures,
    found,
    one,
)


@pytest.mark.parametrize(
    ("operation", "code"),
    [
        (NEW_PREFERENCE, None),
        (changed(NEW_PREFERENCE, source="conversation_summary"), "illegal_source"),
        (changed(NEW_PREFERENCE, source="llm_inferred"), "illegal_source"),
        (changed(NEW_PREFERENCE, source=...), "missing_field"),
        (NEW_NOTE, None),
        (changed(NEW_NOTE, source="user_explicit"), "illegal_source"),
        (changed(NEW_NOTE, source=None), "missing_field"),
        (UPDATE_PREFERENCE, None),
        (changed(UPDATE_PREFERENCE, source="user_explicit"), None),
        (changed(UPDATE_PREFERENCE, source="conversation_summary"), "source_change"),
        (changed(UPDATE_PREFERENCE, source="USER_EXPLICIT"), "illegal_source"),
        (UPDATE_NOTE, None),
        (changed(UPDATE_NOTE, source=...), "missing_field"),
        (changed(UPDATE_NOTE, source="user_explicit"), "source_change"),
        (changed(UPDATE_NOTE, source="conversation"), "illegal_source"),
        (changed(UPDATE_NOTE, source=" "), "empty_field"),
    ],
)
def test_pairings(operation: dict[str, Any], code: str | None) -> None:
    verdict = one(items=[operation])
    assert failures(verdict) == ([(code, "source")] if code else [])
    assert verdict.verdict == ("rejected" if code else "accepted")
    if code is None:
        assert found(verdict, "illegal_source").outcome == "passed"
        assert found(verdict, "illegal_source").rule == "A5"


def test_nobody_can_switch_it_off() -> None:
    policy = Policy(rules_off=frozenset({"A2", "A4", "A5", "A9c", "A10", "D6", "U2"}))
    assert one(items=[changed(NEW_NOTE, source="user_explicit")], policy=policy).code == "illegal_source"
    assert one(items=[changed(NEW_NOTE, operation="none")], policy=policy).code == "unknown_operation"
    assert one(items=[changed(NEW_NOTE, target_id="x")], policy=policy).code == "create_with_target"
