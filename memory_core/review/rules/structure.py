"""The shape of an operation: fields, types, lengths, ids, targets, room (A4, A9c, D6). Never switched off.

Each function looks at one subject and gives every check that it ran, passed ones too. They run stage by stage: where
one stage fails, the next would have nothing sound to look at.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from memory_core.capacity import oldest_inactive
from memory_core.document import SOURCE_OF, ActiveTopic, LongTermItem, RecentTurn
from memory_core.entries import json_name
from memory_core.review.candidate import ENTRY_OF, TEXT_FIELDS, Candidate, check, passed, shown
from memory_core.review.verdict import Check
from memory_core.text import fold, has_substance, is_encodable, normalise

OPERATIONS = ("create_new", "update_existing")
_NAMES = {RecentTurn: "turn", ActiveTopic: "topic", LongTermItem: "long-term item"}


def operation(candidate: Candidate) -> Iterator[Check]:
    """Which operation it is (A4), and that a `create_new` names no target (A9c)."""
    if candidate.kind == "turn_summary":
        return
    word = candidate.raw.get("operation")
    if word is None:
        yield check("failed", "missing_field", on="operation")
    elif not isinstance(word, str):
        yield check("failed", "wrong_type", on="operation", observed=json_name(word), limit="a string")
    elif word not in OPERATIONS:
        yield check("failed", "unknown_operation", on="operation", observed=shown(word), limit=" or ".join(OPERATIONS))
    else:
        yield passed("unknown_operation", f"The operation is {word}.", observed=word, on="operation")
        if word == "create_new":
            yield _no_target(candidate)


def _no_target(candidate: Candidate) -> Check:
    target = candidate.raw.get("target_id")
    if target is None:
        return passed("create_with_target", "It creates, and names no target.", on="target_id")
    name = shown(target) if isinstance(target, str) else json_name(target)
    return check("failed", "create_with_target", on="target_id", observed=name)


@dataclass(frozen=True, slots=True)
class _Field:
    """What an operation must or may say in one field; `limit` counts characters, of texts that memory keeps."""

    name: str
    required: bool
    limit: int | None = None


def _expected(candidate: Candidate) -> list[_Field]:
    """The fields of section 7's table. Whether a source is needed is A5's matter, and another rule's."""
    limits = candidate.policy.limits
    summary = _Field("summary", True, limits.summary)
    if candidate.kind == "turn_summary":
        return [_Field("turn_id", True), summary]
    fields = [] if candidate.creates else [_Field("target_id", True)]
    fields += [_Field("label", candidate.creates, limits.label), summary]
    if candidate.kind == "long_term":
        fields += [_Field("type", candidate.creates), _Field("source", False)]
    return fields


def fields(candidate: Candidate) -> Iterator[Check]:
    """Every field is there, of its JSON type, storable, not empty, and within its limit (A4, D6, U2)."""
    sound = True
    expected = _expected(candidate)
    for wanted in expected:
        problem = _problem(candidate, wanted)
        if problem is not None:
            sound = False
            yield problem
        elif wanted.limit is not None and candidate.raw.get(wanted.name) is not None:
            length = len(candidate.text(wanted.name))
            message = f"Field {wanted.name} has {length} of {wanted.limit} characters."
            yield passed("too_long", message, observed=length, limit=wanted.limit, on=wanted.name)
    for problem in _related_types(candidate):
        sound = False
        yield problem
    if sound:
        required = ", ".join(wanted.name for wanted in expected if wanted.required)
        yield passed("missing_field", f"What it must have is there: {required}.")
        yield passed("wrong_type", "Every field is of its JSON type.")
        yield passed("bad_unicode", "Every field can be stored as UTF-8.")
        yield passed("empty_field", "No field is empty.")


