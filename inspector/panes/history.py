"""History: revisions, what each changed, compare any two, restore, take one back; backups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content

from inspector.panes.base import Pane
from inspector.screens.confirm import Confirm
from inspector.snapshot import Snapshot
from inspector.widgets.row_list import Cell, Row
from inspector.widgets.text import changes, gap, heading, line, lines, pair, prose
from inspector.workspace import Workspace
from memory_core.diff import diff
from memory_core.document import MemoryDocument
from memory_core.errors import MemoryCoreError
from memory_core.results import RevertPreview, RevisionResult
from memory_core.storage.history import Revision

CURRENT = "current"


class HistoryPane(Pane):
    """Newest first; the detail is the difference to the one before, or to the marked one."""

    TITLE = "History"
    HINTS = (
        ("space", "mark to compare"),
        ("U", "restore…"),
        ("V", "take back…"),
        ("enter", "difference"),
        ("C", "copy"),
    )
    EMPTY = (
        "No revisions yet.\n\nEach applied delta, reset, restore and change of an item makes one;\n"
        "recording a turn does not."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "mark", "Mark to compare", show=False, id="history.mark"),
        Binding("U", "restore", "Restore", show=False, id="history.restore"),
        Binding("V", "revert", "Take one revision back", show=False, id="history.revert"),
    ]

    compared: str | None = None

    def __init__(self, workspace: Workspace, *, id: str) -> None:
        super().__init__(workspace, id=id)
        self._documents: dict[str, MemoryDocument] = {}

    def show(self, snapshot: Snapshot) -> None:
        """Documents of revisions never change; that of now does."""
        self._documents.pop(CURRENT, None)
        super().show(snapshot)

    def rows(self, snapshot: Snapshot) -> Sequence[Row]:
        """The file as it is, then revisions, newest first, then backups."""
        if not snapshot.revisions and not snapshot.backups:
            return ()
        rows = [self._row(CURRENT, "now", "", "current file", "", "accent")]
        for revision in reversed(snapshot.revisions):
            broken = revision.seq in snapshot.broken_revisions
            key = str(revision.seq)
            summary = (
                revision.summary
                + ("  ! hash does not fit" if broken else "")
                + ("" if revision.kept else "  (document not kept)")
            )
            rows.append(
                self._row(
                    key,
                    f"r{revision.seq}",
                    revision.at[5:16].replace("T", " "),
                    summary,
                    revision.cause,
                    "bad" if broken else "",
                )
            )
        if snapshot.backups:
            rows.append(Row("#backups", (Cell("Backups"),), heading=True))
            rows += [
                Row(
                    f"backup:{backup.name}",
                    (Cell(backup.name), Cell(f"{backup.size} bytes", 14, "dim")),
                    search=backup.name,
                )
                for backup in snapshot.backups
            ]
        return rows

    def _row(self, key: str, name: str, when: str, summary: str, cause: str, tone: str) -> Row:
        mark = "◆" if key == self.compared else " "
        cells = (
            Cell(mark, 1, "accent"),
            Cell(name, 5, tone),
            Cell(when, 11, "dim"),
            Cell(cause, 8),
            Cell(summary, 0, tone),
        )
        return Row(key, cells, search=f"{name} {cause} {summary}")

    def _document(self, key: str) -> MemoryDocument:
        """A revision's document, read once."""
        if key not in self._documents:
            self._documents[key] = self.workspace.manager.document_at(key)
        return self._documents[key]

    def detail(self, snapshot: Snapshot, key: str | None) -> Content:
        """What the revision is, and the difference."""
        if key is None:
            return prose(self.EMPTY)
        if key.startswith("backup:"):
            return self._backup(key.removeprefix("backup:"))
        parts: list[Content | None] = []
        revision = next((entry for entry in snapshot.revisions if str(entry.seq) == key), None)
        if revision is None:
            parts.append(line(("The file as it is now", "title")))
        else:
            parts += self._about(revision, broken=revision.seq in snapshot.broken_revisions)
        earlier = self.compared if self.compared not in {None, key} else self._before(snapshot, key)
        try:
            before = self._document(earlier) if earlier is not None else MemoryDocument()
            after = self._document(key)
        except MemoryCoreError as error:
            return lines(*parts, gap(("" + error.message, "warn")))
        name = {None: "nothing", CURRENT: "the current file"}.get(earlier, f"r{earlier}")
        parts.append(heading(f"Difference from {name}"))
        parts.append(changes(diff(before, after)))
        return lines(*parts)

    @staticmethod
    def _before(snapshot: Snapshot, key: str) -> str | None:
        numbers = [str(revision.seq) for revision in snapshot.revisions]
        if key == CURRENT:
            return numbers[-1] if numbers else None
        at = numbers.index(key)
        return numbers[at - 1] if at else None

    @staticmethod
    def _about(revision: Revision, *, broken: bool) -> list[Content | None]:
        parts: list[Content | None] = [
            line((f"Revision {revision.seq}: {revision.summary}", "title")),
            pair("when", revision.at),
            pair("why", revision.cause + (f", {revision.delta_id}" if revision.delta_id else "")),
            pair("sha256", revision.sha256[:16] + "…"),
        ]
        if broken:
            parts.append(line(("! Its hash does not fit: it was changed from outside.", "bad")))
        if revision.decisions:
            parts.append(heading("Decisions"))
        for record in revision.decisions:
            marks = {"applied": ("✓", "accepted"), "turned_down": ("✗", "rejected"), "rejected": ("✗", "rejected")}
            mark, tone = marks.get(record.decision, ("?", "held"))
            note = f"  note: {record.note}" if record.note else ""
            parts.append(
                line(
                    (f"  {mark} {record.decision.replace('_', ' ')}  ", tone),
                    record.label or record.summary,
                    (f"  {record.at}{note}", "dim"),
                )
            )
        return parts

    def _backup(self, name: str) -> Content:
        text, left_out = self.workspace.manager.store.backup_text(name)
        parts: list[Content | None] = [
            line((name, "title")),
            line(("kept before something of it would have been lost", "dim")),
            Content(""),
        ]
        parts += [line(entry) for entry in text.splitlines()[:400]]
        if left_out:
            parts.append(line((f"… {left_out} more bytes", "dim")))
        return lines(*parts)

    def copied(self, snapshot: Snapshot, key: str) -> str:
        """The revision's hash, else its key."""
        return next((revision.sha256 for revision in snapshot.revisions if str(revision.seq) == key), key)

    def action_mark(self) -> None:
        """Mark one revision, to be compared with whichever the cursor stands on."""
        key = self.list.key
        if key is None or key.startswith("backup:"):
            return
        self.compared = None if self.compared == key else key
        self.redraw()

    def _chosen_seq(self) -> int | None:
        key = self.list.key or ""
        if not key.isdigit():
            self.app.notify("Choose a revision.", severity="warning")
            return None
        return int(key)

    def action_restore(self) -> None:
        """Make the revision the document again, after asking."""
        seq = self._chosen_seq()
        if seq is None:
            return
        manager = self.workspace.manager
        try:
            found = diff(self._document(CURRENT), self._document(str(seq)))
        except MemoryCoreError as error:
            self.app.notify(error.message, severity="error")
            return
        body = lines(
            line("The document becomes, byte for byte, what it was then. That is a revision too."),
            heading("What changes"),
            changes(found),
        )

        def answered(confirmed: bool | None) -> None:
            if confirmed:
                self.perform(f"restoring r{seq}", lambda: manager.restore(seq), self._done)

        self.app.push_screen(Confirm(f"Restore revision {seq}?", body, key="U", verb="restore"), answered)

    def action_revert(self) -> None:
        """Take one revision alone back, after showing what that changes."""
        seq = self._chosen_seq()
        if seq is not None:
            manager = self.workspace.manager
            self.perform("comparing", lambda: manager.preview_revert(seq), self._ask_revert, writes=False)

    def _ask_revert(self, result: object) -> None:
        if not isinstance(result, RevertPreview):
            return
        if not result.changes:
            self.app.notify(
                "Nothing of it is left to take back: " + (", ".join(result.conflicts) or "it changed nothing.")
            )
            return
        manager, seq, base = self.workspace.manager, result.seq, result.base
        stays = [line(("! stays, it changed since: ", "warn"), place) for place in result.conflicts]
        body = lines(heading("What changes"), changes(result.changes), *stays)

        def answered(confirmed: bool | None) -> None:
            if confirmed:
                self.perform(f"taking r{seq} back", lambda: manager.revert(seq, base=base), self._done)

        self.app.push_screen(Confirm(f"Take revision {seq} back?", body, key="V", verb="take back"), answered)

    def _done(self, result: object) -> None:
        if isinstance(result, RevisionResult):
            made = f"Done, as revision {result.revision}." if result.revision else "The document was so already."
            self.app.notify(made)
