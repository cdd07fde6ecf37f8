"""Text aimed at a model, or at what guards the user (A9). All of it is held, never rejected: a person can judge it.

Honest talk about such a text is held as well. An ordinary preference is an instruction too, and none of this.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_core.safety.cues import Cue, Sentence, chain, sentences, together
from memory_core.safety.families import FAMILIES, GAP, Family
from memory_core.safety.folding import Folded
from memory_core.safety.packages import lookalike

_BESIDE = 14
"""Bytes that count as right beside."""
_NEGATION_REACH = 24
"""Bytes from a negation to the verb that it governs."""
_LOOK = 90
"""Characters around a word that are looked at for what makes it harmless."""
_EXCUSES = 60
"""A sentence that needs more of them is held."""
_TRIGGERED = frozenset({"injection", "approval_bypass", "exfiltration", "concealment", "dangerous_command"})
"""What must not wait for a word of the user."""
_SLEEPERS: tuple[tuple[frozenset[str], ...], ...] = (
    (frozenset({"TRIGGER"}), frozenset({"SAY"})),
    (frozenset({"SAY"}), frozenset({"AFTERWORD"})),
    (frozenset({"TRIGGER"}), frozenset({"SESSIONW"})),
    (frozenset({"SESSION", "TIMEW"}),),
)
_HARM: tuple[tuple[frozenset[str], ...], ...] = (
    (frozenset({"SEND", "INCLUDEV", "READ", "REVEAL", "DESTROY"}), frozenset({"SENSITIVE", "SECRETFILE"})),
    (frozenset({"DESTROY"}), frozenset({"MEMORY", "GATE", "RULES_S"})),
    (frozenset({"SKIP"}), frozenset({"GATE", "RULES_S"})),
)
"""What a trigger must not set off: something done to the user's data, or to what guards it."""

_NAMED = re.compile(
    r"\b[a-z][a-z0-9]{1,30}(?:-[a-z0-9]{1,30}){1,4}\b|\b[a-z][a-z0-9]{1,20}(?:\.[a-z][a-z0-9_-]{1,30}){2,5}\b|\b[a-z][a-z0-9._]{2,40}\s?(?:这个|的)?(?:包|依赖|组件|库|插件)"
    r"|(?:包|依赖|组件|库|插件)\s?[a-z][a-z0-9._]{2,40}"
)
"""A dependency that is called by its name."""
_INSTALLS = frozenset({"DEP", "ADDDEP", "SWAP", "SLIP", "PACKAGE", "BUILDFILE"})
_PERSONA = re.compile(
    r"(?:^|[.!?;,:，。；：！\n]\s{0,3}|\band )you(?:'re| are) (?:now |actually |really |hereby |henceforth )?(?!(?:also |not |always |never )?(?:expected|required|encouraged|supposed|allowed|free|able|welcome|asked|advised|responsible|right|correct|wrong|done|using|working|on|in|at|here|looking|trying|going|likely|sure|ready|welcome|probably|unsure|adding|writing|running|given|told|bound)\b)(?:an?\s|the\s|my\s|our\s)?[a-z][\w-]{2,40}"
    r"|(?:^|[。；，！\n;,.:：]\s{0,3}|请记住|记住)(?:从现在起|现在|其实|实际上)?你(?:其实|现在|就|已经|将|只)?是(?!否|不是|说|指|怎么|在|想|要|用|从|按|因|如)[^，。；\n]{2,30}"
)
"""Words that tell a model who it is."""
_BY_CONCEPT: dict[str, list[int]] = {}
for _place, _family in enumerate(FAMILIES):
    for _name in min(_family.steps, key=len):
        _BY_CONCEPT.setdefault(_name, []).append(_place)

Found = tuple[str, int, int]
"""Kind, start and end in the folded text."""


