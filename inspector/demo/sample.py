"""A throw-away copy of the sample repository, and its memory going through the whole chain.

The conversation is invented; every step of it runs through `memory_core` as an agent would call it.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from inspector.commands.rendering import change_lines, review_lines
from memory_core.clock import Clock
from memory_core.configuration import Configuration
from memory_core.diff import diff
from memory_core.intents import IntentType
from memory_core.manager import MemoryManager

CONVERSATION: tuple[tuple[IntentType, str, str, tuple[str, ...]], ...] = (
    (
        IntentType.CODE_EXPLAIN,
        "这个项目整体结构是什么？",
        "项目分为 api、review、scanner 三个模块：api 提供接口，scanner 产生 finding，review 管理确认。",
        (),
    ),
    (
        IntentType.GENERAL_CHAT,
        "Optional 怎么用？以后回答都先给结论再给理由。",
        "结论：用 orElseThrow，避免直接 get。理由：缺失时会得到明确的异常。",
        (),
    ),
    (
        IntentType.CODE_EXPLAIN,
        "review 模块怎么管理 finding 队列？",
        "finding 进入队列，逐条等待人工确认，再进入补丁生成。",
        ("review",),
    ),
    (
        IntentType.GENERAL_CHAT,
        "How do records differ from classes? Commit messages must always be lower-case English phrases.",
        "A record is an immutable data carrier; the compiler writes constructor and accessors.",
        (),
    ),
)


@contextmanager
def sample_repository(*, with_deltas: bool = True, clock: Clock | None = None) -> Iterator[Path]:
    """A copy of the sample in a temporary folder, gone afterwards; its memory filled as of `clock`."""
    with tempfile.TemporaryDirectory(prefix="memory-inspector-") as folder:
        root = Path(folder) / "demo-shop"
        with resources.as_file(resources.files("inspector.demo") / "repository") as source:
            shutil.copytree(source, root)
        if with_deltas:
            remember(root, clock=clock)
        yield root


def remember(root: Path, *, clock: Clock | None = None) -> None:
    """Fill the memory: two turns summarised and applied, two more, and deltas that wait for a decision."""
    manager = MemoryManager(root, configuration=Configuration(), clock=clock)
    manager.collect_profile(write=True)
    first = [_record(manager, index) for index in (0, 1)]
    proposal = manager.propose(first_delta(first))
    manager.approve(proposal.delta_id, {})
    later = [_record(manager, index) for index in (2, 3)]
    for reply in waiting_deltas(manager, later):
        manager.propose(reply)


def _record(manager: MemoryManager, index: int) -> str:
    """Record one turn without starting a summary in the background."""
    intent, user, assistant, scope = CONVERSATION[index]
    result = manager.record_turn(intent, user_text=user, assistant_text=assistant, scope_paths=scope, summarise=False)
    if result.turn_id is None:
        raise RuntimeError(f"the sample's turn was not recorded: {result.reason}")
    return result.turn_id


def first_delta(turns: list[str]) -> str:
    """A model's clean reply to the first two turns."""
    return _json(
        {
            "turn_summaries": [
                {"turn_id": turns[0], "summary": "用户在了解项目的整体结构与 api、review、scanner 三个模块的分工。"},
                {"turn_id": turns[1], "summary": "用户想了解 Optional 的用法，并要求以后先给结论再给理由。"},
            ],
            "topic_operations": [
                {
                    "operation": "create_new",
                    "label": "项目结构",
                    "summary": "用户近期关注 api、review、scanner 三个模块的分工。",
                    "related_turn_ids": [turns[0]],
                }
            ],
            "long_term_operations": [
                {
                    "operation": "create_new",
                    "type": "durable_preference",
                    "label": "回答顺序",
                    "summary": "回答先给结论再给理由。",
                    "source": "user_explicit",
                },
                {
                    "operation": "create_new",
                    "type": "project_note",
                    "label": "模块分工",
                    "summary": "用户关注 scanner 产生 finding、review 管理确认的分工。",
                    "source": "conversation_summary",
                },
            ],
        }
    )


