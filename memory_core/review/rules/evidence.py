"""A durable preference needs the user's own words (A7, A9d); what a note says needs talk about it (A9b)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memory_core.document import RecentTurn
from memory_core.language import (
    agrees,
    content_words,
    is_chinese,
    mood,
    negations,
    numbers,
    sentences,
    signals_meant,
)
from memory_core.review.candidate import Candidate, check, passed
from memory_core.review.verdict import Check, Evidence

COVERAGE = 0.3
"""Share of a preference's content words that the user's sentence must hold."""
ENOUGH_WORDS = 2
"""Content words that must be shared; one is enough for a preference of at most two."""
_ANNOUNCES = re.compile("如下|以下|下面|几点|两点|三点|几条|两条|following|[:：]\\s*$", re.IGNORECASE)
_PURPOSE = re.compile(
    "(?:本|该|这个|此|我们的?|整个)?(?:项目|仓库|系统|工程|平台|代码库|产品)(?:的(?:目的|用途|业务|定位|核心)|主要)?(?:是|用于|用来|旨在|属于|面向|服务于|提供|负责|为了|实现了?一)"
    r"|\b(?:the|this|our)\s+(?:\w+\s+)?(?:project|repo|repository|system|application|app|platform|codebase|product|service)\s+"
    r"(?:is|provides|serves|aims|exists|handles|implements|powers|manages|offers|was built)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Found:
    """A sentence of a user's turn, held against the preference."""

    turn: RecentTurn
    sentence: str
    shared: int
    covers: bool
    signals: tuple[str, ...]
    code: str
    """Empty where the sentence carries the preference, else why it does not."""


def run(candidate: Candidate) -> Iterator[Check]:
    """Hold a preference that no user's turn states, and a new note that nothing was said about."""
    if candidate.item_type == "durable_preference":
        yield from _preference(candidate)
    elif candidate.item_type == "project_note":
        yield from _note(candidate)


def _preference(candidate: Candidate) -> Iterator[Check]:
    summary = candidate.text("summary")
    wanted = content_words(summary)
    found = [entry for turn in candidate.context.batch for entry in _sentences(candidate, turn, summary, wanted)]
    carrying = max((entry for entry in found if not entry.code), key=lambda entry: entry.shared, default=None)
    if carrying is not None:
        quote = (Evidence(carrying.turn.id, "user", carrying.sentence),)
        yield check(
            "passed",
            "evidence",
            observed=list(carrying.signals),
            evidence=quote,
            on="summary",
            turn=carrying.turn.id,
        )
        if is_chinese(summary) != is_chinese(carrying.turn.user_text):
            yield check("held", "other_language", on="summary")
        return
    yield _why_not(candidate, found, wanted)


def _sentences(candidate: Candidate, turn: RecentTurn, summary: str, wanted: frozenset[str]) -> Iterator[_Found]:
    """Each sentence with its signals, how much it shares, and what speaks against it."""
    parts = sentences(turn.user_text)
    for index, sentence in enumerate(parts):
        signals = signals_meant(sentence, candidate.policy.signals)
        stretch = sentence
        if signals and _ANNOUNCES.search(sentence):
            stretch = " ".join(parts[index:])
        said = content_words(stretch)
        shared = len(said & wanted)
        covers = shared >= min(ENOUGH_WORDS, max(1, len(wanted) - 1)) and shared >= COVERAGE * len(wanted)
        yield _Found(
            turn, stretch, shared, covers, signals, _objection(stretch, summary, wanted, signals, covers=covers)
        )


def _objection(sentence: str, summary: str, wanted: frozenset[str], signals: tuple[str, ...], *, covers: bool) -> str:
    if not covers:
        return "no_shared_words"
    how = mood(sentence, wanted)
    if how.question:
        return "only_asked"
    if how.reported:
        return "only_quoted"
    if how.this_time:
        return "only_this_time"
    if not signals:
        return "no_signal"
    if _contradicts(sentence, summary, wanted):
        return "says_otherwise"
    return ""


def _contradicts(sentence: str, summary: str, wanted: frozenset[str]) -> bool:
    """Whether the words are shared, and a negation or a number is not."""
    if not numbers(summary) <= numbers(sentence):
        return True
    clause = max(re.split("[，,、；;]", sentence), key=lambda part: len(content_words(part) & wanted))
    return bool(negations(summary)) != bool(negations(clause)) and bool(negations(summary)) != bool(negations(sentence))


_ORDER = ("says_otherwise", "only_this_time", "only_quoted", "only_asked", "no_signal")


def _why_not(candidate: Candidate, found: list[_Found], wanted: frozenset[str]) -> Check:
    """The check for a preference without evidence: the best reason, with the words that come nearest."""
    agreement = next((turn for turn in candidate.context.batch if agrees(turn.user_text)), None)
    for code in _ORDER:
        near = next((entry for entry in found if entry.code == code), None)
        if near is not None:
            quote = (Evidence(near.turn.id, "user", near.sentence),)
            return check("held", code, evidence=quote, on="summary", turn=near.turn.id)
    proposal = _proposal(candidate, wanted) if agreement is not None else None
    if agreement is not None and proposal is not None:
        quotes = (proposal, Evidence(agreement.id, "user", agreement.user_text))
        return check("held", "bare_agreement", evidence=quotes, on="summary", turn=agreement.id)
    signalled = next((entry for entry in found if entry.signals), None)
    if signalled is not None:
        quote = (Evidence(signalled.turn.id, "user", signalled.sentence),)
        return check("held", "no_shared_words", evidence=quote, on="summary", turn=signalled.turn.id)
    return check("held", "no_evidence", on="summary", observed=len(candidate.context.batch))


def _proposal(candidate: Candidate, wanted: frozenset[str]) -> Evidence | None:
    """The assistant's sentence that an agreement may be about."""
    best: tuple[int, Evidence] | None = None
    for turn in candidate.context.batch:
        for sentence in sentences(turn.assistant_text):
            shared = len(content_words(sentence) & wanted)
            if shared and (best is None or shared >= best[0]):
                best = shared, Evidence(turn.id, "assistant", sentence)
    return best[1] if best is not None else None


def _note(candidate: Candidate) -> Iterator[Check]:
    summary = candidate.text("summary")
    wanted = content_words(f"{candidate.text('label')} {summary}" if candidate.creates else summary)
    batch = candidate.context.batch
    talk = frozenset().union(*(content_words(f"{turn.user_text} {turn.assistant_text}") for turn in batch))
    if _PURPOSE.search(summary):
        said = content_words(summary)
        if len(said & talk) < 0.5 * len(said):
            yield check("held", "invented_purpose", on="summary")
            return
        yield passed("invented_purpose", "The turns say what the project is for.", on="summary")
    elif candidate.creates and wanted and not wanted & talk:
        yield check("remark", "not_talked_about", on="summary")
    else:
        yield passed("not_talked_about", "It shares words with the turns.", on="summary")
