"""`MemoryManager`: the one door of an agent, and of the console's workspace, into memory.

What an agent calls never raises for a memory fault (I4); what a person calls raises from `memory_core.errors`.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from memory_core.clock import Clock, Ids, RandomIds, SystemClock
from memory_core.codec import LoadResult
from memory_core.configuration import Configuration, load_files
from memory_core.document import ItemStatus, MemoryDocument, RecentTurn
from memory_core.errors import MemoryCoreError
from memory_core.flows.workbench import AGENT_WAIT, PERSON_WAIT, Workbench, rejected_text
from memory_core.intents import IntentType, allows_memory, parse_intent
from memory_core.policy import Policy
from memory_core.storage.layout import Layout
from memory_core.storage.store import MemoryStore

# What only some calls need is imported by them, so that looking at memory starts quickly.
if TYPE_CHECKING:
    from memory_core.context import MemoryContext
    from memory_core.flows.rejudge import Rejudged
    from memory_core.flows.summarise import AskedBy
    from memory_core.results import (
        ApproveResult,
        DiffResult,
        ItemResult,
        PendingView,
        ProfileResult,
        Proposal,
        RecordResult,
        ResetPreview,
        ResetResult,
        RevertPreview,
        RevisionResult,
        SummaryResult,
    )
    from memory_core.review.verdict import Decisions, Review
    from memory_core.storage.history import Revision
    from memory_core.storage.pending import PendingDelta
    from memory_core.summary.scheduler import MemorySummaryScheduler
    from memory_core.summary.summarizer import MemorySummarizer
    from memory_core.summary.triggers import Trigger

logger = logging.getLogger("memory_core")
logger.addHandler(logging.NullHandler())  # an embedding program decides where this goes; nothing is printed unasked


class MemoryManager:
    """Memory of one repository. `repo_root` is the folder that holds, or will hold, `.autopatch-j/`.

    Without a policy the policy files or the defaults count, without a summariser the one that they name. Nothing
    is created on disk before the first turn is recorded, no thread before the first summary is due.
    """

    def __init__(
        self,
        repo_root: str | Path,
        *,
        policy: Policy | None = None,
        summarizer: MemorySummarizer | None = None,
        clock: Clock | None = None,
        ids: Ids | None = None,
        configuration: Configuration | None = None,
        make_summarizer: Callable[[Configuration], MemorySummarizer] | None = None,
    ) -> None:
        root = Path(repo_root).absolute()
        self.configuration = configuration or load_files(root)
        if policy is not None:
            self.configuration = self.configuration.with_policy(policy)
        chosen = self.configuration.policy
        clock, ids = clock or SystemClock(), ids or RandomIds()
        self._bench = Workbench(
            root=root,
            store=MemoryStore(Layout(root), policy=chosen, clock=clock, ids=ids),
            configuration=self.configuration,
            clock=clock,
            ids=ids,
            known_secrets=self.configuration.secrets,
        )
        self._summarizer = summarizer
        self._given = summarizer is not None
        self.last_summary: SummaryResult | None = None
        self._make_summarizer = make_summarizer
        self._starting = threading.Lock()
        self._scheduler: MemorySummaryScheduler | None = None
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # What an agent calls: never raises for a memory fault (I4).

    def record_turn(
        self,
        intent: IntentType | str,
        *,
        user_text: str,
        assistant_text: str,
        scope_paths: Sequence[str] = (),
        summarise: bool = True,
    ) -> RecordResult:
        """Record one ordinary question and its answer; a summary that is due runs in the background afterwards.

        A repair intent, or an unknown one, changes nothing (I2, I2b). `reason` says why nothing was recorded;
        without `summarise` no summary is started.
        """
        from memory_core.flows import record
        from memory_core.results import RecordResult

        known = parse_intent(intent)
        if known is None or not allows_memory(known):
            return RecordResult(False, None, "intent_not_remembered")
        try:
            turn, document, trimmed = record.record(
                self._bench, known, user_text, assistant_text, scope_paths, wait=AGENT_WAIT
            )
        except MemoryCoreError as error:
            logger.warning("turn not recorded: %s", error.message)
            return RecordResult(False, None, error.code)
        except Exception:
            logger.exception("turn not recorded")
            return RecordResult(False, None, "internal_fault")
        trigger, waiting = None, 0
        try:
            trigger = self.due(document, turn)
            waiting = len(self._bench.store.pending.ids())
            if trigger is not None and summarise:
                self._submit(trigger)
        except Exception:
            logger.exception("no summary was started")
        return RecordResult(True, turn.id, "", trigger, trimmed, waiting)

    def context(self, intent: IntentType | str, question: str = "") -> MemoryContext:
        """What memory adds to the next prompt; empty for an intent that may not read (I1)."""
        from memory_core.context import MemoryContext

        try:
            document = self.load().document if allows_memory(intent) else MemoryDocument()
            return self.context_of(document, intent, question)
        except Exception:
            logger.exception("no memory context")
            return MemoryContext(str(intent), False, "", 0, 0, ())

    def context_of(self, document: MemoryDocument, intent: IntentType | str, question: str = "") -> MemoryContext:
        """The context that another document would give, such as a previewed one."""
        from memory_core.context import MemoryContextBuilder

        builder = MemoryContextBuilder(self.policy)
        return builder.build(document, intent, question, now=self._bench.now(), objection=rejected_text)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until no summary runs, at most `timeout` seconds; whether it is so."""
        return self._scheduler is None or self._scheduler.wait(timeout)

    def close(self) -> None:
        """Stop the background; waits for no retry and no model."""
        self._closed = True
        if self._scheduler is not None:
            self._scheduler.close()
        try:
            if self._summarizer is not None:
                self._summarizer.cancel()
        except Exception:
            logger.exception("the summariser could not be cancelled")

    def _submit(self, trigger: Trigger) -> None:
        """Start a summary in the background, unless one runs or memory is closed (U4)."""
        from memory_core.summary.scheduler import MemorySummaryScheduler

        with self._starting:
            if self._scheduler is None and not self._closed:
                self._scheduler = MemorySummaryScheduler(self._run_in_background)
        if self._scheduler is not None:
            self._scheduler.submit(trigger)

    def _run_in_background(self, trigger: Trigger) -> None:
        """One run in the scheduler's thread; whatever goes wrong is on record for the console (I4, U6)."""
        from memory_core.reply import ReplyReason
        from memory_core.results import SummaryResult

        try:
            self.last_summary = self.summarize(trigger)
        except MemoryCoreError as error:
            logger.warning("no summary: %s", error.message)
            self._bench.store.log.append("summary_failed", error.message, code=error.code, hint=error.hint)
            self.last_summary = SummaryResult("failed", reason=ReplyReason(error.code, error.message, error.hint))
        except BaseException as error:  # the thread's edge: a model's SystemExit ends no program that embeds us
            logger.exception("the summary broke")
            message = f"The summary broke: {type(error).__name__}."
            self._bench.store.log.append("fault", message)
            self.last_summary = SummaryResult("failed", reason=ReplyReason("internal_fault", message))

    # Looking.

    @property
    def policy(self) -> Policy:
        """The policy in force."""
        return self._bench.policy

    @property
    def root(self) -> Path:
        """The repository's root."""
        return self._bench.root

    @property
    def store(self) -> MemoryStore:
        """The repository's store: its log, backups, queue and history."""
        return self._bench.store

    @property
    def busy(self) -> bool:
        """Whether a summary runs in the background."""
        return self._scheduler is not None and self._scheduler.running

    def load(self) -> LoadResult:
        """The document and what is wrong with its file; creates nothing (S1-S4)."""
        return self._bench.store.load()

    def due(self, document: MemoryDocument, turn: RecentTurn) -> Trigger | None:
        """Which trigger makes a summary due after that turn, if any (T1-T7)."""
        from memory_core.summary.triggers import due

        return due(
            document,
            turn,
            limits=self.policy.limits,
            signals=self.policy.signals,
            size=self._bench.store.load().bytes.size,
            claimed=self.claimed_turns(),
            given_up=self.given_up_turns(),
            root=self._bench.root,
        )

    def claimed_turns(self) -> frozenset[str]:
        """Turns whose delta waits in the queue (T7)."""
        from memory_core.flows import summarise

        return summarise.claimed_turns(self._bench.store.pending.list())

    def given_up_turns(self) -> frozenset[str]:
        """Turns that are no longer sent by themselves (T7)."""
        from memory_core.flows import summarise

        return summarise.given_up_turns(self._bench.store.attempts())

    def pending(self) -> tuple[PendingView, ...]:
        """The queue, oldest first, each delta judged against the document of now (R2, R4c)."""
        from memory_core.flows import review as reviewing

        loaded = self.load()
        entries = self._bench.store.pending.list()
        return tuple(reviewing.view(self._bench, entry, loaded.document, loaded.sha256, None) for entry in entries)

    def review(self, delta_id: str, decisions: Decisions | None = None) -> PendingView:
        """One queued delta judged against the document of now, with these decisions or the drafted ones (R3b)."""
        from memory_core.flows import review as reviewing

        loaded = self.load()
        entry = self._bench.store.pending.get(delta_id)
        return reviewing.view(self._bench, entry, loaded.document, loaded.sha256, decisions)

    def view_of(self, entry: PendingDelta, loaded: LoadResult) -> PendingView:
        """One queued delta judged against what was loaded, with the drafted decisions."""
        from memory_core.flows import review as reviewing

        return reviewing.view(self._bench, entry, loaded.document, loaded.sha256, None)

    def history(self) -> tuple[Revision, ...]:
        """Every revision, oldest first."""
        return self._bench.store.history.list()

    def diff(self, a: str | int | None = None, b: str | int | None = None) -> DiffResult:
        """Compare two documents: revision numbers, `current`, `pending:ID` or `empty` (R5)."""
        from memory_core.flows import revise

        first, second = revise.default_comparison(self._bench)
        return revise.compare(self._bench, first if a is None else a, second if b is None else b)

    def document_at(self, reference: str | int) -> MemoryDocument:
        """The document that a reference of `diff` names."""
        from memory_core.flows import revise

        return revise.document_at(self._bench, reference)

    def plan(self, reply: str | bytes, *, finish_reason: str | None = None) -> Review:
        """Judge a model's reply against the document of now; writes nothing."""
        from memory_core.flows import review as reviewing

        return reviewing.plan(self._bench, reply, finish_reason=finish_reason)

    def rejudge(self, policy: Policy) -> Rejudged:
        """Which verdicts of the history and the queue would be others under another policy; writes nothing."""
        from memory_core.flows import rejudge as rejudging

        return rejudging.rejudge(self._bench, policy)

    def preview_revert(self, seq: int) -> RevertPreview:
        """What taking one revision back would change."""
        from memory_core.flows import revise

        return revise.preview_revert(self._bench, seq)

    def preview_reset(self) -> ResetPreview:
        """What a reset or a purge would remove (R6)."""
        from memory_core.flows import revise

        return revise.preview_reset(self._bench, in_flight=self.busy)

    # What a person calls: raises from `memory_core.errors`.

    def summarize(
        self,
        trigger: Trigger | None = None,
        *,
        asked_by: AskedBy = "agent",
        summarizer: MemorySummarizer | None = None,
        dry_run: bool = False,
    ) -> SummaryResult:
        """One summary now, in the caller's thread."""
        from memory_core.flows import summarise

        return summarise.summarise(
            self._bench, summarizer or self.summarizer, trigger, asked_by=asked_by, dry_run=dry_run
        )

    @property
    def summarizer(self) -> MemorySummarizer:
        """The summariser given, else the one that the configuration names (U3)."""
        from memory_core.summary.backends.choose import from_configuration

        if self._summarizer is None:
            self._summarizer = (self._make_summarizer or from_configuration)(self.configuration)
        return self._summarizer

    def cancel_summary(self) -> None:
        """Give up the summary that is under way; the next one starts afresh (U6)."""
        summarizer = self._summarizer
        if summarizer is None:
            return
        summarizer.cancel()
        if not self._given:
            self._summarizer = None

    def propose(self, reply: str | bytes, *, finish_reason: str | None = None) -> Proposal:
        """Put a reply into the queue, also one that is refused; applies nothing (R4c)."""
        from memory_core.flows import review as reviewing

        return reviewing.propose(self._bench, reply, finish_reason=finish_reason)

    def approve(
        self,
        delta_id: str,
        decisions: Decisions,
        base: str | None = None,
        *,
        seen: Review | None = None,
        notes: Mapping[str, str] | None = None,
    ) -> ApproveResult:
        """Apply a queued delta as decided, exactly as previewed, or not at all (R3b, R4, R4b)."""
        from memory_core.flows import review as reviewing

        return reviewing.approve(self._bench, delta_id, decisions, base=base, seen=seen, notes=notes)

    def save_draft(self, delta_id: str, decisions: Decisions, notes: Mapping[str, str]) -> None:
        """Keep decisions that are not applied yet."""
        from memory_core.flows import review as reviewing

        reviewing.save_draft(self._bench, delta_id, decisions, notes)

    def dismiss(self, delta_id: str, *, note: str = "") -> str:
        """Drop a queued delta, with a record (R4c)."""
        from memory_core.flows import review as reviewing

        return reviewing.dismiss(self._bench, delta_id, note=note)

    def restore(self, seq: int) -> RevisionResult:
        """Make a revision the document again, byte for byte (R5)."""
        from memory_core.flows import revise

        return revise.restore(self._bench, seq)

    def revert(self, seq: int, *, base: str | None = None) -> RevisionResult:
        """Take one revision back (R5)."""
        from memory_core.flows import revise

        return revise.revert(self._bench, seq, base=base)

    def reset(self, purge: bool = False) -> ResetResult:
        """Clear memory; `purge` removes history and backups too (R6)."""
        from memory_core.flows import revise

        return revise.reset(self._bench, purge=purge)

    def set_status(self, item_id: str, status: ItemStatus) -> ItemResult:
        """Set a long-term item active or inactive (R7)."""
        from memory_core.flows import items

        return items.set_status(self._bench, item_id, status)

    def forget(self, item_id: str, *, everywhere: bool = False) -> ItemResult:
        """Take a long-term item out of memory (R7)."""
        from memory_core.flows import items

        return items.forget(self._bench, item_id, everywhere=everywhere)

    def collect_profile(self, write: bool = False) -> ProfileResult:
        """The repo profile as the build files state it; `write` stores it as a revision where it differs (P2c)."""
        from memory_core.flows import profile

        if write:
            return profile.refresh_profile(self._bench, wait=PERSON_WAIT)
        return profile.collect(self._bench)

    def recover(self) -> str | None:
        """Set a corrupt file aside so that memory can be written again; the backup's name (S2)."""
        with self._bench.store.transaction(wait=PERSON_WAIT) as transaction:
            return transaction.set_aside()
