"""Reads one JSON value out of any text: to its end, or to the place where it stops being JSON (U2).

A table of moves instead of recursion, so that no depth can hurt. It builds no values: what it passes, mended, is
strict JSON that `json.loads` takes. Pure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import isinf
from typing import Literal

MAX_DEPTH = 32
"""Levels of nesting beyond which a value is refused; a delta needs four."""
MAX_STEPS = 20_000
"""Tokens that one scanner reads, over all values that it is asked for; a delta needs a few hundred."""
MAX_NUMBER = 300
"""Digits of a number: with more it is beyond what a double holds."""

FaultKind = Literal["syntax", "ran_out", "control", "constant", "number", "deep"]
"""The first two end the reading; the others make a whole value unusable."""

_TOKEN = re.compile(
    r"""[ \t\r\n]*+(?:
    (?P<string>"(?:[^"\\]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+")
    |(?P<number>-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+)
    |(?P<word>true|false|null)
    |(?P<constant>NaN|-?Infinity)
    |(?P<mark>[{}\[\]:,])
    )""",
    re.VERBOSE,
)
_STRING_BODY = re.compile(r'"(?:[^"\\]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+')
_RAW_BREAK = re.compile(r"[\t\r\n]")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_SPACE = re.compile(r"[ \t\r\n]*+")
# Whole runs of space with a break or tab in them; the look behind keeps long runs of spaces linear.
_BREAKS = re.compile(r"(?<! ) *+[\t\r\n][ \t\r\n]*+")
_CUT_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")
# What is left where a text was cut: nothing, part of a word or number, the fence that a model still closed.
_CUT = re.compile(r"(?:tr?u?|fa?l?s?|nu?l?|-|\.|[eE][+-]?)?[\s`]*+\Z")

_VALUE = {"string": "after", "number": "after", "word": "after", "constant": "after", "[": "open", "{": "open"}
_MOVES: dict[str, dict[str, str]] = {
    "value": _VALUE,
    "item": {**_VALUE, "]": "close"},
    "next_item": {**_VALUE, "]": "close_after_comma"},
    "key": {"string": "colon", "}": "close"},
    "next_key": {"string": "colon", "}": "close_after_comma"},
    "colon": {":": "value"},
    "after_item": {",": "next_item", "]": "close"},
    "after_pair": {",": "next_key", "}": "close"},
}
_EXPECTED = {
    "value": "a value is expected",
    "item": "a value or ] is expected",
    "next_item": "a value is expected",
    "key": "a key in double quotes or } is expected",
    "next_key": "a key in double quotes is expected",
    "colon": "a colon is expected after the key",
    "after_item": "a comma or ] is expected",
    "after_pair": "a comma or } is expected",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong, and at which place; `string` is the span of a string right before it, or cut by the end."""

    stop: int
    kind: FaultKind
    detail: str = ""
    string: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Scanned:
    """A whole value. `repairs` are the places of trailing commas and of strings that hold raw breaks or tabs.

    With a `fault` its end is known, but the value must not be used.
    """

    start: int
    end: int
    repairs: tuple[tuple[int, int], ...]
    fault: Fault | None = None

    def mended(self, text: str) -> tuple[str, int, int]:
        """The value as strict JSON, the commas taken out, and the raw breaks that were folded into one space each,
        with the spaces around them."""
        pieces: list[str] = []
        commas = breaks = 0
        last = self.start
        for start, end in self.repairs:
            pieces.append(text[last:start])
            if text[start] == ",":
                commas += 1
            else:
                folded, count = _BREAKS.subn(" ", text[start:end])
                pieces.append(folded)
                breaks += count
            last = end
        return "".join([*pieces, text[last : self.end]]), commas, breaks


class StepsError(Exception):
    """More tokens than any delta needs; `fault` is what was wrong with the value up to there."""

    def __init__(self, fault: Fault | None) -> None:
        super().__init__(fault)
        self.fault = fault


class JsonScanner:
    """Reads values out of one text; `steps` counts the tokens read so far."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.steps = 0

    def scan(self, start: int) -> Scanned | Fault:
        """The value that begins at `start`. Raises `StepsError` where too much was read altogether."""
        repairs: list[tuple[int, int]] = []
        stack: list[str] = []
        fault: Fault | None = None
        string: tuple[int, int] | None = None
        state, end, comma = "value", start, start
        while True:
            self.steps += 1
            if self.steps > MAX_STEPS:
                raise StepsError(fault)
            token = _TOKEN.match(self.text, end)
            if token is None:
                return self._broken(end, state, string)
            kind = str(token.lastgroup)
            at, end = token.span(kind)
            symbol = token[kind] if kind == "mark" else kind
            move = _MOVES[state].get(symbol)
            if move is None:
                return Fault(at, "syntax", _EXPECTED[state], string)
            string = (at, end) if symbol == "string" else None
            fault = fault or self._unusable(kind, at, end)
            if string and _RAW_BREAK.search(self.text, at, end):
                repairs.append(string)
            elif symbol == ",":
                comma = at
            if move == "open":
                if len(stack) == MAX_DEPTH:
                    fault = fault or Fault(at, "deep")
                stack.append(symbol)
                state = "key" if symbol == "{" else "item"
                continue
            if move.startswith("close"):
                stack.pop()
                if move == "close_after_comma":
                    repairs.append((comma, comma + 1))
            elif move != "after":
                state = move
                continue
            if not stack:
                return Scanned(start, end, tuple(repairs), fault)
            state = "after_pair" if stack[-1] == "{" else "after_item"

    def _unusable(self, kind: str, at: int, end: int) -> Fault | None:
        """Why a token must not be used although its end is known."""
        if kind == "constant":
            return Fault(at, "constant", self.text[at:end])
        if kind == "number" and _out_of_range(self.text[at:end]):
            return Fault(at, "number")
        if kind == "string" and (control := _CONTROL.search(self.text, at, end)):
            return Fault(control.start(), "control")
        return None

    def _broken(self, end: int, state: str, string: tuple[int, int] | None) -> Fault:
        """Why no token stands after `end`."""
        text = self.text
        space = _SPACE.match(text, end)
        at = space.end() if space else end
        body = _STRING_BODY.match(text, at)
        if body is not None and "string" in _MOVES[state]:
            if body.end() == len(text) or _CUT_ESCAPE.match(text, body.end()):
                return Fault(len(text), "ran_out", "", (at, len(text)))
            return Fault(body.end(), "syntax", "JSON knows no such escape")
        if _CUT.match(text, at):
            return Fault(len(text), "ran_out")
        return Fault(at, "syntax", _EXPECTED[state], string)


def _out_of_range(number: str) -> bool:
    """Whether a number has more digits than make sense, or is no finite double."""
    return len(number) > MAX_NUMBER or (("e" in number or "E" in number) and isinf(float(number)))
