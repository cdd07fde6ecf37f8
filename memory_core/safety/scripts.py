"""Words that look like one script and are made of two (A9)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from memory_core.safety.folding import LOOKALIKES

Found = tuple[str, int, int]

_WORD = re.compile(r"[^\W\d_]{2,64}")
_FOREIGN = re.compile("[\u0370-\u058f\u13a0-\u13ff\u2c80-\u2cff\u1c80-\u1c8f\ua640-\ua69f\u1d00-\u1d2b]")
_UNITS = frozenset("μΩπσλαβγδθφψωΔΣτ")
"""Greek letters that stand before or after Latin ones in formulas and units."""


@lru_cache(maxsize=4096)
def _script(ch: str) -> str:
    return unicodedata.name(ch, "").split(" ", 1)[0]


def find_mixed_scripts(text: str) -> Iterator[Found]:
    """Words in which letters of one script pass for those of another. Raw text: folding would hide them."""
    if text.isascii() or not _FOREIGN.search(text):
        return
    words = [match for match in _WORD.finditer(text) if not match[0].isascii()]
    native = any(not _disguised(match[0]) and _FOREIGN.search(match[0]) for match in words)
    latin = re.search("[A-Za-z]{3}", text) is not None
    for match in words:
        word = match[0]
        if _passes_for_latin(word) or (latin and not native and _disguised(word)):
            yield "mixed_script", match.start(), match.end()


def _passes_for_latin(word: str) -> bool:
    """Latin letters, and letters of another script that all look Latin."""
    foreign = [ch for ch in word if _FOREIGN.match(ch)]
    latin = sum(_script(ch) == "LATIN" and ch not in foreign for ch in word)
    if not foreign or not latin or len(word) < 3 or not all(ch in LOOKALIKES for ch in foreign):
        return False
    if all(ch in _UNITS for ch in foreign):
        inner = [at for at, ch in enumerate(word) if ch in foreign]
        return len(word) > 4 and inner[0] > 0 and inner[-1] < len(word) - 1
    return True


def _disguised(word: str) -> bool:
    """A whole word of letters that all pass for Latin ones."""
    return len(word) >= 4 and all(ch in LOOKALIKES for ch in word)
