"""Whatever is done in whatever order, the document keeps to its limits and nothing that was previewed differs (A10)."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from memory_core.capacity import encode
from memory_core.clock import FixedClock
from memory_core.document import MemoryDocument
from memory_core.errors import MemoryCoreError, StateError
from memory_core.manager import MemoryManager
from memory_core.policy import Limits, Policy
from memory_core.review.verdict import Decision
from tests.core.flows.helpers import delta, manager
from tests.core.samples import NOW

LIMITS = Limits(recent_turns=5, active_topics=3, long_term_items=4, soft_bytes=5000, hard_bytes=7000)
WORDS = st.sampled_from(
    ["回答用中文。", "先给结论再给理由。", "用户关注 review 模块。", "用户关注 api 模块。", "Use tabs.", "长" * 290]
)
LABELS = st.sampled_from(["回答语言", "review", "api", "缩进", "长" * 61, ""])
USERS = st.sampled_from(
    [
        "以后回答用中文。",
        "以后都先给结论再给理由。",
        "review 模块怎么工作？",
        "api 模块呢？",
        "必须 use tabs",
        "问" * 900,
    ]
)
BROKEN = st.sampled_from(
    ["", "{", "[]", "{}", "没有 JSON", '{"turn_summaries": 7}', '{"other": 1}', "{}{}", "[" * 5000]
)
CHOICES = st.sampled_from([None, "accept", "turn_down"])


def refusal(action: Callable[..., object], *given: Any, **more: Any) -> str | None:
    """The code with which the state forbade it, or None."""
    try:
        action(*given, **more)
    except StateError as error:
        return error.code
    return None


class Sequences(RuleBasedStateMachine):
    """A few people and agents at one memory, on a clock that may stand still or go on."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory(prefix="stateful-")
        self.root = Path(self.folder.name)
        self.clock = FixedClock(NOW)
        self.seen_ids: set[str] = set()
        self.ids_before: set[str] = set()
        self.went_back = False

    def teardown(self) -> None:
        self.folder.cleanup()

    def open(self, *replies: str) -> MemoryManager:
        return manager(self.root, replies, policy=Policy(limits=LIMITS), clock=self.clock)

    @property
    def document(self) -> MemoryDocument:
        return self.open().load().document

    def data(self) -> bytes | None:
        file = self.root / ".autopatch-j" / "memory.json"
        return file.read_bytes() if file.exists() else None

    @initialize(broken=st.booleans())
    def begin(self, broken: bool) -> None:
        if broken:
            (self.root / ".autopatch-j").mkdir()
            (self.root / ".autopatch-j" / "memory.json").write_bytes(b"{")
            assert self.open().recover() == "memory.corrupt.json"

    # What replies are made of: mostly ids that exist, sometimes ones that do not.

    def reply(self, draw: st.DataObject) -> str:
        document = self.document
        turns = [turn.id for turn in document.turns] + ["turn_x"]
        topics = [topic.id for topic in document.topics] + ["topic_x"]
        items = [item.id for item in document.items] + ["mem_x"]
        summaries = st.fixed_dictionaries({"turn_id": st.sampled_from(turns), "summary": WORDS})
        topic = st.fixed_dictionaries(
            {"operation": st.just("create_new"), "label": LABELS, "summary": WORDS},
            optional={"related_turn_ids": st.lists(st.sampled_from(turns), max_size=3)},
        )
        touch = st.fixed_dictionaries(
            {"operation": st.just("update_existing"), "target_id": st.sampled_from(topics), "summary": WORDS}
        )
        pairs = st.sampled_from([("durable_preference", "user_explicit"), ("project_note", "conversation_summary")])
        create = st.builds(
            lambda pair, label, text: {
                "operation": "create_new",
                "type": pair[0],
                "label": label,
                "summary": text,
                "source": pair[1],
            },
            pairs,
            LABELS,
            WORDS,
        )
        update = st.fixed_dictionaries(
            {"operation": st.just("update_existing"), "target_id": st.sampled_from(items), "summary": WORDS},
            optional={"source": st.sampled_from(["user_explicit", "conversation_summary"])},
        )
        return delta(
            turns=draw.draw(st.lists(summaries, max_size=3)),
            topics=draw.draw(st.lists(st.one_of(topic, touch), max_size=2)),
            items=draw.draw(st.lists(st.one_of(create, update), max_size=3)),
        )

    @rule(seconds=st.sampled_from([-3600, 1, 61, 86400]))
    def time_passes(self, seconds: int) -> None:
        self.clock.moment += timedelta(seconds=seconds)

    @rule(
        user=USERS,
        intent=st.sampled_from(["general_chat", "code_explain", "patch_revise", "x"]),
        size=st.integers(0, 1500),
    )
    def record(self, user: str, intent: str, size: int) -> None:
        before = self.data()
        result = self.open().record_turn(intent, user_text=user, assistant_text="答" * size, summarise=False)
        if intent in {"patch_revise", "x"}:
            assert self.data() == before
            assert result.reason == "intent_not_remembered"
        elif result.recorded:
            assert result.turn_id not in self.seen_ids
            assert result.turn_id in [turn.id for turn in self.document.turns]
        else:
            assert result.reason == "no_room"
            assert self.data() == before

    @rule(draw=st.data(), broken=st.one_of(st.none(), BROKEN), asked_by=st.sampled_from(["agent", "person"]))
    def summarise(self, draw: st.DataObject, broken: str | None, asked_by: Any) -> None:
        before = self.data()
        result = self.open(broken if broken is not None else self.reply(draw)).summarize(asked_by=asked_by)
        assert (self.data() != before) == (result.status == "applied")
        if asked_by == "person":
            assert result.status != "applied"

    @rule(draw=st.data(), broken=st.one_of(st.none(), BROKEN))
    def propose(self, draw: st.DataObject, broken: str | None) -> None:
        before = self.data()
        found = self.open()
        proposal = found.propose(broken if broken is not None else self.reply(draw))
        assert proposal.delta_id in [view.id for view in found.pending()]
        assert self.data() == before

    def waiting(self) -> list[str]:
        return list(self.open().store.pending.ids())

    @precondition(lambda self: self.waiting())
    @rule(draw=st.data())
    def approve_as_previewed(self, draw: st.DataObject) -> None:
        """R4b: exactly what was shown, and the state before comes back byte for byte (R5)."""
        found = self.open()
        name = draw.draw(st.sampled_from(self.waiting()))
        first = found.review(name).review
        drawn = {op.at: draw.draw(CHOICES) for op in first.operations}
        decisions: dict[str, Decision] = {at: choice for at, choice in drawn.items() if choice is not None}
        seen = found.review(name, decisions).review
        before = self.data()
        forced = [op.at for op in seen.operations if op.verdict == "rejected" and decisions.get(op.at) == "accept"]
        if forced or seen.reason is not None:
            try:
                found.approve(name, decisions, seen=seen)
            except MemoryCoreError:
                assert self.data() == before
                return
            raise AssertionError("forced")
        result = found.approve(name, decisions, seen=seen)
        if result.revision is None:
            assert self.data() == before
            return
        assert self.data() == encode(seen.document)
        assert set(result.applied) == {op.at for op in seen.operations if op.effective == "apply"}
        assert set(result.waiting) == {op.at for op in seen.operations if op.effective == "wait"}
        if before is not None and draw.draw(st.booleans()):
            previous = [revision for revision in found.history() if revision.seq < result.revision]
            found.restore(previous[-1].seq)
            self.went_back = True
            assert self.data() == before

    @precondition(lambda self: self.waiting())
    @rule(draw=st.data())
    def dismiss(self, draw: st.DataObject) -> None:
        name = draw.draw(st.sampled_from(self.waiting()))
        before = self.data()
        self.open().dismiss(name)
        assert name not in self.waiting()
        assert self.data() == before

    @precondition(lambda self: self.open().history())
    @rule(draw=st.data(), way=st.sampled_from(["restore", "revert"]))
    def go_back(self, draw: st.DataObject, way: str) -> None:
        found = self.open()
        seq = draw.draw(st.sampled_from([revision.seq for revision in found.history()]))
        before = self.data()
        self.went_back = True
        refused = refusal(found.restore if way == "restore" else found.revert, seq)
        assert refused in {None, "no_room", "not_kept"}
        assert refused is None or self.data() == before

    @precondition(lambda self: self.document.items)
    @rule(draw=st.data(), way=st.sampled_from(["active", "inactive", "forget", "everywhere"]))
    def change_an_item(self, draw: st.DataObject, way: Any) -> None:
        found = self.open()
        name = draw.draw(st.sampled_from([item.id for item in self.document.items]))
        before = self.data()
        if way in {"active", "inactive"}:
            refused = refusal(found.set_status, name, way)
        else:
            refused = refusal(found.forget, name, everywhere=way == "everywhere")
            assert self.document.find(name) is None
        assert refused in {None, "no_room", "long_term_full"}
        assert refused is None or self.data() == before

    @rule(purge=st.booleans())
    def reset(self, purge: bool) -> None:
        before = self.document
        had_file = self.data() is not None
        found = self.open()
        generation = found.store.generation()
        result = found.reset(purge=purge)
        assert result.generation != generation
        assert self.waiting() == []
        if any(True for _ in before.entries()) and had_file and not purge:
            assert result.revision is not None
            assert found.document_at(result.revision) == before

    # What holds after every step.

    @invariant()
    def the_document_is_well_formed(self) -> None:
        loaded = self.open().load()
        assert loaded.status in {"ok", "absent"}
        assert {problem.code for problem in loaded.problems} <= {"future_time"}
        document = loaded.document
        assert loaded.bytes.size <= LIMITS.hard_bytes
        assert len(document.turns) <= LIMITS.recent_turns
        assert len(document.topics) <= LIMITS.active_topics
        assert len(document.items) <= LIMITS.long_term_items
        ids = [entry.id for entry in document.entries()]
        assert len(ids) == len(set(ids))
        if (data := self.data()) is not None:
            assert encode(document) == data
            assert set(json.loads(data)) <= {
                "version",
                "updated_at",
                "repo_profile",
                "working_memory",
                "long_term_memory",
            }

    @invariant()
    def ids_are_never_used_twice(self) -> None:
        """D4: an id names one thing for ever; only going back to a revision brings one back."""
        now = {entry.id for entry in self.document.entries()}
        if not self.went_back:
            assert not (now - self.ids_before) & self.seen_ids
        self.went_back = False
        self.ids_before = now
        self.seen_ids |= now

    @invariant()
    def the_history_is_whole(self) -> None:
        assert self.open().store.history.verify() == ()
        assert not list(self.root.rglob(".memory-tmp*"))


Sequences.TestCase.settings = settings(
    max_examples=30,
    stateful_step_count=15,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
TestSequences = Sequences.TestCase
