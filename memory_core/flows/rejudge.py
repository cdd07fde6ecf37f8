"""What if: every delta of the history judged again under another policy; nothing is written."""

from __future__ import annotations

from dataclasses import dataclass

from memory_core.codec import decode
from memory_core.errors import StateError, UnknownIdError
from memory_core.flows.review import judging_context, parsed_reply
from memory_core.flows.workbench import Workbench
from memory_core.policy import Policy
from memory_core.review.applier import MemoryDeltaApplier
from memory_core.review.verdict import Review
from memory_core.storage.pending import PendingDelta


@dataclass(frozen=True, slots=True)
class Flip:
    """A verdict that would be another under the other policy; `seq` is None for a delta that still waits."""

    seq: int | None
    delta_id: str
    at: str
    before: str
    before_code: str
    after: str
    after_code: str
    message: str


@dataclass(frozen=True, slots=True)
class Rejudged:
    """How many deltas were judged again, which could not be, and what would flip."""

    judged: int
    not_kept: tuple[int, ...]
    flips: tuple[Flip, ...]


def rejudge(bench: Workbench, policy: Policy) -> Rejudged:
    """Judge each applied delta against the document that it met, and each waiting one against the document of now."""
    flips: list[Flip] = []
    not_kept: list[int] = []
    judged = 0
    for revision in bench.store.history.list():
        if revision.delta_id is None:
            continue
        try:
            delta = bench.store.history.get(revision.seq).delta
            data = bench.store.history.base_bytes(revision.seq)
        except (StateError, UnknownIdError):
            not_kept.append(revision.seq)
            continue
        if delta is None:
            not_kept.append(revision.seq)
            continue
        judged += 1
        flips += _flips(bench, delta, data, policy, revision.seq)
    now = bench.store.read_bytes() or b""
    for entry in bench.store.pending.list():
        if entry.refused is None:
            judged += 1
            flips += _flips(bench, entry, now, policy, None)
    return Rejudged(judged, tuple(not_kept), tuple(flips))


def _flips(bench: Workbench, entry: PendingDelta, data: bytes, policy: Policy, seq: int | None) -> list[Flip]:
    then = {verdict.at: verdict for verdict in _review(bench, entry, data, bench.policy).operations}
    found: list[Flip] = []
    for verdict in _review(bench, entry, data, policy).operations:
        old = then.get(verdict.at)
        if old is not None and old.verdict != verdict.verdict:
            found.append(
                Flip(seq, entry.id, verdict.at, old.verdict, old.code, verdict.verdict, verdict.code, verdict.message)
            )
    return found


def _review(bench: Workbench, entry: PendingDelta, data: bytes, policy: Policy) -> Review:
    document = decode(data, policy.limits, bench.now()).document
    return MemoryDeltaApplier.judge_reply(document, parsed_reply(entry), policy, judging_context(entry))
