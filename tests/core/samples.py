"""Small documents and moments that the core's tests share."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path

from memory_core.document import ActiveTopic, LongTermItem, LongTermMemory, MemoryDocument, RecentTurn, WorkingMemory

SHANGHAI = timezone(timedelta(hours=8))
NOW = datetime(2026, 5, 1, 12, 45, tzinfo=SHANGHAI)
AT = "2026-05-01T12:45:00+08:00"
SAMPLES = Path(__file__).parents[1] / "samples"
V1_SAMPLES = sorted((SAMPLES / "autopatch_v1").glob("*.json"))


def turn(number: int = 1, **changes: object) -> RecentTurn:
    """A pending turn."""
    values: dict[str, object] = {
        "id": f"turn_20260501_1200{number:02d}_{number:03d}",
        "intent": "general_chat",
        "user_text": "Optional 怎么用？",
        "assistant_text": "用 orElseThrow。",
        "summary": "",
        "summary_status": "pending",
        "scope_paths": (),
        "created_at": f"2026-05-01T12:00:{number:02d}+08:00",
    }
    return RecentTurn.model_validate(values | changes)


def topic(number: int = 1, **changes: object) -> ActiveTopic:
    """A topic."""
    values: dict[str, object] = {
        "id": f"topic_20260501_{number:03d}",
        "label": f"话题 {number}",
        "summary": f"用户近期关注话题 {number}。",
        "related_turn_ids": (),
        "last_touched_at": f"2026-05-01T11:00:{number:02d}+08:00",
    }
    return ActiveTopic.model_validate(values | changes)


def note(number: int = 1, **changes: object) -> LongTermItem:
    """An active project note."""
    values: dict[str, object] = {
        "id": f"mem_20260501_{number:03d}",
        "type": "project_note",
        "label": f"笔记 {number}",
        "summary": f"用户关注第 {number} 个模块。",
        "status": "active",
        "source": "conversation_summary",
        "created_at": "2026-05-01T10:00:00+08:00",
        "updated_at": f"2026-05-01T10:00:{number % 60:02d}+08:00",
    }
    return LongTermItem.model_validate(values | changes)


def preference(number: int = 1, **changes: object) -> LongTermItem:
    """An active durable preference."""
    return note(
        number,
        **{
            "type": "durable_preference",
            "source": "user_explicit",
            "label": f"偏好 {number}",
            "summary": "回答用中文。",
        }
        | changes,
    )


def document(
    *,
    turns: tuple[RecentTurn, ...] = (),
    topics: tuple[ActiveTopic, ...] = (),
    items: tuple[LongTermItem, ...] = (),
) -> MemoryDocument:
    """A document of these entries."""
    return MemoryDocument(
        updated_at="2026-05-01T12:40:00+08:00",
        working_memory=WorkingMemory(active_topics=topics, recent_turns=turns),
        long_term_memory=LongTermMemory(),
    ).with_items(items)
