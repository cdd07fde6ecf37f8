"""When a summary is due (T1-T7)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.document import MemoryDocument, RecentTurn
from memory_core.policy import Limits, Policy
from memory_core.summary.triggers import Trigger, due, explain, signals_in
from tests.core.samples import document, turn

SIGNALS = Policy().signals
READY = {"summary_status": "ready", "summary": "已总结。"}


def asked(whole: MemoryDocument, last: RecentTurn, **changes: Any) -> Trigger | None:
    return due(whole, last, **{"limits": Limits(), "signals": SIGNALS, "size": 100, "root": "/repo", **changes})


@pytest.mark.parametrize(
    ("intent", "paths", "found"),
    [
        ("code_explain", (), Trigger.PROJECT_CODE_EXPLAIN),
        ("code_explain", (".",), Trigger.PROJECT_CODE_EXPLAIN),
        ("code_explain", ("./",), Trigger.PROJECT_CODE_EXPLAIN),
        ("code_explain", ("/repo/",), Trigger.PROJECT_CODE_EXPLAIN),
        ("code_explain", ("src/..", "src"), Trigger.PROJECT_CODE_EXPLAIN),
        ("code_explain", ("/repository",), None),
        ("code_explain", ("src/Main.java",), None),
        ("general_chat", (), None),
    ],
)
def test_a_question_about_the_project_as_a_whole(intent: str, paths: tuple[str, ...], found: Trigger | None) -> None:
    last = turn(1, intent=intent, scope_paths=paths)
    assert asked(document(turns=(last,)), last) == found


def test_two_pending_turns_are_enough() -> None:
    assert asked(document(turns=(turn(1), turn(2))), turn(2)) == Trigger.PENDING_TURNS
    assert asked(document(turns=(turn(1, **READY), turn(2))), turn(2)) is None


def test_six_recent_turns_are_enough() -> None:
    ready = tuple(turn(number, **READY) for number in range(1, 6))
    assert asked(document(turns=(*ready, turn(6))), turn(6)) == Trigger.RECENT_TURNS
    assert asked(document(turns=(*ready[1:], turn(6))), turn(6)) is None


def test_a_file_over_the_soft_limit() -> None:
    whole = document(turns=(turn(1),))
    assert asked(whole, turn(1), size=24 * 1024) is None
    assert asked(whole, turn(1), size=24 * 1024 + 1) == Trigger.FILE_SIZE


@pytest.mark.parametrize(
    "words",
    [
        *("以后用中文。", "记住这条", "Please ALWAYS answer briefly", "I’d like short answers", "from now on, tabs"),
        *("from now\non, tabs", "ＡＬＷＡＹＳ", "请always用中文", "Don`t do that", "必须這樣"),
    ],
)
def test_the_users_words_may_carry_a_signal(words: str) -> None:
    last = turn(1, user_text=words)
    assert asked(document(turns=(last,)), last) == Trigger.LONG_TERM_SIGNAL


@pytest.mark.parametrize("words", ["muster the troops", "rules_engine", "What is a nevermore?", "prefers-color"])
def test_english_signals_are_whole_words(words: str) -> None:
    assert signals_in(words, ("must", "never", "rule", "always")) == ()


def test_signals_are_told_in_the_policys_order_and_a_blank_one_is_none() -> None:
    assert signals_in("never, always", ("always", "", " ", "NEVER")) == ("always", "NEVER")
    assert signals_in("I don’t", ("don’t",)) == ("don’t",)
    assert signals_in("cafélways toujours", ("lways", "tou")) == ()


@given(st.text(max_size=80), st.sampled_from(SIGNALS), st.text(max_size=80))
def test_a_signal_among_other_words_is_found(before: str, signal: str, after: str) -> None:
    assert signal in signals_in(f"{before} {signal} {after}", SIGNALS)


def test_nothing_is_due_after_a_turn_that_was_not_recorded() -> None:
    whole = document(turns=tuple(turn(number) for number in range(1, 8)))
    assert asked(whole, turn(8, user_text="以后都这样", intent="code_explain"), size=99_999) is None


def test_the_first_trigger_that_holds_counts() -> None:
    last = turn(6, user_text="以后都这样", intent="code_explain")
    whole = document(turns=(*(turn(number) for number in range(1, 6)), last))
    expected = list(Trigger)
    facts: dict[str, Any] = {"size": 99_999}
    assert asked(whole, last, **facts) == expected[0]
    narrow = last.model_copy(update={"scope_paths": ("src",)})
    whole = whole.with_turns((*whole.turns[:5], narrow))
    assert asked(whole, narrow, **facts) == expected[1]
    alone = whole.with_turns((*(turn(number, **READY) for number in range(1, 6)), narrow))
    assert asked(alone, narrow, **facts) == expected[2]
    few = alone.with_turns(alone.turns[1:])
    assert asked(few, narrow, **facts) == expected[3]
    assert asked(few, narrow) == expected[4]


def test_nothing_is_due_without_a_pending_turn() -> None:
    turns = tuple(turn(number, **READY, user_text="以后都这样") for number in range(1, 8))
    assert asked(document(turns=turns), turns[-1], size=99_999) is None


def test_claimed_and_given_up_turns_count_for_nothing() -> None:
    one, two = turn(1), turn(2, user_text="以后用中文。", intent="code_explain")
    whole = document(turns=(one, two))
    assert asked(whole, two, claimed=frozenset({two.id})) is None
    assert asked(whole, two, given_up=frozenset({one.id})) == Trigger.PROJECT_CODE_EXPLAIN
    assert asked(whole, two, claimed=frozenset({one.id}), given_up=frozenset({two.id}), size=99_999) is None


def test_every_trigger_is_explained() -> None:
    found = explain(document(turns=(turn(1),)), turn(1), limits=Limits(), signals=SIGNALS, size=10)
    assert [check.rule for check in found] == ["T1", "T2", "T3", "T4", "T5"]
    assert not any(check.holds for check in found)
    assert all(check.explanation for check in found)
