"""Revisions: compare, restore, take one back; reset and purge (R5, R6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from memory_core.capacity import fit
from memory_core.clock import iso
from memory_core.codec import decode
from memory_core.diff import diff
from memory_core.document import ActiveTopic, LongTermItem, MemoryDocument, RecentTurn
from memory_core.errors import ChangedError, InputError, StateError, UnknownIdError
from memory_core.flows.review import view
from memory_core.flows.workbench import PERSON_WAIT, Workbench
from memory_core.results import DiffResult, ResetPreview, ResetResult, RevertPreview, RevisionResult
from memory_core.storage.history import Revision

Entry = TypeVar("Entry", RecentTurn, ActiveTopic, LongTermItem)


def document_at(bench: Workbench, reference: str | int) -> MemoryDocument:
    """The document that a reference names: a revision's number, `current`, `pending:ID` or `empty`.

    A pending delta stands for the document that applying it now would leave. Raises `InputError`.
    """
    text = str(reference)
    if text == "current":
        return bench.readable()
    if text == "empty":
        return MemoryDocument()
    if text.startswith("pending:"):
        entry = bench.store.pending.get(text.removeprefix("pending:"))
        document = bench.readable()
        return view(bench, entry, document, bench.store.load().sha256, None).review.document
    if not (text.isascii() and text.isdigit()):
        raise InputError(f"{text} names no document.", hint="Use a revision's number, current, pending:ID or empty.")
    return _decoded(bench, bench.store.history.document_bytes(int(text)))


def _decoded(bench: Workbench, data: bytes) -> MemoryDocument:
    return decode(data, bench.policy.limits, bench.now()).document if data else MemoryDocument()


def compare(bench: Workbench, a: str | int, b: str | int) -> DiffResult:
    """Two documents, item by item and field by field."""
    return DiffResult(str(a), str(b), diff(document_at(bench, a), document_at(bench, b)))


def default_comparison(bench: Workbench) -> tuple[str, str]:
    """What `diff` without arguments compares: the newest revision, or nothing, with the current file."""
    revisions = bench.store.history.list()
    return (str(revisions[-1].seq) if revisions else "empty"), "current"


def restore(bench: Workbench, seq: int) -> RevisionResult:
    """Make a revision's bytes the document again, as a new revision; the generation stays (R5, U5)."""
    data = bench.store.history.document_bytes(seq)
    with bench.store.transaction(wait=PERSON_WAIT) as transaction:
        if bench.store.read_bytes() == data:
            return RevisionResult(None)
        revision = transaction.commit(
            cause="restore", summary=f"Revision {seq} restored", document=data, refuse_corrupt=False
        )
    return RevisionResult(revision.seq)


def preview_revert(bench: Workbench, seq: int) -> RevertPreview:
    """The inverse of one revision, laid over the document of now; what changed since is a conflict and stays."""
    revisions = {revision.seq: revision for revision in bench.store.history.list()}
    if seq not in revisions:
        raise UnknownIdError(f"There is no revision {seq}.", hint="memory-inspector history lists them.")
    loaded = bench.store.load()
    now = bench.readable()
    before = _decoded(bench, bench.store.history.base_bytes(seq))
    after = _decoded(bench, bench.store.history.document_bytes(seq))
    conflicts: list[str] = []
    turns = _inverse(before.turns, after.turns, now.turns, conflicts)
    topics = _inverse(before.topics, after.topics, now.topics, conflicts)
    items = _inverse(before.items, after.items, now.items, conflicts)
    document = now.with_turns(turns).with_topics(topics).with_items(items)
    if not before.repo_profile.says_the_same(after.repo_profile):
        if after.repo_profile.says_the_same(now.repo_profile):
            document = document.with_profile(before.repo_profile)
        else:
            conflicts.append("repo_profile")
    changes = diff(now, document)
    if changes:
        moment = bench.now()
        fitted = fit(document.touched(iso(moment)), bench.policy.limits, now=moment)
        active = sum(item.is_active for item in fitted.document.items)
        if not fitted.fits or active > max(bench.policy.limits.long_term_items, sum(i.is_active for i in now.items)):
            raise StateError(f"Taking revision {seq} back would leave memory over its limits.", code="no_room")
        document = fitted.document
    return RevertPreview(seq, loaded.sha256, document, changes, tuple(conflicts))


