"""When summarising is due: checked after a turn has been recorded, never otherwise (T1-T7). Pure."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from memory_core.document import MemoryDocument, RecentTurn
from memory_core.language import HAN
from memory_core.policy import Limits
from memory_core.text import fold

PENDING_TURNS = 2
RECENT_TURNS = 6
GIVE_UP_AFTER = 3
"""Failed, refused or dismissed summaries in a row after which a turn is no longer sent by itself (T7)."""

_APOSTROPHES = str.maketrans(dict.fromkeys("’‘ʼ`´", "'"))


class Trigger(StrEnum):
    """What makes a summary due; the first that holds counts."""

    PROJECT_CODE_EXPLAIN = "project_code_explain"
    PENDING_TURNS = "pending_turns"
    RECENT_TURNS = "recent_turns"
    FILE_SIZE = "file_size"
    LONG_TERM_SIGNAL = "long_term_signal"


@dataclass(frozen=True, slots=True)
class TriggerCheck:
    """Whether one trigger holds, and what was looked at."""

    trigger: Trigger
    rule: str
    holds: bool
    explanation: str


def signals_in(text: str, signals: tuple[str, ...]) -> tuple[str, ...]:
    """The signals that a text carries, in the policy's order (T5).

    English ones count as whole words, in any case and with any apostrophe; Chinese ones anywhere.
    """
    folded = _folded(text)
    return tuple(signal for signal in signals if _carries(folded, _folded(signal)))


def _folded(text: str) -> str:
    return fold(text).translate(_APOSTROPHES)


def _carries(text: str, signal: str) -> bool:
    if HAN.search(signal):
        return signal in text
    # Latin letters alone make a longer word: in 以后always用中文 the word stands whole.
    return bool(signal and re.search(rf"(?<![a-z0-9_à-ɏ]){re.escape(signal)}(?![a-z0-9_à-ɏ])", text))


def is_about_project(turn: RecentTurn, root: str | Path) -> bool:
    """A `code_explain` turn about the project as a whole: no scope path, or the repository's root among them (T1)."""
    if turn.intent != "code_explain":
        return False
    whole = {".", "/", _path(str(root))}
    return not turn.scope_paths or any(_path(path) in whole for path in turn.scope_paths)


def _path(text: str) -> str:
    return posixpath.normpath(text.replace("\\", "/"))


def explain(
    document: MemoryDocument,
    turn: RecentTurn,
    *,
    limits: Limits,
    signals: tuple[str, ...],
    size: int,
    claimed: frozenset[str] = frozenset(),
    given_up: frozenset[str] = frozenset(),
    root: str | Path = ".",
) -> tuple[TriggerCheck, ...]:
    """Every trigger with whether it holds.

    None holds without a pending turn that may be sent, or after a turn that the document does not hold (T6, T7).
    """
    blocked = claimed | given_up
    sendable = [other for other in document.turns if other.is_pending and other.id not in blocked]
    fresh = turn.is_pending and turn.id not in blocked
    carried = signals_in(turn.user_text, signals)
    able = bool(sendable) and any(other.id == turn.id for other in document.turns)
    return (
        TriggerCheck(
            Trigger.PROJECT_CODE_EXPLAIN,
            "T1",
            able and fresh and is_about_project(turn, root),
            "a code_explain turn about the project as a whole",
        ),
        TriggerCheck(
            Trigger.PENDING_TURNS,
            "T2",
            able and len(sendable) >= PENDING_TURNS,
            f"{len(sendable)} pending turns that may be sent, due from {PENDING_TURNS}",
        ),
        TriggerCheck(
            Trigger.RECENT_TURNS,
            "T3",
            able and len(document.turns) >= RECENT_TURNS,
            f"{len(document.turns)} recent turns, due from {RECENT_TURNS}",
        ),
        TriggerCheck(
            Trigger.FILE_SIZE,
            "T4",
            able and size > limits.soft_bytes,
            f"{size} bytes, due beyond {limits.soft_bytes}",
        ),
        TriggerCheck(
            Trigger.LONG_TERM_SIGNAL,
            "T5",
            able and fresh and bool(carried),
            f"the user's words carry {', '.join(carried)}" if carried else "the user's words carry no signal",
        ),
    )


def due(
    document: MemoryDocument,
    turn: RecentTurn,
    *,
    limits: Limits,
    signals: tuple[str, ...],
    size: int,
    claimed: frozenset[str] = frozenset(),
    given_up: frozenset[str] = frozenset(),
    root: str | Path = ".",
) -> Trigger | None:
    """The first trigger that holds after this turn was recorded, or None (T1-T7). `size` is the file's, in bytes."""
    checks = explain(
        document, turn, limits=limits, signals=signals, size=size, claimed=claimed, given_up=given_up, root=root
    )
    return next((found.trigger for found in checks if found.holds), None)
