"""What is not safe to remember, found and masked (A6, A9, A9b, D8). Pure, linear."""

from __future__ import annotations

from functools import lru_cache

from memory_core.safety.disguise import find_disguise
from memory_core.safety.finding import Action, Finding
from memory_core.safety.hidden import find_hidden, is_hidden
from memory_core.safety.instructions import find_instructions
from memory_core.safety.pasted import find_pasted
from memory_core.safety.personal import find_personal
from memory_core.safety.secrets import find_secrets, mask_known, mask_secrets

__all__ = ["Action", "Finding", "find", "find_unseen", "is_hidden", "mask_known", "mask_secrets"]


LONGEST = 8000
"""Characters in which cues are looked for; no stored text is longer. Hidden characters and secrets have no such bound."""


def find_unseen(text: str) -> tuple[Finding, ...]:
    """What a reviewer cannot see, and secrets: rejected wherever it stands."""
    return tuple(sorted([*find_hidden(text), *find_secrets(text)], key=lambda finding: (finding.start, finding.end)))


@lru_cache(maxsize=2048)
def find(text: str) -> tuple[Finding, ...]:
    """Everything in a text that is not safe to remember, in order."""
    head = text[:LONGEST]
    found = [
        *find_hidden(text),
        *find_secrets(text),
        *find_personal(text),
        *find_instructions(head),
        *find_disguise(head),
        *find_pasted(head),
    ]
    return tuple(sorted(found, key=lambda finding: (finding.start, finding.end)))
