"""What is loaded when: looked at in fresh interpreters."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {"openai", "textual", "rich"}


def loaded(code: str) -> set[str]:
    """The top-level modules that a fresh interpreter has loaded after running the code."""
    script = f"{code}\nimport json, sys\nprint(json.dumps(sorted({{name.partition('.')[0] for name in sys.modules}})))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_the_library_loads_no_screen_and_no_model() -> None:
    assert not loaded("import memory_core") & HEAVY
    everything = "import memory_core\n[getattr(memory_core, name) for name in memory_core.__all__]"
    assert not loaded(everything) & HEAVY


@pytest.mark.parametrize("command", ["show", "check", "pending", "history"])
def test_commands_that_look_load_no_screen_and_no_model(command: str, tmp_path: Path) -> None:
    code = f"from inspector.cli import run\nrun(['{command}', '--repo', {str(tmp_path)!r}, '--json'])"
    assert not loaded(code) & {"openai", "textual"}


def test_the_console_loads_no_model_before_a_summary_is_asked_of_one() -> None:
    found = loaded("import inspector.app")
    assert "textual" in found
    assert "openai" not in found
