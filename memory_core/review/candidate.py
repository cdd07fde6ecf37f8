"""One operation in the shape that rules look at, and how a rule reports what it found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memory_core.codes import rule_of, sentence
from memory_core.delta import Kind
from memory_core.document import SOURCE_OF, ActiveTopic, ItemType, LongTermItem, MemoryDocument, RecentTurn
from memory_core.policy import Policy
from memory_core.review.verdict import Check, CheckOutcome, Evidence, JudgeContext

TEXT_FIELDS = ("label", "summary")
"""The fields whose text memory would keep."""

ENTRY_OF: dict[Kind, type[RecentTurn | ActiveTopic | LongTermItem]] = {
    "turn_summary": RecentTurn,
    "topic": ActiveTopic,
    "long_term": LongTermItem,
}
"""What an operation of each kind makes or changes."""


def id_field(kind: Kind) -> str:
    """The field by which an operation of that kind names an entry of the document."""
    return "turn_id" if kind == "turn_summary" else "target_id"


@dataclass(frozen=True, slots=True)
class Earlier:
    """An item that an earlier operation of the same delta creates, with that operation's place."""

    at: str
    item: LongTermItem


@dataclass(frozen=True, slots=True)
class Candidate:
    """An operation, the document as the operations before it leave it, and all that judging may know.

    `raw` is what the model sent, of any JSON type; `text` gives a field with its white space normalised, empty where
    it is absent or no string.
    """

    at: str
    kind: Kind
    raw: Mapping[str, Any]
    document: MemoryDocument
    policy: Policy
    context: JudgeContext
    earlier: tuple[Earlier, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    named: RecentTurn | ActiveTopic | LongTermItem | None = None
    """The entry that has the id which the operation names, of whatever kind."""
    summarised: frozenset[str] = frozenset()
    """Turns that earlier operations of the delta summarise (A9c)."""

    @property
    def operation(self) -> str:
        """`summarize`, or the operation's own word; empty where that is absent or no string."""
        return "summarize" if self.kind == "turn_summary" else self._string("operation")

    @property
    def creates(self) -> bool:
        """Whether it is a `create_new`."""
        return self.operation == "create_new"

    @property
    def id_field(self) -> str:
        """The field that names the entry which the operation changes."""
        return id_field(self.kind)

    @property
    def identifier(self) -> str:
        """The id that it names, exactly as sent; empty where that is absent or no string."""
        return self._string(self.id_field)

    @property
    def target(self) -> LongTermItem | None:
        """The long-term item that it updates, if there is one."""
        updates = self.kind == "long_term" and self.operation == "update_existing"
        return self.named if updates and isinstance(self.named, LongTermItem) else None

    @property
    def item_type(self) -> ItemType | None:
        """Type of the long-term item that it makes or changes; None for turns and topics, or where it is illegal."""
        if self.kind != "long_term":
            return None
        if self.target is not None:
            return self.target.type
        return next((kind for kind in SOURCE_OF if kind == self.raw.get("type")), None)

    def text(self, name: str) -> str:
        """A text field, normalised."""
        return self.texts.get(name, "")

    def _string(self, name: str) -> str:
        value = self.raw.get(name)
        return value if isinstance(value, str) else ""


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


def shown(text: str, limit: int = 60) -> str:
    """A model's text as a verdict names it: cut to `limit` characters, and storable as UTF-8."""
    cut = text if len(text) <= limit else text[: limit - 1] + "…"
    return cut.encode("utf-8", "replace").decode()
