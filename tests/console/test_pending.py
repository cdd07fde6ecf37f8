"""Pending beyond the straight way: what changes under a decision, notes, dismissing, drafts, copies (R3-R4c)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from textual.widgets import Input

from inspector.panes.pending import PendingPane
from inspector.screens.confirm import Confirm, Typed
from memory_core.configuration import Configuration
from memory_core.intents import IntentType
from memory_core.manager import MemoryManager
from tests.console.conftest import Console, detail_text, notices, press, screen_text, until

NOTE_UPDATE = "long_term_operations[1]"


def pending(app: object) -> PendingPane:
    found = app.pane  # type: ignore[attr-defined]
    assert isinstance(found, PendingPane)
    return found


async def test_a_key_pressed_on_what_just_changed_is_refused_with_a_word(
    console: Console, manager: MemoryManager
) -> None:
    async with console() as (app, pilot):
        pane = pending(app)
        pane.hold = 60
        await press(app, pilot, "enter", "G", "up")
        assert pane.list.key == NOTE_UPDATE
        manager.set_status(manager.load().document.notes[0].id, "inactive")
        assert pane.opened is not None
        desk = pane.desks[pane.opened]
        await until(pilot, lambda: NOTE_UPDATE in desk.cleared)
        await press(app, pilot, "n")
        assert "changed just now" in notices(app)
        assert desk.decisions == {}
        pane.hold = 0
        await press(app, pilot, "g", "n")
        assert desk.decisions == {"turn_summaries[0]": "turn_down"}


async def test_the_new_review_is_shown_with_what_flipped_instead_of_writing(
    console: Console, manager: MemoryManager
) -> None:
    async with console() as (app, pilot):
        await press(app, pilot, "enter", "n", "A")
        app.workspace.stop()
        await pilot.pause(0.15)
        manager.set_status(manager.load().document.notes[0].id, "inactive")
        before = manager.load().sha256
        await press(app, pilot, "A")
        assert manager.load().sha256 == before
        assert "Nothing was written. 1 operation is other now" in notices(app)
        pane = pending(app)
        assert pane.list.key == NOTE_UPDATE
        assert [cell.text for cell in pane.list.rows[4].cells][:2] == [" 5!", "✗ rejected"]
        assert "was accepted, is rejected" in detail_text(app)
        assert pane.opened is not None
        assert pane.desks[pane.opened].decisions == {"turn_summaries[0]": "turn_down"}


async def test_verdicts_follow_decisions(console: Console, tmp_path: Path) -> None:
    manager = MemoryManager(tmp_path, configuration=Configuration())
    manager.record_turn(
        IntentType.GENERAL_CHAT, user_text="以后回答都先给结论再给理由。", assistant_text="好。", summarise=False
    )
    item = {
        "operation": "create_new",
        "type": "durable_preference",
        "label": "回答顺序",
        "summary": "以后回答都先给结论再给理由。",
        "source": "user_explicit",
    }
    manager.propose(json.dumps({"long_term_operations": [item, item]}))
    async with console(tmp_path) as (app, pilot):
        await press(app, pilot, "enter")
        assert [row.cells[1].text for row in pending(app).list.rows] == ["✓ accepted", "? held"]
        await press(app, pilot, "n")
        assert [row.cells[1].text for row in pending(app).list.rows] == ["✓ accepted", "✓ accepted"]
        assert "✓ 1 written" in screen_text(app)


async def test_dismissing_asks_and_keeps_the_note(console: Console, manager: MemoryManager) -> None:
    async with console() as (app, pilot):
        await press(app, pilot, "G", "D")
        assert isinstance(app.screen, Confirm)
        assert "The reply ends" in screen_text(app)
        await press(app, pilot, "escape")
        assert len(manager.pending()) == 3
        await press(app, pilot, "D", "m")
        assert isinstance(app.screen, Typed)
        app.screen.query_one(Input).value = "被截断了"
        await press(app, pilot, "enter", "k", "D", "D")
    assert len(manager.pending()) == 1
    assert manager.store.log.tail()[-2].data["note"] == "被截断了"


async def test_a_delta_with_nothing_left_is_marked_superseded(console: Console, manager: MemoryManager) -> None:
    note = manager.load().document.notes[0]
    update = {"operation": "update_existing", "target_id": note.id, "summary": "用户关注补丁确认。"}
    update |= {"source": "conversation_summary"}
    manager.propose(json.dumps({"long_term_operations": [update]}))
    manager.set_status(note.id, "inactive")
    async with console() as (app, pilot):
        assert "superseded: nothing left to accept" in screen_text(app)
        await press(app, pilot, "G", "A")
        assert "Superseded: the file changed" in detail_text(app) or isinstance(app.screen, Confirm)


async def test_decisions_of_a_delta_are_restored_with_their_notes(console: Console, manager: MemoryManager) -> None:
    delta = manager.pending()[0].id
    manager.save_draft(delta, {"topic_operations[0]": "turn_down"}, {"topic_operations[0]": "太笼统"})
    async with console() as (app, pilot):
        assert "decisions drafted" in screen_text(app)
        await press(app, pilot, "enter", "down", "down")
        assert "✗ turned down" in detail_text(app)
        assert "太笼统" in detail_text(app)


async def test_undo_after_a_restart_has_nothing_and_says_so(console: Console) -> None:
    async with console() as (app, pilot):
        await press(app, pilot, "enter", "z")
        assert "nothing to undo" in notices(app)


async def test_what_is_copied_is_the_reply_or_the_operation_with_its_reason(console: Console) -> None:
    async with console() as (app, pilot):
        await press(app, pilot, "C")
        assert app.clipboard.startswith("{")
        await press(app, pilot, "enter", "G", "C")
        assert "functional style" in app.clipboard
        assert "held: " in app.clipboard
        assert "Sent to the terminal" in notices(app)


async def test_a_held_operation_shows_its_reason_and_the_words_it_rests_on(console: Console) -> None:
    async with console(size=(120, 60)) as (app, pilot):
        await press(app, pilot, "enter", "G")
        text = detail_text(app)
    assert "A7 no_shared_words" in text
    assert "“Commit messages must always be lower-case English phrases.”" in text
    assert "16 passed" in text


async def test_a_summary_is_judged_beside_the_turn_it_sums_up(console: Console) -> None:
    async with console() as (app, pilot):
        await press(app, pilot, "enter")
        assert "user   review 模块怎么管理 finding 队列？" in detail_text(app)


@pytest.mark.parametrize(("key", "words"), [("o", "Checks"), ("p", "What would change"), ("c", "│ <<<memory")])
async def test_each_view_shows_its_own(console: Console, key: str, words: str) -> None:
    async with console() as (app, pilot):
        await press(app, pilot, "enter", key)
        assert words in detail_text(app)


async def test_read_only_decides_nothing_for_good(console: Console, manager: MemoryManager) -> None:
    async with console(read_only=True) as (app, pilot):
        await press(app, pilot, "enter", "n", "A")
        assert not isinstance(app.screen, Confirm)
        await press(app, pilot, "D", "m", "escape", "3", "i", "D", "6", "down", "down", "U", "S")
        assert notices(app).count("Read-only") >= 5
    assert manager.pending()[0].decisions == {}
