"""Makes the pictures of this folder from the running console, on the bundled sample, at a fixed time."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from datetime import UTC, datetime
from pathlib import Path

os.environ["COLORTERM"] = "truecolor"

from inspector.app import InspectorApp
from inspector.demo.sample import sample_repository
from memory_core.clock import FixedClock
from memory_core.configuration import Configuration
from memory_core.manager import MemoryManager

HERE = Path(__file__).parent
CLOCK = FixedClock(datetime(2026, 5, 1, 12, 30, tzinfo=UTC))
PICTURES: dict[str, tuple[str, ...]] = {
    "pending": (),
    "operation": ("enter", "y", "n", "down"),
    "result": ("enter", "n", "p"),
    "apply": ("enter", "A"),
    "profile": ("1",),
    "working": ("2", "down"),
    "long_term": ("3",),
    "context": ("5",),
    "history": ("6", "down"),
    "help": ("question_mark",),
}


async def picture(name: str, keys: tuple[str, ...], root: Path) -> str:
    """The console after these keys, as SVG."""
    manager = MemoryManager(root, configuration=Configuration(), clock=CLOCK)
    app = InspectorApp(manager, title="demo-shop", look_at="12:30:00")
    async with app.run_test(size=(120, 36)) as pilot:
        await app.settled()
        for key in keys:
            await pilot.press(key)
            await app.settled()
            await pilot.pause()
        await pilot.pause(0.3)
        return without_fonts(app.export_screenshot(title=f"memory-inspector · {name}"))


def without_fonts(svg: str) -> str:
    """The picture with the reader's own monospace font: nothing is fetched to look at it."""
    svg = re.sub(r"@font-face \{.*?\}", "", svg, flags=re.DOTALL)
    return re.sub(r"terminal-\d+-", "terminal-", svg)


def main(wanted: list[str]) -> None:
    """Make all pictures, or those that are named."""
    for name, keys in PICTURES.items():
        if wanted and name not in wanted:
            continue
        with sample_repository(clock=CLOCK) as root:
            svg = asyncio.run(picture(name, keys, root))
        (HERE / f"{name}.svg").write_text(svg, encoding="utf-8")
        print(f"screenshots/{name}.svg")


if __name__ == "__main__":
    main(sys.argv[1:])
