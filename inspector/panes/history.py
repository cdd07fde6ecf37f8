"""History: revisions, what each changed, compare any two, restore, take one back; backups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.binding import BindingType

from inspector.keys import bind
from inspector.panes.base import Pane
from inspector.panes.working import short_time
from inspector.screens.confirm import Confirm
from inspector.snapshot import Snapshot
from inspector.widgets.row_list import Cell, Row, RowList
from inspector.widgets.text import Doc, blank, changes, doc, heading, line, pair, raw
from inspector.workspace import BackupView, Workspace
from memory_core.diff import diff
from memory_core.document import MemoryDocument
from memory_core.errors import MemoryCoreError
from memory_core.results import RevertPreview, RevisionResult
from memory_core.storage.history import DecisionRecord, Revision

CURRENT = "current"
PENDING = "pending:"
BACKUP = "backup:"
KEPT_OPEN = 60
"""Documents of revisions that are held in memory."""
RECORDS = {
    "applied": ("✓ applied     ", "accepted"),
    "turned_down": ("✗ turned down ", "rejected"),
    "rejected": ("✗ rejected    ", "rejected"),
    "waiting": ("? waiting     ", "held"),
}


class HistoryPane(Pane):
    """Newest first; the detail is the difference to the one before, or to the marked one."""

    TITLE = "History"
    HINTS = (
        ("row.open", "difference"),
        ("row.mark", "mark to compare"),
        ("history.restore", "restore…"),
        ("history.revert", "take back…"),
        ("pane.filter", "filter"),
        ("pane.copy", "copy the hash"),
    )
    COLUMNS = (Cell("", 5), Cell("when", 11), Cell("why", 8), Cell("what"))
    EMPTY = (
        "No revisions yet.",
        "",
        "Each applied delta, profile, reset, restore and change of an item makes one, with the whole document;",
        "so does a change that somebody else made. Recording a turn does not.",
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        bind(
            "U", "restore", "Restore…", "history.restore", "History", tip="The document as it was then, byte for byte."
        ),
        bind("V", "revert", "Take one revision back…", "history.revert", "History", tip="What came after it stays."),
    ]

    def __init__(self, workspace: Workspace, *, id: str) -> None:
        super().__init__(workspace, id=id)
        self._documents: dict[str, MemoryDocument | str] = {}
        self._backups: dict[str, BackupView] = {}
        self._reading: set[str] = set()

    def on_mount(self) -> None:
        """Rows can be marked here."""
        self.list.can_mark = True

    @property
    def compared(self) -> str | None:
        """The marked row, which every other is compared with."""
        return next(iter(self.list.marked), None)

    # Lists.

    def rows(self, snapshot: Snapshot) -> Sequence[Row]:
        """The file as it is, what waiting deltas would make of it, revisions, newest first, then backups."""
        if not snapshot.revisions and not snapshot.backups:
            return ()
        rows = [Row(CURRENT, _cells("now", "", "", "the current file", "accent"), search="now current file")]
        rows += [
            Row(
                PENDING + view.id,
                _cells("if", short_time(view.entry.created_at), "pending", f"as if {view.id} were applied", "dim"),
                search=f"pending {view.id}",
            )
            for view in snapshot.pending
            if view.review.changes
        ]
        rows += [self._row(snapshot, revision) for revision in reversed(snapshot.revisions)]
        if snapshot.backups:
            rows.append(Row("#backups", (Cell(f"Backups ({len(snapshot.backups)})"),), heading=True))
            rows += [
                Row(
                    BACKUP + backup.name,
                    (Cell(backup.name), Cell(f"{backup.size} bytes", 14, "dim")),
                    search=f"{backup.name} {backup.size}",
                )
                for backup in snapshot.backups
            ]
        return rows

    @staticmethod
    def _row(snapshot: Snapshot, revision: Revision) -> Row:
        broken = revision.seq in snapshot.broken_revisions
        told = ("! hash does not fit: " if broken else "") + revision.summary
        told += "" if revision.kept else "  (document no longer kept)"
        name = f"r{revision.seq}"
        return Row(
            str(revision.seq),
            _cells(name, short_time(revision.at), revision.cause, told, "bad" if broken else ""),
            search=f"{name} {revision.cause} {told} {revision.delta_id or ''}",
        )

    def foot(self, snapshot: Snapshot) -> Doc:
        """What rows are compared with."""
        if self.compared is None:
            return (line(("compared with the one before; space marks another to compare with", "dim")),)
        return (
            line(
                ("compared with ", "dim"),
                (_name(self.compared), "strong"),
                ("; space there takes the mark away", "dim"),
            ),
        )

    @on(RowList.Marked)
    def _marked(self, event: RowList.Marked) -> None:
        """One mark at a time."""
        event.stop()
        key = event.key or ""
        if key.startswith(BACKUP):
            self.list.marked.discard(key)
            self.say("A backup is no document; it cannot be compared.", warning=True)
        elif key in self.list.marked:
            self.list.marked.intersection_update({key})
        self.redraw()

    # Documents are read in a thread, once.

    def _document(self, snapshot: Snapshot, key: str | None) -> MemoryDocument | str | None:
        """The document of a row, why there is none, or None while it is being read."""
        if key is None:
            return MemoryDocument()
        if key == CURRENT:
            return snapshot.document
        if key.startswith(PENDING):
            view = next((entry for entry in snapshot.pending if PENDING + entry.id == key), None)
            return view.review.document if view else "That delta no longer waits."
        if key not in self._documents:
            self._read(key)
            return None
        return self._documents[key]

    def _read(self, key: str) -> None:
        if key in self._reading:
            return
        self._reading.add(key)
        manager = self.workspace.manager

        def look() -> MemoryDocument | str:
            try:
                return manager.document_at(key)
            except MemoryCoreError as error:
                return error.message

        def found(result: object) -> None:
            self._reading.discard(key)
            if isinstance(result, MemoryDocument | str):
                while len(self._documents) >= KEPT_OPEN:
                    del self._documents[next(iter(self._documents))]
                self._documents[key] = result
                self.draw_detail()

        self.perform("", look, found, writes=False, quiet=True)

    def show(self, snapshot: Snapshot) -> None:
        """Revisions do not change, unless somebody edits or forgets them: then everything is read anew."""
        if self.snapshot is not None and _stamps(self.snapshot) != _stamps(snapshot)[: len(self.snapshot.revisions)]:
            self._documents.clear()
        if self.snapshot is not None and self.snapshot.backups != snapshot.backups:
            self._backups.clear()
        super().show(snapshot)

    # Details.

    def detail(self, snapshot: Snapshot, key: str | None) -> Doc:
        """What the revision is, and the difference."""
        if key is None:
            return self.empty()
        if key.startswith(BACKUP):
            return self._backup(key.removeprefix(BACKUP))
        revision = next((entry for entry in snapshot.revisions if str(entry.seq) == key), None)
        about = _about(revision, broken=revision.seq in snapshot.broken_revisions) if revision else _not_a_revision(key)
        earlier = self.compared if self.compared not in {None, key} else _before(snapshot, key)
        before, after = self._document(snapshot, earlier), self._document(snapshot, key)
        title = heading(f"From {_name(earlier)} to {_name(key)}")
        if before is None or after is None:
            return doc(about, title, line(("reading …", "dim")))
        if isinstance(before, str) or isinstance(after, str):
            why = before if isinstance(before, str) else str(after)
            return doc(about, title, line((why, "warn")))
        return doc(about, title, changes(diff(before, after)))

    def _backup(self, name: str) -> Doc:
        known = self._backups.get(name)
        if known is None:

            def found(result: object) -> None:
                if isinstance(result, BackupView):
                    self._backups[name] = result
                    self.draw_detail()

            self.perform("", lambda: self.workspace.backup(name), found, writes=False, quiet=True)
            return doc(line((name, "title")), line(("reading …", "dim")))
        return backup_detail(name, known)

    def copied(self, snapshot: Snapshot, key: str) -> str:
        """The revision's hash, else its key."""
        return next((revision.sha256 for revision in snapshot.revisions if str(revision.seq) == key), _name(key))

    # Going back.

    def _chosen_seq(self) -> int | None:
        key = self.list.key or ""
        if not key.isdigit():
            self.say("Choose a revision.", warning=True)
            return None
        return int(key) if self.may_write() else None

    def action_restore(self) -> None:
        """Make the revision the document again, after asking."""
        seq = self._chosen_seq()
        if seq is not None:
            manager = self.workspace.manager
            self.perform(
                "reading", lambda: manager.document_at(seq), lambda found: self._ask_restore(seq, found), writes=False
            )

    def _ask_restore(self, seq: int, found: object) -> None:
        if not isinstance(found, MemoryDocument) or self.snapshot is None:
            return
        manager = self.workspace.manager
        body = doc(
            line("The document becomes, byte for byte, what it was then. That is a revision too, and can be undone."),
            line(("Waiting deltas stay, and are judged again.", "dim")),
            heading("What changes"),
            changes(diff(self.snapshot.document, found), nothing="Nothing that a person sees."),
        )

        def answered(answer: str | None) -> None:
            if answer:
                self.perform(f"restoring r{seq}", lambda: manager.restore(seq), self._done)

        self.app.push_screen(Confirm(f"Restore revision {seq}?", body, "history.restore", "restore it"), answered)

    def action_revert(self) -> None:
        """Take one revision alone back, after showing what that changes."""
        seq = self._chosen_seq()
        if seq is not None:
            manager = self.workspace.manager
            self.perform("comparing", lambda: manager.preview_revert(seq), self._ask_revert, writes=False)

    def _ask_revert(self, result: object) -> None:
        if not isinstance(result, RevertPreview):
            return
        stays = [line(("! stays as it is, it changed since: ", "warn"), place, hang=2) for place in result.conflicts]
        if not result.changes:
            why = " All that it changed has changed since." if result.conflicts else ""
            self.say(f"There is nothing of revision {result.seq} to take back.{why}")
            return
        manager, seq, base = self.workspace.manager, result.seq, result.base
        body = doc(
            line("What that revision changed is undone where it still stands; whatever came after it stays."),
            *stays,
            heading("What changes"),
            changes(result.changes),
        )

        def answered(answer: str | None) -> None:
            if answer:
                self.perform(f"taking r{seq} back", lambda: manager.revert(seq, base=base), self._done)

        self.app.push_screen(Confirm(f"Take revision {seq} back?", body, "history.revert", "take it back"), answered)

    def _done(self, result: object) -> None:
        if isinstance(result, RevisionResult):
            self.say(f"Done, as revision {result.revision}." if result.revision else "The document was so already.")


