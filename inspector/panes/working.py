"""Working: recent turns and active topics."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from inspector.panes.base import Pane
from inspector.snapshot import Snapshot
from inspector.widgets.row_list import Cell, Row
from inspector.widgets.text import heading, line, lines, pair, prose
from memory_core.document import ActiveTopic, RecentTurn
from memory_core.summary.triggers import explain

STATUS = {
    "pending": ("… pending", "held"),
    "ready": ("✓ ready", "ok"),
    "claimed": ("⧗ claimed", "accent"),
    "given up": ("✗ given up", "bad"),
}


def status_of(turn: RecentTurn, snapshot: Snapshot) -> str:
    """How a turn stands: ready, pending, claimed by a waiting delta, or given up (T7)."""
    if not turn.is_pending:
        return "ready"
    if turn.id in snapshot.claimed:
        return "claimed"
    return "given up" if turn.id in snapshot.given_up else "pending"


class WorkingPane(Pane):
    """Turns, newest first, and topics."""

    TITLE = "Working"
    HINTS = (("S", "summarise now"), ("/", "filter"), ("tab", "detail"), ("C", "copy"))
    EMPTY = (
        "No turns and no topics yet.\n\nAn agent fills this with record_turn after each ordinary question;\n"
        "memory-inspector record does the same from the command line."
    )

    def rows(self, snapshot: Snapshot) -> Sequence[Row]:
        """Turns and topics, each under its heading."""
        document = snapshot.document
        rows: list[Row] = []
        if document.turns:
            rows.append(Row("#turns", (Cell(f"Recent turns, newest first ({len(document.turns)})"),), heading=True))
        for turn in reversed(document.turns):
            word, tone = STATUS[status_of(turn, snapshot)]
            rows.append(
                Row(
                    turn.id,
                    (
                        Cell(turn.created_at[5:16].replace("T", " "), 11, "dim"),
                        Cell(word, 10, tone),
                        Cell(turn.user_text),
                    ),
                    search=f"{turn.user_text} {turn.summary} {turn.intent} {word}",
                )
            )
        if document.topics:
            rows.append(Row("#topics", (Cell(f"Active topics ({len(document.topics)})"),), heading=True))
        for topic in document.topics:
            when = topic.last_touched_at[5:16].replace("T", " ")
            rows.append(
                Row(topic.id, (Cell(when, 11, "dim"), Cell(topic.label)), search=f"{topic.label} {topic.summary}")
            )
        return rows

    def detail(self, snapshot: Snapshot, key: str | None) -> Content:
        """A turn or a topic in full."""
        found = snapshot.document.find(key or "")
        if isinstance(found, RecentTurn):
            return self._turn(snapshot, found)
        if isinstance(found, ActiveTopic):
            return self._topic(snapshot, found)
        return prose(self.EMPTY)

    def _turn(self, snapshot: Snapshot, turn: RecentTurn) -> Content:
        status = status_of(turn, snapshot)
        topics = [topic for topic in snapshot.document.topics if turn.id in topic.related_turn_ids]
        attempts = snapshot.attempts.get(turn.id, 0)
        parts: list[Content | None] = [
            line((turn.id, "title")),
            pair("intent", turn.intent),
            pair("recorded", turn.created_at),
            pair("status", STATUS[status][0] + (f", {attempts} summaries failed in a row" if attempts else "")),
            pair("scope", ", ".join(turn.scope_paths)) if turn.scope_paths else None,
            heading("The user asked"),
            line(turn.user_text),
            heading("Summary"),
            line(turn.summary) if turn.summary else line(("none yet", "dim")),
            heading("The assistant answered") + line(("  (never injected into a prompt)", "warn")),
            line(turn.assistant_text) if turn.assistant_text else line(("trimmed", "dim")),
        ]
        if topics:
            parts.append(heading("Topics"))
            parts += [line(f"  {topic.label}", (f"  {topic.id}", "dim")) for topic in topics]
        parts += self._due(snapshot, turn)
        return lines(*parts)

    def _due(self, snapshot: Snapshot, turn: RecentTurn) -> list[Content | None]:
        """Whether and why a summary is due after this turn."""
        if not turn.is_pending:
            return []
        policy = self.workspace.manager.policy
        checks = explain(
            snapshot.document,
            turn,
            limits=policy.limits,
            signals=policy.signals,
            size=snapshot.loaded.bytes.size,
            claimed=snapshot.claimed,
            given_up=snapshot.given_up,
            root=self.workspace.manager.root,
        )
        parts: list[Content | None] = [heading("Is a summary due?")]
        for found in checks:
            mark, tone = ("✓ ", "accepted") if found.holds else ("· ", "dim")
            parts.append(line((mark, tone), (f"{found.rule}  ", "dim"), found.explanation))
        return parts

    def _topic(self, snapshot: Snapshot, topic: ActiveTopic) -> Content:
        parts: list[Content | None] = [
            line((topic.label, "title")),
            pair("id", topic.id),
            pair("last touched", topic.last_touched_at),
            heading("Summary"),
            line(topic.summary),
            heading("Turns"),
        ]
        for turn_id in topic.related_turn_ids:
            turn = snapshot.document.find(turn_id)
            words = turn.user_text if isinstance(turn, RecentTurn) else "(has left working memory)"
            parts.append(line(f"  {words}", (f"  {turn_id}", "dim")))
        return lines(*parts)

    def copied(self, snapshot: Snapshot, key: str) -> str:
        """The entry's words."""
        found = snapshot.document.find(key)
        return found.user_text if isinstance(found, RecentTurn) else str(getattr(found, "summary", key))
