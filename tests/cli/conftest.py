"""The command line in this process, on a temporary repository, away from the person's own configuration."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from inspector.cli import run


@dataclass(frozen=True, slots=True)
class Done:
    """What a command left: its exit status and the bytes that it printed."""

    status: int
    out: bytes
    err: bytes

    @property
    def json(self) -> Any:
        """The one JSON document."""
        assert self.out.endswith(b"\n")
        return json.loads(self.out)

    @property
    def text(self) -> str:
        return self.out.decode()


Cli = Callable[..., Done]


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder without any configuration."""
    home = tmp_path_factory.mktemp("home")
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(home / name.lower()))
    for name in ("BASE_URL", "MODEL", "API_KEY"):
        monkeypatch.delenv(f"MEMORY_INSPECTOR_{name}", raising=False)
    monkeypatch.setenv("HOME", str(home))
    return home


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """An empty repository."""
    root = tmp_path / "repo"
    root.mkdir()
    return root


@pytest.fixture
def cli(repo: Path, capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Runs a command on the repository; `stdin` is what it reads, `at` the folder that `--repo` names."""

    def call(*words: str, stdin: bytes | None = None, at: Path | None = repo) -> Done:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin or b"")))
        capsysbinary.readouterr()
        place = () if at is None or not words else ("--repo", str(at))
        status = run([words[0], *words[1:], *place] if words else [])
        captured = capsysbinary.readouterr()
        return Done(status, captured.out, captured.err)

    return call
