"""Reads the configuration files; the one part of it that touches the disk."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from memory_core.configuration.merging import NAMES, resolve
from memory_core.configuration.reading import MAX_BYTES
from memory_core.configuration.values import ConfigProblem, Configuration, Origin
from memory_core.errors import InputError


def load_files(
    root: Path, *, named: Path | None = None, environ: Mapping[str, str] | None = None, config_dir: Path | None = None
) -> Configuration:
    """Read the repository's, the person's and the named file, and bring them together.

    A file that cannot be read is a problem, counts as absent, and makes the mode `review` (I4). A link in place of the
    repository's file or folder is not followed (S8). Raises `InputError` where the named file cannot be read: who
    names one wants it.
    """
    environ = os.environ if environ is None else environ
    own = (config_dir or _config_dir()) / "config.yaml"
    names = {"person": str(own), "named": str(named)}
    problems: list[ConfigProblem] = []
    texts: dict[str, str | None] = {}
    for which, path in (("repo", root / ".autopatch-j" / "memory.yaml"), ("person", own)):
        try:
            texts[which] = _text(path, follow=which == "person")
        except (OSError, ValueError) as error:
            name = names.get(which, NAMES[which])
            problems.append(ConfigProblem(name, None, "", f"The file cannot be read: {_why(error)}."))
    if named is not None:
        try:
            texts["named"] = _text(named, follow=True)
        except (OSError, ValueError) as error:
            raise InputError(f"{named} cannot be read: {_why(error)}.", hint="--policy names a YAML file.") from error
        if texts["named"] is None:
            raise InputError(f"There is no file {named}.", hint="--policy names a YAML file.")
    found = resolve(**texts, environ=environ, names=names)
    if not problems:
        return found
    return replace(
        found,
        policy=found.policy.model_copy(update={"mode": "review"}),
        origins={**found.origins, "mode": Origin(problems[0].source)},
        problems=(*problems, *found.problems),
        broken=True,
    )


def _config_dir() -> Path:
    import platformdirs

    return Path(platformdirs.user_config_dir("memory-inspector"))


def _why(error: OSError | ValueError) -> str:
    if isinstance(error, UnicodeDecodeError):
        return f"it is not UTF-8 at byte {error.start}"
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _text(path: Path, *, follow: bool) -> str | None:
    """The file's text, or None where there is none. Raises `OSError`, or `ValueError` for what is no such text."""
    if not follow and any(part.is_symlink() for part in (path.parent, path)):
        raise ValueError("a link stands in its place, and is not followed")
    # Neither waits for the other end of a pipe, nor follows a link that came in between.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    flags |= 0 if follow else getattr(os, "O_NOFOLLOW", 0)
    try:
        descriptor = os.open(path, flags)
    except (FileNotFoundError, NotADirectoryError):
        return None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise ValueError("it is no file")
    with os.fdopen(descriptor, "rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise ValueError(f"it is over {MAX_BYTES // 1024} KiB")
    return data.decode("utf-8")
