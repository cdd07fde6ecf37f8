"""One summary run: payload, model, parser, judge, queue or write (U1-U6, R1, S7)."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from memory_core.clock import make_id
from memory_core.delta import MemoryDeltaParser, ParsedReply
from memory_core.document import RecentTurn
from memory_core.errors import EndpointError, WriteError
from memory_core.flows.closing import apply_by_itself
from memory_core.flows.profile import refresh_profile
from memory_core.flows.workbench import AGENT_WAIT, PERSON_WAIT, Workbench
from memory_core.policy import Mode
from memory_core.reply import ReplyReason
from memory_core.results import SummaryResult, SummaryStatus
from memory_core.review.applier import MemoryDeltaApplier
from memory_core.storage.pending import PendingDelta
from memory_core.storage.transaction import Transaction
from memory_core.summary.summarizer import MemorySummarizer, ModelReply, build_payload
from memory_core.summary.triggers import GIVE_UP_AFTER, Trigger

logger = logging.getLogger("memory_core")

AskedBy = Literal["agent", "person"]


def mode_of(bench: Workbench, asked_by: AskedBy) -> Mode:
    """The mode in force: the policy's word, else `auto` for an agent and `review` for a person (R1)."""
    if bench.configuration.broken:
        return "review"
    return bench.policy.mode or ("auto" if asked_by == "agent" else "review")


def claimed_turns(entries: tuple[PendingDelta, ...]) -> frozenset[str]:
    """Turns whose delta waits in the queue, and that are not sent again meanwhile (T7)."""
    return frozenset(turn for entry in entries for turn in entry.claims)


def given_up_turns(attempts: Mapping[str, int]) -> frozenset[str]:
    """Turns that are no longer sent by themselves (T7)."""
    return frozenset(turn for turn, failures in attempts.items() if failures >= GIVE_UP_AFTER)


@dataclass(frozen=True, slots=True)
class _Run:
    """What is fixed before the model is asked."""

    generation: str
    batch: tuple[RecentTurn, ...]
    trigger: str
    model: str
    mode: Mode
    asked_by: AskedBy

    @property
    def wait(self) -> float:
        return AGENT_WAIT if self.asked_by == "agent" else PERSON_WAIT


def summarise(
    bench: Workbench,
    summarizer: MemorySummarizer,
    trigger: Trigger | None,
    *,
    asked_by: AskedBy,
    dry_run: bool = False,
) -> SummaryResult:
    """Run one summary now. Raises `StateError`s; a failed or refused reply is a result, on record (U6)."""
    if not dry_run:
        _refresh_profile(bench, wait=AGENT_WAIT if asked_by == "agent" else PERSON_WAIT)
    generation = bench.store.generation()  # before the document: a reset in between then discards the run (U5)
    document = bench.readable()
    given_up = given_up_turns(bench.store.attempts()) if asked_by == "agent" else frozenset()
    payload = build_payload(
        document,
        trigger,
        claimed=claimed_turns(bench.store.pending.list()),
        given_up=given_up,
        limits=bench.policy.limits,
    )
    if payload is None:
        return SummaryResult("nothing_due", model=summarizer.name)
    run = _Run(
        generation=generation,
        batch=payload.turns,
        trigger=str(trigger or "asked"),
        model=summarizer.name,
        mode=mode_of(bench, asked_by),
        asked_by=asked_by,
    )
    try:
        reply = summarizer.summarize(payload)
    except EndpointError as error:
        return _failed(bench, run, error, dry_run=dry_run)
    except Exception as error:  # the embedding program's own model: its faults are failed summaries like any other
        logger.exception("the summariser broke")
        fault = EndpointError(f"The summariser broke: {type(error).__name__}.", code="summariser_fault")
        return _failed(bench, run, fault, dry_run=dry_run)
    reply = replace(reply, text=bench.masked(reply.text))
    parsed = _parse(reply)
    if dry_run:
        loaded = bench.store.load()
        review = MemoryDeltaApplier.judge_reply(
            loaded.document,
            parsed,
            bench.policy,
            bench.judge_context(run.batch, loaded.document),
            base=loaded.sha256,
        )
        return SummaryResult("dry_run", None, parsed.reason, review, model=run.model, url=reply.url)
    return _settle(bench, run, reply, parsed)


