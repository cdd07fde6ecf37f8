"""The frame: the first line, tabs, keys, keymap, notices, colours, and what ends the console."""

from __future__ import annotations

import os
import pty
import select
import signal
import sys
import time
import unicodedata
from pathlib import Path

import pytest
from textual.geometry import Offset

from inspector.app import FAULT, InspectorApp
from inspector.display import cells
from inspector.keys import DEFAULTS, clashes
from inspector.messages import Task
from inspector.screens.confirm import Confirm
from inspector.snapshot import Camera, Snapshot, changed_at
from inspector.themes import OURS, chosen
from inspector.widgets.frame import header, key_bar, tab_bar
from memory_core.configuration import Configuration
from memory_core.configuration.values import Settings
from memory_core.errors import LockedError, OutcomeUnknownError
from memory_core.intents import IntentType
from memory_core.manager import MemoryManager
from memory_core.policy import Limits
from tests.console.conftest import Console, notices, press, screen_text, until

WIDTHS = range(60, 170)
TITLES = ("Profile", "Working", "Long-term", "Pending", "Context", "History")


@pytest.fixture
def snapshot(manager: MemoryManager) -> Snapshot:
    """What the sample looks like."""
    return list(Camera(manager, at="14:31:07").shots(()))[-1]


def first_line(snapshot: Snapshot, width: int, *, read_only: bool = False, busy: str = "", trouble: str = "") -> str:
    return header("示例-demo-shop", snapshot, Limits(), width, read_only=read_only, busy=busy, trouble=trouble).plain


def test_the_first_line_fits_every_width_and_never_loses_trouble(snapshot: Snapshot) -> None:
    for width in WIDTHS:
        shown = first_line(snapshot, width, read_only=True, busy="⟳ summarising…", trouble="LOCKED by 4711")
        assert cells(shown) == width
        assert "LOCKED by 4711" in shown
        assert "read-only" in shown


@pytest.mark.parametrize(
    ("width", "words"),
    [
        (
            140,
            [
                "示例-demo-shop",
                ".autopatch-j/memory.json",
                "3.4/24 KiB [#",
                "max 32",
                "turns 4/12",
                "live, since 14:31:07",
            ],
        ),
        (80, ["示例-demo-shop", "3.4/24", "4/12", "1/8", "2/50", "14:31:07"]),
    ],
)
def test_the_least_important_go_first(snapshot: Snapshot, width: int, words: list[str]) -> None:
    shown = first_line(snapshot, width)
    assert all(word in shown for word in words)


def test_before_the_first_look_it_says_that_it_looks() -> None:
    assert "looking" in header("x", None, Limits(), 80, read_only=False, busy="", trouble="").plain


def test_the_tab_bar_fits_and_knows_where_its_tabs_are() -> None:
    news = ["", "•", "", " 12•", "", ""]
    for width in WIDTHS:
        for problems, word in ((0, "? keys"), (3, "! 3")):
            bar = tab_bar(TITLES, 3, news, problems, width, "?", "bold")
            assert cells(bar.content.plain) == width
            assert word in bar.content.plain
            for number, (start, end) in enumerate(bar.spans):
                assert bar.content.plain[start:end].strip().startswith(str(number + 1))
                assert bar.at(start) == number
    assert "4 Pending 12•" in tab_bar(TITLES, 3, news, 0, 120, "?", "bold").content.plain


def test_the_line_of_keys_always_says_where_the_rest_is() -> None:
    hints = (("pending.accept", "accept"), ("pending.view_operation+pending.view_document", "views")) * 4
    for width in WIDTHS:
        shown = key_bar(hints, (("app.help", "keys"), ("app.quit", "quit")), width, {"app.help": "f1"}).plain
        assert cells(shown) == width
        assert "f1 keys" in shown
    assert "y accept" in shown
    assert "o p views" in shown


