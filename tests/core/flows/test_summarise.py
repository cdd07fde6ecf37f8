"""Summaries: triggers, one run at a time, both modes, failures, claims, resets (T1-T7, U4-U6, R1, P2c)."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from memory_core.clock import FixedClock
from memory_core.configuration import Configuration
from memory_core.errors import CorruptError, EndpointError
from memory_core.manager import MemoryManager
from memory_core.policy import Limits, Policy
from memory_core.results import SummaryResult
from memory_core.summary.summarizer import MemorySummarizer, ModelReply, SummaryPayload
from memory_core.summary.triggers import Trigger
from tests.core.flows.helpers import (
    HELD,
    IMPOSSIBLE,
    NOTE_TURN,
    PREFERENCE_TURN,
    delta,
    manager,
    new_note,
    new_preference,
    new_topic,
    on_disk,
    record,
    say,
    summary,
    write,
)
from tests.core.samples import NOW, document, note, turn
from tests.core.storage.helpers import put, store, tree

TURN = "turn_20260501_124500_001"
GOOD = delta(turns=[summary(TURN)])


class Waiting:
    """A model that answers when it is let, and tells when it was asked."""

    def __init__(self, reply: str) -> None:
        self.reply_text = reply
        self.asked, self.go = threading.Event(), threading.Event()
        self.payloads: list[SummaryPayload] = []
        self.cancelled = False

    @property
    def name(self) -> str:
        return "waiting"

    def reply(self, payload: SummaryPayload, nonce: str) -> ModelReply:
        self.payloads.append(payload)
        self.asked.set()
        assert self.go.wait(30)
        return ModelReply(self.reply_text, "stop", self.name)

    def cancel(self) -> None:
        self.cancelled = True


def waiting_manager(root: Path, model: Waiting) -> MemoryManager:
    return MemoryManager(
        root,
        configuration=Configuration(),
        summarizer=MemorySummarizer(model),
        clock=FixedClock(NOW),
    )


def test_the_triggers_through_record_turn(tmp_path: Path) -> None:
    """T1, T2, T5 and none; a recorded turn tells which summary it made due."""
    roots = [tmp_path / str(number) for number in range(5)]
    assert say(manager(roots[0]), "这个项目怎么分层？", intent="code_explain").trigger == "project_code_explain"
    assert say(manager(roots[1]), PREFERENCE_TURN).trigger == "long_term_signal"
    assert say(manager(roots[2]), intent="code_explain", scope_paths=["src/A.java"]).trigger is None
    assert say(manager(roots[3])).trigger is None
    assert say(manager(roots[3])).trigger == "pending_turns"
    ready = [turn(number, summary="用户问了。", summary_status="ready") for number in range(1, 6)]
    write(roots[4], document(turns=tuple(ready)))
    assert say(manager(roots[4])).trigger == "recent_turns"


def test_a_file_over_the_soft_limit_is_a_trigger(tmp_path: Path) -> None:
    write(tmp_path, document(items=tuple(note(number, summary="关" * 300) for number in range(1, 11))))
    found = manager(tmp_path, policy=Policy(limits=Limits(soft_bytes=4096)))
    assert say(found).trigger == "file_size"


def test_nothing_is_due_after_a_turn_that_was_not_recorded(tmp_path: Path) -> None:
    write(tmp_path, document(turns=(turn(1), turn(2), turn(3))))
    result = say(manager(tmp_path), PREFERENCE_TURN, intent="patch_revise")
    assert (result.recorded, result.trigger) == (False, None)


def test_an_agents_summary_runs_in_the_background_and_is_applied(tmp_path: Path) -> None:
    """R1: `auto` where an agent asked; one write, one revision."""
    found = manager(tmp_path, [delta(turns=[summary(TURN)], items=[new_preference()])])
    result = found.record_turn("general_chat", user_text=PREFERENCE_TURN, assistant_text="好。")
    assert result.trigger == Trigger.LONG_TERM_SIGNAL
    assert found.wait(10)
    assert found.last_summary is not None
    assert (found.last_summary.status, found.last_summary.delta_id) == ("applied", None)
    stored = found.load().document
    assert stored.turns[0].summary_status == "ready"
    assert [item.summary for item in stored.preferences] == ["回答先给结论再给理由。"]
    assert [revision.cause for revision in found.history()] == ["recorded", "auto"]
    assert found.pending() == ()


def test_what_auto_holds_back_waits_with_its_batch(tmp_path: Path) -> None:
    found = manager(tmp_path, [delta(turns=[summary(TURN)], items=[HELD, new_note()])])
    record(found)
    result = found.summarize()
    assert result.status == "applied"
    (view,) = found.pending()
    assert (view.id, view.entry.origin) == (result.delta_id, "auto_rest")
    assert [(op.at, op.verdict) for op in view.review.operations] == [("long_term_operations[0]", "held")]
    assert [waiting.id for waiting in view.entry.context.batch] == [TURN]
    assert found.claimed_turns() == frozenset()
    assert len(found.load().document.notes) == 1


def test_a_person_who_asks_gets_everything_to_review(tmp_path: Path) -> None:
    found = manager(tmp_path, [GOOD])
    record(found)
    before = on_disk(tmp_path)
    result = found.summarize(asked_by="person")
    assert result.status == "queued"
    assert on_disk(tmp_path) == before
    assert [view.id for view in found.pending()] == [result.delta_id]
    assert found.claimed_turns() == {TURN}


@pytest.mark.parametrize(("mode", "status"), [("auto", "applied"), ("review", "queued")])
def test_the_policy_overrides_both(tmp_path: Path, mode: str, status: str) -> None:
    for asked_by in ("agent", "person"):
        root = tmp_path / asked_by
        found = manager(root, [GOOD], policy=Policy(mode=mode))  # type: ignore[arg-type]
        record(found)
        assert found.summarize(asked_by=asked_by).status == status  # type: ignore[arg-type]


def test_a_broken_configuration_means_review(tmp_path: Path) -> None:
    found = MemoryManager(
        tmp_path,
        configuration=Configuration(broken=True),
        summarizer=manager(tmp_path, [GOOD]).summarizer,
        clock=FixedClock(NOW),
    )
    record(found)
    assert found.summarize().status == "queued"


def test_one_run_at_a_time(tmp_path: Path) -> None:
    """U4: turns go on being recorded while the model is asked; no second run is taken."""
    model = Waiting(GOOD)
    found = waiting_manager(tmp_path, model)
    assert found.record_turn("general_chat", user_text=PREFERENCE_TURN, assistant_text="好。").trigger
    assert model.asked.wait(10)
    assert found.busy
    assert found.preview_reset().in_flight
    for _ in range(3):
        result = found.record_turn("general_chat", user_text=PREFERENCE_TURN, assistant_text="好。")
        assert result.recorded
        assert result.trigger
    assert not found.wait(0)
    model.go.set()
    assert found.wait(10)
    assert len(model.payloads) == 1
    assert [entry.summary_status for entry in found.load().document.turns] == ["ready", "pending", "pending", "pending"]


def test_closing_waits_for_no_model(tmp_path: Path) -> None:
    model = Waiting(GOOD)
    with waiting_manager(tmp_path, model) as found:
        found.record_turn("general_chat", user_text=PREFERENCE_TURN, assistant_text="好。")
        assert model.asked.wait(10)
    assert model.cancelled
    assert found.busy
    result = found.record_turn("general_chat", user_text=NOTE_TURN, assistant_text="好。")
    assert result.recorded
    model.go.set()
    assert found.wait(10)
    assert len(model.payloads) == 1


@pytest.mark.parametrize("ask", ["agent", "person"])
def test_a_reset_by_another_manager_discards_what_is_in_flight(tmp_path: Path, ask: str) -> None:
    """U5: the old model's answer never reaches the new memory, and is on record."""
    model = Waiting(GOOD)
    found = waiting_manager(tmp_path, model)
    record(found)
    results: list[SummaryResult] = []
    asked = threading.Thread(target=lambda: results.append(found.summarize(asked_by=ask)))  # type: ignore[arg-type]
    asked.start()
    assert model.asked.wait(10)
    manager(tmp_path).reset()
    record(manager(tmp_path))
    before = on_disk(tmp_path)
    model.go.set()
    asked.join(10)
    assert [result.status for result in results] == ["discarded"]
    assert on_disk(tmp_path) == before
    assert found.pending() == ()
    assert "summary_discarded" in [event.kind for event in found.store.log.tail()]