def _cells(name: str, when: str, cause: str, told: str, tone: str) -> tuple[Cell, ...]:
    return (Cell(name, 5, tone or "strong"), Cell(when, 11, "dim"), Cell(cause, 8), Cell(told, 0, tone))


def _stamps(snapshot: Snapshot) -> tuple[tuple[int, str, bool], ...]:
    return tuple((revision.seq, revision.sha256, revision.kept) for revision in snapshot.revisions)


def _before(snapshot: Snapshot, key: str) -> str | None:
    """The row that a row is compared with unless another is marked."""
    numbers = [str(revision.seq) for revision in snapshot.revisions]
    if key.startswith(PENDING):
        return CURRENT
    if key not in numbers:
        return numbers[-1] if numbers else None
    at = numbers.index(key)
    return numbers[at - 1] if at else None


def _name(key: str | None) -> str:
    if key is None:
        return "nothing"
    if key == CURRENT:
        return "the current file"
    return f"r{key}" if key.isdigit() else key.removeprefix(PENDING).removeprefix(BACKUP)


def _not_a_revision(key: str) -> Doc:
    if key == CURRENT:
        return (line(("The file as it is now", "title")),)
    return (line((f"As if {_name(key)} were applied as decided", "title")),)


def _about(revision: Revision, *, broken: bool) -> Doc:
    return doc(
        line((f"Revision {revision.seq}: {revision.summary}", "title")),
        blank(),
        pair("when", revision.at),
        pair("why", revision.cause + (f", {revision.delta_id}" if revision.delta_id else "")),
        pair("size", f"{revision.size} bytes") if revision.size else None,
        pair("sha256", revision.sha256),
        line(("! Its hash does not fit: it was changed from outside.", "bad")) if broken else None,
        heading("Decisions") if revision.decisions else None,
        *[_record(record) for record in revision.decisions],
    )


