"""The console by keys alone: looking, deciding, applying, comparing, undoing (R2-R6)."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest
from textual.widgets import Input

from inspector.panes.pending import PendingPane
from inspector.screens.confirm import Confirm, Typed
from inspector.screens.help import Help
from inspector.screens.problems import Problems
from memory_core.intents import IntentType
from memory_core.manager import MemoryManager
from tests.console.conftest import Console, press, screen_text
from tests.core.samples import V1_SAMPLES
from tests.core.storage.helpers import put


def pending(app: object) -> PendingPane:
    found = app.pane  # type: ignore[attr-defined]
    assert isinstance(found, PendingPane)
    return found


async def test_the_first_look_shows_what_waits(console: Console) -> None:
    async with console() as (app, _):
        text = screen_text(app)
    assert "demo-shop" in text
    assert "4 Pending 3" in text
    assert "✓5 ?1 ✗0" in text
    assert "refused" in text


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
@pytest.mark.parametrize(
    ("key", "words"), [("1", "maven"), ("2", "Recent turns"), ("3", "回答顺序"), ("5", "general_chat"), ("6", "apply")]
)
async def test_every_tab_opens_at_both_sizes(console: Console, size: tuple[int, int], key: str, words: str) -> None:
    async with console(size=size) as (app, pilot):
        await press(app, pilot, key)
        assert words in screen_text(app)


@pytest.mark.parametrize("sample", V1_SAMPLES, ids=lambda path: path.name)
async def test_documents_of_v1_open_in_every_tab(console: Console, tmp_path: Path, sample: Path) -> None:
    put(tmp_path, sample.read_bytes())
    async with console(tmp_path) as (app, pilot):
        for key in "123456":
            await press(app, pilot, key)
            assert app.pane is not None
    assert (tmp_path / ".autopatch-j" / "memory.json").read_bytes() == sample.read_bytes()


async def test_deciding_goes_on_to_the_next_undecided_one_and_can_be_undone(console: Console) -> None:
    async with console() as (app, pilot):
        await press(app, pilot, "enter", "y", "n")
        pane = pending(app)
        assert pane.opened is not None
        desk = pane.desks[pane.opened]
        assert desk.decisions == {"turn_summaries[0]": "accept", "turn_summaries[1]": "turn_down"}
        assert pane.list.key == "topic_operations[0]"
        await press(app, pilot, "z")
        assert desk.decisions == {"turn_summaries[0]": "accept"}
        await press(app, pilot, "Z")
        assert desk.decisions["turn_summaries[1]"] == "turn_down"


async def test_applying_asks_once_enter_does_nothing_and_a_again_applies(
    console: Console, manager: MemoryManager
) -> None:
    before = manager.load().sha256
    async with console() as (app, pilot):
        await press(app, pilot, "enter", "down", "n", "A")
        assert isinstance(app.screen, Confirm)
        assert "commit messages" in screen_text(app)
        await press(app, pilot, "enter")
        assert isinstance(app.screen, Confirm)
        assert "enter does nothing" in screen_text(app)
        await press(app, pilot, "escape")
        assert not isinstance(app.screen, Confirm)
        assert manager.load().sha256 == before
        await press(app, pilot, "A", "A")
        await app.settled()
    document = manager.load().document
    assert [item.label for item in document.preferences] == ["回答顺序", "commit messages"]
    assert sum(turn.is_pending for turn in document.turns) == 1
    waiting = manager.pending()[0]
    assert [op.at for op in waiting.review.operations] == ["long_term_operations[2]"]


async def test_a_held_operation_is_written_only_when_it_is_accepted(console: Console, manager: MemoryManager) -> None:
    async with console() as (app, pilot):
        await press(app, pilot, "enter", "G")
        assert pending(app).list.key == "long_term_operations[2]"
        assert "held" in screen_text(app)
        await press(app, pilot, "y", "A", "A")
    assert "functional style" in [item.label for item in manager.load().document.preferences]
    assert manager.history()[-1].cause == "apply"


async def test_a_rejected_operation_cannot_be_forced(console: Console, manager: MemoryManager) -> None:
    async with console() as (app, pilot):
        await press(app, pilot, "down", "enter", "y")
        pane = pending(app)
        assert pane.opened is not None
        assert pane.desks[pane.opened].decisions == {}


async def test_marked_rows_are_decided_together_but_held_ones_singly(console: Console) -> None:
    async with console() as (app, pilot):
        await press(app, pilot, "enter", "space", "space", "G", "space", "y")
        pane = pending(app)
        assert pane.opened is not None
        assert set(pane.desks[pane.opened].decisions) == {"turn_summaries[0]", "turn_summaries[1]"}


async def test_drafts_survive_quitting(console: Console) -> None:
    async with console() as (app, pilot):
        await press(app, pilot, "enter", "n")
    async with console() as (app, pilot):
        await press(app, pilot, "enter")
        pane = pending(app)
        assert pane.opened is not None
        assert pane.desks[pane.opened].decisions == {"turn_summaries[0]": "turn_down"}


async def test_the_three_views_of_a_delta(console: Console) -> None:
    async with console() as (app, pilot):
        await press(app, pilot, "enter", "p")
        assert "bytes" in screen_text(app)
        await press(app, pilot, "c")
        assert "characters" in screen_text(app)
        await press(app, pilot, "o", "f")
        assert "passed" not in screen_text(app)


async def test_a_note_is_kept_with_the_decision(console: Console, manager: MemoryManager) -> None:
    async with console() as (app, pilot):
        await press(app, pilot, "enter", "m")
        assert isinstance(app.screen, Typed)
        app.screen.query_one(Input).value = "不准确"
        await press(app, pilot, "enter")
        await press(app, pilot, "n", "A", "A")
    record = next(entry for entry in manager.history()[-1].decisions if entry.at == "turn_summaries[0]")
    assert (record.decision, record.note) == ("turned_down", "不准确")


async def test_a_change_outside_is_shown_and_a_decision_that_no_longer_holds_is_cleared(
    console: Console, manager: MemoryManager
) -> None:
    async with console() as (app, pilot):
        await press(app, pilot, "enter", "n", "down", "down")
        pane = pending(app)
        assert pane.opened is not None
        key, scroll = pane.list.key, pane.list.scroll_offset
        manager.record_turn(IntentType.GENERAL_CHAT, user_text="外面来的一轮", assistant_text="好。", summarise=False)
        for _ in range(100):
            await pilot.pause(0.02)
            if app.snapshot is not None and len(app.snapshot.document.turns) == 5:
                break
        assert app.snapshot is not None
        assert len(app.snapshot.document.turns) == 5
        assert (pane.list.key, pane.list.scroll_offset) == (key, scroll)
        assert pane.desks[pane.opened].decisions == {"turn_summaries[0]": "turn_down"}
        note = next(item for item in app.snapshot.document.notes)
        manager.set_status(note.id, "inactive")
        await press(app, pilot, "y")
        for _ in range(100):
            await pilot.pause(0.02)
            if "long_term_operations[1]" in pane.desks[pane.opened].cleared:
                break
        assert "is rejected" in pane.desks[pane.opened].cleared["long_term_operations[1]"]


async def test_an_approval_of_what_changed_meanwhile_writes_nothing(console: Console, manager: MemoryManager) -> None:
    async with console() as (app, pilot):
        await press(app, pilot, "enter", "A")
        app.workspace.stop()
        await asyncio.sleep(0.15)
        manager.record_turn(IntentType.GENERAL_CHAT, user_text="趁机而来", assistant_text="好。", summarise=False)
        before = manager.load().sha256
        await press(app, pilot, "A")
        assert manager.load().sha256 == before
        assert "file changed" in screen_text(app)
    assert len(manager.pending()) == 3


async def test_the_cursor_stays_on_its_row_when_turns_come(console: Console, manager: MemoryManager) -> None:
    async with console() as (app, pilot):
        await press(app, pilot, "2", "down", "down")
        assert app.pane is not None
        key = app.pane.list.key
        for number in range(3):
            manager.record_turn(
                IntentType.GENERAL_CHAT, user_text=f"第 {number} 轮", assistant_text="好。", summarise=False
            )
        for _ in range(100):
            await pilot.pause(0.02)
            if "第 2 轮" in screen_text(app):
                break
        assert "第 2 轮" in screen_text(app)
        assert app.pane.list.key == key


async def test_news_on_another_tab_is_marked_until_it_is_visited(console: Console, manager: MemoryManager) -> None:
    async with console() as (app, pilot):
        manager.record_turn(IntentType.GENERAL_CHAT, user_text="新的一轮", assistant_text="好。", summarise=False)
        for _ in range(100):
            await pilot.pause(0.02)
            if "2 Working•" in screen_text(app):
                break
        assert "2 Working•" in screen_text(app)
        await press(app, pilot, "2", "4")
        assert "2 Working•" not in screen_text(app)


async def test_an_item_is_set_inactive_and_back(console: Console, manager: MemoryManager) -> None:
    async with console() as (app, pilot):
        await press(app, pilot, "3", "i")
        assert not manager.load().document.preferences[0].is_active
        await press(app, pilot, "z")
        assert manager.load().document.preferences[0].is_active


async def test_forgetting_says_where_else_the_text_stands(console: Console, manager: MemoryManager) -> None:
    async with console() as (app, pilot):
        await press(app, pilot, "3", "D")
        assert isinstance(app.screen, Confirm)
        assert "history:" in screen_text(app)
        await press(app, pilot, "D")
    assert manager.load().document.preferences == ()


async def test_restore_and_taking_back_are_revisions(console: Console, manager: MemoryManager) -> None:
    data = manager.store.history.document_bytes(2)
    async with console() as (app, pilot):
        await press(app, pilot, "6", "down", "down", "down", "U")
        assert isinstance(app.screen, Confirm)
        await press(app, pilot, "U")
        assert manager.store.read_bytes() == data
        await press(app, pilot, "G", "k", "k", "V", "escape")
    assert manager.history()[-1].cause == "restore"


async def test_reset_needs_the_word(console: Console, manager: MemoryManager) -> None:
    async with console() as (app, pilot):
        app.action_reset(False)
        await app.settled()
        await pilot.pause()
        assert isinstance(app.screen, Typed)
        assert "3 pending deltas" in screen_text(app)
        app.screen.query_one(Input).value = "yes"
        await press(app, pilot, "enter")
        assert isinstance(app.screen, Typed)
        app.screen.query_one(Input).value = "reset"
        await press(app, pilot, "enter")
    assert manager.load().document.turns == ()
    assert manager.pending() == ()
    assert manager.history()[-1].cause == "reset"


async def test_read_only_writes_nothing_and_says_so(console: Console, manager: MemoryManager) -> None:
    before = manager.load().sha256
    async with console(read_only=True) as (app, pilot):
        assert "read-only" in screen_text(app)
        await press(app, pilot, "enter", "A", "A")
        assert "Read-only" in screen_text(app)
    assert manager.load().sha256 == before


async def test_filtering_counts_and_escape_clears_it(console: Console) -> None:
    async with console() as (app, pilot):
        await press(app, pilot, "2", "slash", *"Optional", "enter")
        assert "1 of 5" in screen_text(app)
        await press(app, pilot, "escape")
        assert "of 5" not in screen_text(app)


async def test_letters_never_act_while_something_is_typed(console: Console, manager: MemoryManager) -> None:
    async with console() as (app, pilot):
        await press(app, pilot, "5", "e", "q", "1", "S")
        assert app.is_running
        assert app.active == 4
        assert app.pane is not None
        assert app.pane.query_one(".question", Input).value == "q1S"


async def test_full_width_keys_work_as_their_twins(console: Console) -> None:
    async with console() as (app, pilot):
        await press(app, pilot, "２")
        assert app.active == 1
        await press(app, pilot, "？")
        assert isinstance(app.screen, Help)


async def test_help_and_problems_open_and_close(console: Console) -> None:
    async with console() as (app, pilot):
        await press(app, pilot, "question_mark")
        assert "Accept" in screen_text(app)
        await press(app, pilot, "escape", "exclamation_mark")
        assert isinstance(app.screen, Problems)
        await press(app, pilot, "escape")
        assert not isinstance(app.screen, Problems)


async def test_a_corrupt_file_is_told_and_recovered_only_on_request(console: Console, tmp_path: Path) -> None:
    file = put(tmp_path, '{"version": 1, 坏掉了'.encode())
    async with console(tmp_path) as (app, pilot):
        assert "DAMAGED FILE" in screen_text(app)
        await press(app, pilot, "exclamation_mark")
        assert "坏掉了" in screen_text(app)
        assert file.exists()
        await press(app, pilot, "R")
        await app.settled()
    assert (tmp_path / ".autopatch-j" / "memory.corrupt.json").read_bytes() == '{"version": 1, 坏掉了'.encode()


async def test_an_empty_repository_explains_itself_and_nothing_is_created(console: Console, tmp_path: Path) -> None:
    async with console(tmp_path) as (app, pilot):
        assert "Nothing waits for a decision" in screen_text(app)
        await press(app, pilot, "2")
        assert "record_turn" in screen_text(app)
        await press(app, pilot, "3", "5", "6", "1")
    assert list(tmp_path.iterdir()) == []


async def test_repair_intents_are_shown_to_get_nothing(console: Console) -> None:
    async with console() as (app, pilot):
        await press(app, pilot, "5", "i")
        assert "patch_explain gets nothing" in screen_text(app)


async def test_summarising_names_model_and_turns_first(console: Console, manager: MemoryManager) -> None:
    manager.record_turn(IntentType.GENERAL_CHAT, user_text="还没总结的一轮", assistant_text="好。", summarise=False)
    async with console() as (app, pilot):
        await press(app, pilot, "S")
        text = screen_text(app)
        assert "extractive (no model)" in text
        assert "还没总结的一轮" in text
        await press(app, pilot, "S")
        await app.settled()
    assert manager.pending()[-1].entry.model == "extractive (no model)"


HOSTILE = "[/x] [@click=app.quit]退出[/] \x1b[31mred\x1b[0m \u202egnp.exe \x9b2J 正文 <b>&amp;"


async def test_hostile_text_shows_as_tokens_in_every_tab(console: Console, tmp_path: Path) -> None:
    manager = MemoryManager(tmp_path)
    manager.record_turn(
        IntentType.CODE_EXPLAIN, user_text=HOSTILE, assistant_text=HOSTILE, scope_paths=[HOSTILE], summarise=False
    )
    manager.propose('{"turn_summaries": [{"turn_id": "' + "[/x]\\u001b[2J" + '", "summary": "[@click=app.quit]x"}]}')
    manager.propose("[/x] \x1b]52;c;aaaa\x07")
    async with console(tmp_path) as (app, pilot):
        for key in (
            "4",
            "enter",
            "p",
            "c",
            "o",
            "escape",
            "down",
            "2",
            "3",
            "5",
            "6",
            "1",
            "exclamation_mark",
            "escape",
        ):
            await press(app, pilot, key)
            text = screen_text(app)
            assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text), key
        await press(app, pilot, "2")
        assert "[@click=app.quit]退出" in screen_text(app)
        assert "⟨U+202E⟩" in screen_text(app)