def test_a_turn_recorded_meanwhile_is_kept(tmp_path: Path) -> None:
    """S7: the delta is judged again against the file of now."""
    model = Waiting(delta(turns=[summary(TURN)], items=[new_note()]))
    found = waiting_manager(tmp_path, model)
    record(found)
    asked = threading.Thread(target=found.summarize)
    asked.start()
    assert model.asked.wait(10)
    other = record(manager(tmp_path))
    model.go.set()
    asked.join(10)
    stored = found.load().document
    assert [(entry.id, entry.summary_status) for entry in stored.turns] == [(TURN, "ready"), (other, "pending")]
    assert len(stored.notes) == 1


REFUSED = "这里没有 JSON。"


def test_a_refused_reply_waits_with_its_reason_and_claims_nothing(tmp_path: Path) -> None:
    found = manager(tmp_path, [REFUSED, REFUSED])
    record(found)
    before = on_disk(tmp_path)
    result = found.summarize()
    assert result.status == "refused"
    assert result.reason is not None
    (view,) = found.pending()
    assert view.entry.refused == result.reason
    assert found.claimed_turns() == frozenset()
    assert on_disk(tmp_path) == before
    found.summarize()
    (view,) = found.pending()
    assert view.entry.count == 2


def test_a_reply_that_is_rejected_throughout_waits_and_claims_nothing(tmp_path: Path) -> None:
    found = manager(tmp_path, [delta(turns=[IMPOSSIBLE])])
    record(found)
    assert found.summarize().status == "queued"
    (view,) = found.pending()
    assert view.entry.usable is False
    assert view.superseded is False
    assert found.claimed_turns() == frozenset()


