"""A summariser that reads its replies from a script: for tests, demonstrations and scenarios."""

from __future__ import annotations

import json
from collections.abc import Iterable

from memory_core.errors import EndpointError
from memory_core.summary.summarizer import ModelReply, SummaryPayload


class ScriptedBackend:
    """Gives one prepared reply a run, in order."""

    def __init__(self, replies: Iterable[str | ModelReply | Exception]) -> None:
        self._replies = list(replies)
        self.payloads: list[SummaryPayload] = []
        """What was asked so far."""

    @property
    def name(self) -> str:
        """Its name."""
        return "scripted"

    def reply(self, payload: SummaryPayload, nonce: str) -> ModelReply:
        """The next reply. Raises `EndpointError` when the script has run out, and what the script says."""
        del nonce
        self.payloads.append(payload)
        if not self._replies:
            raise EndpointError("The script has no more replies.", hint="Give it one reply for each summary.")
        reply = self._replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return ModelReply(reply, "stop", self.name) if isinstance(reply, str) else reply

    def cancel(self) -> None:
        """Nothing is ever under way."""


def from_text(text: str, *, jsonl: bool) -> ScriptedBackend:
    """A script from a file's text: one JSON string or object with `reply` a line, or the whole text as one reply."""
    if not jsonl:
        return ScriptedBackend([text])
    replies: list[str | ModelReply | Exception] = []
    for line in text.splitlines():
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            value = line
        if isinstance(value, dict) and isinstance(value.get("reply"), str):
            replies.append(ModelReply(value["reply"], value.get("finish_reason"), "scripted"))
        else:
            replies.append(value if isinstance(value, str) else line)
    return ScriptedBackend(replies)
