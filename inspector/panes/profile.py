"""Profile: each field, its value, and the file and line that states it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content

from inspector.panes.base import Pane
from inspector.screens.confirm import Confirm
from inspector.snapshot import Snapshot
from inspector.widgets.row_list import Cell, Row
from inspector.widgets.text import changes, gap, heading, line, lines, pair
from memory_core.results import ProfileResult

FIELDS = ("build_tool", "java_version", "project_name", "modules", "frameworks", "source_files", "updated_at")


class ProfilePane(Pane):
    """The repository as its build files state it."""

    TITLE = "Profile"
    HINTS = (("c", "collect again"), ("tab", "detail"), ("C", "copy"))
    EMPTY = "No profile."
    BINDINGS: ClassVar[list[BindingType]] = [Binding("c", "collect", "Collect again", show=False, id="profile.collect")]

    collected: ProfileResult | None = None

    def on_mount(self) -> None:
        """Look at the build files, so that every value can say where it stands."""
        self.perform("reading the build files", self.workspace.manager.collect_profile, self._looked, writes=False)

    def _looked(self, result: object) -> None:
        if isinstance(result, ProfileResult):
            self.collected = result
            self.redraw()

    def rows(self, snapshot: Snapshot) -> Sequence[Row]:
        """One row a field."""
        profile = snapshot.document.repo_profile
        rows: list[Row] = []
        for name in FIELDS:
            value = getattr(profile, name)
            shown = ", ".join(value) if isinstance(value, tuple) else value
            rows.append(
                Row(
                    name,
                    (Cell(name.replace("_", " "), 13, "dim"), Cell(shown or "–", 0, "" if shown else "dim")),
                    search=shown,
                )
            )
        return rows

    def detail(self, snapshot: Snapshot, key: str | None) -> Content:
        """The whole value, where it is stated, and what was skipped."""
        name = key or "build_tool"
        value = getattr(snapshot.document.repo_profile, name)
        parts: list[Content | None] = [line((name.replace("_", " "), "title"))]
        if isinstance(value, tuple):
            parts += [line(f"  {entry}") for entry in value] or [line(("  nothing stated", "dim"))]
        else:
            parts.append(line(f"  {value}") if value else line(("  nothing stated", "dim")))
        result = self.collected
        if result is None:
            return lines(*parts, line(("reading the build files …", "dim")))
        sources = result.stated_by.get(name, ())
        if sources:
            parts.append(heading("Stated by"))
            parts += [line(f"  {source.file}" + (f":{source.line}" if source.line else "")) for source in sources]
        if result.changes:
            parts += [heading("The build files say something else now"), changes(result.changes)]
            parts.append(line(("c", "strong"), (" writes it as a revision, after asking", "dim")))
        elif not snapshot.document.repo_profile.has_value:
            parts.append(gap(("Nothing was found. Maven, Gradle and README.md are read, nothing is guessed.", "dim")))
        if result.notes:
            parts.append(heading("Skipped, and why"))
            for note in result.notes:
                place = f"{note.file}:{note.line}" if note.line else (note.file or "")
                parts.append(line("  " + note.message, (f"  {place}", "dim")))
        return lines(*parts)

    def copied(self, snapshot: Snapshot, key: str) -> str:
        """The value."""
        value = getattr(snapshot.document.repo_profile, key)
        return ", ".join(value) if isinstance(value, tuple) else str(value)

    def action_collect(self) -> None:
        """Collect, show the difference, write after asking."""
        self.perform("reading the build files", self.workspace.manager.collect_profile, self._ask, writes=False)

    def _ask(self, result: object) -> None:
        if not isinstance(result, ProfileResult):
            return
        self._looked(result)
        if not result.changes:
            self.app.notify("The build files say what is stored.")
            return
        body = lines(changes(result.changes), pair("written as", "a revision of its own"))
        self.app.push_screen(Confirm("Write the collected profile?", body, key="c", verb="write"), self._write)

    def _write(self, confirmed: bool | None) -> None:
        if confirmed:
            manager = self.workspace.manager
            self.perform("writing the profile", lambda: manager.collect_profile(write=True), self._looked)
