"""Profile: each field, its value, and the file and line that states it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import BindingType

from inspector.keys import bind
from inspector.panes.base import Pane, lines_of
from inspector.screens.confirm import Confirm
from inspector.snapshot import Snapshot
from inspector.widgets.row_list import Cell, Row
from inspector.widgets.text import Doc, blank, changes, doc, heading, line
from memory_core.results import ProfileResult

FIELDS = ("build_tool", "java_version", "project_name", "modules", "frameworks", "source_files", "updated_at")
MEANING = {
    "build_tool": "maven, gradle, or nothing",
    "java_version": "the level of main sources, as literally stated",
    "project_name": "artifactId, rootProject.name, or the README's title",
    "modules": "as declared, in order",
    "frameworks": "by coordinates of dependencies and plugins",
    "source_files": "every file whose content appears in a value",
    "updated_at": "when it was written",
}


class ProfilePane(Pane):
    """The repository as its build files state it."""

    TITLE = "Profile"
    HINTS = (("row.open", "detail"), ("profile.collect", "collect again…"), ("pane.copy", "copy"))
    COLUMNS = (Cell("field", 13), Cell("value"), Cell("stated by", 16))
    BINDINGS: ClassVar[list[BindingType]] = [
        bind(
            "c",
            "collect",
            "Collect again",
            "profile.collect",
            "Profile",
            tip="Reads the build files, shows what would change, and asks before it writes.",
        )
    ]

    collected: ProfileResult | None = None

    def on_mount(self) -> None:
        """Look at the build files, so that every value can say where it stands."""
        self.perform("", self.workspace.manager.collect_profile, self._looked, writes=False, quiet=True)

    def show(self, snapshot: Snapshot) -> None:
        """Compare anew where somebody wrote another profile."""
        known = self.snapshot
        super().show(snapshot)
        if known is not None and known.document.repo_profile != snapshot.document.repo_profile:
            self.on_mount()

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
                    (
                        Cell(name.replace("_", " "), 13, "dim"),
                        Cell(shown or "–", 0, "" if shown else "dim"),
                        Cell(", ".join(self._places(name)), 16, "dim"),
                    ),
                    search=f"{name} {shown}",
                )
            )
        return rows

    def _places(self, name: str) -> list[str]:
        """Files and lines that state a field."""
        sources = self.collected.stated_by.get(name, ()) if self.collected else ()
        return [source.file + (f":{source.line}" if source.line else "") for source in sources]

    def detail(self, snapshot: Snapshot, key: str | None) -> Doc:
        """The whole value, where it is stated, and what was skipped."""
        name = key or FIELDS[0]
        value = getattr(snapshot.document.repo_profile, name)
        entries = list(value) if isinstance(value, tuple) else [value] if value else []
        return doc(
            line((name.replace("_", " "), "title"), (f"  {MEANING[name]}", "dim")),
            blank(),
            *[line("  " + entry) for entry in entries],
            None if entries else line(("  nothing stated; unknown stays empty", "dim")),
            self._sources(snapshot, name),
        )

    def _sources(self, snapshot: Snapshot, name: str) -> Doc:
        result = self.collected
        if result is None:
            return (blank(), line(("reading the build files …", "dim")))
        places = self._places(name)
        stated = doc(heading("Stated by"), *[line("  " + place) for place in places]) if places else ()
        other: Doc = ()
        if result.changes:
            other = doc(
                heading("The build files say something else than memory", ("  c writes it, after asking", "dim")),
                changes(result.changes),
            )
        elif not snapshot.document.repo_profile.has_value:
            other = (
                blank(),
                *lines_of(
                    "No build file states anything. Maven, Gradle and the README's title are read;",
                    "nothing is guessed, nothing is run.",
                ),
            )
        notes: Doc = ()
        if result.notes:
            notes = doc(
                heading(f"Skipped, and why ({len(result.notes)})"),
                *[
                    line(
                        "  · ",
                        note.message,
                        (f"  {note.file or ''}{f':{note.line}' if note.line else ''}", "dim"),
                        hang=4,
                    )
                    for note in result.notes
                ],
            )
        return doc(stated, other, notes)

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
            self.say("The build files say what memory holds; nothing to write.")
            return
        if self.workspace.read_only:
            self.say(f"{len(result.changes)} fields would change, as the detail shows. Read-only: nothing is written.")
            return
        if self.snapshot is not None and self.snapshot.loaded.status == "corrupt":
            self.say("memory.json is damaged; ! shows it, and sets it aside first.", warning=True)
            return
        body = doc(
            changes(result.changes), blank(), line(("It becomes a revision of its own; History takes it back.", "dim"))
        )
        self.app.push_screen(Confirm("Write the collected profile?", body, "profile.collect", "write it"), self._write)

    def _write(self, answer: str | None) -> None:
        if answer:
            manager = self.workspace.manager
            self.perform("writing the profile", lambda: manager.collect_profile(write=True), self._written)

    def _written(self, result: object) -> None:
        if isinstance(result, ProfileResult):
            self.collected = ProfileResult(result.profile, result.stated_by, result.notes, (), result.revision)
            self.say(
                f"The profile is written, as revision {result.revision}." if result.revision else "It was so already."
            )
            self.redraw()
