"""What is loaded when: looked at in fresh interpreters."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.core.flows.helpers import write
from tests.core.samples import document, note, topic, turn

HEAVY = {"openai", "textual", "rich"}


def loaded(code: str) -> set[str]:
    """The modules that a fresh interpreter has loaded after running the code."""
    script = f"{code}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


def packages(modules: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in modules}


def test_the_library_alone_loads_next_to_nothing() -> None:
    found = loaded("import memory_core")
    assert not packages(found) & {*HEAVY, "pydantic", "pydantic_core", "yaml", "click", "filelock", "markdown_it"}
    assert {name for name in found if name.startswith("memory_core")} == {"memory_core"}


def test_the_whole_library_loads_no_screen_and_no_model() -> None:
    everything = "import memory_core\n[getattr(memory_core, name) for name in memory_core.__all__]"
    assert not packages(loaded(everything)) & {*HEAVY, "inspector"}


def test_an_agents_turn_loads_no_screen_and_no_model(tmp_path: Path) -> None:
    code = (
        "from memory_core import MemoryManager\n"
        f"with MemoryManager({str(tmp_path)!r}) as memory:\n"
        "    assert memory.record_turn('general_chat', user_text='以后用中文。', assistant_text='好。').recorded\n"
        "    assert memory.context('general_chat', '好').allowed\n"
        "    assert memory.wait(30)"
    )
    assert not packages(loaded(code)) & HEAVY


COMMAND = "from inspector.cli import run\nassert run([*{words!r}, '--repo', {root!r}]) in (0, 1)"


@pytest.mark.parametrize("words", [["show"], ["show", "--json"], ["check"], ["pending"], ["history"], ["codes"]])
def test_commands_that_look_load_no_screen_and_no_model(words: list[str], tmp_path: Path) -> None:
    write(tmp_path, document(turns=(turn(1),), topics=(topic(1),), items=(note(1),)))
    found = packages(loaded(COMMAND.format(words=words, root=str(tmp_path))))
    assert not found & {"openai", "textual", "httpx", "httpx2", "markdown_it"}


def test_show_loads_none_of_what_judges_summarises_or_collects(tmp_path: Path) -> None:
    """So that it starts quickly."""
    write(tmp_path, document(turns=(turn(1),), topics=(topic(1),), items=(note(1),)))
    found = loaded(COMMAND.format(words=["show", "--json"], root=str(tmp_path)))
    layers = {name.split(".")[1] for name in found if name.startswith("memory_core.")}
    assert not layers & {"summary", "profile", "context", "results", "diff", "language"}
    assert "memory_core.review.applier" not in found


def test_the_console_loads_no_model_before_a_summary_is_asked_of_one() -> None:
    found = packages(loaded("import inspector.app"))
    assert "textual" in found
    assert "openai" not in found
