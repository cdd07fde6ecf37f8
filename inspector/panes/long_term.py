"""Long-term: preferences and notes, where each came from, and the three things that a person may do to one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content

from inspector.panes.base import Pane
from inspector.screens.confirm import Confirm
from inspector.snapshot import Snapshot
from inspector.widgets.row_list import Cell, Row
from inspector.widgets.text import gap, heading, line, lines, pair, prose
from memory_core.document import LongTermItem
from memory_core.intents import IntentType
from memory_core.results import ItemResult


class LongTermPane(Pane):
    """Durable preferences and project notes."""

    TITLE = "Long-term"
    HINTS = (("i", "inactive/active"), ("z", "undo"), ("D", "forget…"), ("/", "filter"), ("C", "copy"))
    EMPTY = (
        "Nothing is remembered for long yet.\n\nA durable preference is what the user said should always hold;\n"
        "a project note is what the talk keeps returning to. Both come from deltas that you accept under Pending."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("i", "toggle_status", "Inactive or active", show=False, id="long_term.status"),
        Binding("z", "undo", "Undo", show=False, id="long_term.undo"),
        Binding("D", "forget", "Forget", show=False, id="long_term.forget"),
    ]

    _undo: tuple[str, str] | None = None

    def rows(self, snapshot: Snapshot) -> Sequence[Row]:
        """Two groups; what a rule objects to is marked where it stands."""
        rows: list[Row] = []
        document = snapshot.document
        flagged = self._flagged(snapshot)
        for title, items in (("Durable preferences", document.preferences), ("Project notes", document.notes)):
            if not items:
                continue
            active = sum(item.is_active for item in items)
            count = f"{len(items)}" if active == len(items) else f"{len(items)}, {active} active"
            rows.append(Row(f"#{title}", (Cell(f"{title} ({count})"),), heading=True))
            for item in items:
                mark, tone = ("!", "bad") if item.id in flagged else (("●", "ok") if item.is_active else ("○", "dim"))
                body = "" if item.is_active else "dim"
                rows.append(
                    Row(
                        item.id,
                        (
                            Cell(mark, 1, tone),
                            Cell(item.label, 18, "strong" if item.is_active else "dim"),
                            Cell(item.summary, 0, body),
                        ),
                        search=f"{item.label} {item.summary} {item.type} {item.status}",
                    )
                )
        return rows

    def _flagged(self, snapshot: Snapshot) -> dict[str, list[str]]:
        """The rules' objections by item."""
        document = snapshot.document
        lists = {
            "long_term_memory.durable_preferences": document.preferences,
            "long_term_memory.project_notes": document.notes,
        }
        flagged: dict[str, list[str]] = {}
        for finding in snapshot.findings:
            place, _, rest = finding.at.partition("[")
            if place in lists:
                item = lists[place][int(rest.partition("]")[0])]
                flagged.setdefault(item.id, []).append(finding.message)
        return flagged

    def detail(self, snapshot: Snapshot, key: str | None) -> Content:
        """The item, its objections, where it came from, its history, whether it would be injected."""
        item = snapshot.document.find(key or "")
        if not isinstance(item, LongTermItem):
            return prose(self.EMPTY)
        parts: list[Content | None] = [
            line((item.label, "title")),
            line(item.summary),
            Content(""),
            pair("type", item.type.replace("_", " ")),
            pair("status", item.status, "accepted" if item.is_active else "warn"),
            pair("source", item.source.replace("_", " ")),
            pair("id", item.id),
            pair("created", item.created_at),
            pair("updated", item.updated_at),
        ]
        for message in self._flagged(snapshot).get(item.id, ()):
            parts.append(line(("! ", "bad"), (message, "bad")))
        parts.append(self._injected(snapshot, item))
        parts += self._origin(snapshot, item)
        return lines(*parts)

    def _injected(self, snapshot: Snapshot, item: LongTermItem) -> Content:
        context = self.workspace.manager.context_of(snapshot.document, IntentType.GENERAL_CHAT)
        found = next((entry for entry in context.items if entry.id == item.id), None)
        if found is None:
            return pair("in a prompt", "no")
        where = f"yes, at place {found.position}" if found.injected else "no"
        return pair("in a prompt", f"{where} ({found.reason}; for an empty question)")

    def _origin(self, snapshot: Snapshot, item: LongTermItem) -> list[Content | None]:
        """Every revision that touched the item, oldest first, with decision, note and evidence."""
        parts: list[Content | None] = [heading("Where it came from")]
        for revision in snapshot.revisions:
            for record in revision.decisions:
                if record.item_id != item.id or record.decision != "applied":
                    continue
                by = "by policy" if revision.cause == "auto" else "approved by a person"
                parts.append(line(f"  r{revision.seq}  {revision.at}  ", (f"{by}, {revision.delta_id}", "dim")))
                parts.append(line(f"      {record.summary}"))
                parts += [
                    line((f"      “{found.quote}”", "accepted"), (f"  {found.turn_id}", "dim"))
                    for found in record.evidence
                ]
                if record.note:
                    parts.append(line(("      note: ", "dim"), record.note))
            if revision.summary.startswith(item.id):
                parts.append(
                    line(f"  r{revision.seq}  {revision.at}  {revision.summary.removeprefix(item.id).strip()}")
                )
        if len(parts) == 1:
            parts.append(line(("  the history does not tell; it was there before", "dim")))
        return parts

    def copied(self, snapshot: Snapshot, key: str) -> str:
        """The item's words."""
        item = snapshot.document.find(key)
        return f"{item.label}: {item.summary}" if isinstance(item, LongTermItem) else key

    def _selected(self) -> LongTermItem | None:
        found = self.snapshot.document.find(self.list.key or "") if self.snapshot else None
        return found if isinstance(found, LongTermItem) else None

    def action_toggle_status(self) -> None:
        """Set the item inactive, or active again."""
        item = self._selected()
        if item is None:
            return
        self._undo = (item.id, item.status)
        self._set(item.id, "inactive" if item.is_active else "active")

    def _set(self, item_id: str, status: str) -> None:
        manager = self.workspace.manager
        wanted = "active" if status == "active" else "inactive"

        def done(_: object) -> None:
            self.app.notify(f"{item_id} is {wanted}. z undoes.")

        self.perform(
            f"setting {item_id} {wanted}",
            lambda: manager.set_status(item_id, "active" if wanted == "active" else "inactive"),
            done,
        )

    def action_undo(self) -> None:
        """Take the last change of status back."""
        if self._undo is None:
            self.app.notify("There is nothing to undo here; History restores whole revisions.")
            return
        item_id, status = self._undo
        self._undo = None
        self._set(item_id, status)

    def action_forget(self) -> None:
        """Ask, saying where else the text stands; then forget it, here or everywhere."""
        item = self._selected()
        if item is None:
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
        body = lines(
            line((item.label, "strong")),
            line(item.summary),
            heading("Its text also stands in"),
            line("  " + (", ".join(places) or "nowhere else")),
            gap(("Forgetting leaves those alone; History can bring it back from there.", "dim")),
            line(("memory-inspector item forget ID --everywhere takes it out of all of them.", "dim")),
        )
        manager = self.workspace.manager

        def answered(confirmed: bool | None) -> None:
            if confirmed:
                self.perform(f"forgetting {item.id}", lambda: manager.forget(item.id), self._forgotten)

        self.app.push_screen(Confirm("Forget this item?", body, key="D", verb="forget", danger=True), answered)

    def _forgotten(self, result: object) -> None:
        if isinstance(result, ItemResult):
            self.app.notify(f"Forgotten, as revision {result.revision}.")
