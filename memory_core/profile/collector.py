"""`RepoProfileCollector`: what build files and the README state; executes nothing, fetches nothing (P1-P3)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from memory_core.document import RepoProfile
from memory_core.policy import Limits
from memory_core.profile import readme
from memory_core.profile.gradle import BUILDS, SETTINGS, Gradle
from memory_core.profile.maven import Maven
from memory_core.profile.model import CollectedProfile, Facts, Files, ProfileNote, ProfileSource, Stated

__all__ = ["CollectedProfile", "ProfileNote", "ProfileSource", "RepoProfileCollector"]


class RepoProfileCollector:
    """Collects the profile of one repository. `objection` says why a stranger's text may not enter it (P2c)."""

    def __init__(
        self, root: Path, *, limits: Limits | None = None, objection: Callable[[str], str | None] | None = None
    ) -> None:
        self._files = Files(root)
        self._limits = limits or Limits()
        self._objection = objection or (lambda _: None)

    def collect(self, at: str) -> CollectedProfile:
        """The profile as of that time. Never raises for what the repository holds (P3)."""
        facts = Facts()
        if not (self._files.exists("pom.xml") and Maven(self._files, facts).collect()):
            tool = facts.build_tool
            if any(self._files.exists(name) for name in (*SETTINGS, *BUILDS)):
                Gradle(self._files, facts).collect()
            facts.build_tool = facts.build_tool or tool
        if facts.project_name is None:
            facts.project_name = self._title(facts)
        return self._profile(facts, at)

    def _title(self, facts: Facts) -> Stated | None:
        try:
            names = sorted(entry.name for entry in self._files.root.iterdir() if entry.name.lower() == "readme.md")
        except OSError:
            return None
        text = self._files.text(names[0], facts) if names else None
        return readme.title(text, names[0]) if text is not None else None

    def _profile(self, facts: Facts, at: str) -> CollectedProfile:
        stated: dict[str, list[Stated]] = {}
        for name in ("build_tool", "java_version", "project_name"):
            value = getattr(facts, name)
            stated[name] = self._allowed(name, [value] if value is not None else [], facts)
        most = self._limits.modules
        if len(facts.modules) > most:
            facts.note("left_out", f"{len(facts.modules) - most} modules beyond {most} are left out.")
        stated["modules"] = self._allowed("modules", facts.modules, facts)[:most]
        stated["frameworks"] = self._allowed("frameworks", facts.frameworks, facts)
        where = {
            name: tuple(dict.fromkeys(source for value in values for source in value.sources))
            for name, values in stated.items()
            if values
        }
        files = sorted({source.file for name, sources in where.items() for source in sources if name != "build_tool"})
        if not files:
            files = sorted({source.file for source in where.get("build_tool", ())})
        profile = RepoProfile(
            build_tool=_one(stated["build_tool"]),
            java_version=_one(stated["java_version"]),
            project_name=_one(stated["project_name"]),
            modules=tuple(value.value for value in stated["modules"]),
            frameworks=tuple(sorted(value.value for value in stated["frameworks"])),
            source_files=tuple(files),
            updated_at=at if any(stated.values()) else "",
        )
        return CollectedProfile(profile, where, tuple(facts.notes))

    def _allowed(self, name: str, values: list[Stated], facts: Facts) -> list[Stated]:
        """The values that nothing objects to; each other one is left out with a note (P2c)."""
        kept: list[Stated] = []
        for value in values:
            objection = self._objection(value.value)
            if objection is None and len(value.value) <= 200:
                kept.append(value)
                continue
            source = value.sources[0]
            why = objection or "it is over 200 characters"
            facts.note("unsafe", f"A value of {name} is left out: {why}.", source.file, source.line)
        return kept


def _one(values: list[Stated]) -> str:
    return values[0].value if values else ""
