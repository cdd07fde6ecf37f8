"""The document: the content of `memory.json`, as frozen values (section 2).

Keys that the program does not know are kept where they sit at the top level or in an entry (S7c).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, Strict

from memory_core.clock import Marks, mark_of

MEMORY_VERSION = 1

Text = Annotated[str, Strict()]
Texts = Annotated[tuple[Text, ...], Field(strict=False)]
SummaryStatus = Literal["pending", "ready"]
ItemType = Literal["durable_preference", "project_note"]
ItemStatus = Literal["active", "inactive"]
ItemSource = Literal["user_explicit", "conversation_summary"]
TurnIntent = Literal["code_explain", "general_chat"]

SOURCE_OF: dict[ItemType, ItemSource] = {
    "durable_preference": "user_explicit",
    "project_note": "conversation_summary",
}
"""The one source that each type of long-term item may have (D3)."""


class Part(BaseModel):
    """A frozen part of the document."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Entry(Part):
    """An entry with an id; unknown keys of it are kept on rewriting (S7c)."""

    model_config = ConfigDict(frozen=True, extra="allow")

    id: Annotated[Text, Field(min_length=1)]

    @property
    def unknown_keys(self) -> tuple[str, ...]:
        """Keys that the program does not know."""
        return tuple(self.__pydantic_extra__ or ())


class RecentTurn(Entry):
    """One recorded turn of an ordinary question (D1)."""

    intent: TurnIntent
    user_text: Text
    assistant_text: Text
    summary: Text
    summary_status: SummaryStatus
    scope_paths: Texts
    created_at: Text

    @property
    def is_pending(self) -> bool:
        """Whether it still waits for its summary."""
        return self.summary_status == "pending"


class ActiveTopic(Entry):
    """A topic that several recent turns share (D2)."""

    label: Text
    summary: Text
    related_turn_ids: Texts
    last_touched_at: Text


class LongTermItem(Entry):
    """A durable preference or a project note (D3)."""

    type: ItemType
    label: Text
    summary: Text
    status: ItemStatus
    source: ItemSource
    created_at: Text
    updated_at: Text

    @property
    def is_active(self) -> bool:
        """Whether it takes part in context and judging."""
        return self.status == "active"


class RepoProfile(Part):
    """What the build files state of the repository (P1); unknown is empty."""

    build_tool: Text = ""
    java_version: Text = ""
    project_name: Text = ""
    modules: Texts = ()
    frameworks: Texts = ()
    source_files: Texts = ()
    updated_at: Text = ""

    @property
    def has_value(self) -> bool:
        """Whether any field but `updated_at` says something."""
        return any(value for name, value in self if name != "updated_at")

    def says_the_same(self, other: RepoProfile) -> bool:
        """Equal in every field but `updated_at` (P2c)."""
        return self.model_copy(update={"updated_at": ""}) == other.model_copy(update={"updated_at": ""})


class WorkingMemory(Part):
    """Near context: topics and recent turns."""

    active_topics: tuple[ActiveTopic, ...] = ()
    recent_turns: tuple[RecentTurn, ...] = ()


class LongTermMemory(Part):
    """Governed assets: preferences and notes."""

    durable_preferences: tuple[LongTermItem, ...] = ()
    project_notes: tuple[LongTermItem, ...] = ()


class MemoryDocument(BaseModel):
    """The whole of `memory.json`. Field order is the one that V1 writes (D7)."""

    model_config = ConfigDict(frozen=True, extra="allow")

    version: Literal[1] = 1
    updated_at: Text = ""
    working_memory: WorkingMemory = WorkingMemory()
    repo_profile: RepoProfile = RepoProfile()
    long_term_memory: LongTermMemory = LongTermMemory()

    @property
    def turns(self) -> tuple[RecentTurn, ...]:
        """The recent turns, in the file's order (oldest first)."""
        return self.working_memory.recent_turns

    @property
    def topics(self) -> tuple[ActiveTopic, ...]:
        """The active topics, in the file's order."""
        return self.working_memory.active_topics

    @property
    def preferences(self) -> tuple[LongTermItem, ...]:
        """Durable preferences, active and inactive."""
        return self.long_term_memory.durable_preferences

    @property
    def notes(self) -> tuple[LongTermItem, ...]:
        """Project notes, active and inactive."""
        return self.long_term_memory.project_notes

    @property
    def items(self) -> tuple[LongTermItem, ...]:
        """Both lists of long-term memory together."""
        return self.preferences + self.notes

    def entries(self) -> Iterator[RecentTurn | ActiveTopic | LongTermItem]:
        """Everything that has an id."""
        yield from self.turns
        yield from self.topics
        yield from self.items

    def find(self, identifier: str) -> RecentTurn | ActiveTopic | LongTermItem | None:
        """The entry of exactly that id."""
        return next((entry for entry in self.entries() if entry.id == identifier), None)

    def with_turns(self, turns: tuple[RecentTurn, ...]) -> MemoryDocument:
        """The same document with other recent turns."""
        return self.model_copy(
            update={"working_memory": self.working_memory.model_copy(update={"recent_turns": turns})}
        )

    def with_topics(self, topics: tuple[ActiveTopic, ...]) -> MemoryDocument:
        """The same document with other topics."""
        return self.model_copy(
            update={"working_memory": self.working_memory.model_copy(update={"active_topics": topics})}
        )

    def with_items(self, items: tuple[LongTermItem, ...]) -> MemoryDocument:
        """The same document with other long-term items, each put into the list of its type."""
        memory = LongTermMemory(
            durable_preferences=tuple(item for item in items if item.type == "durable_preference"),
            project_notes=tuple(item for item in items if item.type == "project_note"),
        )
        return self.model_copy(update={"long_term_memory": memory})

    def with_profile(self, profile: RepoProfile) -> MemoryDocument:
        """The same document with another repo profile."""
        return self.model_copy(update={"repo_profile": profile})

    def touched(self, at: str) -> MemoryDocument:
        """The same document, updated at that time."""
        return self.model_copy(update={"updated_at": at})


def marks_of(document: MemoryDocument) -> Marks:
    """The highest number in use by kind and day (D4)."""
    marks: dict[str, int] = {}
    for entry in document.entries():
        if (mark := mark_of(entry.id)) is not None:
            marks[mark[0]] = max(mark[1], marks.get(mark[0], 0))
    return marks
