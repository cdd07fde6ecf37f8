"""Context: the exact text that the next prompt would carry, and why each item is in or out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.widgets import Input, Static

from inspector.keys import bind
from inspector.panes.base import Pane
from inspector.snapshot import Snapshot
from inspector.widgets.row_list import Cell, Row
from inspector.widgets.text import Doc, Line, blank, doc, fitted, heading, line, pair
from inspector.workspace import Workspace
from memory_core.context import MemoryContext
from memory_core.document import MemoryDocument
from memory_core.intents import IntentType

INTENTS = tuple(IntentType)
WHY_EMPTY = (
    "Memory serves ordinary questions only. A repair or an audit works from code, finding and patch;",
    "what was said in talk never reaches it, and never decides whether a patch is right.",
)


class ContextPane(Pane):
    """An intent and a question; the text, beside every item with its reason."""

    TITLE = "Context"
    HINTS = (
        ("context.question", "question"),
        ("context.intent", "intent"),
        ("row.open", "text"),
        ("pane.filter", "filter"),
        ("pane.copy", "copy the text"),
    )
    COLUMNS = (Cell("place", 7), Cell("item"), Cell("why", 30))
    EMPTY = (
        "Memory is empty, so the next prompt carries nothing of it.",
        "",
        "Turns, topics and items would appear here, each with its reason.",
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("i", "intent(1)", "Next intent", "context.intent", "Context"),
        bind("I", "intent(-1)", "Previous intent", "context.intent_back", "Context"),
        bind("e", "ask", "Type a question", "context.question", "Context", tip="Ranks by what shares words with it."),
    ]

    def __init__(self, workspace: Workspace, *, id: str) -> None:
        super().__init__(workspace, id=id)
        self.intent = IntentType.GENERAL_CHAT
        self.question = ""
        self._built: tuple[MemoryDocument, IntentType, str, MemoryContext] | None = None

    def above(self) -> ComposeResult:
        """The intent, and the question."""
        yield Static(classes="intent")
        with Horizontal(classes="question-row"):
            yield Static("question ", classes="label")
            yield Input(
                placeholder="e types one; an empty one ranks by recency",
                classes="question",
                compact=True,
                max_length=500,
            )

    def built(self, snapshot: Snapshot) -> MemoryContext:
        """The context for what is chosen; built once."""
        known = self._built
        if known is None or known[:3] != (snapshot.document, self.intent, self.question):
            context = self.workspace.manager.context_of(snapshot.document, self.intent, self.question)
            self._built = known = snapshot.document, self.intent, self.question, context
        return known[3]

    def redraw(self) -> bool:
        """Render, the chosen intent included."""
        for strip in self.query(".intent").results(Static):
            shown = [
                (f"[{intent}]" if intent is self.intent else f" {intent} ", "title" if intent is self.intent else "dim")
                for intent in INTENTS
            ]
            strip.update(fitted([line(("intent  ", "dim"), *shown, hang=8)], max(20, self.list.size.width - 2)))
        return super().redraw()

    def rows(self, snapshot: Snapshot) -> Sequence[Row]:
        """Every item: in at which place, or out, and why."""
        context = self.built(snapshot)
        if not context.allowed:
            return ()
        rows: list[Row] = []
        section = ""
        for item in context.items:
            if item.section != section:
                section = item.section
                rows.append(Row(f"#{section}", (Cell(section.replace("_", " ")),), heading=True))
            place, tone = (f"✓ in {item.position}", "ok") if item.injected else ("– out", "dim")
            words = _words(snapshot, item.id)
            rows.append(
                Row(
                    item.id,
                    (
                        Cell(place, 7, tone),
                        Cell(words, 0, "" if item.injected else "dim"),
                        Cell(item.reason, 30, "dim"),
                    ),
                    search=f"{place} {words} {item.reason}",
                )
            )
        return rows

    def detail(self, snapshot: Snapshot, key: str | None) -> Doc:
        """The exact text, with the row's own line marked."""
        context = self.built(snapshot)
        if not context.allowed:
            return doc(
                line((f"{self.intent} gets nothing: 0 characters.", "title")),
                blank(),
                *[line((words, "dim")) for words in WHY_EMPTY],
            )
        item = next((entry for entry in context.items if entry.id == key), None)
        return doc(
            pair("carries", f"{context.characters} characters, about {context.tokens_estimate} tokens (estimated)"),
            pair("this row", f"{'in at place ' + str(item.position) if item.injected else 'out'}: {item.reason}")
            if item
            else None,
            heading("The text, exactly"),
            _marked(context, item.position if item else None),
        )

    def draw_detail(self) -> None:
        """The text stands there whatever row is chosen."""
        if self.snapshot is not None:
            context = self.built(self.snapshot)
            empty = context.allowed and not context.items
            self.detail_view.show(self.empty() if empty else self.detail(self.snapshot, self.list.key))

    def foot(self, snapshot: Snapshot) -> Doc:
        """Counts."""
        context = self.built(snapshot)
        if not context.allowed:
            return (line((f"{self.intent} may not read memory; no item is looked at", "warn")),)
        return (line((f"{sum(item.injected for item in context.items)} of {len(context.items)} items go in", "dim")),)

    def copied(self, snapshot: Snapshot, key: str) -> str:
        """The whole text."""
        return self.built(snapshot).text

    def action_intent(self, step: int) -> None:
        """Another intent."""
        self.intent = INTENTS[(INTENTS.index(self.intent) + step) % len(INTENTS)]
        self.visited()
        self.redraw()

    def action_ask(self) -> None:
        """Type the question."""
        self.remove_class("zoomed")
        self.query_one(".question", Input).focus()

    @on(Input.Changed, ".question")
    def _asked(self, event: Input.Changed) -> None:
        event.stop()
        self.question = event.value
        self.redraw()

    @on(Input.Submitted, ".question")
    def _done(self, event: Input.Submitted) -> None:
        event.stop()
        self.list.focus()


def _words(snapshot: Snapshot, identifier: str) -> str:
    """What a person knows an item by."""
    found = snapshot.document.find(identifier)
    if found is None:
        return "what the build files state"
    return str(getattr(found, "label", "") or getattr(found, "summary", "") or getattr(found, "user_text", ""))


def _marked(context: MemoryContext, position: int | None) -> tuple[Line, ...]:
    """The text line by line; the line at a place stands out."""
    found: list[Line] = []
    place = 0
    for entry in context.text.splitlines():
        is_entry = entry.startswith("- ")
        place += is_entry
        chosen = is_entry and place == position
        tone = "strong" if chosen else ("" if is_entry else "dim")
        found.append(line(("▌ " if chosen else "  ", "heading"), (entry, tone), hang=4 if is_entry else 2))
    return tuple(found) or (line(("  (empty)", "dim")),)
