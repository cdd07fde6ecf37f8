"""Long-term: preferences and notes, where each came from, and the three things that a person may do to one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.binding import BindingType

from inspector.keys import bind
from inspector.panes.base import Pane
from inspector.panes.working import objected, short_time
from inspector.screens.confirm import Confirm
from inspector.snapshot import Snapshot
from inspector.widgets.row_list import Cell, Row
from inspector.widgets.text import Doc, blank, doc, field_change, heading, line, pair, text
from inspector.workspace import Workspace
from memory_core.diff import diff
from memory_core.document import ItemStatus, LongTermItem, MemoryDocument
from memory_core.errors import MemoryCoreError
from memory_core.intents import IntentType
from memory_core.manager import MemoryManager
from memory_core.results import ItemResult
from memory_core.storage.history import DecisionRecord, Revision

WHOLE = frozenset({"outside", "restore", "revert", "reset"})
"""Causes of revisions that may change any item without naming it."""
LOOKED_AT = 60
"""Revisions that are opened for one item's history, at most."""
FORGET_EVERYWHERE = "long_term.everywhere"


@dataclass(frozen=True, slots=True)
class Past:
    """What one revision did to an item."""

    revision: Revision
    record: DecisionRecord | None
    change: Doc


class LongTermPane(Pane):
    """Durable preferences and project notes."""

    TITLE = "Long-term"
    HINTS = (
        ("long_term.status", "inactive/active"),
        ("long_term.undo", "undo"),
        ("long_term.forget", "forget…"),
        ("pane.filter", "filter"),
        ("pane.copy", "copy"),
        ("row.open", "detail"),
    )
    COLUMNS = (Cell("", 1), Cell("label", 20), Cell("summary"), Cell("updated", 11))
    EMPTY = (
        "Nothing is remembered for long yet.",
        "",
        "A durable preference is what the user said should always hold.",
        "A project note is what the talk keeps returning to.",
        "Both come from deltas that are accepted under Pending.",
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        bind(
            "i", "toggle_status", "Inactive or active", "long_term.status", "Long-term",
            tip="An inactive item stays, and is never injected; z undoes it.",
        ),
        bind("z", "undo", "Undo", "long_term.undo", "Long-term", tip="Takes the last change of status back."),
        bind("Z", "redo", "Redo", "long_term.redo", "Long-term", tip="Makes the change of status again."),
        bind("D", "forget", "Forget…", "long_term.forget", "Long-term", tip="Says where else it stands, and asks."),
    ]  # fmt: skip

    def __init__(self, workspace: Workspace, *, id: str) -> None:
        super().__init__(workspace, id=id)
        self._past: dict[str, tuple[str, tuple[Past, ...]]] = {}
        self._done: list[tuple[str, ItemStatus]] = []
        self._undone: list[tuple[str, ItemStatus]] = []

    def rows(self, snapshot: Snapshot) -> Sequence[Row]:
        """Two groups; what a rule objects to is marked where it stands."""
        rows: list[Row] = []
        document = snapshot.document
        flagged = snapshot.objections()
        for title, items in (("Durable preferences", document.preferences), ("Project notes", document.notes)):
            if not items:
                continue
            active = sum(item.is_active for item in items)
            count = f"{len(items)}" if active == len(items) else f"{len(items)}, {active} active"
            rows.append(Row(f"#{title}", (Cell(f"{title} ({count})"),), heading=True))
            rows += [self._row(item, item.id in flagged) for item in items]
        return rows

    @staticmethod
    def _row(item: LongTermItem, flagged: bool) -> Row:
        mark, tone = ("!", "bad") if flagged else (("●", "ok") if item.is_active else ("○", "dim"))
        return Row(
            item.id,
            (
                Cell(mark, 1, tone),
                Cell(item.label, 20, "strong" if item.is_active else "dim"),
                Cell(
                    item.summary if item.is_active else f"(inactive) {item.summary}", 0, "" if item.is_active else "dim"
                ),
                Cell(short_time(item.updated_at), 11, "dim"),
            ),
            search=f"{item.label} {item.summary} {item.type.replace('_', ' ')} {item.status} {item.id}",
        )

    def detail(self, snapshot: Snapshot, key: str | None) -> Doc:
        """The item, its objections, whether it would be injected, where it came from, its history."""
        item = snapshot.document.find(key or "")
        if not isinstance(item, LongTermItem):
            return self.empty()
        return doc(
            line((item.label, "title")),
            text(item.summary),
            blank(),
            pair("type", item.type.replace("_", " ")),
            pair("status", item.status, "accepted" if item.is_active else "warn"),
            pair("source", item.source.replace("_", " ")),
            pair("id", item.id),
            pair("created", item.created_at),
            pair("updated", item.updated_at),
            self._injected(snapshot, item),
            objected(snapshot, item.id),
            self._history(snapshot, item),
        )

    def _injected(self, snapshot: Snapshot, item: LongTermItem) -> Doc:
        context = self.workspace.manager.context_of(snapshot.document, IntentType.GENERAL_CHAT)
        found = next((entry for entry in context.items if entry.id == item.id), None)
        if found is None:
            return (pair("in a prompt", "no: it is inactive" if not item.is_active else "no", "warn"),)
        where = f"yes, at place {found.position}" if found.injected else "no"
        tone = "accepted" if found.injected else "warn"
        return (pair("in a prompt", f"{where}: {found.reason} (for an empty question)", tone),)

    # Where it came from.

    def _history(self, snapshot: Snapshot, item: LongTermItem) -> Doc:
        """Every revision that touched the item, newest first: by whose word, why, and what it changed."""
        known = self._past.get(item.id)
        if known is None or known[0] != _stamp(snapshot):
            self._look_up(snapshot, item.id)
        if known is None:
            return doc(heading("Where it came from"), line(("reading the history …", "dim")))
        if not known[1]:
            return doc(heading("Where it came from"), line(("The history does not tell; it was there before.", "dim")))
        return doc(heading("Where it came from, newest first"), *[_told(entry) for entry in known[1]])

    def _look_up(self, snapshot: Snapshot, item_id: str) -> None:
        manager, stamp = self.workspace.manager, _stamp(snapshot)
        self._past[item_id] = stamp, self._past.get(item_id, ("", ()))[1]

        def found(result: object) -> None:
            if isinstance(result, tuple):
                self._past[item_id] = stamp, result
                self.draw_detail()

        self.perform("", lambda: past_of(manager, snapshot.revisions, item_id), found, writes=False, quiet=True)

    def copied(self, snapshot: Snapshot, key: str) -> str:
        """The item's words."""
        item = snapshot.document.find(key)
        return f"{item.label}: {item.summary}" if isinstance(item, LongTermItem) else key

    # Status.

    def _selected(self) -> LongTermItem | None:
        found = self.snapshot.document.find(self.list.key or "") if self.snapshot else None
        return found if isinstance(found, LongTermItem) else None

    def action_toggle_status(self) -> None:
        """Set the item inactive, or active again."""
        item = self._selected()
        if item is None or not self.may_write():
            return
        if self.just_shifted(item.id):
            self.say("The row changed just now; look again, then decide.", warning=True)
            return
        wanted: ItemStatus = "inactive" if item.is_active else "active"
        self._set(item.id, wanted, lambda: self._remember(item.id, item.status))

    def _remember(self, item_id: str, status: ItemStatus) -> None:
        self._done.append((item_id, status))
        self._undone.clear()

    def _set(self, item_id: str, status: ItemStatus, then: Callable[[], None]) -> None:
        manager = self.workspace.manager

        def done(_: object) -> None:
            then()
            self.say(f"{item_id} is {status}. z undoes it while this console is open.")

        self.perform(f"setting {item_id} {status}", lambda: manager.set_status(item_id, status), done)

    def action_undo(self) -> None:
        """Take the last change of status back."""
        self._swap(self._done, self._undone, "undo")

    def action_redo(self) -> None:
        """Make the last undone change again."""
        self._swap(self._undone, self._done, "redo")

    def _swap(self, source: list[tuple[str, ItemStatus]], other: list[tuple[str, ItemStatus]], word: str) -> None:
        if not source:
            self.say(f"There is nothing to {word} here; History restores whole revisions.")
            return
        item_id, status = source[-1]
        current = self.snapshot.document.find(item_id) if self.snapshot else None
        if not isinstance(current, LongTermItem):
            source.pop()
            self.say(f"{item_id} is no longer there.", warning=True)
            return

        def swapped() -> None:
            source.pop()
            other.append((item_id, current.status))

        self._set(item_id, status, swapped)

    # Forgetting.

    def action_forget(self) -> None:
        """Ask, saying where else the text stands; then forget it, here or everywhere."""
        item = self._selected()
        if item is None or not self.may_write():
            return
        store = self.workspace.manager.store
        self.perform(
            "looking where else it stands",
            lambda: store.places_of(item.summary),
            lambda found: self._ask(item, found),
            writes=False,
        )

    def _ask(self, item: LongTermItem, found: object) -> None:
        places = [str(place) for place in found] if isinstance(found, tuple) else []
        body = doc(
            line((item.label, "strong")),
            text(item.summary),
            heading("Goes"),
            line("  the item; the next prompt no longer carries it"),
            heading(f"Its text also stands in ({len(places)})"),
            *[line(f"  {words}", hang=4) for words in grouped(places)],
            None if places else line(("  nowhere else", "dim")),
            blank(),
            line(("D leaves those alone, and History can bring the item back from there.", "dim")),
            line(("E takes the text out of all of them too. That cannot be undone.", "warn")) if places else None,
        )
        manager = self.workspace.manager

        def answered(answer: str | None) -> None:
            if answer:
                everywhere = answer == FORGET_EVERYWHERE
                self.perform(
                    f"forgetting {item.id}", lambda: manager.forget(item.id, everywhere=everywhere), self._forgotten
                )

        others = ((FORGET_EVERYWHERE, "forget everywhere"),) if places else ()
        self.app.push_screen(
            Confirm("Forget this item?", body, "long_term.forget", "forget here", danger=True, others=others), answered
        )

    def _forgotten(self, result: object) -> None:
        if isinstance(result, ItemResult):
            rest = f" Its text still stands in {len(result.elsewhere)} places." if result.elsewhere else ""
            self.say(f"Forgotten, as revision {result.revision}.{rest}")


