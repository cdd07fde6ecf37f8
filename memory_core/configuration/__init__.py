"""Whose word counts: the repository's `memory.yaml`, the person's `config.yaml`, a file named with `--policy` (S12).

A repository is not trusted: its file may lower limits, change signals and ask for review, nothing else.

    resolve     texts of the files and the environment -> Configuration; pure
    load_files  reads the files, then resolve
    describe    every value in force, and where it comes from
"""

from __future__ import annotations

from memory_core.configuration.loading import load_files
from memory_core.configuration.merging import resolve
from memory_core.configuration.reading import MAX_BYTES
from memory_core.configuration.values import (
    KEY_VARIABLE,
    ConfigProblem,
    Configuration,
    ModelChoice,
    Origin,
    PolicyRow,
    Settings,
    describe,
)

__all__ = [
    "KEY_VARIABLE",
    "MAX_BYTES",
    "ConfigProblem",
    "Configuration",
    "ModelChoice",
    "Origin",
    "PolicyRow",
    "Settings",
    "describe",
    "load_files",
    "resolve",
]