def _refresh_profile(bench: Workbench, *, wait: float) -> None:
    """A profile without room is on record and stops no summary, which may make room (P2c, D6)."""
    try:
        refresh_profile(bench, wait=wait)
    except WriteError as error:
        if error.code != "no_room":
            raise
        bench.store.log.append("profile_left_out", error.message, code=error.code, hint=error.hint)


def _parse(reply: ModelReply) -> ParsedReply:
    if reply.refused is not None:
        return ParsedReply(None, reply.refused, reply.remarks)
    parsed = MemoryDeltaParser.parse(reply.text, finish_reason=reply.finish_reason, token_limit=reply.token_limit)
    return replace(parsed, remarks=(*reply.remarks, *parsed.remarks))


def _failed(bench: Workbench, run: _Run, error: EndpointError, *, dry_run: bool) -> SummaryResult:
    reason = ReplyReason(error.code, bench.masked(error.message), bench.masked(error.hint))
    if not dry_run:
        with bench.store.transaction(wait=run.wait) as transaction:
            _count_failure(bench, transaction, run.batch)
        bench.store.log.append("summary_failed", reason.message, code=reason.code, model=run.model, hint=reason.hint)
    return SummaryResult("failed", None, reason, None, model=run.model)


def _settle(bench: Workbench, run: _Run, reply: ModelReply, parsed: ParsedReply) -> SummaryResult:
    """Judge under the lock against the document of now, and queue or write (S7, U5)."""
    with bench.store.transaction(wait=run.wait) as transaction:
        if not transaction.is_current(run.generation):
            bench.store.log.append("summary_discarded", "A reset came while the model was asked.", model=run.model)
            return SummaryResult("discarded", None, None, None, model=run.model, url=reply.url)
        document = transaction.loaded.document
        context = bench.judge_context(run.batch, document)
        review = MemoryDeltaApplier.judge_reply(document, parsed, bench.policy, context, base=transaction.loaded.sha256)
        entry = PendingDelta(
            id=make_id("delta", bench.now(), bench.store.marks()),
            created_at=context.proposed_at,
            generation=transaction.generation,
            trigger=run.trigger,
            model=run.model,
            origin=run.asked_by,
            reply=reply.text,
            finish_reason=reply.finish_reason,
            delta_sha=review.delta,
            context=replace(context, ids=review.ids),
            refused=parsed.reason,
            remarks=reply.remarks,
            claims=tuple(turn.id for turn in run.batch),
            reserved=review.marks,
        )
        usable = any(verdict.verdict != "rejected" for verdict in review.operations)
        if not usable:
            _count_failure(bench, transaction, run.batch)
        if parsed.delta is not None and not review.operations:
            return SummaryResult("nothing_to_do", None, None, review, model=run.model, url=reply.url)
        if usable and run.mode == "auto" and review.changes:
            rest = apply_by_itself(transaction, entry, review, at=context.proposed_at)
            return SummaryResult("applied", rest, None, review, model=run.model, url=reply.url)
        queued = transaction.enqueue(entry if usable else replace(entry, claims=(), usable=False))
        status: SummaryStatus = "queued" if parsed.delta is not None else "refused"
        return SummaryResult(status, queued.id, parsed.reason, review, model=run.model, url=reply.url)


def _count_failure(bench: Workbench, transaction: Transaction, batch: tuple[RecentTurn, ...]) -> None:
    attempts = bench.store.attempts()
    transaction.set_attempts({turn.id: attempts.get(turn.id, 0) + 1 for turn in batch})