def _problem(candidate: Candidate, wanted: _Field) -> Check | None:
    name, value = wanted.name, candidate.raw.get(wanted.name)
    if value is None:
        return check("failed", "missing_field", on=name) if wanted.required else None
    if not isinstance(value, str):
        return check("failed", "wrong_type", on=name, observed=json_name(value), limit="a string")
    if not is_encodable(value):
        return check("failed", "bad_unicode", on=name)
    text = candidate.text(name)
    if not (has_substance(text) if name in TEXT_FIELDS else text):
        return check("failed", "empty_field", on=name, observed=shown(text))
    if wanted.limit is not None and len(text) > wanted.limit:
        return check("failed", "too_long", on=name, observed=len(text), limit=wanted.limit)
    return None


def _related_types(candidate: Candidate) -> Iterator[Check]:
    value = candidate.raw.get("related_turn_ids") if candidate.kind == "topic" else None
    if value is None:
        return
    if not isinstance(value, list):
        yield check("failed", "wrong_type", on="related_turn_ids", observed=json_name(value), limit="a list")
        return
    wrong = next((entry for entry in value if not isinstance(entry, str)), "")
    if wrong != "":
        yield check("failed", "wrong_type", on="related_turn_ids", observed=json_name(wrong), limit="a turn's id")


def placeholders(candidate: Candidate) -> Iterator[Check]:
    """No text repeats what the prompt shows as a placeholder (A4, U3b)."""
    marks = [folded for mark in candidate.context.placeholders if (folded := fold(mark))]
    clean = True
    for name in TEXT_FIELDS:
        text = fold(candidate.text(name))
        echoed = next((mark for mark in marks if mark in text or text == mark.strip("<>")), None)
        if text and echoed is not None:
            clean = False
            yield check("failed", "placeholder", on=name, observed=shown(echoed))
    if clean and marks:
        yield passed("placeholder", f"None of the prompt's {len(marks)} placeholders is repeated.")


def target(candidate: Candidate) -> Iterator[Check]:
    """The entry that it changes exists, is of the right kind, and may be changed (A4, A9c)."""
    if candidate.creates:
        return
    on, identifier, found = candidate.id_field, candidate.identifier, candidate.named
    wanted = ENTRY_OF[candidate.kind]
    name = _NAMES[wanted]
    if found is None:
        yield check("failed", "unknown_id", on=on, observed=shown(identifier), kind=name)
    elif not isinstance(found, wanted):
        actual = f"a {_NAMES[type(found)]}"
        yield check("failed", "wrong_kind", on=on, observed=shown(identifier), actual=actual, kind=f"a {name}")
    else:
        yield passed("unknown_id", f"{shown(identifier)} exists.", observed=shown(identifier), on=on)
        yield passed("wrong_kind", f"It is a {name}.", observed=name, limit=name, on=on)
        if isinstance(found, RecentTurn):
            yield _pending(candidate, found)
        elif isinstance(found, LongTermItem):
            yield _active(found)


def _pending(candidate: Candidate, turn: RecentTurn) -> Check:
    if turn.id in candidate.summarised:
        return check("failed", "duplicate_summary", on="turn_id", observed=shown(turn.id))
    if not turn.is_pending:
        return check("failed", "already_summarised", on="turn_id", observed=shown(turn.id))
    return passed("already_summarised", "The turn waits for its summary.", observed="pending", on="turn_id")


def _active(item: LongTermItem) -> Check:
    if not item.is_active:
        return check("failed", "inactive_target", on="target_id", observed=shown(item.id))
    return passed("inactive_target", "The item is active.", observed=item.status, limit="active", on="target_id")


