"""The built-in summariser, which uses no model: quotations, judged like any model's reply (U3)."""

from __future__ import annotations

from typing import Any

import pytest

from memory_core.delta import MemoryDelta, MemoryDeltaParser
from memory_core.document import ActiveTopic, LongTermItem, RecentTurn
from memory_core.policy import Limits, Policy
from memory_core.review.applier import MemoryDeltaApplier
from memory_core.review.verdict import JudgeContext, Review
from memory_core.summary.backends.extractive import ExtractiveBackend
from memory_core.summary.summarizer import build_payload
from tests.core.samples import AT, document, preference, topic, turn


def made(
    *turns: RecentTurn,
    items: tuple[LongTermItem, ...] = (),
    topics: tuple[ActiveTopic, ...] = (),
    limits: Limits | None = None,
) -> tuple[MemoryDelta, Review]:
    """The delta for these turns, and what the rules say of it."""
    whole = document(turns=turns, items=items, topics=topics)
    payload = build_payload(whole, None, limits=limits)
    assert payload is not None
    reply = ExtractiveBackend().reply(payload, "nonce")
    parsed = MemoryDeltaParser.parse(reply.text, finish_reason=reply.finish_reason)
    assert parsed.delta is not None
    context = JudgeContext(proposed_at=AT, batch=payload.turns)
    policy = Policy(limits=limits or Limits())
    return parsed.delta, MemoryDeltaApplier.judge(whole, parsed.delta, policy, context)


def section(delta: MemoryDelta, name: str) -> list[dict[str, Any]]:
    found = delta.raw.get(name, [])
    assert isinstance(found, list)
    return found


def preferences(*turns: RecentTurn, **given: Any) -> list[str]:
    return [entry["summary"] for entry in section(made(*turns, **given)[0], "long_term_operations")]


def test_its_name_says_that_no_model_is_at_work() -> None:
    assert ExtractiveBackend().name == "extractive (no model)"


@pytest.mark.parametrize(
    ("said", "summary"),
    [
        ("Optional 怎么用？", "用户问：Optional 怎么用？"),
        ("看看缓存模块。它有点慢。", "用户说：看看缓存模块。它有点慢。"),
        ("How does Optional work?", "The user asked: How does Optional work?"),
        ("Look at it. Then at the cache.", "The user said: Look at it. Then at the cache."),
    ],
)
def test_a_turn_is_summarised_in_the_users_words_and_language(said: str, summary: str) -> None:
    delta, review = made(turn(1, user_text=said))
    assert section(delta, "turn_summaries") == [{"turn_id": turn(1).id, "summary": summary}]
    assert [verdict.verdict for verdict in review.operations] == ["accepted"]


@pytest.mark.parametrize("limit", [20, 300])
@pytest.mark.parametrize("said", ["长" * 1000, "第一句。" * 200, "one sentence. " * 70])
def test_a_long_text_stays_within_the_limit(said: str, limit: int) -> None:
    _, review = made(turn(1, user_text=said), limits=Limits(summary=limit))
    assert [verdict.verdict for verdict in review.operations] == ["accepted"]


def test_a_turn_without_words_is_left_out() -> None:
    assert made(turn(1, user_text="……"))[0].raw == {}


@pytest.mark.parametrize(
    "said",
    [
        "以后回答都用中文，先给结论。",
        "请记住：示例代码默认用 Java 17。",
        "另外，从现在起每次都先给结论。",
        "From now on, always answer in English.",
        "Please always give the conclusion first.",
        "Never use Lombok in examples.",
    ],
)
def test_a_rule_that_the_user_sets_is_proposed_word_for_word(said: str) -> None:
    delta, review = made(turn(1, user_text=f"{said} Optional 怎么用？" if said.endswith("。") else said))
    assert [entry["summary"] for entry in section(delta, "long_term_operations")] == [said]
    assert [verdict.verdict for verdict in review.operations] == ["accepted", "accepted"]


@pytest.mark.parametrize(
    "said",
    [
        "默认端口是 8080。",
        "升级以后启动不了。",
        "以后再说吧。",
        "以后要不要用中文？",
        "每次启动都报错。",
        "这个方法必须返回 Optional。",
        "记住密码的功能在哪里？",
        "The parser must be closed.",
        "Never mind, it always fails here.",
        "Is it always so slow?",
        "Spring always creates a proxy.",
        "记住，这次回答用英文。",
    ],
)
def test_facts_questions_and_wishes_for_once_are_no_rules(said: str) -> None:
    assert preferences(turn(1, user_text=said)) == []


def test_the_assistants_words_are_never_taken() -> None:
    delta, _ = made(turn(1, user_text="好的", assistant_text="以后统一用 orElseThrow。From now on always use tabs."))
    assert set(delta.raw) == {"turn_summaries"}


def test_what_is_remembered_already_is_not_proposed_again() -> None:
    said = "以后回答都用中文，先给结论。"
    known = preference(1, summary=said)
    assert preferences(turn(1, user_text=said), turn(2, user_text=said)) == [said]
    assert preferences(turn(1, user_text=said), items=(known,)) == []
    assert preferences(turn(1, user_text=said), items=(preference(1, summary="缩进用四个空格。"),)) == [said]


def test_two_turns_about_one_path_share_a_topic() -> None:
    path = "src/main/java/demo/review"
    turns = (turn(1, scope_paths=(path,)), turn(2, user_text="队列在哪里？", scope_paths=(path,)), turn(3))
    delta, review = made(*turns)
    assert section(delta, "topic_operations") == [
        {
            "operation": "create_new",
            "label": "review",
            "summary": f"用户近期多次问到 {path}。",
            "related_turn_ids": [turn(1).id, turn(2).id],
        }
    ]
    assert {verdict.verdict for verdict in review.operations} == {"accepted"}


def test_two_turns_about_one_name_share_a_topic_that_exists_is_updated() -> None:
    turns = (turn(1), turn(2, user_text="optional 能做字段吗？"), turn(3, user_text="队列在哪里？"))
    created, _ = made(*turns)
    assert [entry["label"] for entry in section(created, "topic_operations")] == ["Optional"]
    known = topic(4, label="optional")
    updated, review = made(*turns, topics=(known,))
    assert [entry["target_id"] for entry in section(updated, "topic_operations")] == [known.id]
    assert {verdict.verdict for verdict in review.operations} == {"accepted"}


@pytest.mark.parametrize(
    "said", [("Optional 怎么用？", "队列在哪里？"), ("What should this do?", "How should that work with these?")]
)
def test_turns_that_share_no_name_share_no_topic(said: tuple[str, str]) -> None:
    delta, _ = made(turn(1, user_text=said[0]), turn(2, user_text=said[1]))
    assert set(delta.raw) == {"turn_summaries"}
