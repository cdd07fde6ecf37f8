"""Shape of an operation: fields, types, lengths, ids, targets, pairings (A4, A5, A9c, D6). Never switched off."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from memory_core.capacity import oldest_inactive
from memory_core.clock import parse_time
from memory_core.document import SOURCE_OF, ActiveTopic, LongTermItem, RecentTurn
from memory_core.entries import json_name
from memory_core.review.candidate import Candidate, check, passed
from memory_core.review.verdict import Check
from memory_core.text import fold, has_substance, is_encodable

OPERATIONS = ("create_new", "update_existing")
_NAMES = {RecentTurn: "a turn", ActiveTopic: "a topic", LongTermItem: "a long-term item"}


@dataclass(frozen=True, slots=True)
class Shape:
    """What a well-shaped operation says: texts normalised, target and links found."""

    target: RecentTurn | ActiveTopic | LongTermItem | None
    label: str
    summary: str
    related: tuple[str, ...]
    drops: LongTermItem | None


class Inspection:
    """Looks at one operation; gathers every check, and the shape where none failed."""

    def __init__(self, candidate: Candidate) -> None:
        self.candidate = candidate
        self.checks: list[Check] = []
        self.related: tuple[str, ...] = ()
        self.drops: LongTermItem | None = None

    @property
    def failed(self) -> bool:
        """Whether any check failed so far."""
        return any(entry.outcome == "failed" for entry in self.checks)

    def run(self) -> Shape | None:
        """The shape, or None where the operation must be rejected."""
        for stage in (self._operation, self._fields, self._target, self._pairings, self._room):
            self.checks.extend(stage())
            if self.failed:
                return None
        candidate = self.candidate
        identifier = candidate.raw.get("turn_id" if candidate.kind == "turn_summary" else "target_id")
        target = candidate.document.find(identifier) if isinstance(identifier, str) else None
        shape = Shape(target, candidate.text("label"), candidate.text("summary"), self.related, self.drops)
        if self._changes_nothing(shape):
            self.checks.append(check("failed", "no_change"))
            return None
        return shape

    def _operation(self) -> Iterator[Check]:
        if self.candidate.kind == "turn_summary":
            return
        word = self.candidate.raw.get("operation")
        if word is None:
            yield check("failed", "missing_field", on="operation")
        elif not isinstance(word, str):
            yield check("failed", "wrong_type", on="operation", observed=json_name(word), limit="a string")
        elif word not in OPERATIONS:
            yield check(
                "failed", "unknown_operation", observed=word[:60], limit=" or ".join(OPERATIONS), on="operation"
            )
        else:
            yield passed("unknown_operation", f"The operation is {word}.", observed=word, on="operation")
            if word == "create_new" and self.candidate.raw.get("target_id") is not None:
                yield check(
                    "failed", "create_with_target", observed=_short(self.candidate.raw["target_id"]), on="target_id"
                )

    def _fields(self) -> Iterator[Check]:
        kind, raw = self.candidate.kind, self.candidate.raw
        limits = self.candidate.policy.limits
        identifier = "turn_id" if kind == "turn_summary" else "target_id"
        if kind == "turn_summary" or not self.candidate.creates:
            yield from self._string(identifier, required=True)
        creates_entry = kind != "turn_summary" and self.candidate.creates
        if kind == "topic" or creates_entry or (kind == "long_term" and raw.get("label") is not None):
            yield from self._string("label", required=creates_entry, limit=limits.label, prose=True)
        yield from self._string("summary", required=True, limit=limits.summary, prose=True)
        if kind == "long_term":
            yield from self._string("type", required=self.candidate.creates)
            needs_source = self.candidate.creates or self.candidate.item_type == "project_note"
            yield from self._string("source", required=needs_source)
        if kind == "topic":
            yield from self._related()

    def _string(self, name: str, *, required: bool, limit: int | None = None, prose: bool = False) -> Iterator[Check]:
        value = self.candidate.raw.get(name)
        if value is None:
            if required:
                yield check("failed", "missing_field", on=name)
            return
        if not isinstance(value, str):
            yield check("failed", "wrong_type", on=name, observed=json_name(value), limit="a string")
            return
        if not is_encodable(value):
            yield check("failed", "bad_unicode", on=name)
            return
        text = self.candidate.text(name)
        if not (has_substance(text) if prose else text):
            yield check("failed", "empty_field", on=name, observed=text)
        elif limit is not None and len(text) > limit:
            yield check("failed", "too_long", on=name, observed=len(text), limit=limit)
        elif limit is not None:
            yield passed(
                "too_long", f"{name} has {len(text)} of {limit} characters.", observed=len(text), limit=limit, on=name
            )
            yield from self._placeholder(name, text)

    def _placeholder(self, name: str, text: str) -> Iterator[Check]:
        folded = fold(text)
        echoed = next((mark for mark in self.candidate.context.placeholders if fold(mark) in folded), None)
        if echoed is not None:
            yield check("failed", "placeholder", on=name, observed=echoed)
        elif self.candidate.context.placeholders:
            yield passed("placeholder", f"{name} repeats no placeholder of the prompt.", on=name)

    def _related(self) -> Iterator[Check]:
        value = self.candidate.raw.get("related_turn_ids")
        if value is None:
            return
        if not isinstance(value, list):
            yield check("failed", "wrong_type", on="related_turn_ids", observed=json_name(value), limit="a list")
            return
        turns = {turn.id for turn in self.candidate.document.turns}
        left = {turn.id for turn in self.candidate.context.batch}
        kept: list[str] = []
        for identifier in value:
            if not isinstance(identifier, str):
                yield check(
                    "failed", "wrong_type", on="related_turn_ids", observed=json_name(identifier), limit="a turn's id"
                )
            elif identifier in turns:
                kept += [] if identifier in kept else [identifier]
            elif identifier in left:
                yield check("remark", "turn_left", on="related_turn_ids", observed=identifier)
            else:
                yield check("failed", "unknown_id", on="related_turn_ids", observed=_short(identifier), kind="turn")
        if kept:
            yield passed("unknown_id", f"All {len(kept)} related turns exist.", observed=kept, on="related_turn_ids")
        self.related = tuple(kept)

    def _target(self) -> Iterator[Check]:
        candidate = self.candidate
        if candidate.kind != "turn_summary" and candidate.creates:
            return
        name = "turn_id" if candidate.kind == "turn_summary" else "target_id"
        identifier = str(candidate.raw.get(name))
        wanted = {"turn_summary": RecentTurn, "topic": ActiveTopic, "long_term": LongTermItem}[candidate.kind]
        found = candidate.document.find(identifier)
        kind = _NAMES[wanted].split(" ", 1)[1]
        if found is None:
            yield check("failed", "unknown_id", on=name, observed=_short(identifier), kind=kind)
        elif not isinstance(found, wanted):
            yield check(
                "failed", "wrong_kind", on=name, observed=identifier, actual=_NAMES[type(found)], kind=_NAMES[wanted]
            )
        elif isinstance(found, LongTermItem) and not found.is_active:
            yield check("failed", "inactive_target", on=name, observed=identifier)
        elif isinstance(found, RecentTurn) and not found.is_pending:
            yield check("failed", "already_summarised", on=name, observed=identifier)
        else:
            yield passed("unknown_id", f"{identifier} exists.", observed=identifier, on=name)

    def _pairings(self) -> Iterator[Check]:
        candidate = self.candidate
        if candidate.kind != "long_term":
            return
        target, raw = candidate.target, candidate.raw
        kind, source = raw.get("type"), raw.get("source")
        if kind is not None and kind not in SOURCE_OF:
            yield check("failed", "illegal_type", on="type", observed=_short(kind))
            return
        if target is not None and kind is not None and kind != target.type:
            yield check("failed", "type_change", on="type", observed=kind, limit=target.type, target=target.id)
        legal = SOURCE_OF[target.type if target is not None else kind]  # type: ignore[index]
        if source is not None and source != legal:
            of = (target.type if target is not None else str(kind)).replace("_", " ")
            yield check("failed", "illegal_source", on="source", observed=_short(source), limit=legal, kind=f"a {of}")
        elif source is not None:
            yield passed("illegal_source", f"Source {source} fits the type.", observed=source, limit=legal, on="source")
        label = candidate.text("label")
        if target is not None and raw.get("label") is not None and label != target.label:
            yield check("failed", "label_change", on="label", observed=label, limit=target.label, target=target.id)

    def _room(self) -> Iterator[Check]:
        candidate = self.candidate
        if candidate.kind != "long_term" or not candidate.creates:
            return
        items, limit = candidate.document.items, candidate.policy.limits.long_term_items
        if len(items) < limit:
            yield passed("long_term_full", f"{len(items)} of {limit} items.", observed=len(items), limit=limit)
            return
        now = parse_time(candidate.context.proposed_at)
        oldest = oldest_inactive(items, now) if now is not None and len(items) == limit else None
        if oldest is None:
            yield check("failed", "long_term_full", observed=len(items), limit=limit)
            return
        self.drops = oldest
        yield check("remark", "drops_item", observed=oldest.id)

    def _changes_nothing(self, shape: Shape) -> bool:
        if isinstance(shape.target, ActiveTopic):
            label = shape.label or shape.target.label
            adds = set(shape.related) - set(shape.target.related_turn_ids)
            return not adds and (label, shape.summary) == (shape.target.label, shape.target.summary)
        return isinstance(shape.target, LongTermItem) and shape.summary == shape.target.summary


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json_name(value)
    return (text if len(text) <= 60 else text[:59] + "…").encode("utf-8", "replace").decode()
