"""`MemorySummarizer`: from a document to the payload, from the payload to a model's raw reply (U1, U3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from memory_core.clock import Ids, RandomIds
from memory_core.document import ActiveTopic, LongTermItem, MemoryDocument, RecentTurn, RepoProfile
from memory_core.policy import Limits
from memory_core.reply import ReplyReason
from memory_core.summary.triggers import Trigger

BATCH_LIMIT = 4
"""Pending turns in one payload at most, the newest (U1)."""


@dataclass(frozen=True, slots=True)
class SummaryPayload:
    """All that a model is shown. Its turns are the delta's batch."""

    trigger: str
    turns: tuple[RecentTurn, ...]
    topics: tuple[ActiveTopic, ...]
    items: tuple[LongTermItem, ...]
    profile: RepoProfile
    limits: Limits = Limits()
    """What the answer has to keep to, and how many modules are shown (D6)."""


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What came back. `refused` is set where the answer's envelope already rules it out (U2b)."""

    text: str
    finish_reason: str | None = None
    model: str = ""
    url: str = ""
    token_limit: int | None = None
    remarks: tuple[str, ...] = ()
    refused: ReplyReason | None = None


class Backend(Protocol):
    """Whoever answers a payload."""

    @property
    def name(self) -> str:
        """Who answers, for people."""
        ...

    def reply(self, payload: SummaryPayload, nonce: str) -> ModelReply:
        """The raw answer. Raises `EndpointError` where none came."""
        ...

    def cancel(self) -> None:
        """Give up what is under way, as soon as may be."""
        ...


class MemorySummarizer:
    """Asks one backend."""

    def __init__(self, backend: Backend, *, ids: Ids | None = None) -> None:
        self._backend = backend
        self._ids = ids or RandomIds()

    @property
    def name(self) -> str:
        """Who answers, for people."""
        return self._backend.name

    def summarize(self, payload: SummaryPayload) -> ModelReply:
        """The raw reply to a payload. Raises `EndpointError`."""
        return self._backend.reply(payload, self._ids.token())

    def cancel(self) -> None:
        """Give up what is under way; closing waits for no retry (U3a)."""
        self._backend.cancel()


def build_payload(
    document: MemoryDocument,
    trigger: Trigger | None,
    *,
    claimed: frozenset[str] = frozenset(),
    given_up: frozenset[str] = frozenset(),
    limits: Limits | None = None,
) -> SummaryPayload | None:
    """The payload for the document of now, or None where no pending turn may be sent (T6, T7, U1)."""
    blocked = claimed | given_up
    turns = tuple(turn for turn in document.turns if turn.is_pending and turn.id not in blocked)[-BATCH_LIMIT:]
    if not turns:
        return None
    return SummaryPayload(
        trigger=str(trigger) if trigger else "asked",
        turns=turns,
        topics=document.topics,
        items=tuple(item for item in document.items if item.is_active),
        profile=document.repo_profile,
        limits=limits or Limits(),
    )
