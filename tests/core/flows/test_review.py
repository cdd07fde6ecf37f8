"""The queue and the person: preview, decide, apply, dismiss, know again (R2-R4c)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memory_core.capacity import encode
from memory_core.clock import FixedClock
from memory_core.configuration import Configuration
from memory_core.errors import (
    ChangedError,
    CorruptError,
    GenerationError,
    InputError,
    RefusedReplyError,
    UnknownIdError,
)
from memory_core.manager import MemoryManager
from memory_core.policy import Limits, Policy
from memory_core.results import Proposal
from memory_core.review.verdict import Decision
from tests.core.flows.helpers import (
    HELD,
    IMPOSSIBLE,
    PREFERENCE_TURN,
    delta,
    manager,
    new_note,
    new_preference,
    new_topic,
    on_disk,
    record,
    summary,
    v1_write,
    write,
)
from tests.core.samples import NOW, document, note, preference, topic, turn
from tests.core.storage.helpers import put, tree

TURN, TOPIC = "turn_summaries[0]", "topic_operations[0]"
FIRST, SECOND = "long_term_operations[0]", "long_term_operations[1]"


TWO = (HELD, new_note())


def proposed(root: Path, items: Any = TWO, **more: Any) -> tuple[MemoryManager, Proposal]:
    """One turn recorded, and a delta about it in the queue."""
    found = manager(root)
    turn_id = record(found, PREFERENCE_TURN)
    return found, found.propose(delta(turns=[summary(turn_id)], topics=[new_topic()], items=items, **more))


def places(found: MemoryManager, delta_id: str) -> dict[str, str]:
    return {op.at: op.verdict for op in found.review(delta_id).review.operations}


def test_a_proposal_shows_everything_and_applies_nothing(tmp_path: Path) -> None:
    """R2, in `auto` mode too."""
    found = manager(tmp_path, policy=Policy(mode="auto"))
    turn_id = record(found, PREFERENCE_TURN)
    before = on_disk(tmp_path)
    proposal = found.propose(delta(turns=[summary(turn_id)], items=[HELD, new_preference()]))
    assert on_disk(tmp_path) == before
    (view,) = found.pending()
    assert view.id == proposal.delta_id
    assert view.review == proposal.review == found.review(view.id).review
    assert [op.verdict for op in view.review.operations] == ["accepted", "held", "accepted"]
    assert view.review.base == hashlib.sha256(before).hexdigest()
    assert view.review.bytes.before == len(before)
    assert view.review.bytes.after == len(encode(view.review.document))


def test_what_is_previewed_is_what_is_written(tmp_path: Path) -> None:
    """R3b, R4b, A11."""
    found, proposal = proposed(tmp_path)
    decisions: dict[str, Decision] = {FIRST: "accept", TOPIC: "turn_down"}
    seen = found.review(proposal.delta_id, decisions).review
    result = found.approve(proposal.delta_id, decisions, seen=seen, notes={TOPIC: "太泛"})
    assert on_disk(tmp_path) == encode(seen.document)
    assert (result.applied, result.turned_down, result.waiting) == ((TURN, FIRST, SECOND), (TOPIC,), ())
    assert found.pending() == ()
    revision = found.history()[-1]
    assert (revision.seq, revision.cause, revision.delta_id) == (result.revision, "apply", proposal.delta_id)
    told = {entry.at: (entry.decision, entry.note) for entry in revision.decisions}
    assert told == {
        TURN: ("applied", ""),
        TOPIC: ("turned_down", "太泛"),
        FIRST: ("applied", ""),
        SECOND: ("applied", ""),
    }
    assert all(entry.decided_at for entry in revision.decisions)


def test_an_undecided_held_operation_waits_as_the_same_delta(tmp_path: Path) -> None:
    """R3b: nothing is turned down by silence."""
    found, proposal = proposed(tmp_path)
    result = found.approve(proposal.delta_id, {})
    assert (result.applied, result.waiting) == ((TURN, TOPIC, SECOND), (FIRST,))
    (view,) = found.pending()
    assert (view.id, places(found, view.id), view.superseded) == (proposal.delta_id, {FIRST: "held"}, False)
    second = found.approve(view.id, {FIRST: "accept"})
    assert (second.applied, second.waiting) == ((FIRST,), ())
    assert found.pending() == ()
    assert len(found.load().document.items) == 2


def test_drafted_decisions_survive_and_go_with_what_they_decided(tmp_path: Path) -> None:
    found, proposal = proposed(tmp_path, items=[HELD, new_preference("引用", "引用文件时写出行号。")])
    found.save_draft(proposal.delta_id, {TOPIC: "turn_down", FIRST: "accept"}, {TOPIC: "太泛"})
    (view,) = manager(tmp_path).pending()
    assert view.decisions == {TOPIC: "turn_down", FIRST: "accept"}
    assert view.notes == {TOPIC: "太泛"}
    found.approve(view.id, view.decisions, seen=view.review, notes=view.notes)
    (rest,) = found.pending()
    assert [op.at for op in rest.review.operations] == [SECOND]
    assert rest.decisions == {}
    assert found.approve(rest.id, {**rest.decisions, SECOND: "accept"}).applied == (SECOND,)


def test_nothing_accepted_means_no_revision(tmp_path: Path) -> None:
    found, proposal = proposed(tmp_path)
    before = on_disk(tmp_path)
    result = found.approve(proposal.delta_id, dict.fromkeys((TURN, TOPIC, FIRST, SECOND), "turn_down"))
    assert (result.applied, result.revision) == ((), None)
    assert on_disk(tmp_path) == before
    assert found.history() == ()
    assert found.pending() == ()
    assert found.store.log.tail()[-1].kind == "delta_closed"


def test_approving_a_delta_of_held_ones_without_a_decision_changes_nothing(tmp_path: Path) -> None:
    found = manager(tmp_path)
    record(found)
    proposal = found.propose(delta(items=[HELD]))
    before = tree(tmp_path)
    result = found.approve(proposal.delta_id, {})
    assert (result.applied, result.waiting, result.revision) == ((), (FIRST,), None)
    assert {name: data for name, data in tree(tmp_path).items() if not name.endswith("holder")} == {
        name: data for name, data in before.items() if not name.endswith("holder")
    }


def test_a_turned_down_memory_is_known_again(tmp_path: Path) -> None:
    """R4c: marked and held, in `auto` too, also for nearly the same words."""
    found, proposal = proposed(tmp_path, items=[new_preference()])
    found.approve(proposal.delta_id, {FIRST: "turn_down"}, notes={FIRST: "不必"})
    turn_id = record(found, PREFERENCE_TURN)
    reply = delta(turns=[summary(turn_id)], items=[new_preference("顺序", "回答请先给结论再给理由。")])
    again = manager(tmp_path, [reply])
    result = again.summarize()
    assert result.status == "applied"
    (view,) = again.pending()
    (operation,) = view.review.operations
    assert operation.verdict == "held"
    assert "turned_down_before" in [check.code for check in operation.checks if check.outcome == "held"]
    assert again.load().document.preferences == ()


@pytest.mark.parametrize("at", ["", "turn_summaries[9]", "long_term_operations", "TURN_SUMMARIES[0]"])
def test_an_unknown_place_is_refused(tmp_path: Path, at: str) -> None:
    found, proposal = proposed(tmp_path)
    before = tree(tmp_path)
    with pytest.raises(InputError):
        found.approve(proposal.delta_id, {at: "accept"})
    assert tree(tmp_path) == before


def test_a_rejected_operation_cannot_be_forced(tmp_path: Path) -> None:
    """R3."""
    found = manager(tmp_path)
    turn_id = record(found)
    proposal = found.propose(delta(turns=[IMPOSSIBLE, summary(turn_id)]))
    before = tree(tmp_path)
    with pytest.raises(InputError) as raised:
        found.approve(proposal.delta_id, {TURN: "accept"})
    assert raised.value.code == "cannot_force"
    assert tree(tmp_path) == before
    result = found.approve(proposal.delta_id, {})
    assert (result.applied, result.rejected) == (("turn_summaries[1]",), (TURN,))


def test_a_refused_reply_can_only_be_dismissed(tmp_path: Path) -> None:
    found = manager(tmp_path)
    record(found)
    proposal = found.propose("没有 JSON。")
    assert proposal.review.reply == "refused"
    with pytest.raises(RefusedReplyError):
        found.approve(proposal.delta_id, {})
    assert found.dismiss(proposal.delta_id, note="坏了") == proposal.delta_id
    assert found.pending() == ()
    event = found.store.log.tail()[-1]
    assert (event.kind, event.data["note"], event.data["reply"]) == ("delta_dismissed", "坏了", "没有 JSON。")


@pytest.mark.parametrize("delta_id", ["delta_x", "", "../memory", "a/b", "a\0b", ".hidden"])
def test_an_unknown_delta(tmp_path: Path, delta_id: str) -> None:
    found, _ = proposed(tmp_path)
    before = tree(tmp_path)
    for call in (found.review, found.dismiss, lambda name: found.approve(name, {})):
        with pytest.raises(UnknownIdError):
            call(delta_id)
    assert {**tree(tmp_path), ".autopatch-j/memory/holder": b""} == {**before, ".autopatch-j/memory/holder": b""}


def test_a_delta_from_before_a_reset(tmp_path: Path) -> None:
    """U5: it can be dismissed, never applied."""
    found, proposal = proposed(tmp_path)
    (entry,) = (tmp_path / ".autopatch-j/memory/pending").iterdir()
    kept = entry.read_bytes()
    found.reset()
    entry.write_bytes(kept)
    with pytest.raises(GenerationError):
        found.approve(proposal.delta_id, {})
    found.dismiss(proposal.delta_id)


def test_an_approval_never_applies_to_the_empty_document_in_place_of_a_damaged_one(tmp_path: Path) -> None:
    """S2: the file stays where it is, the delta stays in the queue."""
    found, proposal = proposed(tmp_path)
    put(tmp_path, b"{damaged")
    with pytest.raises(CorruptError):
        found.approve(proposal.delta_id, {FIRST: "accept"})
    assert on_disk(tmp_path) == b"{damaged"
    assert [view.id for view in found.pending()] == [proposal.delta_id]
    assert found.recover() == "memory.corrupt.json"
    assert found.load().status == "absent"


def test_applying_one_judges_the_others_again_and_marks_what_is_superseded(tmp_path: Path) -> None:
    """R4c: it stays until it is dismissed."""
    found = manager(tmp_path)
    turn_id = record(found)
    first, second = (
        found.propose(delta(turns=[summary(turn_id, text)])) for text in ("用户问队列。", "用户问 finding。")
    )
    found.approve(first.delta_id, {})
    (view,) = found.pending()
    assert (view.id, view.superseded) == (second.delta_id, True)
    assert [op.code for op in view.review.operations] == ["already_summarised"]
    found.dismiss(view.id)
    assert found.pending() == ()


def test_verdicts_follow_decisions(tmp_path: Path) -> None:
    """R3b: a duplicate of one that is turned down is none."""
    found, proposal = proposed(
        tmp_path, items=[new_note(), new_note("review 模块", "用户关注 review 模块怎么管理 finding 队列。")]
    )
    assert places(found, proposal.delta_id)[SECOND] == "held"
    view = found.review(proposal.delta_id, {FIRST: "turn_down"})
    assert {op.at: op.verdict for op in view.review.operations}[SECOND] == "accepted"


def test_ids_that_were_shown_are_not_given_to_anything_else(tmp_path: Path) -> None:
    """A1, D4: two deltas that wait never share an id."""
    found, first = proposed(tmp_path, items=[new_note()])
    second = found.propose(
        delta(topics=[new_topic("分层", "用户近期关注分层。")], items=[new_note("分层", "用户关注分层。")])
    )
    ids = [*first.review.ids.values(), *second.review.ids.values()]
    assert len(set(ids)) == len(ids) == 4
    found.approve(second.delta_id, {})
    found.approve(first.delta_id, {})
    assert {entry.id for entry in found.load().document.entries()} >= set(ids)


def another_turn(root: Path) -> None:
    record(manager(root), "又一个问题？")


def another_delta(root: Path) -> None:
    found = manager(root)
    found.approve(found.propose(delta(items=[new_note("分层", "用户关注分层。")])).delta_id, {})


def raw(change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    def done(root: Path) -> None:
        file = root / ".autopatch-j" / "memory.json"
        file.write_bytes(change(file.read_bytes()))

    return done


def edited(change: Callable[[dict[str, Any]], object]) -> Callable[[Path], None]:
    """V1's way: read, change, write, no lock."""

    def done(root: Path) -> None:
        value = json.loads(on_disk(root))
        change(value)
        v1_write(root, **value)

    return done


