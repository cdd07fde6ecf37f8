"""From the file's bytes to a document, or to the reason why there is none (S2, S3, S7c). Pure."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

from memory_core.codes import sentence
from memory_core.document import MEMORY_VERSION, MemoryDocument
from memory_core.entries import EntryReader, Problem, json_name
from memory_core.policy import Limits

RAW_LIMIT = 64 * 1024
"""Bytes of a file without a document that are kept to be looked at (S2)."""

Status = Literal["absent", "ok", "corrupt", "other_version", "unreadable", "link"]


@dataclass(frozen=True, slots=True)
class FileSize:
    """Size on disk and both limits, in bytes."""

    size: int
    soft: int
    hard: int


@dataclass(frozen=True, slots=True)
class LoadResult:
    """What reading the file gave. `document` is empty unless the status is `ok`."""

    document: MemoryDocument
    status: Status
    problems: tuple[Problem, ...]
    bytes: FileSize
    sha256: str
    """Of the file's bytes; of nothing where there is no file (R4b)."""
    needs_copy: bool = False
    """Whether rewriting would lose something, so that a copy is kept first (S4)."""
    version_label: str = ""
    """For a file of another version: what its copy is named after (S3)."""
    raw: str = ""
    raw_left_out: int = 0
    """Bytes beyond `raw`, which holds at most 64 KiB (S2)."""


EMPTY_SHA256 = hashlib.sha256(b"").hexdigest()


def absent(limits: Limits) -> LoadResult:
    """No file: an empty document (S1)."""
    return LoadResult(MemoryDocument(), "absent", (), _size(0, limits), EMPTY_SHA256)


def failed(
    status: Status, code: str, limits: Limits, *, message: str = "", size: int = 0, sha256: str = "", data: bytes = b""
) -> LoadResult:
    """A file that gave no document; `data` are its first bytes, as far as they were read."""
    problem = Problem("memory.json", code, "error", message or sentence(code))
    raw = data[:RAW_LIMIT].decode("utf-8", errors="replace")
    left_out = max(0, size - RAW_LIMIT)
    return LoadResult(MemoryDocument(), status, (problem,), _size(size, limits), sha256, raw=raw, raw_left_out=left_out)


def decode(data: bytes, limits: Limits, now: datetime) -> LoadResult:
    """Read a whole file. Never raises; a damaged file gives status `corrupt`, another version `other_version`."""
    sha256 = hashlib.sha256(data).hexdigest()
    duplicates: list[str] = []
    try:
        value = _parse(data, duplicates)
    except _NotJsonError as fault:
        return failed("corrupt", fault.code, limits, message=fault.message, size=len(data), sha256=sha256, data=data)
    version = value.get("version")
    if type(version) is not int or version != MEMORY_VERSION:
        shown = json.dumps(version)[:40] if "version" in value else "none"
        label = str(version) if type(version) is int and 0 <= version < 10**9 else "-unknown"
        message = sentence("other_version", observed=shown, limit=MEMORY_VERSION)
        result = failed(
            "other_version", "other_version", limits, message=message, size=len(data), sha256=sha256, data=data
        )
        return replace(result, version_label=label)
    reader = EntryReader(limits, now, check_unicode=b"\\u" in data)
    document = reader.document(value)
    for key in duplicates[:20]:
        reader.report(key, "duplicate_key", "warning", lossy=True, observed=key)
    if data.startswith(b"\xef\xbb\xbf"):
        reader.report("memory.json", "byte_order_mark", "note")
    return LoadResult(document, "ok", tuple(reader.problems), _size(len(data), limits), sha256, needs_copy=reader.lossy)


def _size(size: int, limits: Limits) -> FileSize:
    return FileSize(size, limits.soft_bytes, limits.hard_bytes)


class _NotJsonError(Exception):
    def __init__(self, code: str, **values: object) -> None:
        self.code = code
        self.message = sentence(code, **values)


def _parse(data: bytes, duplicates: list[str]) -> dict[str, Any]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _NotJsonError("not_utf8", observed=error.start) from error

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(items)
        if len(found) != len(items):
            counts = Counter(key for key, _ in items)
            duplicates.extend(key for key, count in counts.items() if count > 1)
        return found

    try:
        value = json.loads(text, object_pairs_hook=pairs, parse_constant=_no_constant, parse_float=_finite)
    except json.JSONDecodeError as error:
        raise _NotJsonError("not_json", line=error.lineno, column=error.colno, reason=error.msg) from error
    except RecursionError as error:
        raise _NotJsonError("too_deep") from error
    except ValueError as error:
        raise _NotJsonError("number_out_of_range") from error
    if not isinstance(value, dict):
        raise _NotJsonError("not_object", observed=json_name(value))
    return value


def _no_constant(name: str) -> Any:
    raise _NotJsonError("not_a_number", observed=name)


def _finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise _NotJsonError("number_out_of_range")
    return number
