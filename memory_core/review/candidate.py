"""One operation in the shape that rules look at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memory_core.codes import rule_of, sentence
from memory_core.delta import Kind
from memory_core.document import LongTermItem, MemoryDocument
from memory_core.policy import Policy
from memory_core.review.verdict import Check, CheckOutcome, Evidence, JudgeContext


@dataclass(frozen=True, slots=True)
class Earlier:
    """An item that an earlier operation of the same delta creates, with that operation's place."""

    at: str
    item: LongTermItem


@dataclass(frozen=True, slots=True)
class Candidate:
    """An operation, the document as the operations before it leave it, and all that judging may know.

    `raw` is what the model sent; `text` gives a field with its white space normalised, empty where it is absent or
    no string.
    """

    at: str
    kind: Kind
    raw: Mapping[str, Any]
    document: MemoryDocument
    policy: Policy
    context: JudgeContext
    earlier: tuple[Earlier, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)

    @property
    def operation(self) -> str:
        """`summarize`, or the operation's own word."""
        return "summarize" if self.kind == "turn_summary" else str(self.raw.get("operation"))

    @property
    def creates(self) -> bool:
        """Whether it is a `create_new`."""
        return self.operation == "create_new"

    @property
    def target(self) -> LongTermItem | None:
        """The long-term item that it updates, if there is one."""
        found = self.document.find(str(self.raw.get("target_id"))) if self.operation == "update_existing" else None
        return found if isinstance(found, LongTermItem) else None

    @property
    def item_type(self) -> str:
        """Type of the long-term item that it makes or changes; empty for turns and topics."""
        if self.kind != "long_term":
            return ""
        return self.target.type if self.target is not None else str(self.raw.get("type") or "")

    def text(self, name: str) -> str:
        """A text field, normalised."""
        return self.texts.get(name, "")


def check(
    outcome: CheckOutcome,
    code: str,
    *,
    observed: Any = None,
    limit: Any = None,
    on: str | None = None,
    neighbour: str | None = None,
    evidence: tuple[Evidence, ...] = (),
    **values: object,
) -> Check:
    """A check with its code's sentence filled in; `on` is the field that it is about."""
    filled: dict[str, object] = {"observed": observed, "limit": limit, "field": on, **values}
    message = sentence(code, **{name: value for name, value in filled.items() if value is not None})
    return Check(rule_of(code), code, outcome, message, observed, limit, on, neighbour, evidence)


def passed(code: str, message: str, *, observed: Any = None, limit: Any = None, on: str | None = None) -> Check:
    """A check that found nothing: its code, and what was looked at in a few words."""
    return Check(rule_of(code), code, "passed", message, observed, limit, on)
