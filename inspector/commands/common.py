"""What every command shares: the repository, the two ways of printing, opening memory."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import sys
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import click
from pydantic import BaseModel

from inspector.display import json_dump, safe
from memory_core.errors import InputError

if TYPE_CHECKING:
    from memory_core.manager import MemoryManager

P = ParamSpec("P")
R = TypeVar("R")

MARKS = {"accepted": "✓", "held": "?", "rejected": "✗"}


def version() -> str:
    """The installed version."""
    from importlib import metadata

    return metadata.version("memory-inspector")


def log_file() -> Path:
    """Where faults of ours are written."""
    import platformdirs

    return Path(platformdirs.user_log_dir("memory-inspector")) / "faults.log"


@dataclasses.dataclass(slots=True)
class Output:
    """Where a command's words go, and which repository it works on."""

    repo: str | None = None
    as_json: bool = False
    printed: bool = False
    """Whether the one JSON document is out."""

    def data(self, value: object, lines: Iterable[str]) -> None:
        """Print the result: one JSON document, or lines for a person, each made safe."""
        if self.as_json:
            text = json_dump(to_json(value))
            self.printed = True
            _write(text)
            return
        for line in lines:
            _write(safe(line))

    def say(self, message: str) -> None:
        """Narrate on stderr; nobody has to listen."""
        with contextlib.suppress(OSError):
            click.echo(safe(message), err=True)

    def fail(self, code: str, message: str, hint: str) -> None:
        """Report an error: as JSON on stdout, unless the one document is out already, else as words on stderr."""
        if self.as_json and not self.printed:
            self.data({"error": {"code": code, "message": message, "hint": hint}}, ())
            return
        self.say(f"memory-inspector: {message}")
        if hint:
            self.say(f"  {hint}")

    @property
    def root(self) -> Path:
        """The repository's root. Raises `InputError` for a folder that does not exist."""
        if self.repo is None:
            return _found_root()
        path = Path(self.repo).expanduser().absolute()
        if not path.is_dir():
            raise InputError(f"{self.repo} is no folder.", hint="--repo names the folder that holds .autopatch-j/.")
        return path

    def manager(self, policy_file: str | None = None) -> MemoryManager:
        """Memory of the repository, under the policy in force."""
        from memory_core.configuration import load_files
        from memory_core.manager import MemoryManager

        configuration = load_files(self.root, named=Path(policy_file) if policy_file else None)
        for problem in configuration.problems:
            self.say(str(problem))
        return MemoryManager(self.root, configuration=configuration)


def _write(text: str) -> None:
    """Print UTF-8 whatever the locale says: what is printed is data."""
    stream = sys.stdout
    if hasattr(stream, "buffer"):
        stream.flush()
        stream.buffer.write(text.encode("utf-8", errors="backslashreplace") + b"\n")
        stream.buffer.flush()
    else:
        stream.write(text + "\n")


def _found_root() -> Path:
    try:
        start = Path.cwd()
    except OSError as error:
        raise InputError("The folder you stand in is gone.", hint="Go elsewhere, or name one with --repo.") from error
    try:
        home = Path.home().resolve()
    except RuntimeError:  # nobody's home
        home = start
    return find_root(start, home)


def find_root(start: Path, home: Path) -> Path:
    """The nearest folder with `.autopatch-j/`, never above the git root or the home folder; else the git root,
    else `start`."""
    git_root: Path | None = None
    for folder in (start, *start.parents):
        if (folder / ".autopatch-j").is_dir():
            return folder
        if (folder / ".git").exists():
            git_root = folder
            break
        if folder == home:
            break
    return git_root or start


def to_json(value: Any) -> Any:
    """A result of the library as JSON values, field by field."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_json(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(key): to_json(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_json(entry) for entry in value]
    if isinstance(value, (set, frozenset)):
        return sorted(to_json(entry) for entry in value)
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds")
    return str(value) if isinstance(value, Path) else value


def memory_options(function: Callable[P, R]) -> Callable[..., R]:
    """`--repo` and `--json`, which go with every command that reads or changes memory; passes the `Output` first."""

    @click.option("--repo", metavar="PATH", help="Repository to work on.")
    @click.option("--json", "as_json", is_flag=True, help="Print exactly one JSON document.")
    @click.pass_context
    @functools.wraps(function)
    def wrapper(ctx: click.Context, /, *args: Any, repo: str | None, as_json: bool, **kwargs: Any) -> R:
        output = ctx.ensure_object(Output)
        output.repo, output.as_json = repo or output.repo, as_json or output.as_json
        return function(output, *args, **kwargs)  # type: ignore[arg-type]

    return wrapper


def once_from_stdin(*names: str | None) -> None:
    """Refuse to read stdin twice: the second time nothing is left of it. Raises `InputError`."""
    if names.count("-") > 1:
        raise InputError("Stdin (-) can be read only once.", hint="Put the other text into a file.")


def read_argument(text: str) -> str:
    """An argument's text: `-` reads stdin, `@file` a file, anything else stands for itself."""
    if text == "-" or text.startswith("@"):
        return read_input(text.removeprefix("@")).decode("utf-8", errors="replace")
    return text


MAX_INPUT = 16 * 1024 * 1024
"""Bytes of a file or of stdin that are read at most."""


def read_input(name: str) -> bytes:
    """The bytes of a file, or of stdin for `-`. Raises `InputError` that names what is wrong."""
    try:
        if name == "-" and sys.stdin is None:
            raise InputError("There is no stdin to read.", hint="Give a file's path.")
        if name == "-":
            data = sys.stdin.buffer.read(MAX_INPUT + 1)
        else:
            with Path(name).open("rb") as file:
                data = file.read(MAX_INPUT + 1)
    except OSError as error:
        raise InputError(
            f"{name} cannot be read: {error.strerror}.", hint="Give a file's path, or - for stdin."
        ) from error
    if len(data) > MAX_INPUT:
        raise InputError(f"{name} is over {MAX_INPUT // 1024 // 1024} MiB; no reply is that large.")
    return data