def related(candidate: Candidate) -> Iterator[Check]:
    """Every turn that a topic names exists; one of the batch that has left the document is dropped (A4)."""
    value = candidate.raw.get("related_turn_ids")
    if candidate.kind != "topic" or not value:
        return
    turns = {turn.id for turn in candidate.document.turns}
    left = {turn.id for turn in candidate.context.batch} - turns
    unknown = next((identifier for identifier in value if identifier not in turns and identifier not in left), None)
    for identifier in dict.fromkeys(identifier for identifier in value if identifier in left):
        yield check("remark", "turn_left", on="related_turn_ids", observed=shown(identifier))
    if unknown is not None:
        yield check("failed", "unknown_id", on="related_turn_ids", observed=shown(unknown), kind="turn")
    else:
        kept = related_turns(candidate)
        message = f"Every turn that it names exists ({len(kept)})." if kept else "No turn that it names is left."
        yield passed("unknown_id", message, observed=[shown(turn) for turn in kept], on="related_turn_ids")


def related_turns(candidate: Candidate) -> tuple[str, ...]:
    """The turns of the document that a topic operation names, each once."""
    value = candidate.raw.get("related_turn_ids")
    turns = {turn.id for turn in candidate.document.turns}
    named = (entry for entry in value if isinstance(entry, str)) if isinstance(value, list) else ()
    return tuple(dict.fromkeys(entry for entry in named if entry in turns))


def kept_fields(candidate: Candidate) -> Iterator[Check]:
    """The type is a legal one, and an update keeps type and label of its item (A4)."""
    if candidate.kind != "long_term":
        return
    kind, item = candidate.raw.get("type"), candidate.target
    if kind is not None and kind not in SOURCE_OF:
        yield check("failed", "illegal_type", on="type", observed=shown(kind), limit=" or ".join(SOURCE_OF))
        return
    if kind is not None:
        yield passed("illegal_type", f"Type {kind} exists.", observed=kind, on="type")
    if item is None:
        return
    if kind is not None and kind != item.type:
        yield check("failed", "type_change", on="type", observed=kind, limit=item.type, target=shown(item.id))
    else:
        yield passed("type_change", "The item keeps its type.", observed=kind, limit=item.type, on="type")
    label = candidate.text("label")
    if label and label != normalise(item.label):
        yield check("failed", "label_change", on="label", observed=label, limit=item.label, target=shown(item.id))
    else:
        yield passed("label_change", "The item keeps its label.", observed=label or None, limit=item.label, on="label")


def room(candidate: Candidate) -> Iterator[Check]:
    """Long-term memory takes a new item, if need be in place of its oldest inactive one (D6)."""
    if candidate.kind != "long_term" or not candidate.creates:
        return
    held, limit = len(candidate.document.items), candidate.policy.limits.long_term_items
    gives_way = gives_way_to(candidate)
    if held < limit:
        message = f"Long-term memory holds {held} of {limit} items."
        yield passed("long_term_full", message, observed=held, limit=limit)
    elif gives_way is None:
        yield check("failed", "long_term_full", observed=held, limit=limit)
    else:
        yield check("remark", "drops_item", observed=shown(gives_way.id), limit=limit)


def gives_way_to(candidate: Candidate) -> LongTermItem | None:
    """The item that a new one replaces: at the limit exactly, the inactive one that was updated longest ago."""
    creates_item = candidate.kind == "long_term" and candidate.creates
    if not creates_item or len(candidate.document.items) != candidate.policy.limits.long_term_items:
        return None
    return oldest_inactive(candidate.document.items, candidate.context.moment)


def change(candidate: Candidate) -> Iterator[Check]:
    """An update changes something (A4)."""
    found = candidate.named
    if candidate.creates or found is None or isinstance(found, RecentTurn):
        return
    said: list[Any] = [candidate.text("summary")]
    stands: list[Any] = [normalise(found.summary)]
    if isinstance(found, ActiveTopic):
        said += [
            candidate.text("label") or normalise(found.label),
            {*related_turns(candidate), *found.related_turn_ids},
        ]
        stands += [normalise(found.label), set(found.related_turn_ids)]
    if said == stands:
        yield check("failed", "no_change", on="summary")
    else:
        yield passed("no_change", "It changes something.")
