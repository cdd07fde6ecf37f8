"""Pending: the queue; inside a delta its operations, decided one by one before anything is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content

from inspector.panes.base import Pane
from inspector.panes.decisions import Desk
from inspector.panes.operation import operation_detail, sizes
from inspector.screens.confirm import Ask, Confirm
from inspector.snapshot import Snapshot
from inspector.widgets.row_list import Cell, Row
from inspector.widgets.text import MARKS, changes, decision_word, gap, heading, line, lines, pair, prose, verdict_word
from inspector.wording import plainly
from inspector.workspace import Workspace
from memory_core.diff import diff
from memory_core.intents import IntentType
from memory_core.results import ApproveResult, PendingView
from memory_core.review.verdict import Decision, Verdict

TONE_OF = {"accepted": "ok", "held": "held", "rejected": "bad"}


class PendingPane(Pane):
    """Deltas that wait. `enter` opens one; decisions are drafts until `A` applies them."""

    TITLE = "Pending"
    HINTS = (
        ("enter", "open"),
        ("y", "accept"),
        ("n", "turn down"),
        ("u", "undecided"),
        ("z", "undo"),
        ("A", "apply…"),
        ("D", "dismiss…"),
        ("o p c", "views"),
        ("m", "note"),
    )
    EMPTY = (
        "Nothing waits for a decision.\n\nA delta comes here when a summary is made in review mode (S makes one now),\n"
        "when a rule holds something back, or by memory-inspector propose FILE."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "decide('accept')", "Accept", show=False, id="pending.accept"),
        Binding("n", "decide('turn_down')", "Turn down", show=False, id="pending.turn_down"),
        Binding("u", "decide('')", "Undecided", show=False, id="pending.undecided"),
        Binding("z", "undo", "Undo a decision", show=False, id="pending.undo"),
        Binding("Z", "redo", "Redo a decision", show=False, id="pending.redo"),
        Binding("space", "mark", "Mark", show=False, id="pending.mark"),
        Binding("m", "note", "Note", show=False, id="pending.note"),
        Binding("o", "view('o')", "The operation", show=False, id="pending.view_operation"),
        Binding("p", "view('p')", "The resulting document", show=False, id="pending.view_document"),
        Binding("c", "view('c')", "The next prompt", show=False, id="pending.view_prompt"),
        Binding("f", "fold", "Fold the passed checks", show=False, id="pending.fold"),
        Binding("A", "apply", "Apply", show=False, id="pending.apply"),
        Binding("D", "dismiss", "Dismiss", show=False, id="pending.dismiss"),
    ]

    def __init__(self, workspace: Workspace, *, id: str) -> None:
        super().__init__(workspace, id=id)
        self.opened: str | None = None
        self.mode = "o"
        self.folded = True
        self.desks: dict[str, Desk] = {}
        self._views: dict[str, PendingView] = {}
        self._row_of: dict[str, str] = {}

    # Judging what is shown.

    def show(self, snapshot: Snapshot) -> None:
        """Judge every waiting delta against the new document, decisions carried over where they still hold."""
        before = self._views
        self._views = {}
        for view in snapshot.pending:
            desk = self.desks.setdefault(view.id, Desk(dict(view.decisions), dict(view.notes)))
            judged = self.workspace.judged(view, snapshot, desk.decisions)
            if view.id in before and before[view.id].review.base != judged.review.base:
                desk.carry_over(before[view.id].review, judged.review)
                judged = self.workspace.judged(view, snapshot, desk.decisions)
            self._views[view.id] = judged
        if self.opened is not None and self.opened not in self._views:
            self.opened = None
        super().show(snapshot)

    def _rejudge(self, delta_id: str) -> None:
        if self.snapshot is not None:
            desk = self.desks[delta_id]
            self._views[delta_id] = self.workspace.judged(self._views[delta_id], self.snapshot, desk.decisions)
            notes, decisions = dict(desk.notes), dict(desk.decisions)
            self.run_worker(
                lambda: self._save(delta_id, decisions, notes), thread=True, exit_on_error=False, group="draft"
            )
            self.redraw()

    def _save(self, delta_id: str, decisions: dict[str, Decision], notes: dict[str, str]) -> None:
        trouble = self.workspace.save_draft(delta_id, decisions, notes)
        if trouble:
            self.app.call_from_thread(self.app.notify, f"The draft was not kept: {trouble}", severity="warning")

    # Lists.

    def rows(self, snapshot: Snapshot) -> Sequence[Row]:
        """The queue, or the operations of the opened delta."""
        if self.opened is not None:
            return self._operations(self._views[self.opened])
        return [self._queued(view) for view in self._views.values()]

    def _queued(self, view: PendingView) -> Row:
        entry = view.entry
        when = entry.created_at[5:16].replace("T", " ")
        source = entry.trigger or entry.origin
        if entry.refused is not None:
            times = f" ×{entry.count}" if entry.count > 1 else ""
            cells = (Cell(when, 11, "dim"), Cell(f"✗ refused{times}", 12, "bad"), Cell(entry.refused.message))
        else:
            counts = view.review.counts()
            marks = " ".join(f"{MARKS[name]}{counts[name]}" for name in counts)
            word = source.replace("_", " ")
            if view.superseded:
                word = "superseded: nothing left to accept"
            elif not entry.usable:
                word = f"{word}: nothing in it can be accepted"
            cells = (Cell(when, 11, "dim"), Cell(marks, 12, "strong" if word == source else "dim"), Cell(word))
        return Row(entry.id, cells, search=f"{entry.id} {source} {entry.model}")

    def _operations(self, view: PendingView) -> list[Row]:
        desk = self.desks[view.id]
        rows: list[Row] = []
        for number, verdict in enumerate(view.review.operations, 1):
            program, decided = verdict_word(verdict)[0], decision_word(verdict)
            flag = "!" if verdict.at in desk.cleared else " "
            tone = {"accepted": "ok", "rejected": "bad"}.get(decided[1], "dim")
            rows.append(
                Row(
                    verdict.at,
                    (
                        Cell(f"{number:>2}{flag}", 3, "held" if flag == "!" else "dim"),
                        Cell(program, 10, TONE_OF[verdict.verdict]),
                        Cell(decided[0], 13, tone),
                        Cell(plainly(verdict)),
                    ),
                    search=f"{verdict.at} {plainly(verdict)} {verdict.code}",
                )
            )
        return rows

    def foot(self, snapshot: Snapshot) -> Content | None:
        """What would happen if applied now."""
        view = self._opened_view()
        if view is None:
            return None
        groups: dict[str, int] = {"apply": 0, "wait": 0, "close": 0}
        for verdict in view.review.operations:
            groups[verdict.effective] += 1
        size = view.review.bytes
        return lines(
            line(
                ("if applied now: ", "dim"),
                (f"✓ {groups['apply']} written", "accepted"),
                f"  ? {groups['wait']} go on waiting",
                f"  ✗ {groups['close']} closed",
            ),
            line((f"{size.before} → {size.after} bytes of {size.hard}", "dim")),
        )

    def _opened_view(self) -> PendingView | None:
        return self._views.get(self.opened) if self.opened is not None else None

    # Details.

    def detail(self, snapshot: Snapshot, key: str | None) -> Content:
        """The delta, or one of three views of its operation."""
        view = self._opened_view()
        if view is None:
            return self._delta(self._views[key]) if key in self._views else prose(self.EMPTY)
        bar = line(
            *(
                ((f" {name} ", "strong") if mode == self.mode else (f" {name} ", "dim"))
                for mode, name in (("o", "o operation"), ("p", "p resulting document"), ("c", "c next prompt"))
            )
        )
        if self.mode == "p":
            return lines(bar, self._resulting(snapshot, view))
        if self.mode == "c":
            return lines(bar, self._prompts(snapshot, view))
        for number, verdict in enumerate(view.review.operations, 1):
            if verdict.at == key:
                desk = self.desks[view.id]
                note, cleared = desk.notes.get(verdict.at, ""), desk.cleared.get(verdict.at, "")
                shown = operation_detail(
                    verdict, number, snapshot.document, note=note, cleared=cleared, folded=self.folded
                )
                return lines(bar, Content(""), shown)
        return bar

    def _delta(self, view: PendingView) -> Content:
        entry, review = view.entry, view.review
        parts: list[Content | None] = [
            line((entry.id, "title")),
            pair("proposed", entry.created_at),
            pair("by", entry.model or entry.origin),
            pair("because", (entry.trigger or "it was proposed").replace("_", " ")),
        ]
        if entry.refused is not None:
            reason = entry.refused
            place = f" at line {reason.line}, column {reason.column}" if reason.line else ""
            parts += [
                heading("Refused") + line((f"{place}", "dim")),
                line((reason.message, "bad"), (f"  [{reason.code}]", "dim")),
                line((reason.hint, "dim")) if reason.hint else None,
                gap(("There is nothing to apply; D dismisses it. The turns stay pending.", "dim")),
            ]
        else:
            counts = review.counts()
            parts.append(pair("verdicts", "  ".join(f"{MARKS[name]} {counts[name]} {name}" for name in counts)))
            parts += [pair("remark", remark) for remark in review.remarks]
            if review.ignored_keys:
                parts.append(pair("ignored keys", ", ".join(review.ignored_keys)))
            parts.append(Content(""))
            for number, verdict in enumerate(review.operations, 1):
                parts.append(line((f"{number:>2} {verdict_word(verdict)[0]:<10} ", verdict.verdict), plainly(verdict)))
            parts.append(gap(("enter opens it", "dim")))
        parts += [
            heading("The model's reply"),
            Content("\n").join([line(text) for text in entry.reply.splitlines()[:80]]),
        ]
        return lines(*parts)

    def _resulting(self, snapshot: Snapshot, view: PendingView) -> Content:
        review, document, limits = view.review, view.review.document, self.workspace.manager.policy.limits
        now = snapshot.document
        parts: list[Content | None] = [
            Content(""),
            sizes("bytes", review.bytes.before, review.bytes.after, review.bytes.hard),
            sizes("turns", len(now.turns), len(document.turns), limits.recent_turns),
            sizes("topics", len(now.topics), len(document.topics), limits.active_topics),
            sizes("items", len(now.items), len(document.items), limits.long_term_items),
        ]
        for trimmed in review.trimmed:
            parts.append(
                line(
                    ("! would be dropped: ", "warn"),
                    f"{trimmed.what.replace('_', ' ')} {trimmed.id}",
                    (f" ({trimmed.reason})", "dim"),
                )
            )
        return lines(*parts, heading("What changes"), changes(diff(now, document)))

    def _prompts(self, snapshot: Snapshot, view: PendingView) -> Content:
        manager = self.workspace.manager
        before = manager.context_of(snapshot.document, IntentType.GENERAL_CHAT)
        after = manager.context_of(view.review.document, IntentType.GENERAL_CHAT)
        old, new = before.text.splitlines(), after.text.splitlines()
        parts: list[Content | None] = [
            Content(""),
            line(
                (
                    f"{before.characters} → {after.characters} characters, "
                    f"about {before.tokens_estimate} → {after.tokens_estimate} tokens",
                    "dim",
                )
            ),
            line(("for an ordinary question; a repair gets nothing", "dim")),
            Content(""),
        ]
        parts += [line(("- ", "bad"), (text, "removed")) for text in old if text not in new]
        parts += [line(("+ ", "accepted"), (text, "added")) if text not in old else line("  " + text) for text in new]
        return lines(*parts)

    # Deciding.

    def open(self, key: str) -> None:
        """Open a delta, or the detail of an operation."""
        if self.opened is not None or key not in self._views or self._views[key].entry.refused is not None:
            super().open(key)
            return
        self.opened = key
        self.list.marked.clear()
        self.redraw()
        if self.list.rows:
            self.list.select(self._row_of.get(key) or self.list.rows[0].key)

    def action_back(self) -> None:
        """From the detail to the operations, from the operations to the queue."""
        if self.opened is None or self.has_class("zoomed") or not self.list.has_focus or self.filter_text:
            super().action_back()
            return
        if self.list.key is not None:
            self._row_of[self.opened] = self.list.key
        key, self.opened = self.opened, None
        self.list.marked.clear()
        self.redraw()
        self.list.select(key)

    def action_decide(self, word: str) -> None:
        """Decide on the marked operations, or on this one; then go on to the next undecided one."""
        view, key = self._opened_view(), self.list.key
        if view is None or key is None:
            self.app.notify("Open a delta with enter, then decide on its operations.")
            return
        marked = sorted(self.list.marked)
        verdicts = {verdict.at: verdict for verdict in view.review.operations}
        chosen = marked or [key]
        decision: Decision | None = "accept" if word == "accept" else ("turn_down" if word == "turn_down" else None)
        taken: dict[str, Decision | None] = {}
        for at in chosen:
            refusal = _refusal(verdicts[at], decision, several=bool(marked))
            if refusal:
                self.app.notify(f"{at}: {refusal}", severity="warning")
            else:
                taken[at] = decision
        if not taken:
            return
        self.desks[view.id].decide(taken)
        self.list.marked.clear()
        self._rejudge(view.id)
        if decision is not None:
            self._next_undecided(view.id, key)

    def _next_undecided(self, delta_id: str, key: str) -> None:
        operations = self._views[delta_id].review.operations
        places = [verdict.at for verdict in operations]
        start = places.index(key) + 1 if key in places else 0
        for verdict in (*operations[start:], *operations[:start]):
            if verdict.decision is None and verdict.verdict != "rejected":
                self.list.select(verdict.at)
                return
        if start < len(places):
            self.list.select(places[start])

    def action_undo(self) -> None:
        """Take the last decision back."""
        self._step("undo")

    def action_redo(self) -> None:
        """Take the last undone decision again."""
        self._step("redo")

    def _step(self, name: str) -> None:
        view = self._opened_view()
        if view is None:
            return
        desk = self.desks[view.id]
        if not (desk.undo() if name == "undo" else desk.redo()):
            self.app.notify(f"There is nothing to {name}.")
            return
        self._rejudge(view.id)

    def action_mark(self) -> None:
        """Mark the operation."""
        if self.opened is not None:
            self.list.toggle_mark()

    def action_fold(self) -> None:
        """Fold or unfold the checks that passed."""
        self.folded = not self.folded
        self.draw_detail()

    def action_view(self, mode: str) -> None:
        """The operation, the resulting document, or the next prompt."""
        if self.opened is not None:
            self.mode = mode
            self.draw_detail()

    def action_note(self) -> None:
        """Write a note on the operation."""
        view, key = self._opened_view(), self.list.key
        if view is None or key is None:
            return
        desk = self.desks[view.id]

        def answered(text: str | None) -> None:
            if text is not None:
                desk.notes[key] = text
                self._rejudge(view.id)

        self.app.push_screen(Ask(f"Note on {key}", value=desk.notes.get(key, "")), answered)

    # Applying.

    def action_apply(self) -> None:
        """Show in full what will be written, and ask once."""
        view = self._opened_view() or self._views.get(self.list.key or "")
        if view is None or self.snapshot is None:
            return
        if view.entry.refused is not None:
            self.app.notify("A refused reply has nothing to apply; D dismisses it.", severity="warning")
            return
        if not any(verdict.effective != "wait" for verdict in view.review.operations):
            self.app.notify("Everything in it still waits for your decision.", severity="warning")
            return
        body = lines(
            *self._what_happens(view), heading("Document"), changes(diff(self.snapshot.document, view.review.document))
        )
        self.app.push_screen(
            Confirm(f"Apply {view.id}?", body, key="A", verb="apply"), lambda yes: self._apply(view) if yes else None
        )

    @staticmethod
    def _what_happens(view: PendingView) -> list[Content | None]:
        words = {
            "apply": ("✓ written ", "accepted"),
            "wait": ("? waits   ", "held"),
            "close": ("✗ closed  ", "rejected"),
        }
        unseen = "  (the program's word; you did not decide)"
        return [
            line(
                words[verdict.effective],
                plainly(verdict),
                (unseen if verdict.effective == "apply" and verdict.decision is None else "", "dim"),
            )
            for verdict in view.review.operations
        ]

    def _apply(self, view: PendingView) -> None:
        manager, desk = self.workspace.manager, self.desks[view.id]
        decisions, notes, review = dict(view.decisions), dict(desk.notes), replace(view.review)
        self.perform("applying", lambda: manager.approve(view.id, decisions, seen=review, notes=notes), self._applied)

    def _applied(self, result: object) -> None:
        if not isinstance(result, ApproveResult):
            return
        words = [f"{len(result.applied)} written"]
        words += [f"{len(result.turned_down)} turned down"] if result.turned_down else []
        words += [f"{len(result.waiting)} go on waiting"] if result.waiting else []
        where = f" Revision {result.revision}; 6 shows it." if result.revision else ""
        self.app.notify(", ".join(words) + "." + where)
        self.desks = {key: desk for key, desk in self.desks.items() if key != self.opened or result.waiting}

    def action_dismiss(self) -> None:
        """Drop a delta, after asking."""
        view = self._opened_view() or self._views.get(self.list.key or "")
        if view is None:
            return
        manager = self.workspace.manager
        body = lines(
            line("It leaves the queue; the log keeps that it was there. Its turns are pending as before."),
            heading("In it"),
            *(self._what_happens(view) or [line(view.entry.refused.message if view.entry.refused else "nothing")]),
        )

        def answered(confirmed: bool | None) -> None:
            if confirmed:
                self.perform(
                    "dismissing", lambda: manager.dismiss(view.id), lambda _: self.app.notify(f"{view.id} dismissed.")
                )

        self.app.push_screen(Confirm(f"Dismiss {view.id}?", body, key="D", verb="dismiss", danger=True), answered)

    def copied(self, snapshot: Snapshot, key: str) -> str:
        """The reply, or the operation's reason and words."""
        view = self._opened_view()
        if view is None:
            return self._views[key].entry.reply if key in self._views else key
        verdict = next((found for found in view.review.operations if found.at == key), None)
        return f"{key}: {verdict.verdict}, {verdict.message} {plainly(verdict)}" if verdict else key


def _refusal(verdict: Verdict, decision: Decision | None, *, several: bool) -> str:
    """Why a decision is not taken; empty where it is."""
    if verdict.verdict == "rejected" and decision is not None:
        return "rejected, which nobody can force." if decision == "accept" else "rejected already."
    if several and decision == "accept" and verdict.verdict == "held":
        return "held; a held one is accepted only singly."
    return ""
