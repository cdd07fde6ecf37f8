"""What if: the deltas of history and queue under another policy; nothing is written."""

from __future__ import annotations

import json
from pathlib import Path

from memory_core.configuration import Configuration
from memory_core.intents import IntentType
from memory_core.manager import MemoryManager
from memory_core.policy import Limits, Policy
from tests.core.storage.helpers import tree


def test_flips_are_listed_for_applied_and_waiting_deltas_and_nothing_is_written(tmp_path: Path) -> None:
    manager = MemoryManager(tmp_path, configuration=Configuration())
    turns: list[str] = []
    for words in ("Optional 怎么用？", "review 模块怎么确认？"):
        result = manager.record_turn(IntentType.GENERAL_CHAT, user_text=words, assistant_text="好。", summarise=False)
        assert result.turn_id is not None
        turns.append(result.turn_id)
    applied, waiting = (
        manager.propose(json.dumps({"turn_summaries": [{"turn_id": turn, "summary": "用户想了解这个问题的写法。"}]}))
        for turn in turns
    )
    manager.approve(applied.delta_id, {})
    before = tree(tmp_path)

    assert manager.rejudge(manager.policy).flips == ()
    found = manager.rejudge(Policy(limits=Limits(summary=5)))

    assert found.judged == 2
    assert [(flip.delta_id, flip.before, flip.after, flip.after_code) for flip in found.flips] == [
        (applied.delta_id, "accepted", "rejected", "too_long"),
        (waiting.delta_id, "accepted", "rejected", "too_long"),
    ]
    assert [flip.seq is None for flip in found.flips] == [False, True]
    assert tree(tmp_path) == before
