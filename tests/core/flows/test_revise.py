"""Revisions, resets, purges, long-term items (R5-R7, U5, S9b, S10)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memory_core.capacity import encode
from memory_core.document import MemoryDocument
from memory_core.errors import ChangedError, CorruptError, InputError, StateError, UnknownIdError
from memory_core.manager import MemoryManager
from memory_core.policy import Limits, Policy
from tests.core.flows.helpers import (
    HELD,
    NOTE,
    PREFERENCE,
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
from tests.core.samples import document, note, preference, topic, turn
from tests.core.storage.helpers import put, tree

ODD = b'\xef\xbb\xbf{"version": 1,\n\n "updated_at": "2026-05-01T12:40:00+08:00", "mine": [1, 2]}\n'
"""A file that somebody else laid out in a way of their own."""


def applied(root: Path) -> MemoryManager:
    """A turn, a preference, a note and a topic, applied as revision 2."""
    found = manager(root)
    turn_id = record(found, PREFERENCE_TURN)
    reply = delta(turns=[summary(turn_id)], topics=[new_topic()], items=[new_preference(), new_note()])
    assert found.approve(found.propose(reply).delta_id, {}).revision == 2
    return found


def item_of(found: MemoryManager, text: str) -> str:
    return next(item.id for item in found.load().document.items if item.summary == text)


def test_restoring_is_byte_for_byte_and_a_revision_of_its_own(tmp_path: Path) -> None:
    found = applied(tmp_path)
    after = on_disk(tmp_path)
    found.set_status(item_of(found, NOTE), "inactive")
    changed = on_disk(tmp_path)
    result = found.restore(2)
    assert on_disk(tmp_path) == after
    assert [revision.cause for revision in found.history()] == ["recorded", "apply", "item", "restore"]
    assert result.revision == 4
    assert found.restore(4).revision is None
    found.restore(3)
    assert on_disk(tmp_path) == changed


def test_what_somebody_else_wrote_is_kept_and_comes_back_byte_for_byte(tmp_path: Path) -> None:
    """S9b: whatever its layout."""
    found = applied(tmp_path)
    put(tmp_path, ODD)
    record(found)
    outside = next(revision for revision in found.history() if revision.cause == "outside")
    found.restore(outside.seq)
    assert on_disk(tmp_path) == ODD
    assert found.load().status == "ok"


def test_restoring_over_a_damaged_file_keeps_it(tmp_path: Path) -> None:
    found = applied(tmp_path)
    after = on_disk(tmp_path)
    put(tmp_path, b"{damaged")
    found.restore(2)
    assert on_disk(tmp_path) == after
    assert (tmp_path / ".autopatch-j" / "memory.corrupt.json").read_bytes() == b"{damaged"


def test_restoring_where_the_file_is_gone(tmp_path: Path) -> None:
    found = applied(tmp_path)
    after = on_disk(tmp_path)
    (tmp_path / ".autopatch-j" / "memory.json").unlink()
    found.restore(2)
    assert on_disk(tmp_path) == after


def test_restoring_never_lowers_the_generation(tmp_path: Path) -> None:
    """U5."""
    found = applied(tmp_path)
    first = found.store.generation()
    reset = found.reset()
    assert reset.generation != first
    found.restore(2)
    assert found.store.generation() == reset.generation


@pytest.mark.parametrize("seq", [0, 99, -1])
def test_an_unknown_revision(tmp_path: Path, seq: int) -> None:
    found = applied(tmp_path)
    before = on_disk(tmp_path)
    for call in (found.restore, found.revert, found.preview_revert):
        with pytest.raises(UnknownIdError):
            call(seq)
    assert on_disk(tmp_path) == before


def test_an_old_revision_whose_document_is_gone(tmp_path: Path) -> None:
    """S10: what, when and why stay."""
    found = manager(tmp_path, policy=Policy(history_keep=1))
    record(found)
    for number in range(3):
        found.approve(found.propose(delta(topics=[new_topic(f"话题{number}", f"关注第 {number} 个。")])).delta_id, {})
    assert [revision.kept for revision in found.history()] == [False, False, False, True]
    assert all(revision.summary for revision in found.history())
    with pytest.raises(StateError) as raised:
        found.restore(1)
    assert raised.value.code == "not_kept"


def test_reverting_one_revision_leaves_later_ones(tmp_path: Path) -> None:
    found = applied(tmp_path)
    found.approve(found.propose(delta(items=[new_note("分层", "用户关注分层。")])).delta_id, {})
    preview = found.preview_revert(2)
    assert preview.conflicts == ()
    assert found.revert(2, base=preview.base).revision == 4
    stored = found.load().document
    assert stored == preview.document
    assert [item.summary for item in stored.items] == ["用户关注分层。"]
    assert (stored.topics, [entry.summary_status for entry in stored.turns]) == ((), ["pending"])
    assert found.history()[-1].cause == "revert"


def test_a_revert_can_be_reverted(tmp_path: Path) -> None:
    found = applied(tmp_path)
    before = found.load().document
    found.revert(2)
    found.revert(3)
    stored = found.load().document
    assert {entry.id: entry for entry in stored.entries()} == {entry.id: entry for entry in before.entries()}


def test_what_has_changed_since_is_a_conflict_and_stays(tmp_path: Path) -> None:
    """R5."""
    found = applied(tmp_path)
    changed, gone = item_of(found, NOTE), item_of(found, PREFERENCE)
    found.set_status(changed, "inactive")
    found.forget(gone)
    preview = found.preview_revert(2)
    assert set(preview.conflicts) == {changed, gone}
    found.revert(2)
    assert [item.id for item in found.load().document.items] == [changed]
    assert found.load().document.topics == ()


def test_a_revert_is_bound_to_what_was_previewed(tmp_path: Path) -> None:
    found = applied(tmp_path)
    preview = found.preview_revert(2)
    record(found)
    before = on_disk(tmp_path)
    with pytest.raises(ChangedError):
        found.revert(2, base=preview.base)
    assert on_disk(tmp_path) == before


def test_reverting_what_changed_nothing_or_is_undone_already(tmp_path: Path) -> None:
    found = applied(tmp_path)
    found.revert(2)
    before = on_disk(tmp_path)
    assert found.revert(2).revision is None
    assert on_disk(tmp_path) == before


def test_reverting_a_profile(tmp_path: Path) -> None:
    found = applied(tmp_path)
    (tmp_path / "pom.xml").write_text("<project><artifactId>shop</artifactId></project>")
    written = found.collect_profile(write=True).revision
    assert written is not None
    found.revert(written)
    assert not found.load().document.repo_profile.has_value


def test_a_revert_without_room_is_refused(tmp_path: Path) -> None:
    """D6: it never brings back more active items than may be."""
    limits = Limits(long_term_items=2)
    write(tmp_path, document(turns=(turn(1),), items=(note(1), note(2))))
    found = manager(tmp_path, policy=Policy(limits=limits))
    forgotten = found.forget(note(1).id).revision
    found.approve(found.propose(delta(items=[new_note("分层", "用户关注分层。")])).delta_id, {})
    assert forgotten is not None
    before = on_disk(tmp_path)
    with pytest.raises(StateError) as raised:
        found.revert(forgotten)
    assert raised.value.code == "no_room"
    assert on_disk(tmp_path) == before


def test_comparing_any_two(tmp_path: Path) -> None:
    """R5: revisions, the file, the queue, nothing."""
    found = applied(tmp_path)
    (item, *_) = [item for item in found.load().document.items if item.summary == NOTE]
    assert found.diff(2, "current").changes == ()
    added = {change.kind for change in found.diff("empty", "current").changes}
    assert "added" in added
    back = found.diff("current", "empty").changes
    assert {change.kind for change in back} == {"removed" if kind == "added" else kind for kind in added}
    proposal = found.propose(delta(items=[new_note("分层", "用户关注分层。")]))
    ahead = found.diff("current", f"pending:{proposal.delta_id}").changes
    assert [change.kind for change in ahead if "long_term_memory" in change.at] == ["added"]
    assert (found.diff().a, found.diff().b) == ("2", "current")
    found.set_status(item.id, "inactive")
    changed = [change for change in found.diff("2", 3).changes if change.kind == "changed" and item.id in change.at]
    assert {field.name for change in changed for field in change.fields} >= {"status"}
    assert found.document_at(2) == found.document_at("2")


@pytest.mark.parametrize("reference", ["", "x", "-1", "１", "99", "pending:", "pending:x", "1.0"])
def test_a_reference_that_names_nothing(tmp_path: Path, reference: str) -> None:
    found = applied(tmp_path)
    with pytest.raises(InputError):
        found.diff(reference, "current")


def test_comparing_before_there_is_anything(tmp_path: Path) -> None:
    result = manager(tmp_path).diff()
    assert (result.a, result.b, result.changes) == ("empty", "current", ())
    assert list(tmp_path.iterdir()) == []


def test_a_reset_clears_and_leaves_one_undo_point(tmp_path: Path) -> None:
    """R6."""
    found = applied(tmp_path)
    proposal = found.propose(delta(items=[HELD]))
    before = on_disk(tmp_path)
    preview = found.preview_reset()
    assert (preview.turns, preview.topics, preview.items, preview.pending, preview.undo) == (1, 1, 2, 1, True)
    result = found.reset()
    assert "1 turns" in result.removed
    assert found.load().document == MemoryDocument(updated_at=found.load().document.updated_at)
    assert found.pending() == ()
    events = [(event.kind, event.data.get("delta_id")) for event in found.store.log.tail()]
    assert ("delta_discarded", proposal.delta_id) in events
    assert result.revision is not None
    found.restore(result.revision)
    assert on_disk(tmp_path) == before


def test_turns_recorded_since_the_last_revision_come_back_too(tmp_path: Path) -> None:
    found = applied(tmp_path)
    record(found, "后来的问题？")
    before = on_disk(tmp_path)
    undo = found.reset().revision
    assert undo is not None
    found.restore(undo)
    assert on_disk(tmp_path) == before


def test_a_second_reset_does_not_replace_the_undo_point(tmp_path: Path) -> None:
    found = applied(tmp_path)
    before = on_disk(tmp_path)
    first, second = found.reset(), found.reset()
    assert second.generation != first.generation
    assert second.revision == first.revision
    count = len(found.history())
    third = found.reset()
    assert (third.revision, len(found.history())) == (first.revision, count)
    assert third.revision is not None
    found.restore(third.revision)
    assert on_disk(tmp_path) == before


def test_a_reset_of_nothing_still_raises_the_generation(tmp_path: Path) -> None:
    found = manager(tmp_path)
    first = found.store.generation()
    result = found.reset()
    assert result.revision is None
    assert result.generation != first
    assert found.history() == ()
    assert not (tmp_path / ".autopatch-j" / "memory.json").exists()


def test_a_reset_of_a_damaged_file_keeps_it(tmp_path: Path) -> None:
    found = manager(tmp_path)
    put(tmp_path, b"{damaged")
    found.reset()
    assert (tmp_path / ".autopatch-j" / "memory.corrupt.json").read_bytes() == b"{damaged"
    assert found.load().status == "ok"


def test_a_purge_leaves_nothing_to_read(tmp_path: Path) -> None:
    """R6: of what was remembered, no text stands anywhere below the folder."""
    found = applied(tmp_path)
    put(tmp_path, b"{" + PREFERENCE.encode())
    record(found, PREFERENCE_TURN)
    found.propose(delta(items=[HELD]))
    preview = found.preview_reset()
    assert preview.revisions == len(found.history())
    assert preview.backups == ("memory.corrupt.json",)
    result = found.reset(purge=True)
    assert result.revision is None
    assert found.history() == ()
    assert found.store.backups() == ()
    assert holding(tmp_path, PREFERENCE, NOTE, "中文") == []


def test_ids_go_on_after_a_purge(tmp_path: Path) -> None:
    """D4: a number is never given twice."""
    found = applied(tmp_path)
    before = {entry.id for entry in found.load().document.entries()}
    found.reset(purge=True)
    again = applied_again(found)
    assert not before & {entry.id for entry in again.entries()}


def applied_again(found: MemoryManager) -> MemoryDocument:
    turn_id = record(found, PREFERENCE_TURN)
    reply = delta(turns=[summary(turn_id)], topics=[new_topic()], items=[new_preference(), new_note()])
    found.approve(found.propose(reply).delta_id, {})
    return found.load().document


def test_an_item_set_inactive_and_active_again(tmp_path: Path) -> None:
    """R7: out of every prompt, and back."""
    found = applied(tmp_path)
    item = item_of(found, PREFERENCE)
    assert PREFERENCE in found.context("general_chat").text
    assert found.set_status(item, "inactive").revision == 3
    assert found.set_status(item, "inactive").revision is None
    assert PREFERENCE not in found.context("general_chat").text
    assert found.set_status(item, "active").revision == 4
    assert PREFERENCE in found.context("general_chat").text


@pytest.mark.parametrize("name", ["", "mem_x", "turn_20260501_124500_001", "topic_20260501_001"])
def test_what_is_no_long_term_item(tmp_path: Path, name: str) -> None:
    found = applied(tmp_path)
    before = on_disk(tmp_path)
    with pytest.raises(UnknownIdError):
        found.set_status(name, "inactive")
    with pytest.raises(UnknownIdError):
        found.forget(name)
    assert on_disk(tmp_path) == before


def test_a_status_that_takes_more_room_than_there_is(tmp_path: Path) -> None:
    """D6: `inactive` is two bytes longer; working memory goes first, and where there is none, nothing is written."""
    full = document(turns=(turn(1, summary="用户问了。", summary_status="ready"),), items=(note(1), note(2)))
    data = write(tmp_path, full)
    policy = Policy(limits=Limits(soft_bytes=1024, hard_bytes=len(data)))
    found = manager(tmp_path, policy=policy)
    assert found.set_status(note(1).id, "inactive").revision is not None
    assert len(on_disk(tmp_path)) <= len(data)
    bare = write(tmp_path, document(items=(note(1), note(2))))
    tight = manager(tmp_path, policy=Policy(limits=Limits(soft_bytes=1024, hard_bytes=max(1024, len(bare)))))
    if len(bare) >= 1024:
        with pytest.raises(StateError) as raised:
            tight.set_status(note(1).id, "inactive")
        assert raised.value.code == "no_room"
        assert on_disk(tmp_path) == bare


def test_an_item_can_be_forgotten_out_of_a_file_over_its_limit(tmp_path: Path) -> None:
    data = write(tmp_path, document(items=tuple(note(number, summary="关" * 300) for number in range(1, 61))))
    found = manager(tmp_path, policy=Policy(limits=Limits(soft_bytes=1024, hard_bytes=len(data) // 2)))
    found.forget(note(1).id)
    assert len(found.load().document.items) == 59


def test_setting_a_status_in_a_damaged_file(tmp_path: Path) -> None:
    put(tmp_path, b"{damaged")
    with pytest.raises(CorruptError):
        manager(tmp_path).set_status("mem_20260501_001", "inactive")
    assert on_disk(tmp_path) == b"{damaged"


def test_forgetting_says_where_the_text_still_stands(tmp_path: Path) -> None:
    """R7."""
    found = applied(tmp_path)
    item = item_of(found, NOTE)
    waiting = found.propose(delta(items=[new_note("另一个", NOTE)])).delta_id
    (tmp_path / ".autopatch-j" / "memory.corrupt.json").write_bytes(b"{" + NOTE.encode())
    result = found.forget(item)
    assert item not in [left.id for left in found.load().document.items]
    assert set(result.elsewhere) == {"history:2", f"pending:{waiting}", "backup:memory.corrupt.json"}
    assert found.document_at(2).find(item) is not None


SECRET = "用户在桂花巷十七号办公。"


def spread(root: Path) -> tuple[MemoryManager, str]:
    """An item whose text stands wherever a text can stand."""
    found = manager(root)
    turn_id = record(found)
    # In a reply, in a revision's header and body, in what goes on waiting, and in another spelling.
    first = found.propose(delta(turns=[summary(turn_id)], items=[HELD, new_note("地点", SECRET)]))
    found.approve(first.delta_id, {})
    item = item_of(found, SECRET)
    ascii_reply = json.dumps(json.loads(delta(items=[new_note("地点", SECRET)])), ensure_ascii=True)
    mixed = delta(items=[new_note("另一处", SECRET)]).replace("十", "\\u5341")
    turned_down = found.propose(ascii_reply)
    found.approve(turned_down.delta_id, {"long_term_operations[0]": "turn_down"})
    dismissed = found.propose(ascii_reply)
    found.dismiss(dismissed.delta_id)
    found.propose(ascii_reply)
    found.propose("看：" + delta(items=[new_note("地点", SECRET)]) + "！")
    found.propose(mixed)
    # Frozen with a later proposal: what had been turned down before it.
    later = found.propose(delta(items=[new_preference("别的", "别的偏好要保留。")]))
    found.save_draft(later.delta_id, {}, {"long_term_operations[0]": "和" + SECRET})
    # An earlier wording of the same item.
    v1_write(root, long_term_memory=reworded(root, item))
    found.set_status(item, "inactive")
    (root / ".autopatch-j" / "memory.v0.json").write_text(json.dumps({"x": SECRET}))
    return found, item


def reworded(root: Path, item: str) -> dict[str, object]:
    value = json.loads(on_disk(root))["long_term_memory"]
    for entry in value["project_notes"]:
        if entry["id"] == item:
            entry["summary"] = "用户在菊花巷办公。"
    found: dict[str, object] = value
    return found


def holding(root: Path, *texts: str) -> list[str]:
    """Files in which one of the texts stands, however JSON spells it."""
    return [
        name for name, data in tree(root / ".autopatch-j").items() if any(text in unescaped(data) for text in texts)
    ]


def unescaped(data: bytes) -> str:
    """A file's text with JSON's escapes undone, twice, since a reply is kept as a string."""
    text = data.decode("utf-8", "replace")
    for _ in range(2):
        text = "".join(
            chr(int(part[:4], 16)) + part[4:]
            if index and len(part) >= 4 and set(part[:4]) <= set("0123456789abcdefABCDEF")
            else part
            for index, part in enumerate(text.replace("\\\\u", "\\u").split("\\u"))
        )
    return text


def test_forgetting_everywhere_leaves_the_text_nowhere(tmp_path: Path) -> None:
    """R7: in no file below the folder, in no spelling, in no earlier wording."""
    found, item = spread(tmp_path)
    before = holding(tmp_path, SECRET, "菊花巷")
    assert len(before) > 6
    result = found.forget(item, everywhere=True)
    assert holding(tmp_path, SECRET, "桂花巷", "菊花巷") == []
    assert result.elsewhere == ()
    assert [view.entry.reply for view in found.pending() if "别的偏好" in view.entry.reply]
    assert found.store.history.verify() == ()
    assert found.load().document.turns


def test_forgetting_everywhere_leaves_other_memories(tmp_path: Path) -> None:
    found = applied(tmp_path)
    found.set_status(item_of(found, PREFERENCE), "inactive")
    found.forget(item_of(found, NOTE), everywhere=True)
    assert [item.summary for item in found.load().document.items] == [PREFERENCE]
    assert PREFERENCE in [entry.summary for revision in found.history() for entry in revision.decisions]


def test_a_turn_that_says_it_word_for_word_goes_with_it(tmp_path: Path) -> None:
    """Else the next summary would propose it again; a plain `forget` leaves the turn and names it."""
    found = applied(tmp_path)
    (turn_id,) = [entry.id for entry in found.load().document.turns]
    other = record(found, "别的问题？")
    item = item_of(found, PREFERENCE)
    waiting = found.propose(delta(turns=[summary(other)])).delta_id
    assert f"document:{turn_id}" in found.store.places_of(PREFERENCE)
    assert f"document:{turn_id}" in found.forget(item).elsewhere
    found.restore(2)
    record(found, "别的问题？")
    result = found.forget(item, everywhere=True)
    assert [entry.user_text for entry in found.load().document.turns] == ["别的问题？"]
    assert result.elsewhere == ()
    assert holding(tmp_path, PREFERENCE) == []
    assert [view.id for view in found.pending()] == [waiting]
    assert found.history()[-1].kept


def test_what_waits_of_a_delta_is_kept_where_it_says_something_else(tmp_path: Path) -> None:
    found, item = spread(tmp_path)
    found.forget(item, everywhere=True)
    waiting = [op.after for view in found.pending() for op in view.review.operations if op.after is not None]
    assert [after["summary"] for after in waiting] == [HELD["summary"], "别的偏好要保留。"]
    assert [event.kind for event in found.store.log.tail()].count("delta_forgotten") == 3


def test_the_undo_of_a_plain_forget(tmp_path: Path) -> None:
    found = applied(tmp_path)
    before = on_disk(tmp_path)
    found.forget(item_of(found, NOTE))
    found.restore(2)
    assert on_disk(tmp_path) == before


def test_what_a_context_of_another_document_would_be(tmp_path: Path) -> None:
    found = manager(tmp_path)
    other = document(turns=(turn(1),), topics=(topic(1),), items=(preference(2),))
    assert "回答用中文" in found.context_of(other, "general_chat").text
    assert encode(other)