def test_a_failing_endpoint_leaves_everything_as_it_was(tmp_path: Path) -> None:
    found = manager(tmp_path, [EndpointError("The endpoint is busy.", code="endpoint_busy", hint="Later.")])
    record(found)
    before = on_disk(tmp_path)
    result = found.summarize()
    assert result.status == "failed"
    assert result.reason is not None
    assert (result.reason.code, result.reason.hint) == ("endpoint_busy", "Later.")
    assert on_disk(tmp_path) == before
    assert found.store.log.tail()[-1].kind == "summary_failed"


@pytest.mark.parametrize("reply", ["{}", '{"turn_summaries": []}', '{"turn_summaries": null}'])
def test_an_empty_reply_does_nothing(tmp_path: Path, reply: str) -> None:
    """U2: no write, no revision, nothing to review."""
    found = manager(tmp_path, [reply])
    record(found)
    before = on_disk(tmp_path)
    result = found.summarize()
    assert (result.status, result.delta_id) == ("nothing_to_do", None)
    assert on_disk(tmp_path) == before
    assert found.pending() == ()
    assert found.history() == ()


@pytest.mark.parametrize("way", ["failed", "refused", "rejected", "dismissed"])
def test_after_three_a_turn_is_no_longer_sent_by_itself(tmp_path: Path, way: str) -> None:
    """T7: newer turns go on, and a person can still send it."""
    replies: dict[str, str | Exception] = {
        "failed": EndpointError("no"),
        "refused": REFUSED,
        "rejected": delta(turns=[IMPOSSIBLE]),
        "dismissed": GOOD,
    }
    found = manager(tmp_path, [replies[way]] * 3 + [GOOD], policy=Policy(mode="review" if way == "dismissed" else None))
    record(found)
    for number in range(3):
        assert found.given_up_turns() == frozenset(), number
        result = found.summarize()
        if way == "dismissed" and result.delta_id:
            found.dismiss(result.delta_id)
    assert found.given_up_turns() == {TURN}
    assert found.summarize().status == "nothing_due"
    assert say(found).trigger is None
    assert say(found).trigger == "pending_turns"
    assert found.summarize(asked_by="person").status == "queued"


def test_a_success_in_between_begins_the_count_anew(tmp_path: Path) -> None:
    found = manager(tmp_path, [REFUSED, REFUSED, GOOD])
    record(found)
    for _ in range(3):
        result = found.summarize()
    assert result.status == "applied"
    assert found.given_up_turns() == frozenset()


def test_a_claimed_turn_is_not_sent_again_until_its_delta_goes(tmp_path: Path) -> None:
    """T7: it counts neither as pending nor for a signal."""
    found = manager(tmp_path, [GOOD, GOOD])
    record(found, PREFERENCE_TURN)
    waiting = found.summarize(asked_by="person").delta_id
    assert waiting is not None
    assert found.summarize(asked_by="person").status == "nothing_due"
    assert say(found).trigger is None
    found.dismiss(waiting)
    assert say(found).trigger == "pending_turns"
    assert found.summarize(asked_by="person").status == "queued"


def test_a_delta_applied_without_its_summary_frees_the_turn(tmp_path: Path) -> None:
    found = manager(tmp_path, [delta(turns=[summary(TURN)], items=[new_note()])])
    record(found)
    waiting = found.summarize(asked_by="person").delta_id
    assert waiting is not None
    found.approve(waiting, {"turn_summaries[0]": "turn_down"})
    assert found.claimed_turns() == frozenset()
    assert found.load().document.turns[0].is_pending
    assert say(found).trigger == "pending_turns"


def test_nothing_is_due_without_a_pending_turn(tmp_path: Path) -> None:
    write(tmp_path, document(turns=(turn(1, summary="用户问了。", summary_status="ready"),)))
    assert manager(tmp_path, [GOOD]).summarize(asked_by="person").status == "nothing_due"


def test_the_payload_holds_the_newest_four_pending_turns(tmp_path: Path) -> None:
    """U1: with active items only, and what the model may refer to."""
    model = Waiting("{}")
    model.go.set()
    turns = [turn(number) for number in range(1, 7)]
    write(tmp_path, document(turns=tuple(turns), items=(note(1), note(2, status="inactive"))))
    waiting_manager(tmp_path, model).summarize()
    (payload,) = model.payloads
    assert [entry.id for entry in payload.turns] == [entry.id for entry in turns[2:]]
    assert [item.id for item in payload.items] == [note(1).id]