def waiting_deltas(manager: MemoryManager, turns: list[str]) -> tuple[str, ...]:
    """What waits in the demonstration: one mixed delta, one with invented ids and wrong sources, one cut off."""
    document = manager.load().document
    topic = document.topics[0].id if document.topics else ""
    note = document.notes[0].id if document.notes else ""
    mixed = {
        "turn_summaries": [
            {"turn_id": turns[0], "summary": "用户关注 review 模块如何管理 finding 队列和补丁确认。"},
            {"turn_id": turns[1], "summary": "The user asked how records differ from classes, and set a commit rule."},
        ],
        "topic_operations": [
            {
                "operation": "update_existing",
                "target_id": topic,
                "summary": "用户近期关注 review 模块的 finding 队列与三个模块的分工。",
                "related_turn_ids": [turns[0]],
            }
        ],
        "long_term_operations": [
            {
                "operation": "create_new",
                "type": "durable_preference",
                "label": "commit messages",
                "summary": "Commit messages must always be lower-case English phrases.",
                "source": "user_explicit",
            },
            {
                "operation": "update_existing",
                "target_id": note,
                "summary": "用户关注 scanner 产生 finding、review 逐条确认后再生成补丁的流程。",
                "source": "conversation_summary",
            },
            {
                "operation": "create_new",
                "type": "durable_preference",
                "label": "functional style",
                "summary": "用户偏好函数式写法。",
                "source": "user_explicit",
            },
        ],
    }
    wrong = {
        "turn_summaries": [{"turn_id": "turn_20200101_000000_001", "summary": "一轮从未发生过的对话。"}],
        "long_term_operations": [
            {
                "operation": "create_new",
                "type": "project_note",
                "label": "java version",
                "summary": "用户要求示例代码使用 Java 17。",
                "source": "user_explicit",
            },
            {"operation": "delete", "target_id": note},
        ],
        "confidence": 0.9,
    }
    cut_off = '{"turn_summaries": [{"turn_id": "' + turns[1] + '", "summary": "record 是不可变的'
    return _json(mixed), _json(wrong), cut_off


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the chain: the rule at work, what came in, what came out."""

    title: str
    rule: str
    shown: tuple[str, ...]

    def lines(self) -> tuple[str, ...]:
        """The step as text."""
        return (f"── {self.title}  ({self.rule})", *(f"   {line}" for line in self.shown), "")


def walk_through(root: Path) -> tuple[Step, ...]:
    """The sample's conversation through the chain: profile, turns, model's reply, verdicts, document, next context."""
    manager = MemoryManager(root, configuration=Configuration())
    steps: list[Step] = []
    profile = manager.collect_profile(write=True)
    stated = [f"{field}: {', '.join(value) if isinstance(value, tuple) else value}" for field, value in profile.profile]
    steps.append(Step("The program reads the build files", "P1", tuple(stated)))
    turns: list[str] = []
    for index in range(len(CONVERSATION)):
        turn_id = _record(manager, index)
        turns.append(turn_id)
        document = manager.load().document
        due = manager.due(document, document.turns[-1])
        words = (f"user: {CONVERSATION[index][1]}", f"due: {due or 'nothing yet'}")
        steps.append(Step(f"Turn {turn_id} recorded", "T1-T6", words))
        if index == 1:
            steps.extend(_reviewed(manager, first_delta(turns)))
    for reply in waiting_deltas(manager, turns[2:]):
        steps.extend(_reviewed(manager, reply))
    question = "review 模块的队列怎么确认？"
    context = manager.context(IntentType.CODE_EXPLAIN, question)
    steps.append(Step(f"The next prompt carries, for “{question}”", "C1", tuple(context.text.splitlines())))
    repair = manager.context(IntentType.PATCH_REVISE, question)
    steps.append(Step("The same for a repair", "I1", (f"{repair.characters} characters: memory never reaches it",)))
    return tuple(steps)


def _reviewed(manager: MemoryManager, reply: str) -> Iterator[Step]:
    """A model's reply: judged, queued, applied as far as the program accepts it."""
    yield Step("The model replies", "U2", tuple(reply.splitlines()))
    before = manager.load().document
    proposal = manager.propose(reply)
    yield Step("The program judges", "A1-A11", tuple(review_lines(proposal.review)))
    if proposal.review.reason is not None or not proposal.review.changes:
        yield Step("It waits for a person", "R4c", (f"{proposal.delta_id} stays in the queue until it is dismissed",))
        return
    result = manager.approve(proposal.delta_id, {})
    after = manager.load().document
    shown = (*change_lines(diff(before, after)), f"revision {result.revision}, waiting: {', '.join(result.waiting) or 'none'}")
    yield Step("What a person approves is written", "R3b", shown)
