"""The intent boundary (section 1): which kinds of work may read or write memory at all."""

from __future__ import annotations

from enum import StrEnum


class IntentType(StrEnum):
    """The five kinds of work of an agent."""

    CODE_AUDIT = "code_audit"
    CODE_EXPLAIN = "code_explain"
    GENERAL_CHAT = "general_chat"
    PATCH_EXPLAIN = "patch_explain"
    PATCH_REVISE = "patch_revise"


MEMORY_INTENTS = frozenset({IntentType.CODE_EXPLAIN, IntentType.GENERAL_CHAT})


def allows_memory(intent: object) -> bool:
    """Whether this intent may read and write memory (I1, I2). Anything unknown, or in another case, may not (I2b)."""
    return isinstance(intent, str) and intent in MEMORY_INTENTS


def parse_intent(intent: object) -> IntentType | None:
    """The intent of that exact name, or None (I2b)."""
    return IntentType(intent) if isinstance(intent, str) and intent in set(IntentType) else None