def test_when_data_last_changed_is_the_newest_of_the_files() -> None:
    late = time.mktime((2026, 5, 1, 12, 30, 9, 0, 0, -1))
    assert changed_at((2, (int(late * 1e9), 1, 1, 1), (1, 1, 1, 1))) == "05-01 12:30"
    assert changed_at((2, 2)) == ""


@pytest.mark.parametrize(
    ("wanted", "colours", "theme"),
    [
        ("", "truecolor", "calm-dark"),
        ("light", "truecolor", "calm-light"),
        ("nord", "", "nord"),
        ("", "", "ansi-dark"),
        ("no-such-theme", "24bit", "calm-dark"),
    ],
)
def test_the_theme_is_the_wanted_one_or_fits_the_terminal(wanted: str, colours: str, theme: str) -> None:
    known = {"nord", "ansi-dark", *(ours.name for ours in OURS)}
    assert chosen(wanted, known, {"COLORTERM": colours}) == theme


@pytest.mark.parametrize("theme", ["calm-light", "ansi-dark"])
async def test_other_colours_show_the_same_words(console: Console, theme: str) -> None:
    async with console(theme=theme) as (app, pilot):
        await press(app, pilot, "enter", "y")
        text = screen_text(app)
    assert "✓ accepted ✓ accepted" in text
    assert app.theme == theme


async def test_a_click_on_a_tab_opens_it(console: Console) -> None:
    async with console() as (app, pilot):
        assert app._bar is not None
        await pilot.click("#tabs", offset=Offset(app._bar.spans[1][0] + 1, 0))
        await pilot.pause()
        assert app.active == 1


async def test_a_smaller_terminal_gets_a_shorter_frame(console: Console) -> None:
    async with console(size=(120, 40)) as (app, pilot):
        await pilot.resize_terminal(80, 24)
        await pilot.pause(0.05)
        text = screen_text(app)
    assert "4/12 1/8 2/50" in text
    assert "? keys" in text


async def test_q_closes_the_delta_and_then_quits(console: Console) -> None:
    async with console() as (app, pilot):
        await press(app, pilot, "enter", "q")
        assert "waits" in screen_text(app)
        await pilot.press("q")
        assert app.return_value == 0


async def test_a_keymap_of_ones_own_changes_keys_everywhere(console: Console, manager: MemoryManager) -> None:
    keys = {"pending.accept": "f", "pending.fold": "y", "pending.apply": "ctrl+a", "no.such": "x"}
    configuration = Configuration(settings=Settings(keymap=keys))
    async with console(configuration=configuration) as (app, pilot):
        assert "no.such" in notices(app)
        await press(app, pilot, "enter")
        assert "f accept" in screen_text(app)
        await press(app, pilot, "f", "A")
        assert not isinstance(app.screen, Confirm)
        await press(app, pilot, "ctrl+a")
        assert "ctrl+a apply this" in screen_text(app)
        await press(app, pilot, "ctrl+a")
    assert manager.history()[-1].cause == "apply"
    assert len(manager.pending()[0].review.operations) == 1


async def test_two_meanings_for_one_key_are_said(console: Console) -> None:
    configuration = Configuration(settings=Settings(keymap={"pending.accept": "n"}))
    async with console(configuration=configuration) as (app, _):
        assert app.notices
        assert "two meanings" in notices(app)


def test_no_key_has_two_meanings_unless_a_keymap_says_so() -> None:
    assert clashes({}) == ()
    assert clashes({"pending.accept": "n"}) == (("n", ("pending.accept", "pending.turn_down")),)


def test_every_binding_has_an_id_words_and_a_tooltip() -> None:
    for kind in InspectorApp.__mro__[:1]:
        for binding in kind.BINDINGS:
            assert binding.id in DEFAULTS
            assert binding.description
            assert binding.tooltip


async def test_every_command_is_in_the_palette(console: Console) -> None:
    async with console() as (app, _):
        titles = [command.title for command in app.get_system_commands(app.screen)]
    for title in ("Reset memory", "Purge memory", "Recover", "Summarise now", "Problems and log", "Pending: Apply…"):
        assert title in titles
    assert not any("screenshot" in title.lower() for title in titles)


