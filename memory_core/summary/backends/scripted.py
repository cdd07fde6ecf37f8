"""A summariser that reads its replies from a script: for tests, demonstrations and scenarios."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from memory_core.errors import EndpointError
from memory_core.summary.summarizer import ModelReply, SummaryPayload

_BETWEEN = re.compile(r"^---[ \t]*$\n?", re.MULTILINE)


class ScriptedBackend:
    """Gives one prepared reply a run, in order; an exception among them is raised in its turn."""

    def __init__(self, replies: Iterable[str | ModelReply | Exception]) -> None:
        self._replies = list(replies)
        self._given = 0
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
        if self._given == len(self._replies):
            raise EndpointError(
                f"The script has no more replies; all {self._given} were given.",
                hint="Give it one reply for each summary.",
                code="script_ended",
            )
        reply = self._replies[self._given]
        self._given += 1
        if isinstance(reply, Exception):
            raise reply
        return ModelReply(reply, "stop", self.name) if isinstance(reply, str) else reply

    def cancel(self) -> None:
        """Nothing is ever under way."""


def from_text(text: str, *, jsonl: bool) -> ScriptedBackend:
    """A script from a file's text.

    As JSONL one reply a line: a JSON string, or an object with `reply` and perhaps `finish_reason`; any other line is
    a reply as it stands. Else the whole text is one reply, or several with a line of `---` between them.
    """
    if jsonl:
        return ScriptedBackend([_line(line) for line in text.splitlines() if line.strip()])
    return ScriptedBackend([part for part in _BETWEEN.split(text) if part.strip()])


def _line(line: str) -> str | ModelReply:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return line
    if isinstance(value, dict) and isinstance(value.get("reply"), str):
        reason = value.get("finish_reason")
        return ModelReply(value["reply"], reason if isinstance(reason, str) else None, "scripted")
    return value if isinstance(value, str) else line
