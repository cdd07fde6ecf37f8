"""What a detector reports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Action = Literal["reject", "flag"]


@dataclass(frozen=True, slots=True)
class Finding:
    """A stretch of a text that is not safe to remember.

    `reject`: a reviewer could not see it, or it is a secret; `flag`: a person can judge it.
    """

    kind: str
    action: Action
    start: int
    end: int
    rule: str
    excerpt: str
    """The stretch itself, or for a secret the marker that stands for it."""