bind("E", "everywhere", "Forget everywhere", FORGET_EVERYWHERE, "Long-term")


def grouped(places: Sequence[str]) -> list[str]:
    """Places such as `history:3`, one line a kind."""
    kinds: dict[str, list[str]] = {}
    for place in places:
        kind, _, name = place.partition(":")
        kinds.setdefault(kind, []).append(name)
    return [
        f"{kind.replace('_', ' ')}: {', '.join(names)}" if any(names) else kind.replace("_", " ")
        for kind, names in kinds.items()
    ]


def _stamp(snapshot: Snapshot) -> str:
    newest = snapshot.revisions[-1] if snapshot.revisions else None
    return f"{newest.seq}-{newest.sha256}" if newest else ""


def past_of(manager: MemoryManager, revisions: Sequence[Revision], item_id: str) -> tuple[Past, ...]:
    """What each revision did to an item, newest first; opens at most `LOOKED_AT` of them. Meant for a thread."""
    found: list[Past] = []
    opened = 0
    for at in range(len(revisions) - 1, -1, -1):
        revision = revisions[at]
        record = next((entry for entry in revision.decisions if entry.item_id == item_id), None)
        if record is not None and record.decision != "applied":
            record = None
        names_it = record is not None or revision.summary.startswith(item_id)
        if not (names_it or revision.cause in WHOLE) or opened == LOOKED_AT:
            continue
        opened += 1
        change = _change(manager, revisions[at - 1].seq if at else None, revision.seq, item_id)
        if names_it or change:
            found.append(Past(revision, record, change))
    return tuple(found)


