"""Personal data with a shape: telephone and identity numbers (A9b)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_core.safety.finding import Finding

_PHONE = re.compile(r"(?<![\d.])(?:\+?86[- ]?)?1[3-9]\d(?:[- ]?\d{4}){2}(?![\d.])")
_IDENTITY = re.compile(r"(?<![0-9A-Za-z])[1-9]\d{16}[\dXx](?![0-9A-Za-z])")
_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)


def find_personal(text: str) -> Iterator[Finding]:
    """Mobile numbers, and identity numbers whose date and checksum are right."""
    for match in _IDENTITY.finditer(text):
        if is_identity_number(match[0]):
            yield Finding("pii", "flag", match.start(), match.end(), "A9b", match[0])
    for match in _PHONE.finditer(text):
        yield Finding("pii", "flag", match.start(), match.end(), "A9b", match[0])


def is_identity_number(number: str) -> bool:
    """Whether an 18-character number is a resident identity number: plausible date, right checksum."""
    year, month, day = int(number[6:10]), int(number[10:12]), int(number[12:14])
    if not (1900 <= year <= 2100 and 1 <= month <= 12 and 1 <= day <= 31):
        return False
    total = sum(int(digit) * weight for digit, weight in zip(number[:17], _WEIGHTS, strict=True))
    return "10X98765432"[total % 11] == number[17].upper()
