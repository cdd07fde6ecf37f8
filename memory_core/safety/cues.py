"""Finds the words of the lexicon in a folded text, sentence by sentence, and chains of them (A9). Linear.

English words and Chinese ones give the same concepts, so that a rule holds for either language and for a sentence that
mixes them.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from typing import NamedTuple

from memory_core.safety.lexicon import LEXICON

_WORD = r"[a-z0-9]+(?:'[a-z]{1,2})?"
_HIDDEN_FILE = r"\.(?:env|ssh|aws|npmrc|netrc|pypirc|pgpass|kube|pem|git-credentials|bash_history)(?![a-z0-9])"
_FILE = r"[a-z0-9_-]{1,40}\.(?:json|xml|txt|toml|ya?ml|gradle|kts|md|lock|mod|cfg|ini|properties)(?![a-z0-9])"
_PACKAGE = (
    r"@?[a-z][a-z0-9_/-]{1,60}@\d[\w.]{0,20}|[a-z][a-z0-9_-]{0,40}(?:\.[a-z0-9_-]{1,40}){1,6}:[a-z][\w.-]{1,60}"
    r"|[a-z][a-z0-9_]{0,40}(?:-[a-z0-9_]{1,40}){1,5}\s\d{1,3}\.\d{1,3}(?:\.\d{1,5})?"
)
_PARTS = re.compile(f"{_HIDDEN_FILE}|{_FILE}|{_WORD}")
_TOKEN = re.compile(
    rf"([\u3400-\u9fff]+)|((?:https?|ftp|wss?)://[^\s<>\"'`，。；、）)\]]{{1,2000}})|({_HIDDEN_FILE}|{_FILE})"
    rf"|({_PACKAGE})|({_WORD})"
    r"|((?<=[a-z0-9_])@[a-z0-9-]{1,64}\.[a-z]{2,12})|([.!?](?=\s|$)|[。！？]|\n[ \t\r]{0,80}\n)|([,，;；:：、\n()（）])"
)
_HAN, _URL, _NAMED, _ARTIFACT, _LATIN, _EMAIL, _END, _PAUSE = range(1, 9)
_LOCAL = re.compile(r"//(?:localhost|127\.|0\.0\.0\.0|\[::1\]|10\.|192\.168\.|host\.docker)")
_SINK = re.compile(r"[?&/#][\w.-]{0,40}=[<{$\[]?[.…]{0,3}$|[?&][\w.-]{1,40}=[<{$]")
"""An address that waits for something to be written after it."""
_PACKAGE_CUE = frozenset({"PACKAGE"})
_LEET = str.maketrans("013457", "oieast")
_ALONE = frozenset(
    {"REQUIRE", "ONLYTHEN", "UNTIL", "ALWAYS", "AUTO", "DONE", "FUTURE", "TRIGGER", "FORBID", "ASK", "OVERRIDE"}
    | {"TREATAS", "NONEED", "STEERALWAYS", "EXCLUSIVE", "SKIP", "OPS", "VOID", "TELL", "SAY"}
)
"""Concepts that a word has only where it stands alone, not inside a longer entry."""

Concepts = frozenset[str]


def _forms(word: str) -> Iterator[str]:
    """A word and, where it is marked with `+`, its regular forms."""
    base = word.rstrip("+")
    yield base
    if base == word:
        return
    if base.endswith("e"):
        yield from (f"{base}s", f"{base}d", f"{base[:-1]}ing")
    elif base.endswith("y") and base[-2] not in "aeiou":
        yield from (f"{base[:-1]}ies", f"{base[:-1]}ied", f"{base}ing")
    elif base.endswith(("s", "sh", "ch", "x", "z")):
        yield from (f"{base}es", f"{base}ed", f"{base}ing")
    else:
        yield from (f"{base}s", f"{base}ed", f"{base}ing")
        if base[-1] in "pbtgnmrdl" and base[-2] in "aeiou" and base[-3] not in "aeiou":
            yield from (f"{base}{base[-1]}ed", f"{base}{base[-1]}ing")


class Vocabulary:
    """The lexicon, ready to be looked up."""

    def __init__(self, lexicon: str) -> None:
        found: dict[str, set[str]] = defaultdict(set)
        for line in lexicon.strip().splitlines():
            concept, _, entries = line.partition(": ")
            for entry in entries.replace("|", " ").split():
                for form in _forms(entry):
                    found[form.replace("_", " ")].add(concept.strip())
        self.chinese: dict[str, Concepts] = {}
        self.english: dict[str, Concepts] = {}
        self.phrases: dict[str, list[tuple[tuple[str, ...], Concepts]]] = defaultdict(list)
        """By their first word."""
        self.lengths: dict[str, tuple[int, ...]] = {}
        """Lengths of the Chinese entries that begin with a character, longest first."""
        self.known: set[str] = set()
        """Every English word of the lexicon, alone or in a phrase."""
        lengths: dict[str, set[int]] = defaultdict(set)
        for entry, names in found.items():
            concepts = frozenset(names - {"-"})
            if not entry.isascii():
                self.chinese[entry] = concepts
                lengths[entry[0]].add(len(entry))
                continue
            parts = tuple(_PARTS.findall(entry))
            self.known.update(parts)
            if len(parts) == 1:
                self.english[parts[0]] = self.english.get(parts[0], frozenset()) | concepts
            else:
                self.phrases[parts[0]].append((parts, concepts))
        self.lengths = {first: tuple(sorted(many, reverse=True)) for first, many in lengths.items()}

        self._inside: dict[str, tuple[tuple[int, int, Concepts], ...]] = {}

    def inside(self, entry: str) -> tuple[tuple[int, int, Concepts], ...]:
        """Words inside a Chinese entry that keep their meaning."""
        if entry not in self._inside:
            self._inside[entry] = tuple(
                (start, end, kept)
                for start in range(len(entry))
                for end in range(start + 1, len(entry) + 1)
                if end - start < len(entry) and (kept := self.chinese.get(entry[start:end], frozenset()) - _ALONE)
            )
        return self._inside[entry]


@lru_cache(maxsize=1)
def vocabulary() -> Vocabulary:
    """The lexicon, read when the first text is looked at."""
    return Vocabulary(LEXICON)


class Cue(NamedTuple):
    """A word that counts: what it stands for, where, and in which clause."""

    concepts: Concepts
    start: int
    end: int
    clause: int


class Sentence:
    """The cues of one sentence."""

    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.start = start
        self.end = start
        self.cues: list[Cue] = []

    @cached_property
    def by_concept(self) -> dict[str, list[Cue]]:
        """Cues of each concept, in order."""
        found: dict[str, list[Cue]] = defaultdict(list)
        for cue in self.cues:
            for concept in cue.concepts:
                found[concept].append(cue)
        return found

    def among(self, concepts: Iterable[str], own: set[int], first: Cue, last: Cue, margin: int) -> Iterator[Cue]:
        """Cues of some concepts from `margin` characters before one cue to as many after another, those left out."""
        for concept in concepts:
            cues = self.by_concept.get(concept, ())
            at = bisect_left(cues, first.start - margin, key=lambda cue: cue.start)
            for cue in cues[at : at + margin * 2]:
                if cue.start > last.end + margin:
                    break
                if cue.start not in own:
                    yield cue

    def negated(self, cue: Cue, reach: int, steps: tuple[Cue, ...]) -> bool:
        """Whether a negation stands before a cue in its clause, at most `reach` bytes away; those within steps left out."""
        negations = self.by_concept.get("NEG", ())
        at = bisect_left(negations, cue.start, key=lambda found: found.start)
        for nearest in reversed(negations[max(0, at - 4) : at]):
            if nearest.clause != cue.clause or self.gap(nearest.end, cue.start) > reach:
                return False
            if not any(step.start <= nearest.start < step.end for step in steps):
                return True
        return False

    def gap(self, start: int, end: int) -> int:
        """Bytes between two places: a Chinese character weighs about as much as half an English word."""
        if end - start > 400:
            return end - start
        return len(self.text[start:end].encode("utf-8", "replace")) if end > start else 0


def sentences(lower: str) -> Iterator[Sentence]:
    """Each sentence of a folded, lower-cased text that holds a cue. Linear."""
    known = vocabulary()
    sentence = Sentence(lower, 0)
    clause = 0
    words: list[tuple[str, int, int]] = []
    for match in _TOKEN.finditer(lower):
        kind = match.lastindex
        if kind in {_LATIN, _NAMED}:
            word = match[0]
            if word not in known.known:
                word = _unleet(word) if not word.isalpha() else ""
            if word in known.known:
                words.append((word, match.start(), match.end()))
            elif words and words[-1][0]:
                words.append(("", 0, 0))
            if kind == _NAMED:
                words.append(("<file>", match.start(), match.end()))
            continue
        if words:
            _add_words(sentence, words, clause)
            words = []
        start, end = match.span()
        if kind == _HAN:
            _add_chinese(sentence, match[0], start, clause)
        elif kind == _URL:
            concepts = {"LOCAL"} if _LOCAL.search(match[0]) else {"URL", "EXTERNAL"}
            if _SINK.search(match[0]):
                concepts.add("SINK")
            sentence.cues.append(Cue(frozenset(concepts), start, end, clause))
        elif kind == _ARTIFACT:
            sentence.cues.append(Cue(_PACKAGE_CUE, start, end, clause))
        elif kind == _EMAIL:
            sentence.cues.append(Cue(frozenset({"EMAIL", "EXTERNAL"}), start, end, clause))
        elif kind == _PAUSE:
            clause += 1
        else:
            sentence.end = end
            if sentence.cues:
                yield sentence
            sentence = Sentence(lower, end)
            clause += 1
    _add_words(sentence, words, clause)
    sentence.end = len(lower)
    if sentence.cues:
        yield sentence


def _add_chinese(sentence: Sentence, run: str, start: int, clause: int) -> None:
    known = vocabulary()
    at = 0
    while at < len(run):
        for length in known.lengths.get(run[at], ()):
            entry = run[at : at + length]
            concepts = known.chinese.get(entry)
            if concepts is None or len(entry) < length:
                continue
            if concepts:
                sentence.cues.append(Cue(concepts, start + at, start + at + length, clause))
                if length > 1:
                    for first, last, inner in known.inside(entry):
                        sentence.cues.append(Cue(inner, start + at + first, start + at + last, clause))
            at += length
            break
        else:
            at += 1


def _add_words(sentence: Sentence, words: list[tuple[str, int, int]], clause: int) -> None:
    known = vocabulary()
    covered = nothing = -1
    for index, (word, start, end) in enumerate(words):
        if index <= nothing:
            continue
        for parts, concepts in known.phrases.get(word, ()):
            last = index + len(parts) - 1
            if last < len(words) and all(words[index + at][0] == part for at, part in enumerate(parts)):
                if not concepts:
                    nothing = max(nothing, last)
                    continue
                covered = max(covered, last)
                sentence.cues.append(Cue(concepts, start, words[last][2], clause))
        if index <= nothing:
            continue
        alone = known.english.get(word, frozenset())
        if index <= covered:
            alone -= _ALONE
        if alone:
            sentence.cues.append(Cue(alone, start, end, clause))


def _unleet(word: str) -> str:
    """`1gn0re` as `ignore`."""
    return word.translate(_LEET) if len(word) > 4 and not word.isdigit() else ""


def chain(sentence: Sentence, steps: tuple[frozenset[str], ...], gap: int) -> Iterator[tuple[Cue, ...]]:
    """Cues that follow one another step by step, each at most `gap` bytes after the one before.

    One chain for each cue that can be the last, built on the nearest earlier ones: linear in the cues.
    """
    open_chains: list[tuple[Cue, ...] | None] = [None] * len(steps)
    for cue in sentence.cues:
        for place in range(len(steps) - 1, -1, -1):
            if not steps[place] & cue.concepts:
                continue
            before = open_chains[place - 1] if place else ()
            if before is None or (
                before and (cue.start < before[-1].end or sentence.gap(before[-1].end, cue.start) > gap)
            ):
                continue
            open_chains[place] = (*before, cue)
            if place == len(steps) - 1:
                yield (*before, cue)


def together(sentence: Sentence, groups: tuple[frozenset[str], ...], window: int) -> Iterator[tuple[Cue, ...]]:
    """Cues of every group within a window of bytes, in any order, no cue twice."""
    latest: list[Cue | None] = [None] * len(groups)
    for cue in sentence.cues:
        for place, group in enumerate(groups):
            if group & cue.concepts:
                latest[place] = cue
        found = [entry for entry in latest if entry is not None]
        if len(found) < len(groups) or cue not in found:
            continue
        found.sort(key=lambda entry: entry.start)
        apart = all(left.end <= right.start for left, right in itertools.pairwise(found))
        if apart and sentence.gap(found[0].start, found[-1].end) <= window:
            yield tuple(found)