def _inverse(
    before: tuple[Entry, ...], after: tuple[Entry, ...], now: tuple[Entry, ...], conflicts: list[str]
) -> tuple[Entry, ...]:
    """Entries of now, with what lies between `before` and `after` undone where it still stands as it was left."""
    old, new = _by_id(before), _by_id(after)
    result: list[Entry] = []
    for entry in now:
        if old.get(entry.id) == new.get(entry.id):
            result.append(entry)
        elif new.get(entry.id) != entry:
            conflicts.append(entry.id)
            result.append(entry)
        elif entry.id in old:
            result.append(old[entry.id])
    present = {entry.id for entry in now}
    result.extend(entry for entry in before if entry.id not in new and entry.id not in present)
    conflicts.extend(key for key in new if key not in present and old.get(key) != new[key])
    return tuple(result)


def _by_id(entries: tuple[Entry, ...]) -> Mapping[str, Entry]:
    return {entry.id: entry for entry in entries}


def revert(bench: Workbench, seq: int, *, base: str | None = None) -> RevisionResult:
    """Take one revision back, as a new revision. `base` binds to the document's hash; raises `ChangedError`."""
    with bench.store.transaction(wait=PERSON_WAIT) as transaction:
        preview = preview_revert(bench, seq)
        if base is not None and base != preview.base:
            raise ChangedError("The file changed since the preview; nothing was written.", hint="Look again.")
        if not preview.changes:
            return RevisionResult(None)
        revision = transaction.commit(cause="revert", summary=f"Revision {seq} taken back", document=preview.document)
    return RevisionResult(revision.seq)


def preview_reset(bench: Workbench, *, in_flight: bool) -> ResetPreview:
    """What a reset or purge will remove; looks only."""
    loaded = bench.store.load()
    document = loaded.document
    return ResetPreview(
        turns=len(document.turns),
        topics=len(document.topics),
        items=len(document.items),
        pending=len(bench.store.pending.list()),
        in_flight=in_flight,
        undo=loaded.status != "absent" and bool(loaded.bytes.size),
        revisions=len(bench.store.history.list()),
        backups=tuple(backup.name for backup in bench.store.backups()),
    )


def reset(bench: Workbench, *, purge: bool) -> ResetResult:
    """Clear the document, raise the generation, discard what waits; leave one undo point (R6).

    A second reset of an empty document makes no revision, so that the undo point stays the newest one. A purge
    removes history and backups too and leaves no undo.
    """
    with bench.store.transaction(wait=PERSON_WAIT) as transaction:
        entries = bench.store.pending.list()
        document = transaction.loaded.document
        removed = [
            f"{len(document.turns)} turns",
            f"{len(document.topics)} topics",
            f"{len(document.items)} long-term items",
            f"{len(entries)} pending deltas",
        ]
        empty = MemoryDocument(updated_at=iso(bench.now()))
        revision = transaction.reset(empty, discard=tuple(entry.id for entry in entries))
        for entry in entries:
            bench.store.log.append(
                "delta_discarded", "A reset discarded it.", delta_id=entry.id, reply=entry.reply[:2000]
            )
        if purge:
            removed += transaction.purge()
        undo = None if purge else revision or _standing_undo(bench)
        return ResetResult(tuple(removed), undo.seq if undo else None, bench.store.generation())


def _standing_undo(bench: Workbench) -> Revision | None:
    """The undo point of an earlier reset, where nothing has happened since."""
    revisions = bench.store.history.list()
    if not revisions or revisions[-1].cause != "reset":
        return None
    return next((revision for revision in reversed(revisions) if revision.cause != "reset"), None)
