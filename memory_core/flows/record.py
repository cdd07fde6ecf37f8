"""Recording a turn: the boundary, clipping, masking, one write (I2, D1, D6, D8, S9b)."""

from __future__ import annotations

from collections.abc import Sequence

from memory_core.capacity import Trimmed, fit
from memory_core.clock import iso, make_id, merge_marks
from memory_core.document import MemoryDocument, RecentTurn, marks_of
from memory_core.errors import WriteError
from memory_core.flows.workbench import Workbench
from memory_core.intents import IntentType
from memory_core.text import clip, normalise


def record(
    bench: Workbench,
    intent: IntentType,
    user_text: str,
    assistant_text: str,
    scope_paths: Sequence[str],
    *,
    wait: float,
) -> tuple[RecentTurn, MemoryDocument, tuple[Trimmed, ...]]:
    """Write one pending turn; the caller has held the intent against the boundary.

    Gives the turn, the document that was written, and what was trimmed for it. Raises `StateError`s; a turn that
    does not fit even so is refused with `WriteError` of code `no_room` (D6).
    """
    limits = bench.policy.limits
    user, assistant = (normalise(bench.masked(text)) for text in (user_text, assistant_text))
    paths = tuple(path for raw in scope_paths if (path := normalise(bench.masked(str(raw)))))
    with bench.store.transaction(wait=wait) as transaction:
        document = transaction.loaded.document
        now = bench.now()
        turn = RecentTurn(
            id=make_id("turn", now, merge_marks(bench.store.turn_marks(), marks_of(document))),
            intent="code_explain" if intent is IntentType.CODE_EXPLAIN else "general_chat",
            user_text=clip(user, limits.user_text),
            assistant_text=clip(assistant, limits.assistant_text),
            summary="",
            summary_status="pending",
            scope_paths=tuple(path for path in paths if len(path) <= limits.scope_path)[: limits.scope_paths],
            created_at=iso(now),
        )
        grown = document.with_turns((*document.turns, turn)).touched(iso(now))
        fitted = fit(grown, limits, now=now, protect=turn.id)
        if not fitted.fits:
            raise WriteError(
                f"The turn does not fit: memory would stay over {limits.hard_bytes} bytes.",
                hint="Long-term memory is never trimmed for space; forget items that are no longer needed.",
                code="no_room",
            )
        transaction.write_turn(fitted.document)
    return turn, fitted.document, fitted.trimmed