def find_instructions(folded: Folded, others: tuple[Found, ...] = ()) -> Iterator[Found]:
    """The first family of each kind in each sentence; `others` is what else was found there, such as commands."""
    waiting: Cue | None = None
    for sentence in sentences(folded.lower):
        found = tuple(_in_sentence(sentence))
        yield from found
        here = (*found, *(other for other in others if sentence.start <= other[1] < sentence.end))
        sleeper = _sleeper(sentence, here)
        if sleeper is not None:
            yield sleeper
        elif waiting is not None and any(kind in _TRIGGERED for kind, _, _ in here):
            yield "delayed_trigger", waiting.start, max(end for _, _, end in here)
        waiting = None if sleeper is not None else _trigger(sentence)


def _in_sentence(sentence: Sentence) -> Iterator[Found]:
    seen: set[str] = set()
    names = frozenset(sentence.by_concept)
    persona = _PERSONA.search(sentence.text, sentence.start, sentence.end)
    if persona is not None:
        seen.add("injection")
        yield "injection", persona.start(), persona.end()
    if names & _INSTALLS:
        steer = lookalike(sentence.text, sentence.start, sentence.end)
        if steer is not None:
            seen.add("dependency_steer")
            yield "dependency_steer", *steer
    if names & {"DEP", "ADDDEP"} and _NAMED.search(sentence.text, sentence.start, sentence.end):
        names |= {"NAME"}
    for place in sorted({place for name in names for place in _BY_CONCEPT.get(name, ())}):
        family = FAMILIES[place]
        if family.kind in seen or not _may_hold(family, names):
            continue
        search = together if family.any_order else chain
        for tries, steps in enumerate(search(sentence, family.steps, family.reach)):
            if tries >= _EXCUSES or _holds(sentence, family, steps):
                seen.add(family.kind)
                yield family.kind, steps[0].start, steps[-1].end
                break


def _may_hold(family: Family, names: frozenset[str]) -> bool:
    """Whether a sentence holds every word that the family needs, and none that rules it out."""
    for step in family.steps:
        if step.isdisjoint(names):
            return False
    for group in family.needs:
        if group.isdisjoint(names):
            return False
    return family.unless.isdisjoint(names)


def _holds(sentence: Sentence, family: Family, steps: tuple[Cue, ...]) -> bool:
    """Whether nothing around the words makes them harmless."""
    own = {step.start for step in steps}
    first, last = steps[0], steps[-1]
    if family.apart and first.clause == last.clause:
        return False
    if any(_beside(sentence, cue, first, last) for cue in sentence.among(family.beside, own, first, last, _LOOK)):
        return False
    for step in steps[:-1] if len(steps) > 2 else steps:
        if any(
            cue.end <= step.start and sentence.gap(cue.end, step.start) <= _BESIDE
            for cue in sentence.among(family.before, own, step, step, _LOOK)
        ):
            return False
    if any(
        cue.start >= last.end and cue.clause == last.clause
        for cue in sentence.among(family.after, own, last, last, _LOOK)
    ):
        return False
    return not (family.affirmed and any(sentence.negated(step, _NEGATION_REACH, steps) for step in steps))


def _beside(sentence: Sentence, cue: Cue, first: Cue, last: Cue) -> bool:
    """Whether a word stands between two others or right beside them."""
    if cue.end <= first.start:
        return cue.clause == first.clause and sentence.gap(cue.end, first.start) <= _BESIDE
    return cue.start < last.end or (cue.clause == last.clause and sentence.gap(last.end, cue.start) <= _BESIDE)


def _trigger(sentence: Sentence) -> Cue | None:
    """The word that makes a sentence wait for something that is said or begins later."""
    for steps in _SLEEPERS:
        for found in chain(sentence, steps, GAP):
            return found[0]
    return None


def _sleeper(sentence: Sentence, here: tuple[Found, ...]) -> Found | None:
    """A trigger with harm in the same sentence."""
    trigger = _trigger(sentence)
    if trigger is None:
        return None
    harm = [(start, end) for kind, start, end in here if kind in _TRIGGERED]
    for groups in _HARM:
        for found in together(sentence, groups, 90):
            if not any(sentence.negated(step, _NEGATION_REACH, found) for step in found):
                harm.append((found[0].start, found[-1].end))
                break
    if not harm:
        return None
    return "delayed_trigger", min(trigger.start, *(start for start, _ in harm)), max(end for _, end in harm)