def first_turn(value: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = value["working_memory"]["recent_turns"][0]
    return found


def settle(found: MemoryManager) -> None:
    found.approve(found.propose(delta(turns=[summary(found.load().document.turns[0].id)])).delta_id, {})


CHANGES: dict[str, Callable[[Path], object]] = {
    "a turn is recorded": another_turn,
    "two turns are recorded": lambda root: [another_turn(root), another_turn(root)],
    "another delta is applied": another_delta,
    "the turn is summarised elsewhere": lambda root: settle(manager(root)),
    "an item is set inactive": lambda root: manager(root).set_status("mem_20260430_001", "inactive"),
    "an item is forgotten": lambda root: manager(root).forget("mem_20260430_001"),
    "a revision is restored": lambda root: [another_delta(root), another_turn(root), manager(root).restore(2)],
    "the profile is collected": lambda root: [
        (root / "pom.xml").write_text("<project><artifactId>a</artifactId></project>"),
        manager(root).collect_profile(write=True),
    ],
    "V1 rewrites the time": lambda root: v1_write(root, updated_at="2026-05-01T12:50:00+08:00"),
    "V1 drops the turn": edited(lambda value: value["working_memory"]["recent_turns"].clear()),
    "V1 adds a turn": edited(
        lambda value: value["working_memory"]["recent_turns"].append({**first_turn(value), "id": "turn_v1"})
    ),
    "V1 changes a text": edited(lambda value: first_turn(value).update(user_text="别的问题")),
    "V1 summarises the turn": edited(
        lambda value: first_turn(value).update(summary="用户问了。", summary_status="ready")
    ),
    "V1 empties long-term memory": edited(lambda value: value["long_term_memory"]["project_notes"].clear()),
    "V1 adds a preference": edited(
        lambda value: value["long_term_memory"]["durable_preferences"].append(
            preference(9, id="mem_v1", label="回答顺序").model_dump(mode="json")
        )
    ),
    "V1 adds a bad entry": edited(lambda value: value["working_memory"]["recent_turns"].append({"id": 7})),
    "an unknown key comes": lambda root: v1_write(root, extra={"by": "someone"}),
    "a blank is added": raw(lambda data: data + b"\n"),
    "a byte order mark is added": raw(lambda data: b"\xef\xbb\xbf" + data),
    "it is laid out anew": raw(lambda data: json.dumps(json.loads(data)).encode()),
    "the file goes": lambda root: (root / ".autopatch-j" / "memory.json").unlink(),
    "another version comes": lambda root: v1_write(root, version=2),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_whatever_changes_between_preview_and_approval(tmp_path: Path, change: Callable[[Path], object]) -> None:
    """R4, R4b: what was approved is what is written, or nothing is; the new review is shown."""
    write(tmp_path, document(turns=(turn(1),), topics=(topic(1),), items=(note(1, id="mem_20260430_001"),)))
    found = manager(tmp_path)
    proposal = found.propose(delta(turns=[summary(turn(1).id)], items=[HELD, new_note()]))
    decisions: dict[str, Decision] = {FIRST: "accept"}
    seen = found.review(proposal.delta_id, decisions).review
    change(tmp_path)
    file = tmp_path / ".autopatch-j" / "memory.json"
    before = file.read_bytes() if file.exists() else None
    count = len(found.history())
    for binding in ({"seen": seen}, {"base": seen.base}):
        with pytest.raises(ChangedError) as raised:
            found.approve(proposal.delta_id, decisions, **binding)  # type: ignore[arg-type]
        assert raised.value.review == found.review(proposal.delta_id, decisions).review
    assert (file.read_bytes() if file.exists() else None) == before
    assert len(found.history()) == count
    assert proposal.delta_id in [view.id for view in found.pending()]
    again = found.review(proposal.delta_id, decisions).review
    found.approve(proposal.delta_id, decisions, seen=again)
    assert on_disk(tmp_path) == encode(again.document)


def test_a_decision_that_has_become_impossible_shows_the_new_review(tmp_path: Path) -> None:
    """R4: an accepted operation that is rejected by now is a change, not a mistake of the person's."""
    found, proposal = proposed(tmp_path)
    decisions: dict[str, Decision] = {TURN: "accept"}
    seen = found.review(proposal.delta_id, decisions).review
    settle(found)
    with pytest.raises(ChangedError) as raised:
        found.approve(proposal.delta_id, decisions, seen=seen)
    assert raised.value.review == found.review(proposal.delta_id, decisions).review


def test_what_is_approved_is_what_was_shown_with_the_same_decisions(tmp_path: Path) -> None:
    found, proposal = proposed(tmp_path)
    seen = found.review(proposal.delta_id).review
    before = on_disk(tmp_path)
    with pytest.raises(ChangedError):
        found.approve(proposal.delta_id, {FIRST: "accept"}, seen=seen)
    assert on_disk(tmp_path) == before


def test_a_rewrite_with_the_same_bytes_is_no_change(tmp_path: Path) -> None:
    found, proposal = proposed(tmp_path)
    seen = found.review(proposal.delta_id).review
    put(tmp_path, on_disk(tmp_path))
    assert found.approve(proposal.delta_id, {}, seen=seen).applied


def test_an_approval_is_bound_to_the_policy_that_was_shown(tmp_path: Path) -> None:
    """R4b."""
    found, proposal = proposed(tmp_path)
    seen = found.review(proposal.delta_id).review
    other = MemoryManager(
        tmp_path, configuration=Configuration(), policy=Policy(limits=Limits(label=59)), clock=FixedClock(NOW)
    )
    before = on_disk(tmp_path)
    with pytest.raises(ChangedError):
        other.approve(proposal.delta_id, {}, seen=seen)
    assert on_disk(tmp_path) == before


def test_an_approval_is_bound_to_the_delta_that_was_shown(tmp_path: Path) -> None:
    found, proposal = proposed(tmp_path)
    seen = found.review(proposal.delta_id).review
    (entry,) = (tmp_path / ".autopatch-j/memory/pending").iterdir()
    entry.write_text(entry.read_text().replace("如何管理", "怎么管理"))
    value = json.loads(entry.read_bytes())
    value["reply"] = value["reply"].replace("如何管理", "怎么管理")
    entry.write_text(json.dumps(value))
    with pytest.raises(ChangedError):
        found.approve(proposal.delta_id, {}, seen=seen)


def test_plan_judges_and_writes_nothing(tmp_path: Path) -> None:
    found, _ = proposed(tmp_path)
    before = tree(tmp_path)
    plan = found.plan(delta(items=[HELD]))
    assert [op.verdict for op in plan.operations] == ["held"]
    assert found.plan("坏").reply == "refused"
    assert tree(tmp_path) == before
    put(tmp_path, b"[")
    with pytest.raises(CorruptError):
        found.plan("{}")


def test_a_delta_given_as_bytes_that_are_no_utf8(tmp_path: Path) -> None:
    found = manager(tmp_path)
    proposal = found.propose(b"\xff\xfe{}")
    assert proposal.review.reply == "refused"
    assert [view.id for view in found.pending()] == [proposal.delta_id]


def test_damaged_entries_of_the_queue_can_be_seen_and_dismissed(tmp_path: Path) -> None:
    found, proposal = proposed(tmp_path)
    folder = tmp_path / ".autopatch-j/memory/pending"
    (folder / "delta_odd.json").write_bytes(b"{")
    views = {view.id: view for view in found.pending()}
    assert set(views) == {proposal.delta_id, "delta_odd"}
    assert views["delta_odd"].review.reply == "refused"
    found.dismiss("delta_odd")
    assert [view.id for view in found.pending()] == [proposal.delta_id]
