"""Memory for a coding agent: the model understands, the program constrains, the person decides.

Names are loaded when they are first used, so that `import memory_core` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memory_core.clock import FixedClock, SystemClock
    from memory_core.configuration import Configuration
    from memory_core.context import MemoryContext, MemoryContextBuilder
    from memory_core.delta import MemoryDelta, MemoryDeltaParser
    from memory_core.diff import diff
    from memory_core.document import MemoryDocument
    from memory_core.errors import MemoryCoreError
    from memory_core.intents import IntentType
    from memory_core.manager import MemoryManager
    from memory_core.policy import Limits, Policy
    from memory_core.profile.collector import RepoProfileCollector
    from memory_core.review.applier import MemoryDeltaApplier
    from memory_core.review.verdict import JudgeContext, Review, Verdict
    from memory_core.storage.store import MemoryStore
    from memory_core.summary.backends.extractive import ExtractiveBackend
    from memory_core.summary.backends.openai_chat import OpenAIChatBackend
    from memory_core.summary.backends.scripted import ScriptedBackend
    from memory_core.summary.scheduler import MemorySummaryScheduler
    from memory_core.summary.summarizer import MemorySummarizer

_WHERE = {
    "Configuration": "configuration",
    "ExtractiveBackend": "summary.backends.extractive",
    "FixedClock": "clock",
    "IntentType": "intents",
    "JudgeContext": "review.verdict",
    "Limits": "policy",
    "MemoryContext": "context",
    "MemoryContextBuilder": "context",
    "MemoryCoreError": "errors",
    "MemoryDelta": "delta",
    "MemoryDeltaApplier": "review.applier",
    "MemoryDeltaParser": "delta",
    "MemoryDocument": "document",
    "MemoryManager": "manager",
    "MemoryStore": "storage.store",
    "MemorySummarizer": "summary.summarizer",
    "MemorySummaryScheduler": "summary.scheduler",
    "OpenAIChatBackend": "summary.backends.openai_chat",
    "Policy": "policy",
    "RepoProfileCollector": "profile.collector",
    "Review": "review.verdict",
    "ScriptedBackend": "summary.backends.scripted",
    "SystemClock": "clock",
    "Verdict": "review.verdict",
    "diff": "diff",
}

__all__ = [
    "Configuration",
    "ExtractiveBackend",
    "FixedClock",
    "IntentType",
    "JudgeContext",
    "Limits",
    "MemoryContext",
    "MemoryContextBuilder",
    "MemoryCoreError",
    "MemoryDelta",
    "MemoryDeltaApplier",
    "MemoryDeltaParser",
    "MemoryDocument",
    "MemoryManager",
    "MemoryStore",
    "MemorySummarizer",
    "MemorySummaryScheduler",
    "OpenAIChatBackend",
    "Policy",
    "RepoProfileCollector",
    "Review",
    "ScriptedBackend",
    "SystemClock",
    "Verdict",
    "diff",
]


def __getattr__(name: str) -> Any:
    """Load a public name from its module."""
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_WHERE[name]}"), name)
