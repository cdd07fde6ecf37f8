"""Secrets, personal data, and what a reviewer cannot see: found and masked (A9, A9b, D8). Pure, linear."""

from __future__ import annotations

from memory_core.safety.finding import Action, Finding
from memory_core.safety.hidden import find_hidden, is_hidden
from memory_core.safety.personal import find_personal
from memory_core.safety.secrets import find_secrets, mask_known, mask_secrets

__all__ = ["Action", "Finding", "find", "is_hidden", "mask_known", "mask_secrets"]


def find(text: str) -> tuple[Finding, ...]:
    """Everything in a text that is not safe to remember, in order."""
    found = [*find_hidden(text), *find_secrets(text), *find_personal(text)]
    return tuple(sorted(found, key=lambda finding: (finding.start, finding.end)))
