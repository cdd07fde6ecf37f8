"""What a detector reports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Action = Literal["reject", "flag"]
Rule = Literal["A6", "A9", "A9b"]


@dataclass(frozen=True, slots=True)
class Finding:
    """A stretch of a text that is not safe to remember.

    `reject`: a reviewer could not see it, it is a secret, or it is plainly pasted; `flag`: a person can judge it.
    """

    kind: str
    action: Action
    start: int
    end: int
    rule: Rule
    excerpt: str
    """The stretch itself, or for a secret the marker that stands for it."""