def test_a_dry_run_asks_and_keeps_nothing(tmp_path: Path) -> None:
    found = manager(tmp_path, [delta(turns=[summary(TURN)], topics=[new_topic()]), REFUSED, EndpointError("no")])
    record(found)
    before = tree(tmp_path)
    result = found.summarize(asked_by="person", dry_run=True)
    assert result.status == "dry_run"
    assert result.review is not None
    assert result.review.document.turns[0].summary_status == "ready"
    assert found.summarize(asked_by="person", dry_run=True).reason is not None
    assert found.summarize(asked_by="person", dry_run=True).status == "failed"
    assert tree(tmp_path) == before


def test_a_corrupt_file_is_said_to_the_person_who_asks(tmp_path: Path) -> None:
    put(tmp_path, b"{")
    with pytest.raises(CorruptError):
        manager(tmp_path, [GOOD]).summarize(asked_by="person")
    assert on_disk(tmp_path) == b"{"


def test_secrets_in_a_reply_are_masked_before_it_is_kept(tmp_path: Path) -> None:
    """D8: in the queue, the history and the log."""
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    found = manager(tmp_path, [delta(turns=[summary(TURN, f"用户用 {token} 登录。")]), f"no JSON, {token}"])
    record(found)
    found.summarize()
    found.summarize(asked_by="person")
    assert token.encode() not in b"".join(tree(tmp_path).values())


POM = "<project><groupId>g</groupId><artifactId>{name}</artifactId><version>1</version></project>"


def test_the_profile_is_collected_before_a_summary_as_a_revision_of_its_own(tmp_path: Path) -> None:
    """P2c: written only where it differs."""
    (tmp_path / "pom.xml").write_text(POM.format(name="shop"))
    found = manager(tmp_path, [GOOD, "{}"])
    record(found)
    found.summarize()
    assert [revision.cause for revision in found.history()] == ["recorded", "profile", "auto"]
    assert found.load().document.repo_profile.project_name == "shop"
    record(found)
    found.summarize()
    assert "profile" not in [revision.cause for revision in found.history()][3:]
    (tmp_path / "pom.xml").write_text(POM.format(name="store"))
    written = found.collect_profile(write=True)
    assert written.revision is not None
    assert found.collect_profile(write=True).revision is None
    assert found.load().document.repo_profile.project_name == "store"


def test_collecting_the_profile_to_look_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "pom.xml").write_text(POM.format(name="shop"))
    result = manager(tmp_path).collect_profile()
    assert {change.at for change in result.changes} >= {"repo_profile.build_tool", "repo_profile.project_name"}
    assert result.revision is None
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pom.xml"]


@pytest.mark.parametrize("filled_with", ["items", "pending turns"])
def test_a_profile_without_room_stops_no_summary(tmp_path: Path, filled_with: str) -> None:
    """D6: it costs neither long-term memory nor a turn that is not summarised yet."""
    turns = tuple(turn(n, user_text="问" * 1000, assistant_text="") for n in range(1, 5))
    full = document(turns=turns)
    if filled_with == "items":
        full = document(turns=(turn(1),), items=tuple(note(n, summary="关" * 300) for n in range(1, 41)))
    data = write(tmp_path, full)
    modules = "".join(f"<module>{'m' * 60}{number}</module>" for number in range(200))
    (tmp_path / "pom.xml").write_text(f"<project><artifactId>a</artifactId><modules>{modules}</modules></project>")
    policy = Policy(limits=Limits(hard_bytes=len(data) + 1024))
    found = manager(tmp_path, [delta(turns=[summary(turn(1).id)])], policy=policy)
    assert found.summarize().status == "applied"
    assert not found.load().document.repo_profile.has_value
    assert len(found.load().document.turns) == len(full.turns)
    assert "profile_left_out" in [event.kind for event in found.store.log.tail()]


def test_a_locked_memory_is_on_record_for_the_console(tmp_path: Path) -> None:
    """U6: whatever happens in the background can be seen afterwards."""
    model = Waiting(GOOD)
    found = waiting_manager(tmp_path, model)
    found.record_turn("general_chat", user_text=PREFERENCE_TURN, assistant_text="好。")
    assert model.asked.wait(10)
    with store(tmp_path).transaction(wait=1):
        model.go.set()
        assert found.wait(30)
    assert found.last_summary is not None
    assert (found.last_summary.status, found.last_summary.reason and found.last_summary.reason.code) == (
        "failed",
        "locked",
    )
    assert found.load().document.turns[0].is_pending
