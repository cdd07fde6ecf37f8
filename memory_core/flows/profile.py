"""The repo profile: collected by the program, compared with the stored one, written as its own revision (P2c)."""

from __future__ import annotations

from memory_core.capacity import fit
from memory_core.clock import iso
from memory_core.diff import diff
from memory_core.errors import WriteError
from memory_core.flows.workbench import Workbench
from memory_core.results import ProfileResult


def collect(bench: Workbench) -> ProfileResult:
    """The profile as the build files state it now, and the difference to the stored one. Writes nothing."""
    collected = bench.collector().collect(iso(bench.now()))
    loaded = bench.store.load()
    stored = loaded.document.repo_profile
    same = collected.profile.says_the_same(stored)
    profile = stored if same else collected.profile
    changes = diff(loaded.document, loaded.document.with_profile(profile))
    return ProfileResult(profile, collected.stated_by, collected.notes, changes)


def refresh_profile(bench: Workbench, *, wait: float) -> ProfileResult:
    """Collect, and write where a field other than `updated_at` differs. Raises `StateError`s."""
    result = collect(bench)
    if not result.changes:
        return result
    with bench.store.transaction(wait=wait) as transaction:
        document = transaction.loaded.document
        if result.profile.says_the_same(document.repo_profile):
            return result
        now = bench.now()
        fitted = fit(document.with_profile(result.profile).touched(iso(now)), bench.policy.limits, now=now)
        if not fitted.fits or any(turn.is_pending and not fitted.document.find(turn.id) for turn in document.turns):
            raise WriteError(
                "The profile does not fit into memory.",
                hint="It would cost a turn that is not summarised yet; summarise first, or forget items.",
                code="no_room",
            )
        fields = ", ".join(change.at.rpartition(".")[2] for change in result.changes)
        revision = transaction.commit(
            cause="profile", summary=f"Profile collected: {fields}", document=fitted.document, refuse_corrupt=False
        )
    return ProfileResult(result.profile, result.stated_by, result.notes, result.changes, revision.seq)
