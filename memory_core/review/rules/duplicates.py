"""What is remembered already, or contradicts what is (A8, A9e)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from memory_core.document import LongTermItem
from memory_core.language import HAN, content_words, negations, numbers
from memory_core.review.candidate import Candidate, check, passed
from memory_core.review.verdict import Check, TurnedDown
from memory_core.text import fold

NEAR = 0.75
"""Dice coefficient of content words from which on two summaries may say the same."""
SAME_SUBJECT = 0.6
"""Share of the shorter one's content words from which on a differing negation or number makes a conflict."""
_TOKEN = re.compile("[\u3400-\u9fff]|[^\\W_]+")


def run(candidate: Candidate) -> Iterator[Check]:
    """Hold an item that an active one, or one made earlier in the delta, says already or says otherwise."""
    item_type = candidate.item_type
    if item_type is None:
        return
    target = candidate.target.id if candidate.target is not None else None
    neighbours = [
        item for item in candidate.document.items if item.is_active and item.type == item_type and item.id != target
    ]
    made = {earlier.item.id: earlier.at for earlier in candidate.earlier}
    for item in neighbours:
        code = relation(candidate, item)
        if code:
            name = made.get(item.id, item.id)
            yield check("held", code, neighbour=name, observed=item.summary, on=_field(code), item=name)
            return
    yield passed("near_duplicate", f"None of {len(neighbours)} items of its type says it already, or says otherwise.")


def _field(code: str) -> str:
    return "label" if code == "same_label" else "summary"


def relation(candidate: Candidate, item: LongTermItem | TurnedDown) -> str:
    """How the operation relates to an item of its type, or to a proposal: a code, or nothing."""
    label = candidate.text("label") if candidate.creates else ""
    return likeness(label, candidate.text("summary"), item.label, item.summary)


def likeness(label: str, summary: str, other_label: str, other_summary: str) -> str:
    """How one item relates to another of its type: a code, or nothing. An empty label counts for nothing. The measure
    of A8 and A9e."""
    mine, theirs = content_words(summary), content_words(other_summary)
    shared = len(mine & theirs)
    same_label = bool(label) and fold(label) == fold(other_label)
    if not shared and not same_label and (mine or theirs):
        return ""
    differs = _differs(summary, other_summary)
    if differs and (same_label or (shared and shared >= SAME_SUBJECT * min(len(mine), len(theirs)))):
        return "conflict" if not _other_subject(summary, other_summary) or same_label else ""
    if same_label:
        return "same_label"
    if fold(summary).rstrip("。.!！") == fold(other_summary).rstrip("。.!！"):
        return "near_duplicate"
    total = len(mine) + len(theirs)
    if total and 2 * shared >= NEAR * total and not _other_subject(summary, other_summary):
        return "near_duplicate"
    return ""


def _differs(left: str, right: str) -> bool:
    """Whether two texts differ by a negation or a number (A9e)."""
    return bool(negations(left)) != bool(negations(right)) or numbers(left) != numbers(right)


def _other_subject(left: str, right: str) -> bool:
    """Whether one text has another word where the other has a word of its own: 缓存模块, 日志模块."""
    a, b = _TOKEN.findall(fold(left)), _TOKEN.findall(fold(right))
    for tag, i, j, k, m in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if tag != "replace":
            continue
        old, new = _weight(a[i:j]), _weight(b[k:m])
        if old and new and not set(a[i:j]) & set(b[k:m]):
            return True
    return False


def _weight(tokens: list[str]) -> bool:
    """Whether a replaced stretch names something: two Chinese characters or a Latin word with content."""
    text = "".join(token if HAN.match(token) else f" {token} " for token in tokens)
    if numbers(text) and not content_words(re.sub(r"\d+", " ", text)):
        return False
    return bool(content_words(text)) and (any(not HAN.match(token) for token in tokens) or len(tokens) >= 2)
