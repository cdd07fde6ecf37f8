"""Finds the one JSON object in a model's reply, or the reason why there is none (U2). Pure, linear, never raises."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from typing import Any

from memory_core.codes import sentence
from memory_core.entries import json_name

MAX_DEPTH = 32
"""Levels of nesting beyond which a reply is refused; a delta needs four."""
MAX_REGIONS = 256
"""Pairs of braces, one beside the other, beyond which a reply is refused."""
_RESCANS = 3
"""Stretches of reasoning that are taken out one by one; the rest go together."""
MAX_LENGTH = 4 * 1024 * 1024
"""Characters beyond which a reply is refused unread."""

_TAG = re.compile(r"<(/?)think>", re.IGNORECASE)
_TOKEN = re.compile(r"""[{}\[\]"]|\\.""", re.DOTALL)
_STRING_OR_COMMA = re.compile(r'"(?:[^"\\]|\\.)*"|,(?=[ \t\r\n]*[}\]])', re.DOTALL)
_RAW_BREAK = re.compile(r"[ \t\r\n]*[\t\r\n][ \t\r\n]*")
_JSON_SPACE = " \t\r\n"
_NO_VALUE = ("", "{", "[", ",", ":")
"""After one of these a comma is no trailing one."""
_LIKE_JSON = re.compile(r"""\{[ \t\r\n]*["'“}]""")
_NOT_BREAK = re.compile(r"[^\n]")


@dataclass(frozen=True, slots=True)
class ReplyReason:
    """Why a reply was refused; line and column count from 1 where they are known."""

    code: str
    message: str
    hint: str = ""
    line: int | None = None
    column: int | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """The object of a reply, with what was repaired."""

    value: dict[str, Any]
    remarks: tuple[str, ...]


class RefusalError(Exception):
    """A reply that cannot be used; stays inside the parser."""

    def __init__(self, code: str, hint: str = "", *, at: int | None = None, **values: object) -> None:
        super().__init__(code)
        self.code = code
        self.hint = hint
        self.at = at
        self.values = values

    def reason(self, text: str) -> ReplyReason:
        """The reason, with the place in the text as line and column."""
        line = column = None
        if self.at is not None:
            line = text.count("\n", 0, self.at) + 1
            column = self.at - (text.rfind("\n", 0, self.at) + 1) + 1
        return ReplyReason(self.code, sentence(self.code, **self.values), self.hint, line, column)


@dataclass(frozen=True, slots=True)
class _Region:
    """A stretch of the text from a brace to its match; `end` is None where it is never closed."""

    start: int
    end: int | None


def find_object(text: str) -> Found:
    """The one JSON object in the text. Raises `RefusalError`."""
    if len(text) > MAX_LENGTH:
        raise RefusalError("reply_too_large", observed=len(text), limit=MAX_LENGTH)
    body = text.removeprefix("\ufeff")
    offset = len(text) - len(body)
    if not body.strip():
        raise RefusalError("reply_empty", "Ask again; an empty delta would be {}.")
    regions = _regions(text)
    whole = _whole(body, offset)
    if whole is not None:
        return whole
    for _ in range(_RESCANS):
        solid = _solid(text, regions)
        cleaned = _without_thoughts(text, solid, most=1)
        if cleaned == text:
            return _the_one(text, regions, solid)
        text, regions = cleaned, _regions(cleaned)
    text = _without_thoughts(text, _solid(text, regions), most=None)
    regions = _regions(text)
    return _the_one(text, regions, _solid(text, regions))


def _whole(text: str, offset: int) -> Found | None:
    """The object where the whole text is one; a refusal where it is JSON of another kind; None where it is no JSON."""
    stripped = text.strip(_JSON_SPACE)
    try:
        value = _decode(stripped)
    except json.JSONDecodeError:
        return None
    except RefusalError as refusal:
        if refusal.code == "reply_too_deep":
            raise
        raise RefusalError(refusal.code, refusal.hint, at=offset, **refusal.values) from refusal
    if not isinstance(value, dict):
        raise RefusalError("reply_not_object", "The reply must be one object.", observed=json_name(value))
    return Found(value, ())


def _regions(text: str) -> list[_Region]:
    """Outermost matched braces, and braces that are never closed; quotes count only inside braces."""
    stack: list[tuple[str, int]] = []
    matched: list[_Region] = []
    in_string = False
    for token in _TOKEN.finditer(text):
        mark, at = token[0], token.start()
        if not stack and mark != "{":
            continue
        if in_string:
            in_string = mark != '"'
        elif mark == '"':
            in_string = True
        elif mark in "{[":
            stack.append((mark, at))
            if len(stack) > MAX_DEPTH:
                raise RefusalError("reply_too_deep", limit=MAX_DEPTH, at=at)
        elif mark in "}]":
            opened = "{" if mark == "}" else "["
            if stack[-1][0] != opened:
                if not any(kind == opened for kind, _ in stack):
                    continue
                while stack[-1][0] != opened:
                    stack.pop()
            kind, start = stack.pop()
            if kind == "{":
                while matched and matched[-1].start > start:
                    matched.pop()
                matched.append(_Region(start, at + 1))
                if len(matched) > MAX_REGIONS:
                    raise RefusalError("reply_too_many", limit=MAX_REGIONS, at=start)
    open_braces = [_Region(start, None) for kind, start in stack if kind == "{"]
    return sorted([*matched, *open_braces], key=lambda region: region.start)


