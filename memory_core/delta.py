"""The delta: what the short LLM proposes (section 7). `MemoryDeltaParser` lives here; judging does not."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any, Literal

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
class ReplyReason:
    """Why a reply was refused; line and column count from 1 where they are known."""

    code: str
    message: str
    hint: str = ""
    line: int | None = None
    column: int | None = None


@dataclass(frozen=True, slots=True)
class ParsedReply:
    """What the parser made of a reply: a delta, or a reason (U2)."""

    delta: MemoryDelta | None
    reason: ReplyReason | None = None
    remarks: tuple[str, ...] = ()
    ignored_keys: tuple[str, ...] = field(default=())