def _record(record: DecisionRecord) -> Doc:
    words, tone = RECORDS.get(record.decision, (f"{record.decision} ", "dim"))
    return doc(
        line((words, tone), record.label or record.summary or record.at, (f"   {record.at}", "dim"), hang=14),
        line(("              note: ", "dim"), record.note, hang=20) if record.note else None,
    )


def backup_detail(name: str, view: BackupView) -> Doc:
    """What a backup is, what can be salvaged from it, and its text."""
    document = view.salvage.document
    found = len(document.turns) + len(document.topics) + len(document.items)
    state = "It is a whole document." if view.salvage.whole else "It is no whole document; entries that are whole:"
    return doc(
        line((name, "title")),
        line(("Kept before something of it would have been lost. Only purge removes it.", "dim")),
        heading("What can be salvaged", (f"   {found} entries", "accepted" if found else "dim")),
        line((state, "dim")),
        *[line("  turn   ", (turn.user_text, ""), hang=9) for turn in document.turns],
        *[line("  topic  ", (topic.label, "strong"), "  " + topic.summary, hang=9) for topic in document.topics],
        *[line("  item   ", (item.label, "strong"), "  " + item.summary, hang=9) for item in document.items],
        *[line(("  ! ", "warn"), f"{problem.at}: {problem.message}", hang=4) for problem in view.salvage.problems[:20]],
        heading("Its text"),
        raw(view.text),
        line((f"… {view.left_out} more bytes are left out", "dim")) if view.left_out else None,
    )
