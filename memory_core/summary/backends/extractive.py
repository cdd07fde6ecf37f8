"""The built-in summariser: takes the user's own words, uses no model, and says so in its name (U3)."""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import chain
from typing import Any

from memory_core.document import RecentTurn
from memory_core.language import content_words, is_chinese, mood, sentences, signals_meant
from memory_core.policy import Policy
from memory_core.summary.summarizer import ModelReply, SummaryPayload
from memory_core.text import clip, fold, has_substance, normalise, similarity

_QUOTED = 200
"""Characters of the user's words that a summary takes at most; whole sentences where they fit."""
_SAME = 0.7
"""From this similarity on a preference counts as remembered already."""
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]{3,}", re.ASCII)

# A signal alone says little: 默认端口是 8080 and "the parser must be closed" state facts. These openings speak of how
# the agent is to work from then on.
_LASTING = re.compile(
    r"(?:请|另外|还有|对了|而且|麻烦|你|[，, ])*(?:以后(?!再)|今后|往后|从现在起|从现在开始|记住|我希望你|每次回答)"
    r"|(?:(?:please|also|and|so|ok|okay)[, ]+)*(?:from now on|always|never(?! ?mind)|every time you|"
    r"remember (?:that|to)|i(?: would|'d) like you to always|i want you to always)\b",
    re.IGNORECASE,
)


class ExtractiveBackend:
    """Answers with a delta of quotations, in the user's words. Guesses nothing.

    A turn's summary says what was asked. A durable preference is a sentence by which the user sets a rule for the
    agent's work, word for word. A topic is what the paths or names of two turns have in common.
    """

    def __init__(self, *, signals: tuple[str, ...] = Policy().signals) -> None:
        self._signals = signals

    @property
    def name(self) -> str:
        """Its name, which says that no model is at work."""
        return "extractive (no model)"

    def reply(self, payload: SummaryPayload, nonce: str) -> ModelReply:
        """The delta as JSON text, which goes the way of any model's reply."""
        del nonce
        limits = payload.limits
        delta: dict[str, Any] = {
            "turn_summaries": [
                {"turn_id": turn.id, "summary": clip(_quotation(turn.user_text), limits.summary)}
                for turn in payload.turns
                if has_substance(turn.user_text)
            ],
            "topic_operations": _topics(payload),
            "long_term_operations": self._preferences(payload),
        }
        text = json.dumps({section: entries for section, entries in delta.items() if entries}, ensure_ascii=False)
        return ModelReply(text, "stop", self.name)

    def cancel(self) -> None:
        """Nothing is ever under way."""

    def _preferences(self, payload: SummaryPayload) -> list[dict[str, str]]:
        """The sentences that set a rule, and are not remembered yet."""
        known = [item.summary for item in payload.items if item.type == "durable_preference"]
        found: list[dict[str, str]] = []
        for sentence in chain.from_iterable(sentences(normalise(turn.user_text)) for turn in payload.turns):
            if len(sentence) > payload.limits.summary or not self._sets_a_rule(sentence):
                continue
            if all(similarity(sentence, summary) < _SAME for summary in known):
                known.append(sentence)
                found.append(
                    {
                        "operation": "create_new",
                        "type": "durable_preference",
                        "label": clip(sentence.rstrip("。.！!"), payload.limits.label),
                        "summary": sentence,
                        "source": "user_explicit",
                    }
                )
        return found

    def _sets_a_rule(self, sentence: str) -> bool:
        if not _LASTING.match(sentence) or not signals_meant(sentence, self._signals):
            return False
        meant = mood(sentence, content_words(sentence))
        return not (meant.question or meant.reported or meant.this_time)


def _quotation(user_text: str) -> str:
    """What the user said, in whole sentences as far as they fit, in the user's language."""
    text = normalise(user_text)
    taken = ""
    for sentence in sentences(text):
        longer = f"{taken} {sentence}" if taken and taken[-1].isascii() else taken + sentence
        if len(longer) > _QUOTED:
            break
        taken = longer
    quoted = taken or clip(text, _QUOTED)
    asked = quoted.endswith(("?", "？"))
    if is_chinese(quoted):
        return f"用户问：{quoted}" if asked else f"用户说：{quoted}"
    return f"The user asked: {quoted}" if asked else f"The user said: {quoted}"


def _topics(payload: SummaryPayload) -> list[dict[str, Any]]:
    """The path, else the name, that most turns have in common, as one topic; none where no two share any."""
    shared = _shared(turn.scope_paths for turn in payload.turns) or _shared(_names(turn) for turn in payload.turns)
    if not shared:
        return []
    turns = [turn for turn in payload.turns if shared in turn.scope_paths or fold(shared) in _folded_names(turn)]
    chinese = is_chinese(" ".join(turn.user_text for turn in turns))
    operation: dict[str, Any] = {
        "summary": f"用户近期多次问到 {shared}。" if chinese else f"The user asked about {shared} more than once.",
        "related_turn_ids": [turn.id for turn in turns],
    }
    label = clip(shared.rstrip("/").rpartition("/")[2] or shared, payload.limits.label)
    if len(operation["summary"]) > payload.limits.summary:
        return []
    known = next((topic for topic in payload.topics if fold(topic.label) == fold(label)), None)
    if known is not None:
        return [{"operation": "update_existing", "target_id": known.id, **operation}]
    return [{"operation": "create_new", "label": label, **operation}]


def _shared(groups: Any) -> str:
    """What stands in the most groups, at least two; the longer of equals. Compared folded, given as first written."""
    written: dict[str, str] = {}
    count: Counter[str] = Counter()
    for group in groups:
        folded = {fold(text): text for text in reversed(tuple(group)) if has_substance(text)}
        count.update(folded.keys())
        written = {**folded, **written}
    best = max(count, key=lambda text: (count[text], len(text), text), default="")
    return written[best] if count[best] > 1 else ""


def _names(turn: RecentTurn) -> tuple[str, ...]:
    """The Latin names in a user's words that are no common words: in Chinese text, classes and modules."""
    topical = content_words(turn.user_text)
    return tuple(name for name in _NAME.findall(turn.user_text) if fold(name) in topical)


def _folded_names(turn: RecentTurn) -> frozenset[str]:
    return frozenset(fold(name) for name in _names(turn))
