"""Clock and ids, as values that tests replace (D4, D5)."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from datetime import datetime
from typing import Protocol

Marks = Mapping[str, int]
"""Highest number in use, by kind and day: `{"turn_20260501": 3, "mem_20260501": 12}`."""

_ID = re.compile(r"(turn|topic|mem|delta)_(\d{8})(?:_\d{6})?_(\d{1,9})", re.ASCII)


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime:
        """The current time, to the second, with its UTC offset."""
        ...


class SystemClock:
    """The machine's clock, in its local zone (D5)."""

    def now(self) -> datetime:
        """The current local time, to the second."""
        return datetime.now().astimezone().replace(microsecond=0)


class FixedClock:
    """A clock that tests and scenarios set by hand."""

    def __init__(self, moment: datetime) -> None:
        self.moment = moment

    def now(self) -> datetime:
        """The moment it was set to."""
        return self.moment


class Ids(Protocol):
    """Makes ids and marks."""

    def token(self) -> str:
        """A short random mark, for generations (U5) and fences (U3b)."""
        ...


class RandomIds:
    """Tokens from the operating system's randomness."""

    def token(self) -> str:
        """Sixteen random hexadecimal digits."""
        return secrets.token_hex(8)


def iso(moment: datetime) -> str:
    """A moment as the document stores it: ISO 8601, seconds, with offset (D5)."""
    return moment.isoformat(timespec="seconds")


def parse_time(text: str) -> datetime | None:
    """The instant that a stored text names, or None; one without an offset is read as local (S4)."""
    try:
        moment = datetime.fromisoformat(text)
        return moment.astimezone() if moment.tzinfo is None else moment
    except (ValueError, OverflowError, OSError):
        return None


def has_offset(text: str) -> bool:
    """Whether a readable time carries its UTC offset (D5)."""
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False


def instant(text: str, now: datetime) -> datetime:
    """What entries are ordered by: the instant, one in the future as now, one that cannot be read as now (S4)."""
    moment = parse_time(text)
    return now if moment is None or moment > now else moment


def make_id(kind: str, now: datetime, marks: Marks) -> str:
    """The next id of a kind: its number is above every one of that day in `marks` (D4).

    `kind` is `turn`, `topic`, `mem` or `delta`; turns and deltas carry the time of day too.
    """
    day = f"{now:%Y%m%d}"
    number = marks.get(f"{kind}_{day}", 0) + 1
    middle = f"_{now:%H%M%S}" if kind in {"turn", "delta"} else ""
    return f"{kind}_{day}{middle}_{number:03d}"


def mark_of(identifier: str) -> tuple[str, int] | None:
    """The mark that an id of our own form leaves, or None for a foreign id."""
    found = _ID.fullmatch(identifier)
    return (f"{found[1]}_{found[2]}", int(found[3])) if found else None


def merge_marks(*many: Marks) -> dict[str, int]:
    """The higher of each."""
    merged: dict[str, int] = {}
    for marks in many:
        for key, number in marks.items():
            merged[key] = max(number, merged.get(key, 0))
    return merged
