"""Reads the entries of a memory file one by one; a bad one is left out and reported, never repaired (S4, S7c). Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeVar

from pydantic import ValidationError

from memory_core.clock import has_offset, parse_time
from memory_core.codes import sentence
from memory_core.document import (
    SOURCE_OF,
    ActiveTopic,
    Entry,
    LongTermItem,
    LongTermMemory,
    MemoryDocument,
    RecentTurn,
    RepoProfile,
    WorkingMemory,
)
from memory_core.policy import Limits
from memory_core.text import is_encodable

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong or doubtful: its place in the file, a code, a sentence.

    `error`: that part is left out of the document; `warning`: it is in, but doubtful; `note`: worth knowing.
    """

    at: str
    code: str
    severity: Severity
    message: str


def json_name(value: object) -> str:
    """The JSON name of a value's type, with its article."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    names: list[tuple[type | tuple[type, ...], str]] = [
        (str, "a string"),
        ((int, float), "a number"),
        ((list, tuple), "a list"),
        (dict, "an object"),
    ]
    return next((name for kind, name in names if isinstance(value, kind)), "unknown")


E = TypeVar("E", bound=Entry)


class EntryReader:
    """Reads the parts of one version-1 object and gathers what is wrong with them.

    `lossy` says that rewriting the file would lose something of it. `check_unicode` asks for a look at half
    characters, which only an escape in the file can bring in.
    """

    def __init__(self, limits: Limits, now: datetime, *, check_unicode: bool) -> None:
        self.limits = limits
        self.now = now
        self.check_unicode = check_unicode
        self.problems: list[Problem] = []
        self.lossy = False
        self.ids: set[str] = set()

    def report(self, at: str, code: str, severity: Severity, *, lossy: bool = False, **values: object) -> None:
        """Note a problem; an `error` always means that something is left out."""
        self.problems.append(Problem(at, code, severity, sentence(code, **values)))
        self.lossy = self.lossy or lossy or severity == "error"

    def document(self, value: dict[str, Any]) -> MemoryDocument:
        """The document that the object holds, without its bad entries."""
        limits = self.limits
        working = self._section(value, "working_memory", ("active_topics", "recent_turns"))
        long_term = self._section(value, "long_term_memory", ("durable_preferences", "project_notes"))
        turns = self._entries(working, "working_memory.recent_turns", RecentTurn, self._check_turn)
        topics = self._entries(working, "working_memory.active_topics", ActiveTopic, self._check_topic)
        preferences = self._entries(
            long_term, "long_term_memory.durable_preferences", LongTermItem, self._check_item("durable_preference")
        )
        notes = self._entries(
            long_term, "long_term_memory.project_notes", LongTermItem, self._check_item("project_note")
        )
        for at, count, limit in (
            ("working_memory.recent_turns", len(turns), limits.recent_turns),
            ("working_memory.active_topics", len(topics), limits.active_topics),
            ("long_term_memory", len(preferences) + len(notes), limits.long_term_items),
        ):
            if count > limit:
                self.report(at, "over_count", "warning", observed=count, limit=limit)
        updated_at = value.get("updated_at", "")
        if not isinstance(updated_at, str) or not is_encodable(updated_at):
            self.report("updated_at", "wrong_type_stored", "error", observed=json_name(updated_at), limit="a string")
            updated_at = ""
        elif updated_at:
            self._time("updated_at", updated_at)
        return MemoryDocument(
            updated_at=updated_at,
            working_memory=WorkingMemory(active_topics=topics, recent_turns=turns),
            repo_profile=self._profile(value),
            long_term_memory=LongTermMemory(durable_preferences=preferences, project_notes=notes),
            **self._extras("", value, set(MemoryDocument.model_fields)),
        )

    def _extras(self, at: str, value: Mapping[str, Any], known: set[str]) -> dict[str, Any]:
        """Unknown keys that are kept on rewriting, each reported (S7c)."""
        kept: dict[str, Any] = {}
        for key in [key for key in value if key not in known]:
            place = f"{at}.{key}" if at else key
            if is_encodable(json.dumps({key: value[key]}, ensure_ascii=False)):
                kept[key] = value[key]
                self.report(place, "unknown_key_kept", "note")
            else:
                self.report(place, "bad_unicode_stored", "error")
        return kept

    def _section(self, value: Mapping[str, Any], name: str, known: tuple[str, ...]) -> Mapping[str, Any]:
        section = value.get(name)
        if section is None:
            if name in value:
                self.report(name, "wrong_type_stored", "error", observed="null", limit="an object")
            return {}
        if not isinstance(section, dict):
            self.report(name, "wrong_type_stored", "error", observed=json_name(section), limit="an object")
            return {}
        for key in section:
            if key not in known:
                self.report(f"{name}.{key}", "unknown_key_dropped", "warning", lossy=True)
        return section

    def _entries(
        self, section: Mapping[str, Any], place: str, kind: type[E], check: Callable[[str, E], E | None]
    ) -> tuple[E, ...]:
        values = section.get(place.rpartition(".")[2], [])
        if not isinstance(values, list):
            self.report(place, "wrong_type_stored", "error", observed=json_name(values), limit="a list")
            return ()
        found: list[E] = []
        for index, value in enumerate(values):
            at = f"{place}[{index}]"
            entry = self._entry(at, value, kind)
            checked = check(at, entry) if entry is not None else None
            if checked is None:
                continue
            if checked.id in self.ids:
                self.report(at, "same_id", "error", observed=checked.id)
                continue
            self.ids.add(checked.id)
            found.append(checked)
            for key in checked.unknown_keys:
                self.report(f"{at}.{key}", "unknown_key_kept", "note")
        return tuple(found)

    def _entry(self, at: str, value: Any, kind: type[E]) -> E | None:
        if self.check_unicode and not is_encodable(json.dumps(value, ensure_ascii=False)):
            self.report(at, "bad_unicode_stored", "error")
            return None
        try:
            return kind.model_validate(value)
        except ValidationError as error:
            self._report_invalid(at, error)
            return None

    def _report_invalid(self, at: str, error: ValidationError) -> None:
        first = error.errors(include_url=False, include_context=True)[0]
        field = ".".join(str(part) for part in first["loc"])
        place = f"{at}.{field}" if field else at
        if first["type"] == "missing":
            self.report(place, "missing_stored", "error")
        elif first["type"] == "literal_error":
            code = "foreign_intent" if field == "intent" else "illegal_value"
            self.report(place, code, "error", observed=str(first["input"])[:60], limit=first["ctx"]["expected"])
        elif first["type"] == "string_too_short":
            self.report(place, "empty_stored", "error")
        else:
            limit = {"string_type": "a string", "tuple_type": "a list"}.get(first["type"], "an object")
            self.report(place, "wrong_type_stored", "error", observed=json_name(first["input"]), limit=limit)

    def _lengths(self, at: str, fields: Iterable[tuple[str, str, int]]) -> bool:
        for name, text, limit in fields:
            if len(text) > limit:
                self.report(f"{at}.{name}", "too_long_stored", "error", observed=len(text), limit=limit)
                return False
        return True

    def _time(self, at: str, text: str) -> bool:
        moment = parse_time(text)
        if moment is None:
            self.report(at, "bad_time", "error", observed=text[:60])
            return False
        if not has_offset(text):
            self.report(at, "no_offset", "warning", observed=text)
        if moment > self.now:
            self.report(at, "future_time", "warning", observed=text)
        return True

    def _check_turn(self, at: str, turn: RecentTurn) -> RecentTurn | None:
        limits = self.limits
        fields = (
            ("user_text", turn.user_text, limits.user_text),
            ("assistant_text", turn.assistant_text, limits.assistant_text),
            ("summary", turn.summary, limits.summary),
        )
        if not self._lengths(at, fields) or not self._time(f"{at}.created_at", turn.created_at):
            return None
        paths = tuple(path for path in turn.scope_paths if len(path) <= limits.scope_path)[: limits.scope_paths]
        if len(paths) == len(turn.scope_paths):
            return turn
        left_out = len(turn.scope_paths) - len(paths)
        self.report(f"{at}.scope_paths", "left_out", "warning", lossy=True, observed=left_out)
        return turn.model_copy(update={"scope_paths": paths})

    def _check_topic(self, at: str, topic: ActiveTopic) -> ActiveTopic | None:
        fields = (("label", topic.label, self.limits.label), ("summary", topic.summary, self.limits.summary))
        if not self._lengths(at, fields) or not self._time(f"{at}.last_touched_at", topic.last_touched_at):
            return None
        return topic

    def _check_item(self, listed_as: str) -> Callable[[str, LongTermItem], LongTermItem | None]:
        def check(at: str, item: LongTermItem) -> LongTermItem | None:
            if item.type != listed_as:
                self.report(f"{at}.type", "wrong_list", "error", observed=item.type, limit=listed_as)
                return None
            if item.source != SOURCE_OF[item.type]:
                self.report(f"{at}.source", "wrong_source", "error", observed=item.source, limit=SOURCE_OF[item.type])
                return None
            fields = (("label", item.label, self.limits.label), ("summary", item.summary, self.limits.summary))
            if not self._lengths(at, fields):
                return None
            if not self._time(f"{at}.created_at", item.created_at) or not self._time(
                f"{at}.updated_at", item.updated_at
            ):
                return None
            return item

        return check

    def _profile(self, value: Mapping[str, Any]) -> RepoProfile:
        section = self._section(value, "repo_profile", tuple(RepoProfile.model_fields))
        if not section:
            return RepoProfile()
        known = {key: section[key] for key in section if key in RepoProfile.model_fields}
        if self.check_unicode and not is_encodable(json.dumps(known, ensure_ascii=False)):
            self.report("repo_profile", "bad_unicode_stored", "error")
            return RepoProfile()
        try:
            profile = RepoProfile.model_validate(known)
        except ValidationError as error:
            self._report_invalid("repo_profile", error)
            return RepoProfile()
        if profile.updated_at and not self._time("repo_profile.updated_at", profile.updated_at):
            return RepoProfile()
        if len(profile.modules) > self.limits.modules:
            left_out = len(profile.modules) - self.limits.modules
            self.report("repo_profile.modules", "left_out", "warning", lossy=True, observed=left_out)
            profile = profile.model_copy(update={"modules": profile.modules[: self.limits.modules]})
        return profile