def _solid(text: str, regions: list[_Region]) -> dict[_Region, Found]:
    """The regions that are JSON objects, strictly or after the two allowed repairs."""
    solid: dict[_Region, Found] = {}
    for region in regions:
        if region.end is not None:
            try:
                solid[region] = _object(text[region.start : region.end])
            except (json.JSONDecodeError, RefusalError):
                continue
    return solid


def _object(source: str) -> Found:
    remarks: tuple[str, ...] = ()
    try:
        value = _decode(source)
    except json.JSONDecodeError:
        repaired, remarks = _repair(source)
        if not remarks:
            raise
        value = _decode(repaired)
    return Found(value, remarks)


def _decode(source: str) -> Any:
    """Strict JSON. Raises `JSONDecodeError`, or `RefusalError` for JSON that must not be used."""
    try:
        return json.loads(source, object_pairs_hook=_unique_keys, parse_constant=_no_constant, parse_float=_finite)
    except json.JSONDecodeError:
        raise
    except RecursionError as error:
        raise RefusalError("reply_too_deep", limit=MAX_DEPTH) from error
    except ValueError as error:
        raise RefusalError("reply_number") from error


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        key = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise RefusalError("reply_duplicate_keys", "Which one was meant cannot be known.", observed=key[:60])
    return value


def _no_constant(name: str) -> Any:
    raise RefusalError("reply_nan", observed=name)


def _finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise RefusalError("reply_number")
    return number


def _repair(source: str) -> tuple[str, tuple[str, ...]]:
    """Without trailing commas, and with raw line breaks and tabs in strings folded into one space; nothing else."""
    commas = breaks = 0

    def mend(match: re.Match[str]) -> str:
        nonlocal commas, breaks
        if match[0] != ",":
            folded, count = _RAW_BREAK.subn(" ", match[0])
            breaks += count
            return folded
        if source[max(0, match.start() - 64) : match.start()].rstrip(_JSON_SPACE)[-1:] in _NO_VALUE:
            return ","
        commas += 1
        return ""

    repaired = _STRING_OR_COMMA.sub(mend, source)
    remarks = [sentence("repaired_commas", observed=commas)] if commas else []
    remarks += [sentence("repaired_breaks", observed=breaks)] if breaks else []
    return repaired, tuple(remarks)


def _without_thoughts(text: str, solid: dict[_Region, Found], *, most: int | None) -> str:
    """The text with its first `most` stretches of reasoning blanked out, or all of them.

    Tags inside an object are text. What was thought may hold braces and quotes that hide the object behind it, which
    is why the caller looks for objects again after each stretch. Raises for a block that is never closed.
    """
    spans = sorted((region.start, region.end or 0) for region in solid)
    starts = [start for start, _ in spans]

    def inside(at: int) -> bool:
        index = bisect_right(starts, at) - 1
        return index >= 0 and at < spans[index][1]

    cut: list[tuple[int, int]] = []
    opened: int | None = None
    for tag in _TAG.finditer(text):
        if inside(tag.start()):
            continue
        if most is not None and len(cut) >= most:
            break
        if not tag[1]:
            opened = tag.start() if opened is None else opened
        elif opened is not None:
            cut.append((opened, tag.end()))
            opened = None
        else:
            cut = [(0, tag.end())]
    if opened is not None:
        raise RefusalError("reply_think_open", "The answer was never given; allow more tokens, or switch thinking off.")
    pieces: list[str] = []
    last = 0
    for start, end in cut:
        pieces += [text[last:start], _NOT_BREAK.sub(" ", text[start:end])]
        last = end
    return "".join([*pieces, text[last:]])


def _the_one(text: str, regions: list[_Region], solid: dict[_Region, Found]) -> Found:
    """The only object. Raises with the best reason where there is none, or more than one."""
    if solid:
        first = next(iter(solid))
        before = text[: first.start].rstrip()
        if before.endswith("[") and _is_list(text[len(before) - 1 :]):
            raise RefusalError("reply_not_object", "The reply must be one object.", observed="a list")
        if len(solid) > 1:
            second = list(solid)[1]
            raise RefusalError("reply_several_objects", "Which one was meant cannot be known.", at=second.start)
        return solid[first]
    looks_like_json = [region for region in regions if _LIKE_JSON.match(text, region.start)]
    for region in looks_like_json or regions:
        _raise_why(text, region, certain=bool(looks_like_json))
    stripped = text.strip()
    if stripped.startswith("[") and _is_list(stripped):
        raise RefusalError("reply_not_object", "The reply must be one object.", observed="a list")
    raise RefusalError("reply_no_object", "Ask for the JSON object alone; nothing to record is {}.")


def _is_list(text: str) -> bool:
    try:
        value, _ = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, list)


def _raise_why(text: str, region: _Region, *, certain: bool) -> None:
    """Raise why a region that looks like an object is none; prose in braces raises nothing."""
    source = text[region.start : region.end]
    try:
        _object(source)
    except RefusalError as refusal:
        raise RefusalError(refusal.code, refusal.hint, at=region.start, **refusal.values) from refusal
    except json.JSONDecodeError as error:
        if not certain:
            return
        at = region.start + error.pos
        if region.end is None and _ran_out(source, error):
            raise RefusalError(
                "reply_truncated", "The reply ends in the middle; allow more tokens.", at=len(text)
            ) from error
        if "control character" in error.msg:
            raise RefusalError("reply_control_character", "Only line breaks and tabs are folded.", at=at) from error
        raise RefusalError("reply_not_json", "Ask again; nothing is guessed.", at=at, reason=error.msg) from error


def _ran_out(source: str, error: json.JSONDecodeError) -> bool:
    return error.msg.startswith("Unterminated string") or error.pos >= len(source.rstrip(_JSON_SPACE))
