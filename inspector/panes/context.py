"""Context: the exact text that the next prompt would carry, and why each item is in or out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import Input, Static

from inspector.panes.base import Pane
from inspector.snapshot import Snapshot
from inspector.widgets.row_list import Cell, Row, RowList
from inspector.widgets.text import heading, line, lines, pair
from memory_core.context import MemoryContext
from memory_core.intents import IntentType

INTENTS = tuple(IntentType)


class ContextPane(Pane):
    """An intent and a question; the text, beside every item with its reason."""

    TITLE = "Context"
    HINTS = (("e", "question"), ("i", "intent"), ("tab", "text"), ("C", "copy the text"))
    EMPTY = "Memory is empty, so the next prompt carries nothing of it."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("i", "intent(1)", "Next intent", show=False, id="context.intent"),
        Binding("I", "intent(-1)", "Previous intent", show=False, id="context.intent_back"),
        Binding("e", "ask", "Type a question", show=False, id="context.question"),
    ]

    intent = IntentType.GENERAL_CHAT
    question = ""

    def compose(self) -> ComposeResult:
        """The question above the list."""
        with VerticalScroll(classes="side", can_focus=False):
            yield Static(classes="intent")
            with Horizontal(classes="question-row"):
                yield Static("question ", classes="label")
                yield Input(placeholder="e types one; an empty one ranks by recency", classes="question", compact=True)
            yield Input(placeholder="filter", classes="filter", compact=True)
            yield RowList()
            yield Static(classes="foot")
        with VerticalScroll(classes="detail"):
            yield Static(classes="detail-text")

    def built(self, snapshot: Snapshot) -> MemoryContext:
        """The context for what is chosen."""
        return self.workspace.manager.context_of(snapshot.document, self.intent, self.question)

    def redraw(self) -> None:
        """Render, the chosen intent included."""
        if self.query(".intent"):
            parts = [(f" {intent} ", "strong" if intent is self.intent else "dim") for intent in INTENTS]
            self.query_one(".intent", Static).update(line(("intent ", "dim"), *parts))
        super().redraw()

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
            place, tone = (f"in at {item.position}", "ok") if item.injected else ("out", "dim")
            words = self._words(snapshot, item.id)
            rows.append(
                Row(
                    item.id,
                    (
                        Cell(place, 8, tone),
                        Cell(words, 0, "" if item.injected else "dim"),
                        Cell(item.reason, 30, "dim"),
                    ),
                    search=f"{words} {item.reason}",
                )
            )
        return rows

    @staticmethod
    def _words(snapshot: Snapshot, identifier: str) -> str:
        found = snapshot.document.find(identifier)
        if found is None:
            return "repository profile"
        return str(getattr(found, "label", "") or getattr(found, "summary", "") or getattr(found, "user_text", ""))

    def detail(self, snapshot: Snapshot, key: str | None) -> Content:
        """The exact text."""
        context = self.built(snapshot)
        if not context.allowed:
            return lines(
                line((f"{self.intent} gets nothing.", "strong")),
                line(
                    (
                        "Memory serves ordinary questions only. A repair works from code, finding and patch;",
                        "dim",
                    )
                ),
                line(("what was said in chat never reaches it.", "dim")),
            )
        size = f"{context.characters} characters, about {context.tokens_estimate} tokens (estimated)"
        text = [line(entry) for entry in context.text.splitlines()] or [line(("(empty)", "dim"))]
        return lines(pair("carries", size, width=8), heading("The text, exactly"), *text)

    def draw_detail(self) -> None:
        """The text stands there whatever row is chosen."""
        if self.snapshot is not None:
            self.query_one(".detail-text", Static).update(self.detail(self.snapshot, self.list.key))

    def foot(self, snapshot: Snapshot) -> Content | None:
        """Counts."""
        context = self.built(snapshot)
        if not context.allowed:
            return line((f"{self.intent}: no item is read", "warn"))
        return line((f"{sum(item.injected for item in context.items)} of {len(context.items)} items in", "dim"))

    def copied(self, snapshot: Snapshot, key: str) -> str:
        """The whole text."""
        return self.built(snapshot).text

    def action_intent(self, step: int) -> None:
        """Another intent."""
        self.intent = INTENTS[(INTENTS.index(self.intent) + step) % len(INTENTS)]
        self.redraw()

    def action_ask(self) -> None:
        """Type the question."""
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