async def test_what_is_said_is_never_markup_and_is_kept(console: Console) -> None:
    async with console() as (app, pilot):
        app.notify("[/x] [@click=app.quit]退出[/] \x1b[2J", title="[b]")
        await pilot.pause()
        assert "[@click=app.quit]退出[/] ␛[2J" in screen_text(app)
        await press(app, pilot, "exclamation_mark")
        assert "What went by here (1)" in screen_text(app)


async def test_locked_and_unknown_outcomes_stand_in_the_first_line(console: Console) -> None:
    def locked() -> None:
        raise LockedError("Memory is locked by process 4711; waited 5 s.", holder=4711, hint="Try again.")

    def unknown() -> None:
        raise OutcomeUnknownError("The folder could not be synchronised.", hint="Read the file again.")

    async with console() as (app, pilot):
        app.perform(Task("trying", locked))
        await until(pilot, lambda: "LOCKED by 4711" in screen_text(app))
        assert "process 4711" in notices(app)
        app.perform(Task("trying", unknown))
        await until(pilot, lambda: "OUTCOME UNKNOWN" in screen_text(app))
        await press(app, pilot, "ctrl+r")
        assert "OUTCOME UNKNOWN" not in screen_text(app)


async def test_a_fault_of_ours_is_said_and_ends_nothing(console: Console) -> None:
    async with console() as (app, pilot):
        app.perform(Task("dividing", lambda: 1 / 0))
        await until(pilot, lambda: FAULT in notices(app))
        await press(app, pilot, "2")
        assert app.active == 1
        assert "ZeroDivisionError" in notices(app)
        app.notices.clear()


async def test_the_watch_outlives_a_look_that_fails(console: Console, manager: MemoryManager) -> None:
    async with console() as (app, pilot):
        state = manager.store.layout.state
        data = state.read_bytes()
        state.unlink()
        state.mkdir()
        await until(pilot, lambda: "CANNOT" in screen_text(app))
        state.rmdir()
        state.write_bytes(data)
        manager.record_turn(IntentType.GENERAL_CHAT, user_text="又一轮", assistant_text="好。", summarise=False)
        await until(pilot, lambda: app.snapshot is not None and len(app.snapshot.document.turns) == 5)
        assert "CANNOT" not in screen_text(app)


@pytest.mark.parametrize("keys", [("enter",), ("3",), ("5",), ("6",), ("question_mark",), ("exclamation_mark",)])
async def test_ascii_shows_no_glyph_of_ambiguous_width(console: Console, keys: tuple[str, ...]) -> None:
    async with console(ascii_only=True) as (app, pilot):
        await press(app, pilot, *keys)
        text = screen_text(app)
    assert {ch for ch in text if unicodedata.east_asian_width(ch) == "A"} == set()


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals there")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=["SIGTERM", "SIGHUP"])
def test_a_signal_leaves_the_terminal_clean(repository: Path, number: signal.Signals) -> None:
    program = "import sys; from inspector.app import run; from pathlib import Path; sys.exit(run(Path(sys.argv[1])))"
    child, terminal = pty.fork()
    if child == 0:
        os.environ["TERM"] = "xterm-256color"
        os.execv(sys.executable, [sys.executable, "-c", program, str(repository)])
    shown = _until_shown(terminal, b"Pending", seconds=60)
    os.kill(child, number)
    shown += _until_shown(terminal, b"\x1b[?1049l", seconds=30)
    _, status = os.waitpid(child, 0)
    os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == 128 + number
    assert b"\x1b[?1049l" in shown
    assert b"Traceback" not in shown


def _until_shown(terminal: int, wanted: bytes, *, seconds: float) -> bytes:
    """What a terminal shows until it shows that."""
    shown = b""
    end = time.monotonic() + seconds
    while wanted not in shown and time.monotonic() < end:
        ready, _, _ = select.select([terminal], [], [], 0.2)
        if ready:
            try:
                shown += os.read(terminal, 65536)
            except OSError:
                break
    return shown
