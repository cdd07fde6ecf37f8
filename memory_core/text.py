"""Text as memory counts and compares it. Pure.

A character is a Unicode code point after white space is normalised (D6).
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache


def normalise(text: str) -> str:
    """Every run of white space becomes one space, none at the ends. V1 stores texts like this (D7)."""
    return " ".join(text.split())


def clip(text: str, limit: int) -> str:
    """At most `limit` characters; a cut text ends in `…` (D6)."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


@lru_cache(maxsize=4096)
def fold(text: str) -> str:
    """For comparison: width, case and white space folded (A8)."""
    return normalise(unicodedata.normalize("NFKC", text)).casefold()


def has_substance(text: str) -> bool:
    """Whether a text holds any letter, digit or emoji; without one it counts as empty (A4)."""
    return any(unicodedata.category(ch)[0] in "LN" or unicodedata.category(ch) == "So" for ch in text)


def is_encodable(text: str) -> bool:
    """Whether a text can be stored as UTF-8; a lone surrogate cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


_HAN = r"㐀-䶿一-鿿豈-﫿"
_WORD = re.compile(rf"[{_HAN}]+|[^\W_{_HAN}]+(?:[._-][^\W_{_HAN}]+)*")
_HAN_RUN = re.compile(rf"[{_HAN}]")


def words(text: str) -> tuple[str, ...]:
    """Comparable words: Latin words whole, Chinese in overlapping pairs of characters.

    Folded, in order, repeats kept.
    """
    out: list[str] = []
    for match in _WORD.finditer(fold(text)):
        run = match[0]
        if _HAN_RUN.match(run):
            out.extend([run] if len(run) == 1 else [run[i : i + 2] for i in range(len(run) - 1)])
        else:
            out.append(run)
    return tuple(out)


@lru_cache(maxsize=4096)
def _word_set(text: str) -> frozenset[str]:
    """The words of a text; kept, since judging compares the same few texts again and again."""
    return frozenset(words(text))


def similarity(left: str, right: str) -> float:
    """Dice coefficient of the two texts' words, 0 to 1."""
    a, b = _word_set(left), _word_set(right)
    return 2 * len(a & b) / (len(a) + len(b)) if a and b else float(fold(left) == fold(right))
