"""The delta: what the short LLM proposes (section 7). `MemoryDeltaParser` lives here; judging does not."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any, Literal

from memory_core.codes import sentence
from memory_core.reply import RefusalError, ReplyReason, find_object, shown

Section = Literal["turn_summaries", "topic_operations", "long_term_operations"]
Kind = Literal["turn_summary", "topic", "long_term"]

SECTIONS: dict[Section, Kind] = {
    "turn_summaries": "turn_summary",
    "topic_operations": "topic",
    "long_term_operations": "long_term",
}


@dataclass(frozen=True, slots=True)
class DeltaOperation:
    """One entry of a delta, as the model sent it: `value` is any JSON value and has not been checked.

    A section that is no list is one operation at the section's bare name with `section_of_wrong_type` set (U2).
    """

    at: str
    kind: Kind
    value: Any
    section_of_wrong_type: bool = False


@dataclass(frozen=True, slots=True)
class MemoryDelta:
    """A parsed delta. `raw` is the JSON object that was found; only known sections become operations."""

    raw: dict[str, Any]
    operations: tuple[DeltaOperation, ...]
    sha256: str

    @staticmethod
    def from_object(raw: dict[str, Any]) -> MemoryDelta:
        """The delta that a JSON object stands for; `null` sections count as absent (U2)."""
        operations: list[DeltaOperation] = []
        for section, kind in SECTIONS.items():
            value = raw.get(section)
            if value is None:
                continue
            if not isinstance(value, list):
                operations.append(DeltaOperation(section, kind, value, section_of_wrong_type=True))
                continue
            operations.extend(DeltaOperation(f"{section}[{index}]", kind, entry) for index, entry in enumerate(value))
        canonical = json.dumps(raw, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
        return MemoryDelta(raw, tuple(operations), hashlib.sha256(canonical.encode()).hexdigest())


@dataclass(frozen=True, slots=True)
class ParsedReply:
    """What the parser made of a reply: a delta, or a reason (U2)."""

    delta: MemoryDelta | None
    reason: ReplyReason | None = None
    remarks: tuple[str, ...] = ()
    ignored_keys: tuple[str, ...] = field(default=())


KNOWN_KEYS: dict[Kind, frozenset[str]] = {
    "turn_summary": frozenset({"turn_id", "summary"}),
    "topic": frozenset({"operation", "target_id", "label", "summary", "related_turn_ids"}),
    "long_term": frozenset({"operation", "target_id", "type", "label", "summary", "source"}),
}


_OF_A_CUT = frozenset({"reply_empty", "reply_no_object", "reply_not_json", "reply_truncated", "reply_think_open"})
"""Reasons that an answer cut off at its token limit explains; more tokens would not mend the others."""


class MemoryDeltaParser:
    """From a model's reply to a delta, or to the reason why it is refused (U2, U2b)."""

    @staticmethod
    def parse(reply: str | bytes, *, finish_reason: str | None = None, token_limit: int | None = None) -> ParsedReply:
        """Parse a reply; never raises, whatever the bytes. `token_limit` is named where the reply was cut off at it."""
        text = ""
        try:
            _check_finish(finish_reason)
            text = _decoded(reply)
            found = find_object(text)
            delta = _delta(found.value)
        except RefusalError as refusal:
            if finish_reason == "length" and refusal.code in _OF_A_CUT:
                limit = f" of {token_limit} tokens" if token_limit else ""
                refusal = RefusalError("reply_cut_off", at=refusal.at, limit=limit)
            return ParsedReply(None, refusal.reason(text))
        remarks = found.remarks
        if finish_reason == "length":
            remarks = (*remarks, sentence("whole_at_limit"))
        return ParsedReply(delta, None, remarks, _ignored(found.value))


def _decoded(reply: str | bytes) -> str:
    if isinstance(reply, str):
        return reply
    try:
        return reply.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RefusalError("reply_not_utf8", observed=error.start) from error


def _check_finish(finish_reason: str | None) -> None:
    if finish_reason == "content_filter":
        raise RefusalError("reply_filtered")
    if finish_reason in {"tool_calls", "function_call"}:
        raise RefusalError("reply_tool_call")


def _delta(value: dict[str, Any]) -> MemoryDelta:
    """The delta of an object. One without any known key that is not `null` holds something else; `{}` holds nothing."""
    known = any(value.get(section) is not None for section in SECTIONS)
    unknown = [key for key in value if key not in SECTIONS]
    if unknown and not known:
        raise RefusalError("reply_unknown_keys", observed=shown(", ".join(unknown), 120))
    return MemoryDelta.from_object(value)


def _ignored(value: dict[str, Any]) -> tuple[str, ...]:
    """Keys that the program does not know, as places."""
    ignored = [shown(key) for key in value if key not in SECTIONS]
    for section, kind in SECTIONS.items():
        entries = value.get(section)
        for index, entry in enumerate(entries if isinstance(entries, list) else ()):
            if isinstance(entry, dict):
                ignored += [f"{section}[{index}].{shown(key)}" for key in entry if key not in KNOWN_KEYS[kind]]
    return tuple(ignored)
