"""What can still be read of a damaged file or a backup: whole entries among broken JSON (S2). Pure; repairs nothing."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory_core.codec import decode
from memory_core.document import MEMORY_VERSION, MemoryDocument
from memory_core.entries import Problem
from memory_core.policy import Limits

MOST_ENTRIES = 500
"""Entries that are looked for at most."""
LONGEST = 64 * 1024
"""Characters that one entry may take."""
_ENTRY = re.compile(r'\{\s*"id"\s*:')


@dataclass(frozen=True, slots=True)
class Salvage:
    """The entries that could be read, as a document, and what the rules said of them; `whole`: it is a document."""

    document: MemoryDocument
    whole: bool
    problems: tuple[Problem, ...]


def salvage(data: bytes, limits: Limits, now: datetime) -> Salvage:
    """Whatever is whole in it. Never raises; looks at a bounded part, whatever the bytes."""
    loaded = decode(data, limits, now)
    if loaded.status == "ok":
        return Salvage(loaded.document, True, loaded.problems)
    turns: list[Any] = []
    topics: list[Any] = []
    preferences: list[Any] = []
    notes: list[Any] = []
    for entry in _entries(data.decode("utf-8", errors="replace")):
        if "user_text" in entry:
            turns.append(entry)
        elif "related_turn_ids" in entry:
            topics.append(entry)
        elif "source" in entry:
            (preferences if entry.get("type") == "durable_preference" else notes).append(entry)
    found = {
        "version": MEMORY_VERSION,
        "updated_at": "",
        "working_memory": {"recent_turns": turns, "active_topics": topics},
        "long_term_memory": {"durable_preferences": preferences, "project_notes": notes},
    }
    read = decode(json.dumps(found).encode(), limits, now)
    return Salvage(read.document, False, tuple(problem for problem in read.problems if problem.severity != "note"))


def _entries(text: str) -> list[dict[str, Any]]:
    """The whole objects that begin with an id."""
    decoder = json.JSONDecoder()
    found: list[dict[str, Any]] = []
    end = 0
    for count, match in enumerate(_ENTRY.finditer(text)):
        if count == MOST_ENTRIES:
            break
        if match.start() < end:
            continue
        try:
            value, length = decoder.raw_decode(text[match.start() : match.start() + LONGEST])
        except (ValueError, RecursionError):
            continue
        end = match.start() + length
        found.append(value)
    return found
