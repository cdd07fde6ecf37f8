"""The built-in summariser: takes the user's own words, uses no model, and says so in its name (U3)."""

from __future__ import annotations

import json
import re

from memory_core.summary.summarizer import ModelReply, SummaryPayload
from memory_core.text import normalise

_SENTENCE = re.compile(r"[^。！？!?\n]*[。！？!?]?")
_HAN = re.compile(r"[㐀-鿿]")
_QUESTION_LENGTH = 200
"""Characters of the user's words that a summary takes at most; whole sentences where they fit."""


class ExtractiveBackend:
    """Answers with a delta of quotations: what was asked, in the user's words. Guesses nothing."""

    @property
    def name(self) -> str:
        """Its name, which says that no model is at work."""
        return "extractive (no model)"

    def reply(self, payload: SummaryPayload, nonce: str) -> ModelReply:
        """One summary for each pending turn; no topics, no long-term items."""
        del nonce
        summaries = [{"turn_id": turn.id, "summary": quotation(turn.user_text)} for turn in payload.turns]
        return ModelReply(json.dumps({"turn_summaries": summaries}, ensure_ascii=False), "stop", self.name)

    def cancel(self) -> None:
        """Nothing is ever under way."""


def quotation(user_text: str) -> str:
    """What the user asked, in whole sentences as far as they fit, in the user's language."""
    text = normalise(user_text)
    taken = ""
    for sentence in _SENTENCE.findall(text):
        if len(taken) + len(sentence) > _QUESTION_LENGTH:
            break
        taken += sentence
    quoted = taken.strip() or text[:_QUESTION_LENGTH].strip()
    return f"用户说：{quoted}" if _HAN.search(quoted) else f"The user said: {quoted}"
