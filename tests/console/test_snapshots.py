"""Pictures of every tab, modal and empty state at both sizes, on fixed data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from inspector.app import InspectorApp
from inspector.demo.sample import sample_repository
from memory_core.clock import FixedClock
from tests.console.conftest import app_on, press
from tests.core.samples import NOW
from tests.core.storage.helpers import put

SIZES = [(80, 24), (120, 40)]
SCREENS: dict[str, tuple[str, ...]] = {
    "profile": ("1",),
    "working": ("2", "down"),
    "long_term": ("3",),
    "queue": ("4",),
    "refused": ("4", "G"),
    "operation": ("4", "enter", "y", "n", "down"),
    "held": ("4", "enter", "G"),
    "result": ("4", "enter", "p"),
    "prompt": ("4", "enter", "c"),
    "apply": ("4", "enter", "A"),
    "dismiss": ("4", "D"),
    "context": ("5",),
    "repair": ("5", "i"),
    "history": ("6", "down"),
    "restore": ("6", "down", "down", "U"),
    "forget": ("3", "D"),
    "help": ("question_mark",),
    "problems": ("exclamation_mark",),
}


@pytest.fixture(autouse=True)
def _colours(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same colours wherever the tests run."""
    monkeypatch.setenv("COLORTERM", "truecolor")
    for name in ("NO_COLOR", "TEXTUAL_THEME", "LANG"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def sample() -> Iterator[Path]:
    """The bundled sample; the pictures change nothing in it."""
    with sample_repository(clock=FixedClock(NOW)) as root:
        yield root


def pressing(*keys: str) -> Callable[[Pilot[int]], Any]:
    """What a picture does before it is taken."""

    async def before(pilot: Pilot[int]) -> None:
        app = pilot.app
        assert isinstance(app, InspectorApp)
        await app.settled()
        await press(app, pilot, *keys)
        await pilot.pause(0.1)

    return before


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("name", list(SCREENS))
def test_screen(snap_compare: Callable[..., bool], sample: Path, name: str, size: tuple[int, int]) -> None:
    app = app_on(sample, read_only=True)
    assert snap_compare(app, terminal_size=size, run_before=pressing(*SCREENS[name]))


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("key", ["1", "2", "3", "4", "5", "6"])
def test_empty_tab(snap_compare: Callable[..., bool], tmp_path: Path, key: str, size: tuple[int, int]) -> None:
    assert snap_compare(app_on(tmp_path), terminal_size=size, run_before=pressing(key))


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_damaged_file(snap_compare: Callable[..., bool], tmp_path: Path, size: tuple[int, int]) -> None:
    put(tmp_path, '{"version": 1, 坏掉了'.encode())
    assert snap_compare(app_on(tmp_path), terminal_size=size, run_before=pressing("exclamation_mark"))
