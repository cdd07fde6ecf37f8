"""Pending: the queue; inside a delta its operations, decided one by one before anything is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, Literal

from textual import on
from textual.binding import BindingType

from inspector.keys import bind
from inspector.messages import HintsChanged
from inspector.panes.base import Hints, Pane
from inspector.panes.decisions import Desk, refusal
from inspector.panes.delta import (
    MODEL,
    delta_detail,
    foot,
    operation_row,
    prompts,
    queue_row,
    resulting,
    trimmed,
    what_happens,
)
from inspector.panes.operation import operation_detail, sizes
from inspector.screens.confirm import Confirm, Typed
from inspector.snapshot import Snapshot
from inspector.widgets.row_list import Cell, Row, RowList
from inspector.widgets.text import Doc, blank, changes, doc, heading, line
from inspector.wording import plainly
from inspector.workspace import Workspace
from memory_core.diff import diff
from memory_core.errors import ChangedError, MemoryCoreError
from memory_core.intents import IntentType
from memory_core.results import ApproveResult, PendingView
from memory_core.review.verdict import Decision, Review, Verdict

QUEUE = (Cell("waits", 6), Cell("verdicts", 13), Cell("because"))
OPERATIONS = (Cell(" #", 3), Cell("program", 10), Cell("you", 13), Cell("what it would do"))
VIEWS = (("o", "operation"), ("p", "result"), ("c", "next prompt"))


class PendingPane(Pane):
    """Deltas that wait. `enter` opens one; decisions are drafts until `A` applies them."""

    TITLE = "Pending"
    EMPTY = (
        "Nothing waits for a decision.",
        "",
        "This console shows what an agent remembers of this repository, and what it wants to remember next.",
        "A delta comes here when a summary is made in review mode (S makes one now), when a rule holds",
        "something back, or by memory-inspector propose FILE. enter then opens it, y and n decide, A applies.",
        "Nothing is written before you say so, and History (6) takes anything back.",
        "",
        "Begin with 2 Working for what was said, and with ? for the keys.",
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("y", "decide('accept')", "Accept", "pending.accept", "Pending", tip="Then on to the next undecided one."),
        bind(
            "n",
            "decide('turn_down')",
            "Turn down",
            "pending.turn_down",
            "Pending",
            tip="It is remembered as turned down.",
        ),
        bind("u", "decide('')", "Undecided", "pending.undecided", "Pending", tip="Takes the decision away again."),
        bind("z", "undo", "Undo a decision", "pending.undo", "Pending"),
        bind("Z", "redo", "Redo a decision", "pending.redo", "Pending"),
        bind("m", "note", "Note…", "pending.note", "Pending", tip="A note that is kept with the decision."),
        bind("o", "view('o')", "The operation", "pending.view_operation", "Pending"),
        bind("p", "view('p')", "The resulting document", "pending.view_document", "Pending"),
        bind("c", "view('c')", "The next prompt, before and after", "pending.view_prompt", "Pending"),
        bind("f", "fold", "Fold the checks that passed", "pending.fold", "Pending"),
        bind("A", "apply", "Apply…", "pending.apply", "Pending", tip="Lists what will be written, and asks once more."),
        bind("D", "dismiss", "Dismiss…", "pending.dismiss", "Pending", tip="Drops the whole delta, after asking."),
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
        """Judge every waiting delta against the new document, decisions carried over where they still hold (R4)."""
        if snapshot.settling and self.snapshot is not None:
            return
        before, self._views = self._views, {}
        for view in snapshot.pending:
            desk = self.desks.setdefault(view.id, Desk(dict(view.decisions), dict(view.notes)))
            judged = self.workspace.judged(view, snapshot, desk.decisions)
            known = before.get(view.id)
            if known is not None and known.review.base != judged.review.base:
                judged = self._carried(known, judged, snapshot)
            desk.keep_only(verdict.at for verdict in judged.review.operations)
            self._views[view.id] = judged
        self.desks = {key: desk for key, desk in self.desks.items() if key in self._views}
        if self.opened is not None and self.opened not in self._views:
            self.say(f"{self.opened} is no longer in the queue.")
            self._leave(None)
        super().show(snapshot)

    def _carried(self, known: PendingView, judged: PendingView, snapshot: Snapshot) -> PendingView:
        """The view with those decisions that still hold; what flipped is marked, and kept from hasty keys."""
        desk = self.desks[judged.id]
        changed = desk.carry_over(known.review, judged.review)
        if not changed:
            return judged
        if judged.id == self.opened:
            self.shift(changed)
            self.say(f"The file changed: {_counted(changed)} other now, marked !", warning=True)
        self._keep_draft(judged.id)
        return self.workspace.judged(judged, snapshot, desk.decisions)

    def _rejudge(self, delta_id: str) -> None:
        """Verdicts follow decisions (R3b)."""
        if self.snapshot is not None:
            desk = self.desks[delta_id]
            self._views[delta_id] = self.workspace.judged(self._views[delta_id], self.snapshot, desk.decisions)
            self._keep_draft(delta_id)
            self.redraw()

    def _keep_draft(self, delta_id: str) -> None:
        desk = self.desks[delta_id]
        self.workspace.drafts.keep(delta_id, desk.decisions, desk.notes, self._not_kept)

    def _not_kept(self, error: MemoryCoreError) -> None:
        words = (
            f"The draft of your decisions is not on disk: {error.message} They stand as long as this console is open."
        )
        self.app.notify(words, severity="warning", timeout=10)

    # Lists.

    def columns(self) -> tuple[Cell, ...]:
        """Those of the queue, or of a delta."""
        if self.opened is not None:
            return OPERATIONS
        return (*QUEUE, Cell("model", MODEL)) if self._named() else QUEUE

    def _named(self) -> bool:
        """Whether any delta of the queue tells its model."""
        return any(view.entry.model for view in self._views.values())

    def rows(self, snapshot: Snapshot) -> Sequence[Row]:
        """The queue, or the operations of the opened delta."""
        view = self._opened_view()
        if view is not None:
            desk = self.desks[view.id]
            return [operation_row(number, verdict, desk) for number, verdict in enumerate(view.review.operations, 1)]
        named = self._named()
        return [
            queue_row(
                entry,
                self.workspace.age_of(entry.entry.created_at),
                drafted=bool(self.desks[entry.id].decisions),
                named=named,
            )
            for entry in self._views.values()
        ]

    def foot(self, snapshot: Snapshot) -> Doc:
        """What would happen if applied now."""
        view = self._opened_view()
        if view is not None:
            return foot(view.review)
        waiting = len(self._views)
        return (line((f"{waiting} wait{'s' if waiting == 1 else ''}, the oldest first", "dim")),) if waiting else ()

    def own_hints(self) -> Hints:
        """Other keys in the queue than in a delta."""
        if self.opened is None:
            return (
                ("row.open", "open"),
                ("pending.apply", "apply…"),
                ("pending.dismiss", "dismiss…"),
                ("pane.filter", "filter"),
                ("pane.copy", "copy the reply"),
            )
        return (
            ("pending.accept", "accept"),
            ("pending.turn_down", "turn down"),
            ("pending.undecided", "undecided"),
            ("pending.undo", "undo"),
            ("pending.apply", "apply…"),
            ("pending.view_operation+pending.view_document+pending.view_prompt", "views"),
            ("pending.note", "note"),
            ("row.mark", "mark"),
            ("pane.back", "queue"),
        )

    def _opened_view(self) -> PendingView | None:
        return self._views.get(self.opened) if self.opened is not None else None

    def _view_at_cursor(self) -> PendingView | None:
        return self._opened_view() or self._views.get(self.list.key or "")

    # Details.

    def detail(self, snapshot: Snapshot, key: str | None) -> Doc:
        """The delta, or one of three views of its operation."""
        view = self._opened_view()
        if view is None:
            found = self._views.get(key or "")
            return delta_detail(found, self.workspace.age_of(found.entry.created_at)) if found else self.empty()
        parts = [(f"{mode} {name}", "title" if mode == self.mode else "dim") for mode, name in VIEWS]
        bar = line(parts[0], "   ", parts[1], "   ", parts[2])
        return doc(bar, blank(), self._view(snapshot, view, key))

    def _view(self, snapshot: Snapshot, view: PendingView, key: str | None) -> Doc:
        manager, review = self.workspace.manager, view.review
        if self.mode == "p":
            return resulting(review, snapshot.document, manager.policy.limits)
        if self.mode == "c":
            before = manager.context_of(snapshot.document, IntentType.GENERAL_CHAT)
            return prompts(before, manager.context_of(review.document, IntentType.GENERAL_CHAT))
        desk = self.desks[view.id]
        for number, verdict in enumerate(review.operations, 1):
            if verdict.at == key:
                note, cleared = desk.notes.get(verdict.at, ""), desk.cleared.get(verdict.at, "")
                return operation_detail(
                    verdict, number, review, snapshot.document, note=note, cleared=cleared, folded=self.folded
                )
        return ()

    # Opening and leaving.

    def open(self, key: str) -> None:
        """Open a delta, or the detail of an operation."""
        if self.opened is not None or key not in self._views or self._views[key].entry.refused is not None:
            super().open(key)
            return
        if not self._views[key].review.operations:
            self.say("There is no operation in it; D dismisses it.")
            return
        self.opened = key
        self.list.can_mark = True
        self.list.marked.clear()
        self._forget_marks()
        self.redraw()
        wanted = self._row_of.get(key)
        self.list.select(wanted if wanted in {row.key for row in self.list.rows} else self.list.rows[0].key)
        self.detail_view.scroll_home(animate=False)

    def _forget_marks(self) -> None:
        self.filter_text = ""
        self.visited()

    def _leave(self, key: str | None) -> None:
        """Back to the queue."""
        self.opened = None
        self.list.can_mark = False
        self.list.marked.clear()
        self._forget_marks()
        self.switched = True
        if self.snapshot is not None and key is not None:
            self.redraw()
            self.list.select(key)
        self.post_message(HintsChanged())

    def action_back(self) -> None:
        """From the detail to the operations, from the operations to the queue."""
        if self.opened is None or self.has_class("zoomed") or not self.list.has_focus or self.filter_text:
            super().action_back()
            return
        if self.list.key is not None:
            self._row_of[self.opened] = self.list.key
        self._leave(self.opened)

    def close_one(self) -> bool:
        """`q` leads from a delta to the queue, and quits there."""
        if super().close_one():
            return True
        if self.opened is None:
            return False
        self._clear_filter()
        self.list.focus()
        self.action_back()
        return True

    # Deciding.

    def action_decide(self, word: str) -> None:
        """Decide on the marked operations, or on this one; then go on to the next undecided one."""
        view, key = self._opened_view(), self.list.key
        if view is None or key is None:
            self.say("Open a delta with enter, then decide on its operations.")
            return
        marked = [verdict.at for verdict in view.review.operations if verdict.at in self.list.marked]
        chosen = marked or [key]
        hasty = [at for at in chosen if self.just_shifted(at)]
        if hasty:
            self.say(f"{', '.join(hasty)} changed just now; look again, then decide.", warning=True)
            return
        decision: Decision | None = "accept" if word == "accept" else ("turn_down" if word == "turn_down" else None)
        verdicts = {verdict.at: verdict for verdict in view.review.operations}
        taken: dict[str, Decision | None] = {}
        for at in chosen:
            why_not = refusal(verdicts[at], decision, several=bool(marked))
            if why_not:
                self.say(f"{at}: {why_not}", warning=True)
            else:
                taken[at] = decision
        if not taken:
            return
        self.desks[view.id].decide(taken)
        self.list.marked.clear()
        self._rejudge(view.id)
        if decision is not None:
            self._next_undecided(view.id, chosen[-1])

    def _next_undecided(self, delta_id: str, key: str) -> None:
        operations = self._views[delta_id].review.operations
        places = [verdict.at for verdict in operations]
        start = places.index(key) + 1 if key in places else 0
        for verdict in (*operations[start:], *operations[:start]):
            if verdict.decision is None and verdict.verdict != "rejected":
                self.list.select(verdict.at)
                return
        self.say("Every operation is decided; A applies.")

    def action_undo(self) -> None:
        """Take the last decision back."""
        self._step("undo")

    def action_redo(self) -> None:
        """Take the last undone decision again."""
        self._step("redo")

    def _step(self, name: Literal["undo", "redo"]) -> None:
        view = self._opened_view()
        if view is None:
            self.say("Open a delta with enter; z and Z go back and forth in its decisions.")
            return
        desk = self.desks[view.id]
        before = dict(desk.decisions)
        if not (desk.undo() if name == "undo" else desk.redo()):
            self.say(f"There is nothing to {name}.")
            return
        self._rejudge(view.id)
        touched = [at for at in before.keys() | desk.decisions.keys() if before.get(at) != desk.decisions.get(at)]
        if len(touched) == 1:
            self.list.select(touched[0])

    @on(RowList.Marked)
    def _marked(self, event: RowList.Marked) -> None:
        event.stop()
        count = len(self.list.marked)
        if count:
            self.app.notify(f"{count} marked: y, n, u act on all of them; held ones are accepted singly.", timeout=2)

    def action_fold(self) -> None:
        """Fold or unfold the checks that passed."""
        self.folded = not self.folded
        self.draw_detail()

    def action_view(self, mode: str) -> None:
        """The operation, the resulting document, or the next prompt."""
        if self.opened is None:
            self.say("Open a delta with enter; o, p and c are three views of it.")
            return
        self.mode = mode
        self.detail_view.scroll_home(animate=False)
        self.draw_detail()

    def action_note(self) -> None:
        """Write a note on the operation."""
        view, key = self._opened_view(), self.list.key
        if view is None or key is None:
            return
        desk = self.desks[view.id]
        verdict = next(found for found in view.review.operations if found.at == key)

        def answered(words: str | None) -> None:
            if words is None or view.id not in self._views:
                return
            if words:
                desk.notes[key] = words
            else:
                desk.notes.pop(key, None)
            self._keep_draft(view.id)
            self.redraw()

        body = (line((plainly(verdict), "strong")),)
        self.app.push_screen(
            Typed(
                f"Note on {key}",
                body,
                value=desk.notes.get(key, ""),
                hint="kept with the decision; empty takes it away",
            ),
            answered,
        )

    # Applying.

    def action_apply(self) -> None:
        """Show in full what will be written, and ask once."""
        view = self._view_at_cursor()
        if view is None or self.snapshot is None or not self.may_write():
            return
        if view.entry.refused is not None:
            self.say("A refused reply has nothing to apply; D dismisses it.", warning=True)
            return
        if not any(verdict.effective != "wait" for verdict in view.review.operations):
            self.say("Everything in it is held and waits for your decision; enter opens it.", warning=True)
            return
        review = view.review
        now = diff(self.snapshot.document, review.document)
        body = doc(
            what_happens(view),
            blank(),
            sizes("bytes", review.bytes.before, review.bytes.after, review.bytes.hard),
            trimmed(review),
            heading("Written to memory.json"),
            changes(now, nothing="Nothing: the document stays as it is; the delta is closed."),
        )

        def answered(answer: str | None) -> None:
            if answer:
                self._apply(view)

        self.app.push_screen(Confirm(f"Apply {view.id}?", body, "pending.apply", "apply this"), answered)

    def _apply(self, view: PendingView) -> None:
        manager, desk = self.workspace.manager, self.desks.get(view.id, Desk())
        decisions, notes, review = dict(view.decisions), dict(desk.notes), view.review
        self.perform(
            f"applying {view.id}",
            lambda: manager.approve(view.id, decisions, seen=review, notes=notes),
            lambda result: self._applied(view.id, result),
            failed=lambda error: self._changed(view, error),
        )

    def _applied(self, delta_id: str, result: object) -> None:
        if not isinstance(result, ApproveResult):
            return
        words = [f"{len(result.applied)} written"]
        words += [f"{len(result.turned_down)} turned down"] if result.turned_down else []
        words += [f"{len(result.waiting)} go on waiting"] if result.waiting else []
        where = f" Revision {result.revision}: 6 shows it and takes it back." if result.revision else ""
        self.say(", ".join(words) + "." + where)
        if delta_id in self.desks:
            self.desks[delta_id] = Desk()

    def _changed(self, view: PendingView, error: MemoryCoreError) -> bool:
        """The file changed since the preview: nothing was written, and what flipped is marked (R4)."""
        if not isinstance(error, ChangedError) or not isinstance(error.review, Review) or view.id not in self._views:
            return False
        desk = self.desks[view.id]
        changed = desk.carry_over(view.review, error.review)
        self._views[view.id] = replace(view, review=error.review, decisions=dict(view.decisions))
        self._keep_draft(view.id)
        flipped = (
            f"{_counted(changed)} other now, marked !" if changed else "No operation flipped; A shows the new preview."
        )
        self.app.notify(
            f"Nothing was written. {flipped}", title="The file changed meanwhile", severity="error", timeout=12
        )
        if self.opened == view.id and changed:
            self.shift(changed)
            self.redraw()
            self.list.select(changed[0])
        return True

    def action_dismiss(self) -> None:
        """Drop a delta, after asking; a note may say why."""
        view = self._view_at_cursor()
        if view is None or not self.may_write():
            return
        refused = view.entry.refused
        body = doc(
            line("The whole delta leaves the queue, undecided operations too. Nothing is written to memory.json."),
            line(("The log keeps that it was there. Its turns are pending as before.", "dim")),
            heading("In it"),
            line((refused.message, "bad"))
            if refused
            else tuple(
                line(f"  {plainly(verdict)}", (f"   {verdict.verdict}", "dim"), hang=4)
                for verdict in view.review.operations
            ),
        )

        def answered(answer: str | None) -> None:
            if answer == "pending.dismiss":
                self._dismiss(view.id, "")
            elif answer:
                self.app.push_screen(Typed(f"Why is {view.id} dismissed?", hint="a note for the log"), noted)

        def noted(words: str | None) -> None:
            if words is not None:
                self._dismiss(view.id, words)

        self.app.push_screen(
            Confirm(
                f"Dismiss {view.id}?", body, "pending.dismiss", "dismiss", danger=True,
                others=(("pending.note", "dismiss with a note…"),),
            ),
            answered,
        )  # fmt: skip

    def _dismiss(self, delta_id: str, note: str) -> None:
        manager = self.workspace.manager
        self.perform(
            f"dismissing {delta_id}",
            lambda: manager.dismiss(delta_id, note=note),
            lambda _: self.say(f"{delta_id} is dismissed."),
        )

    def copied(self, snapshot: Snapshot, key: str) -> str:
        """The reply, or the operation's words, reason and evidence."""
        view = self._opened_view()
        if view is None:
            return self._views[key].entry.reply if key in self._views else key
        verdict = next((found for found in view.review.operations if found.at == key), None)
        return _words_of(verdict) if verdict else key


def _words_of(verdict: Verdict) -> str:
    summary = str((verdict.after or {}).get("summary", ""))
    parts = [f"{verdict.at}: {plainly(verdict)}", summary, f"{verdict.verdict}: {verdict.message}"]
    parts += [f"“{found.quote}” ({found.turn_id})" for found in verdict.evidence]
    return "\n".join(part for part in parts if part)


def _counted(changed: Sequence[str]) -> str:
    return "1 operation is" if len(changed) == 1 else f"{len(changed)} operations are"
