"""A real model behind a real endpoint; runs where MEMORY_INSPECTOR_LIVE_URL names one."""

from __future__ import annotations

import os

import pytest

from memory_core.codec import decode
from memory_core.configuration import ModelChoice
from memory_core.delta import MemoryDeltaParser
from memory_core.policy import Limits, Policy
from memory_core.review.applier import MemoryDeltaApplier
from memory_core.review.verdict import JudgeContext
from memory_core.summary.backends.openai_chat import OpenAIChatBackend
from memory_core.summary.prompt import PLACEHOLDERS
from memory_core.summary.summarizer import MemorySummarizer, build_payload
from tests.core.samples import AT, NOW, SAMPLES


@pytest.fixture
def live_url() -> str:
    url = os.environ.get("MEMORY_INSPECTOR_LIVE_URL", "")
    if not url:
        pytest.skip("MEMORY_INSPECTOR_LIVE_URL names no endpoint")
    return url


@pytest.mark.live
def test_whatever_a_real_model_says_the_document_stays_sound(live_url: str) -> None:
    data = (SAMPLES / "autopatch_v1" / "two_pending_turns.json").read_bytes()
    document = decode(data, Limits(), NOW).document
    payload = build_payload(document, None)
    assert payload is not None
    name = os.environ.get("MEMORY_INSPECTOR_LIVE_MODEL", "smollm2")
    choice = ModelChoice(base_url=live_url, name=name, timeout=120.0, max_tokens=128)
    reply = MemorySummarizer(OpenAIChatBackend(choice, None)).summarize(payload)
    assert reply.refused is None
    parsed = MemoryDeltaParser.parse(reply.text, finish_reason=reply.finish_reason, token_limit=reply.token_limit)
    context = JudgeContext(proposed_at=AT, batch=payload.turns, placeholders=PLACEHOLDERS)
    review = MemoryDeltaApplier.judge_reply(document, parsed, Policy(), context)
    ids = {turn.id for turn in document.turns}
    assert {turn.id for turn in review.document.turns} == ids
    assert {link for topic in review.document.topics for link in topic.related_turn_ids} <= ids