def _change(manager: MemoryManager, before: int | None, after: int, item_id: str) -> Doc:
    """How an item differs between two revisions, field by field."""
    try:
        old = manager.document_at(before) if before is not None else MemoryDocument()
        new = manager.document_at(after)
    except MemoryCoreError:
        return ()
    change = next((entry for entry in diff(_only(old, item_id), _only(new, item_id)) if entry.fields), None)
    if change is None:
        return ()
    if change.kind == "added":
        return (
            line(
                ("    as ", "dim"),
                (str((change.after or {}).get("label", "")), "strong"),
                "  " + str((change.after or {}).get("summary", "")),
            ),
        )
    fields = [entry for entry in change.fields if not entry.name.endswith("_at")]
    return doc(*[field_change(entry.name, entry.before, entry.after) for entry in fields])


def _only(document: MemoryDocument, item_id: str) -> MemoryDocument:
    return MemoryDocument().with_items(tuple(item for item in document.items if item.id == item_id))


def _told(past: Past) -> Doc:
    """One revision of an item's history."""
    revision, record = past.revision, past.record
    word = {"apply": "approved by a person", "auto": "applied by policy"}.get(revision.cause, revision.summary)
    return doc(
        line(
            (f"  r{revision.seq}", "strong"),
            (f"  {revision.at}  ", "dim"),
            word,
            (f"  {revision.delta_id or ''}", "dim"),
            hang=6,
        ),
        past.change,
        *[
            line(("    “", "dim"), (quote.quote, "accepted"), ("”", "dim"), (f"  {quote.turn_id}", "dim"), hang=5)
            for quote in (record.evidence if record else ())
        ],
        line(("    note  ", "dim"), record.note, hang=10) if record and record.note else None,
    )
