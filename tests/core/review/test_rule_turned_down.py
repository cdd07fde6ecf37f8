"""What a person turned down before comes back marked so, and is held (R4c)."""

from __future__ import annotations

from typing import Any

import pytest

from memory_core.review.verdict import TurnedDown
from tests.core.review.judged import BASE, NEW_NOTE, NEW_PREFERENCE, NEW_TOPIC, SUMMARISE, changed, found, judge, one

BEFORE = TurnedDown("long_term", "project_note", "api module", "用户想了解 api 模块的分层。", "2026-04-30", "太细")


def again(**values: Any) -> dict[str, Any]:
    return changed(NEW_NOTE, **{"label": "api module", "summary": BEFORE.summary, **values})


@pytest.mark.parametrize(
    ("operation", "held"),
    [
        (again(), True),
        (again(label="别的标签"), True),
        (again(summary="用户想了解 ＡＰＩ 模块的分层"), True),
        (again(label="API  Module", summary="用户想了解 api 模块如何分层。"), True),
        (again(label="别的标签", summary="用户在看日志模块的格式。"), False),
        (again(summary="用户改用 gradle 构建发布。"), True),
        (again(summary="用户不想了解 api 模块的分层。"), False),
        (again(label="别的标签", summary="用户想了解 api2 模块的 3 个分层。"), False),
        (changed(NEW_PREFERENCE, label="api module", summary=BEFORE.summary), False),
    ],
)
def test_alike_or_not(operation: dict[str, Any], held: bool) -> None:
    verdict = one(items=[operation], turned_down=(BEFORE,))
    assert (verdict.verdict == "held") is held
    assert found(verdict, "turned_down_before").outcome == ("held" if held else "passed")
    if held:
        assert verdict.effective == "wait"
        assert "2026-04-30: 太细" in verdict.message


def test_it_is_told_by_kind() -> None:
    topic = TurnedDown("topic", None, "分层", NEW_TOPIC["summary"], "2026-04-30")
    assert one(topics=[NEW_TOPIC], turned_down=(topic,)).verdict == "held"
    assert one(turns=[SUMMARISE], turned_down=(topic,)).verdict == "accepted"


def test_the_newest_one_is_named() -> None:
    newer = TurnedDown("long_term", "project_note", "api module", BEFORE.summary, "2026-05-01", "")
    assert "2026-05-01." in one(items=[again()], turned_down=(BEFORE, newer)).message


def test_it_waits_until_a_person_accepts_it() -> None:
    waiting = judge(items=[again()], turned_down=(BEFORE,))
    assert waiting.document is BASE
    accepted = judge(items=[again()], turned_down=(BEFORE,), decisions={"long_term_operations[0]": "accept"})
    assert accepted.operations[0].verdict == "held"
    assert accepted.document.notes[-1].summary == BEFORE.summary


def test_nothing_is_said_where_nothing_was_turned_down() -> None:
    assert not [check for check in one(items=[again()]).checks if check.code == "turned_down_before"]
