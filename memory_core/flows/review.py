"""The queue and the person: show, decide, apply, dismiss (R2-R4c)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from memory_core.clock import iso, make_id
from memory_core.delta import MemoryDeltaParser, ParsedReply
from memory_core.document import MemoryDocument
from memory_core.errors import ChangedError, CorruptError, GenerationError, InputError, RefusedReplyError
from memory_core.flows.closing import close
from memory_core.flows.workbench import PERSON_WAIT, Workbench
from memory_core.results import ApproveResult, PendingView, Proposal
from memory_core.review.applier import MemoryDeltaApplier, pending_batch
from memory_core.review.verdict import Decision, Decisions, JudgeContext, Review
from memory_core.storage.history import QueueChange
from memory_core.storage.pending import Draft, PendingDelta
from memory_core.storage.transaction import Transaction


def plan(bench: Workbench, reply: str | bytes, *, finish_reason: str | None = None) -> Review:
    """Judge a reply against the document of now; writes nothing."""
    document = bench.readable()
    loaded = bench.store.load()
    parsed = MemoryDeltaParser.parse(masked_reply(bench, reply), finish_reason=finish_reason)
    context = bench.judge_context(pending_batch(document), document)
    return MemoryDeltaApplier.judge_reply(document, parsed, bench.policy, context, base=loaded.sha256)


def masked_reply(bench: Workbench, reply: str | bytes) -> str | bytes:
    """The reply as it may be shown and kept: without recognised secrets (D8); bytes that are no text stay."""
    text = reply.decode("utf-8", errors="replace") if isinstance(reply, bytes) else reply
    masked = bench.masked(text)
    return reply if masked == text else masked


def propose(bench: Workbench, reply: str | bytes, *, finish_reason: str | None = None) -> Proposal:
    """Put a reply into the queue, also one that was refused; applies nothing. Raises `StateError`s."""
    text = reply.decode("utf-8", errors="replace") if isinstance(reply, bytes) else reply
    masked = bench.masked(text)
    parsed = MemoryDeltaParser.parse(reply if masked == text else masked, finish_reason=finish_reason)
    with bench.store.transaction(wait=PERSON_WAIT) as transaction:
        document = transaction.loaded.document
        context = bench.judge_context(pending_batch(document), document)
        review = MemoryDeltaApplier.judge_reply(document, parsed, bench.policy, context, base=transaction.loaded.sha256)
        usable = any(verdict.verdict != "rejected" for verdict in review.operations)
        entry = transaction.enqueue(
            PendingDelta(
                id=make_id("delta", bench.now(), bench.store.marks()),
                created_at=context.proposed_at,
                generation=transaction.generation,
                trigger=None,
                model="",
                origin="propose",
                reply=masked,
                finish_reason=finish_reason,
                delta_sha=review.delta,
                context=replace(context, ids=review.ids),
                refused=parsed.reason,
                claims=tuple(turn.id for turn in context.batch) if usable else (),
                usable=usable,
                reserved=review.marks,
            )
        )
    return Proposal(entry.id, review)


def parsed_reply(entry: PendingDelta) -> ParsedReply:
    """What the kept reply parses to; a refusal keeps the reason that it came with."""
    if entry.refused is not None:
        return ParsedReply(None, entry.refused, entry.remarks)
    parsed = MemoryDeltaParser.parse(entry.reply, finish_reason=entry.finish_reason)
    return replace(parsed, remarks=(*entry.remarks, *parsed.remarks))


def judging_context(entry: PendingDelta) -> JudgeContext:
    """The context frozen with the delta, without the places that an earlier application closed."""
    return replace(entry.context, closed=frozenset(entry.closed))


def view(
    bench: Workbench, entry: PendingDelta, document: MemoryDocument, base: str, decisions: Decisions | None
) -> PendingView:
    """A queued delta judged against a document, with the given decisions or the drafted ones."""
    draft = bench.store.draft(entry.id)
    open_notes = {at: note for at, note in draft.notes.items() if at not in entry.closed}
    chosen: Mapping[str, Decision] = (
        {at: decision for at, decision in draft.decisions.items() if at not in entry.closed}
        if decisions is None
        else decisions
    )
    review = MemoryDeltaApplier.judge_reply(
        document, parsed_reply(entry), bench.policy, judging_context(entry), chosen, base=base
    )
    superseded = entry.usable and bool(review.operations) and all(op.verdict == "rejected" for op in review.operations)
    return PendingView(entry, review, chosen, open_notes, superseded)


def approve(
    bench: Workbench,
    delta_id: str,
    decisions: Decisions,
    *,
    base: str | None = None,
    seen: Review | None = None,
    notes: Mapping[str, str] | None = None,
) -> ApproveResult:
    """Apply what is accepted, close what is rejected or turned down, let the undecided held ones wait (R3b).

    `seen` is the review that the person saw: where judging now gives anything else, nothing is written and
    `ChangedError` carries the new review (R4, R4b). `base` binds to the hash of the document alone. Raises
    `InputError` for places that do not exist or that cannot be forced, and `StateError`s.
    """
    bench.store.pending.get(delta_id)  # an unknown one makes no folders
    with bench.store.transaction(wait=PERSON_WAIT) as transaction:
        entry = bench.store.pending.get(delta_id)
        if entry.refused is not None:
            raise RefusedReplyError(
                f"{delta_id} was refused: {entry.refused.message}", hint="There is nothing to apply; dismiss it."
            )
        if entry.generation != transaction.generation:
            raise GenerationError(f"{delta_id} is from before a reset.", hint="Dismiss it.")
        if transaction.loaded.status == "corrupt":
            raise CorruptError(
                f"memory.json is damaged: {transaction.loaded.problems[0].message} The delta stays in the queue.",
                hint="Recover the file first; an approval never applies to the empty document in its place.",
            )
        document, now_base = transaction.loaded.document, transaction.loaded.sha256
        review = view(bench, entry, document, now_base, decisions).review
        if (base is not None and base != now_base) or (seen is not None and not same_review(seen, review)):
            raise ChangedError(
                "Something changed since the preview; nothing was written.",
                review=review,
                hint="Look at the new review and decide again.",
            )
        _check_places(review, decisions)
        return _apply(bench, transaction, entry, review, notes or {})


def same_review(seen: Review, now: Review) -> bool:
    """Whether what was shown is what would be written: document, delta, policy, result and verdicts (R4b)."""

    def bound(review: Review) -> object:
        verdicts = [(op.at, op.verdict, op.decision, op.before, op.after) for op in review.operations]
        return review.base, review.delta, review.policy, verdicts, review.document

    return bound(seen) == bound(now)


def _check_places(review: Review, decisions: Decisions) -> None:
    verdicts = {verdict.at: verdict for verdict in review.operations}
    for at, decision in decisions.items():
        if at not in verdicts:
            raise InputError(f"There is no operation at {at}.", hint="Places: " + ", ".join(verdicts))
        if decision == "accept" and verdicts[at].verdict == "rejected":
            raise InputError(f"{at} is rejected and cannot be forced: {verdicts[at].message}", code="cannot_force")


def _apply(
    bench: Workbench, transaction: Transaction, entry: PendingDelta, review: Review, notes: Mapping[str, str]
) -> ApproveResult:
    closing = close(entry, review, at=iso(bench.now()), notes=notes)
    if not (closing.applied or closing.turned_down or closing.rejected):
        return ApproveResult((), (), closing.waiting, None, ())
    queue = QueueChange(put=(closing.rest,)) if closing.rest else QueueChange(remove=(entry.id,))
    revision: int | None = None
    if review.changes:
        revision = transaction.commit(
            cause="apply",
            summary=_summary(closing.applied, closing.turned_down, closing.waiting),
            document=review.document,
            decisions=closing.records,
            delta_id=entry.id,
            delta_sha=entry.delta_sha,
            delta=entry,
            queue=queue,
            turned_down=closing.refused_texts,
        ).seq
    else:
        transaction.close_delta(queue, turned_down=closing.refused_texts)
        bench.store.log.append(
            "delta_closed",
            _summary(closing.applied, closing.turned_down, closing.waiting),
            delta_id=entry.id,
            decisions=[f"{record.at}: {record.decision} {record.note}".strip() for record in closing.records],
        )
    still_claimed = set(closing.rest.claims) if closing.rest else set()
    attempts = bench.store.attempts()
    ready = {turn.id for turn in review.document.turns if not turn.is_pending}
    changes = {
        turn: None if turn in ready else attempts.get(turn, 0) + 1
        for turn in entry.claims
        if turn not in still_claimed and (turn not in ready or turn in attempts)
    }
    if changes:
        transaction.set_attempts(changes)
    return ApproveResult(
        closing.applied, closing.turned_down, closing.waiting, revision, review.trimmed, closing.rejected
    )


def _summary(applied: tuple[str, ...], turned_down: tuple[str, ...], waiting: tuple[str, ...]) -> str:
    parts = [f"{len(applied)} applied"]
    if turned_down:
        parts.append(f"{len(turned_down)} turned down")
    if waiting:
        parts.append(f"{len(waiting)} waiting")
    return ", ".join(parts)


def dismiss(bench: Workbench, delta_id: str, *, note: str = "") -> str:
    """Drop a queued delta, with a record; its turns are pending as before (R4c, T7). Raises `UnknownIdError`."""
    bench.store.pending.get(delta_id)  # an unknown one makes no folders
    with bench.store.transaction(wait=PERSON_WAIT) as transaction:
        entry = bench.store.pending.get(delta_id)
        transaction.remove(delta_id)
        attempts = bench.store.attempts()
        if entry.claims:
            transaction.set_attempts({turn: attempts.get(turn, 0) + 1 for turn in entry.claims})
    message = entry.refused.message if entry.refused else "Dismissed by a person."
    bench.store.log.append("delta_dismissed", message, delta_id=delta_id, note=note, reply=entry.reply[:2000])
    return delta_id


def save_draft(bench: Workbench, delta_id: str, decisions: Decisions, notes: Mapping[str, str]) -> None:
    """Keep decisions that are not applied yet, so that they survive quitting."""
    bench.store.save_draft(delta_id, Draft(dict(decisions), dict(notes)))
