"""Working: recent turns and active topics."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.panes.base import Pane
from inspector.snapshot import Snapshot
from inspector.widgets.row_list import Cell, Row
from inspector.widgets.text import Doc, blank, doc, heading, line, pair, text
from memory_core.document import ActiveTopic, RecentTurn
from memory_core.summary.triggers import GIVE_UP_AFTER, explain

STATUS = {
    "pending": ("… pending", "held"),
    "ready": ("✓ ready", "ok"),
    "claimed": ("• claimed", "accent"),
    "given up": ("✗ given up", "bad"),
}
MEANING = {
    "pending": "no summary yet",
    "ready": "its summary may be injected",
    "claimed": "its delta waits under Pending, so it is not sent again meanwhile",
    "given up": f"{GIVE_UP_AFTER} summaries in a row came to nothing; it is no longer sent by itself, S sends it",
}


def status_of(turn: RecentTurn, snapshot: Snapshot) -> str:
    """How a turn stands: ready, pending, claimed by a waiting delta, or given up (T7)."""
    if not turn.is_pending:
        return "ready"
    if turn.id in snapshot.claimed:
        return "claimed"
    return "given up" if turn.id in snapshot.given_up else "pending"


def objected(snapshot: Snapshot, entry_id: str) -> Doc:
    """What the rules object to in a stored entry, where it stands."""
    return tuple(line(("! ", "bad"), (words, "bad"), hang=2) for words in snapshot.objections().get(entry_id, ()))


def short_time(stamp: str) -> str:
    """A time for a list: month, day, hour, minute."""
    return stamp[5:16].replace("T", " ")


class WorkingPane(Pane):
    """Turns, newest first, and topics."""

    TITLE = "Working"
    HINTS = (
        ("row.open", "detail"),
        ("app.summarise", "summarise now…"),
        ("pane.filter", "filter"),
        ("pane.copy", "copy"),
    )
    COLUMNS = (Cell("when", 11), Cell("intent", 8), Cell("status", 10), Cell("the user asked"))
    EMPTY = (
        "No turns and no topics yet.",
        "",
        "An agent fills this with record_turn after each ordinary question and answer;",
        "memory-inspector record does the same from the command line.",
        "Repairs and audits are never recorded.",
    )

    def rows(self, snapshot: Snapshot) -> Sequence[Row]:
        """Turns and topics, each under its heading."""
        document, objections = snapshot.document, snapshot.objections()
        rows: list[Row] = []
        if document.turns:
            rows.append(Row("#turns", (Cell(f"Recent turns, newest first ({len(document.turns)})"),), heading=True))
        for turn in reversed(document.turns):
            word, tone = STATUS[status_of(turn, snapshot)]
            if turn.id in objections:
                word, tone = f"!{word[1:]}", "bad"
            rows.append(
                Row(
                    turn.id,
                    (
                        Cell(short_time(turn.created_at), 11, "dim"),
                        Cell("explain" if turn.intent == "code_explain" else "chat", 8, "dim"),
                        Cell(word, 10, tone),
                        Cell(turn.user_text),
                    ),
                    search=f"{turn.user_text} {turn.summary} {turn.intent} {word} {' '.join(turn.scope_paths)}",
                )
            )
        if document.topics:
            rows.append(Row("#topics", (Cell(f"Active topics ({len(document.topics)})"),), heading=True))
        for topic in sorted(document.topics, key=lambda entry: entry.last_touched_at, reverse=True):
            rows.append(
                Row(
                    topic.id,
                    (
                        Cell(short_time(topic.last_touched_at), 11, "dim"),
                        Cell(f"! {topic.label}", 20, "bad") if topic.id in objections else Cell(topic.label, 20),
                        Cell(topic.summary, 0, "dim"),
                    ),
                    search=f"{topic.label} {topic.summary}",
                )
            )
        return rows

    def detail(self, snapshot: Snapshot, key: str | None) -> Doc:
        """A turn or a topic in full."""
        found = snapshot.document.find(key or "")
        if isinstance(found, RecentTurn):
            return self._turn(snapshot, found)
        if isinstance(found, ActiveTopic):
            return self._topic(snapshot, found)
        return self.empty()

    def _turn(self, snapshot: Snapshot, turn: RecentTurn) -> Doc:
        status = status_of(turn, snapshot)
        topics = [topic for topic in snapshot.document.topics if turn.id in topic.related_turn_ids]
        claimed_by = [view.id for view in snapshot.pending if turn.id in view.entry.claims]
        attempts = snapshot.attempts.get(turn.id, 0)
        tone = {"ready": "accepted", "given up": "bad"}.get(status, "held")
        return doc(
            line((turn.id, "title")),
            blank(),
            pair("intent", turn.intent),
            pair("recorded", turn.created_at),
            pair("status", f"{STATUS[status][0]}: {MEANING[status]}", tone),
            pair("claimed by", ", ".join(claimed_by)) if claimed_by else None,
            pair("failed", f"{attempts} of {GIVE_UP_AFTER} summaries in a row") if attempts else None,
            pair("scope", ", ".join(turn.scope_paths)) if turn.scope_paths else None,
            objected(snapshot, turn.id),
            heading("The user asked"),
            text(turn.user_text),
            heading("Summary", ("  what a prompt may carry", "dim")),
            text(turn.summary) if turn.summary else line(("none yet", "dim")),
            heading("The assistant answered", ("  never injected", "warn")),
            text(turn.assistant_text, "dim") if turn.assistant_text else line(("trimmed for space", "dim")),
            heading("Topics") if topics else None,
            *[line("  " + topic.label, (f"  {topic.id}", "dim")) for topic in topics],
            self._due(snapshot, turn),
        )

    def _due(self, snapshot: Snapshot, turn: RecentTurn) -> Doc:
        """Whether and why a summary was due after this turn, as memory is now."""
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
        first = next((found for found in checks if found.holds), None)
        if not turn.is_pending:
            return doc(heading("Is a summary due?"), line(("No: it has one.", "dim")))
        answer = f"Yes: {first.trigger.replace('_', ' ')}." if first else "No."
        return doc(
            heading("Is a summary due after it?", (f"  {answer}", "accepted" if first else "dim")),
            *[
                line(
                    ("✓ " if found.holds else "· ", "accepted" if found.holds else "dim"),
                    (f"{found.rule}  ", "dim"),
                    (found.explanation, "" if found.holds else "dim"),
                    hang=6,
                )
                for found in checks
            ],
        )

    def _topic(self, snapshot: Snapshot, topic: ActiveTopic) -> Doc:
        turns: list[Doc] = []
        for turn_id in topic.related_turn_ids:
            turn = snapshot.document.find(turn_id)
            known = isinstance(turn, RecentTurn)
            words = turn.user_text if isinstance(turn, RecentTurn) else "has left working memory"
            turns.append((line("  ", (words, "" if known else "dim"), (f"  {turn_id}", "dim")),))
        return doc(
            line((topic.label, "title")),
            blank(),
            pair("id", topic.id),
            pair("touched", topic.last_touched_at),
            objected(snapshot, topic.id),
            heading("Summary"),
            text(topic.summary),
            heading(f"Turns ({len(turns)})"),
            *turns,
        )

    def copied(self, snapshot: Snapshot, key: str) -> str:
        """The entry's words."""
        found = snapshot.document.find(key)
        if isinstance(found, RecentTurn):
            return found.user_text
        return f"{found.label}: {found.summary}" if isinstance(found, ActiveTopic) else key
