"""A console on a temporary repository, at a fixed time."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from inspector.app import FAULT, InspectorApp
from inspector.demo.sample import remember, sample_repository
from memory_core.clock import FixedClock
from memory_core.configuration import Configuration
from memory_core.manager import MemoryManager
from memory_core.summary.summarizer import MemorySummarizer
from tests.core.samples import NOW

__all__ = ["remember"]

Console = Callable[..., AbstractAsyncContextManager[tuple[InspectorApp, Pilot[int]]]]


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[Path]:
    """The bundled sample with its memory and three waiting deltas."""
    with sample_repository(clock=FixedClock(NOW)) as root:
        yield root


@pytest.fixture
def manager(repository: Path) -> MemoryManager:
    """Memory of the sample, beside the console's own."""
    return MemoryManager(repository, configuration=Configuration(), clock=FixedClock(NOW))


def app_on(
    root: Path,
    *,
    configuration: Configuration | None = None,
    summarizer: MemorySummarizer | None = None,
    read_only: bool = False,
    ascii_only: bool = False,
    theme: str = "calm-dark",
) -> InspectorApp:
    """A console that looks the same whenever it runs."""
    manager = MemoryManager(
        root, configuration=configuration or Configuration(), clock=FixedClock(NOW), summarizer=summarizer
    )
    return InspectorApp(
        manager, title="demo-shop", look_at="12:45:00", theme=theme, read_only=read_only, ascii_only=ascii_only
    )


@pytest.fixture
def console(repository: Path) -> Console:
    """Opens a console, on the sample unless another root is given."""

    @asynccontextmanager
    async def opened(
        root: Path | None = None, size: tuple[int, int] = (120, 40), **options: Any
    ) -> AsyncIterator[tuple[InspectorApp, Pilot[int]]]:
        app = app_on(root or repository, **options)
        async with app.run_test(size=size, tooltips=True, notifications=True) as pilot:
            await app.settled()
            await pilot.pause()
            yield app, pilot
        assert [words for _, words in app.notices if FAULT in words] == []

    return opened


async def press(app: InspectorApp, pilot: Pilot[int], *keys: str) -> None:
    """Press keys, each after what the one before set off."""
    for key in keys:
        await pilot.press(key)
        await app.settled()
        await pilot.pause()


async def until(pilot: Pilot[int], holds: Callable[[], object]) -> None:
    """Wait until something holds that a thread brings about; fails where it never does."""
    for _ in range(500):
        if holds():
            return
        await pilot.pause(0.01)
    raise AssertionError("it never came to hold")


def notices(app: InspectorApp) -> str:
    """Everything that was said so far."""
    return "\n".join(words for _, words in app.notices)


def detail_text(app: InspectorApp) -> str:
    """The detail's lines, before they are broken for the screen."""
    assert app.pane is not None
    return "\n".join(line.plain for line in app.pane.detail_view.doc)


def screen_text(app: InspectorApp) -> str:
    """What stands on the screen, as text."""
    width, height = app.size
    lines = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip) for strip in lines[:height]) if width else ""
