"""A manager on a temporary repository with scripted replies, and the deltas that the flows' tests send it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from memory_core.capacity import encode
from memory_core.clock import FixedClock
from memory_core.configuration import Configuration
from memory_core.document import MemoryDocument
from memory_core.manager import MemoryManager
from memory_core.policy import Policy
from memory_core.results import RecordResult
from memory_core.summary.backends.scripted import ScriptedBackend
from memory_core.summary.summarizer import MemorySummarizer, ModelReply
from tests.core.samples import NOW
from tests.core.storage.helpers import Tokens, put

PREFERENCE = "回答先给结论再给理由。"
PREFERENCE_TURN = "以后回答先给结论再给理由。"
NOTE = "用户关注 review 模块如何管理 finding 队列。"
NOTE_TURN = "review 模块怎么管理 finding 队列？"


def manager(
    root: Path,
    replies: Iterable[str | ModelReply | Exception] = (),
    *,
    policy: Policy | None = None,
    clock: FixedClock | None = None,
) -> MemoryManager:
    """Memory of a repository at a fixed time, whose model says what is given."""
    root.mkdir(exist_ok=True)
    return MemoryManager(
        root,
        policy=policy or Policy(),
        configuration=Configuration(),
        summarizer=MemorySummarizer(ScriptedBackend(replies), ids=Tokens()),
        clock=clock or FixedClock(NOW),
        ids=Tokens(),
    )


def record(found: MemoryManager, user: str = NOTE_TURN, assistant: str = "进入队列，逐条确认。", **more: Any) -> str:
    """Record a turn, start no summary, and give its id."""
    result = say(found, user, assistant, **more)
    assert result.turn_id is not None, result.reason
    return result.turn_id


def say(found: MemoryManager, user: str = NOTE_TURN, assistant: str = "好。", **more: Any) -> RecordResult:
    """Record a turn and start no summary."""
    values: dict[str, Any] = {"intent": "general_chat", "summarise": False} | more
    return found.record_turn(values.pop("intent"), user_text=user, assistant_text=assistant, **values)


def delta(*, turns: Iterable[Any] = (), topics: Iterable[Any] = (), items: Iterable[Any] = ()) -> str:
    """A model's reply."""
    value = {"turn_summaries": [*turns], "topic_operations": [*topics], "long_term_operations": [*items]}
    return json.dumps({name: entries for name, entries in value.items() if entries}, ensure_ascii=False)


def summary(turn_id: str, text: str = "用户想了解 finding 队列。") -> dict[str, str]:
    """A turn summary."""
    return {"turn_id": turn_id, "summary": text}


def new_topic(label: str = "finding 队列", text: str = "用户近期关注 finding 队列。", **more: Any) -> dict[str, Any]:
    """A topic to create."""
    return {"operation": "create_new", "label": label, "summary": text, **more}


def new_preference(label: str = "回答顺序", text: str = PREFERENCE) -> dict[str, str]:
    """A preference to create; accepted where a turn of the batch says `PREFERENCE_TURN`, else held."""
    return {
        "operation": "create_new",
        "type": "durable_preference",
        "label": label,
        "summary": text,
        "source": "user_explicit",
    }


def new_note(label: str = "review 模块", text: str = NOTE) -> dict[str, str]:
    """A project note to create."""
    return {
        "operation": "create_new",
        "type": "project_note",
        "label": label,
        "summary": text,
        "source": "conversation_summary",
    }


HELD = new_preference("语言", "回答一律用中文。")
"""A preference that no turn states."""
IMPOSSIBLE = {"turn_id": "turn_19990101_000000_001", "summary": "没有这一轮。"}
"""A summary of a turn that does not exist."""


def write(root: Path, document: MemoryDocument) -> bytes:
    """Lay a document down as V1 would; its bytes."""
    data = encode(document)
    root.mkdir(exist_ok=True)
    put(root, data)
    return data


def v1_write(root: Path, **changes: Any) -> None:
    """Rewrite the file as V1 does: no lock, no history."""
    file = root / ".autopatch-j" / "memory.json"
    value = json.loads(file.read_bytes()) | changes
    file.write_text(json.dumps(value, ensure_ascii=False, indent=2), encoding="utf-8")


def on_disk(root: Path) -> bytes:
    """The document's bytes."""
    return (root / ".autopatch-j" / "memory.json").read_bytes()
