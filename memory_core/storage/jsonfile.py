"""Small JSON files of ours: read without ever raising for damage, written in one step."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from memory_core.errors import StateError
from memory_core.storage.atomic import FileOps, write_file
from memory_core.storage.layout import READ_LIMIT, read_bytes


def read_json(path: Path, limit: int = READ_LIMIT) -> Any:
    """The file's value, or None where it is absent, unreadable, damaged, or over `limit` bytes."""
    try:
        data = read_bytes(path, limit)
        return None if data is None or len(data) > limit else json.loads(data)
    except (StateError, ValueError, RecursionError):
        return None


def read_object(path: Path) -> dict[str, Any]:
    """The file's object, or an empty one."""
    value = read_json(path)
    return value if isinstance(value, dict) else {}


def write_json(ops: FileOps, path: Path, value: Any, *, durable: bool = True) -> None:
    """Replace the file. Raises `WriteError`, `OutcomeUnknownError`."""
    write_file(ops, path, json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace"), durable=durable)


def numbers(value: object) -> dict[str, int]:
    """The entries of an object that are whole numbers; anything else counts as damage and is left out."""
    if not isinstance(value, dict):
        return {}
    return {str(key): number for key, number in value.items() if type(number) is int and number >= 0}
