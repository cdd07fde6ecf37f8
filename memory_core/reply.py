"""Finds the one JSON object in a model's reply, or the reason why there is none (U2). Pure; its work is bounded.

The text is read once, from left to right. Outside of objects, tags of reasoning and braces that begin an object are
looked for; inside, only JSON counts, so that a tag or a brace in a string is text.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NoReturn

from memory_core.codes import sentence
from memory_core.json_scan import MAX_DEPTH, MAX_STEPS, Fault, FaultKind, JsonScanner, Scanned, StepsError
from memory_core.text import clip

MAX_LENGTH = 512 * 1024
"""Characters beyond which a reply is refused unread; the longest reasoning stays below."""

# A tag of reasoning, or a brace with a first key and its colon behind it. Other braces are prose.
_MARK = re.compile(
    r"""<(?P<closing>/?)(?:(?i:think))>|\{(?=[ \t\r\n]*+(?:\}|"(?:[^"\\]++|\\.)*+"[ \t\r\n]*+:))""", re.DOTALL
)
_CLOSING_TAG = re.compile("</think>", re.IGNORECASE)
_FENCE = re.compile(r"\s*+(?:`{3,}+\w*+\s*+)?+")
_NOTHING_MORE = re.compile(r"[\s`]*+\Z")
_GOES_ON = re.compile(r"""\s*+(?:[}\]]|,\s*+")""")
_MEMBER = re.compile(r'"\s*+:\Z')
_MEANT_AS_JSON = re.compile(r"""\{\s*+(?:["'“”‘’]|[A-Za-z_]\w*+\s*+:|\Z)""")
_DEEP = re.compile(rf"(?:[{{\[]\s*+){{{MAX_DEPTH + 1}}}")

_NAMES = {'"': "a string", "[": "a list", "t": "a boolean", "f": "a boolean", "n": "null"}
_CODES: dict[FaultKind, str] = {
    "syntax": "reply_not_json",
    "ran_out": "reply_truncated",
    "control": "reply_control_character",
    "constant": "reply_nan",
    "number": "reply_number",
    "deep": "reply_too_deep",
}
_HINTS = {
    "reply_empty": "Ask again; a delta with nothing to do is {}.",
    "reply_no_object": "Ask for the JSON object alone; a delta with nothing to do is {}.",
    "reply_not_json": "Ask again; nothing is guessed.",
    "reply_truncated": "Allow more tokens, or send fewer turns.",
    "reply_cut_off": "Raise the token limit; asking again with the same one changes nothing.",
    "reply_several_objects": "Which one was meant cannot be known; ask for one object and no examples.",
    "reply_not_object": "Ask for one object with the lists in it.",
    "reply_nan": "Ask for numbers or null; a delta needs neither.",
    "reply_duplicate_keys": "Which one was meant cannot be known; ask again.",
    "reply_think_open": "The answer was never given; allow more tokens, or switch thinking off.",
    "reply_too_deep": "A delta needs four levels; ask again.",
    "reply_too_many": "Ask for the JSON object alone.",
    "reply_number": "A delta needs no numbers; ask again.",
    "reply_not_utf8": "Save the reply as UTF-8, or look at what answers at the endpoint.",
    "reply_unknown_keys": "A delta has turn_summaries, topic_operations and long_term_operations.",
    "reply_control_character": "Only line breaks and tabs are folded; ask again.",
    "reply_too_large": "Look at what answers there, or lower the token limit.",
    "reply_filtered": "Even an answer that parses is not used; ask another model.",
    "reply_tool_call": "Offer the model no tools.",
}


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
    """A reply that cannot be used; stays inside the parser. `at` is an offset into the text."""

    def __init__(self, code: str, *, at: int | None = None, **values: object) -> None:
        super().__init__(code)
        self.code = code
        self.at = at
        self.values = values

    def reason(self, text: str) -> ReplyReason:
        """The reason, with the place in the text as line and column; a byte order mark takes no column."""
        line = column = None
        if self.at is not None:
            line = text.count("\n", 0, self.at) + 1
            column = self.at - text.rfind("\n", 0, self.at) - (line == 1 and text.startswith("\ufeff"))
        return ReplyReason(self.code, sentence(self.code, **self.values), _HINTS[self.code], line, column)


def shown(text: str, limit: int = 80) -> str:
    """Words of a reply as a reason may show them: short, and without halves of characters, which no file can hold."""
    return clip(text.encode("utf-8", "replace").decode(), limit)


def find_object(text: str) -> Found:
    """The one JSON object in the text. Raises `RefusalError`."""
    if len(text) > MAX_LENGTH:
        raise RefusalError("reply_too_large", observed=len(text), limit=MAX_LENGTH)
    reading = _Reading(text)
    try:
        reading.read()
        return reading.the_one()
    except StepsError as error:
        if error.fault is not None:
            raise _refusal(error.fault) from None
        if len(reading.objects) > 1:
            raise RefusalError("reply_several_objects", at=reading.objects[1].start) from None
        raise RefusalError("reply_too_many", limit=MAX_STEPS) from None


def _refusal(fault: Fault) -> RefusalError:
    return RefusalError(_CODES[fault.kind], at=fault.stop, reason=fault.detail, observed=fault.detail, limit=MAX_DEPTH)


@dataclass(slots=True)
class _Reading:
    """What was found outside of reasoning up to now."""

    text: str
    objects: list[Scanned] = field(default_factory=list)
    broken: list[tuple[int, Fault]] = field(default_factory=list)
    """Begun objects that stop being JSON, by their start: sketches in prose, or the reason of a refusal."""
    thoughts: list[tuple[int, int]] = field(default_factory=list)
    dropped: Fault | None = None
    """Half an object in reasoning: the reason where no answer follows, since its tag may have been a string's text."""
    scanner: JsonScanner = field(init=False)

    def __post_init__(self) -> None:
        self.scanner = JsonScanner(self.text)

    def read(self) -> None:
        """From left to right, once. Raises `RefusalError` for what nothing that follows can mend."""
        at = 0
        opened: int | None = None
        kept = 0
        while (mark := _MARK.search(self.text, at)) is not None:
            at = mark.end()
            if mark["closing"] is None:
                at = self._begun(mark.start(), opened)
            elif not mark["closing"]:
                if opened is None:
                    opened, kept = mark.start(), len(self.objects)
            elif opened is None:
                self._forget(at)
            else:
                del self.objects[kept:]
                self.thoughts.append((opened, at))
                opened = None
        if opened is not None:
            raise RefusalError("reply_think_open", at=opened)

    def _begun(self, start: int, opened: int | None) -> int:
        """Read the object that begins here; where to go on."""
        found = self.scanner.scan(start)
        if isinstance(found, Scanned):
            self.objects.append(found)
            return found.end
        tag = self._tag_in_half_a_string(found, opened)
        if tag is not None:
            if opened is None:
                self.dropped = self.dropped or found
            return tag
        if opened is None:
            if found.kind == "ran_out":
                raise _refusal(found)
            self.broken.append((start, found))
        return found.stop

    def _tag_in_half_a_string(self, found: Fault, opened: int | None) -> int | None:
        """Where reasoning ends that broke off in a string: its closing tag looks like that string's text.

        Such a string ends at the first quote of the answer, where JSON breaks; one that is followed by JSON, or cut by
        the end of a reply without reasoning, is the answer's own and its tag is text.
        """
        if found.string is None or (found.kind == "ran_out" and opened is None):
            return None
        tag = _CLOSING_TAG.search(self.text, *found.string)
        return tag.start() if tag else None

    def _forget(self, end: int) -> None:
        """All up to here was reasoning."""
        self.objects.clear()
        self.broken.clear()
        self.thoughts[:] = [(0, end)]

    def the_one(self) -> Found:
        """The only object. Raises with the best reason where there is none, or more than one."""
        said = self._without_thoughts()
        self._check_top(said)
        if not self.objects:
            self._refuse_without_object(said)
        first = self.objects[0]
        self._check_surroundings(said, first)
        for found in self.objects:
            if found.fault is not None:
                raise _refusal(found.fault)
        if len(self.objects) > 1:
            raise RefusalError("reply_several_objects", at=self.objects[1].start)
        return self._decoded(first)

    def _check_surroundings(self, said: str, first: Scanned) -> None:
        """Refuse where the first object is a part of something else that is no JSON, or of a list."""
        before, after = said[: first.start], said[self.objects[-1].end :]
        if before.count("{") > before.count("}"):
            if self.broken and self.broken[0][0] < first.start:
                raise _refusal(self.broken[0][1])
            meant = self._meant_as_json(before)
            if after.count("}") > after.count("{") or (meant is not None and meant.kind == "ran_out"):
                inside = Fault(first.start, "syntax", "the object stands inside other braces")
                raise _refusal(meant or inside)
        before = before.rstrip()
        if before.endswith("["):
            raise RefusalError("reply_not_object", at=len(before) - 1, observed="a list")
        if self.dropped is not None and _MEMBER.search(before):
            raise _refusal(self.dropped)
        if (more := _GOES_ON.match(said, first.end)) is not None:
            raise RefusalError("reply_not_json", at=more.end() - 1, reason="the JSON goes on after the object's end")

    def _without_thoughts(self) -> str:
        """The text with its reasoning blanked out; places stay the same."""
        pieces: list[str] = []
        last = 0
        for start, end in self.thoughts:
            pieces += [self.text[last:start], " " * (end - start)]
            last = end
        said = "".join([*pieces, self.text[last:]])
        return said if not said.startswith("\ufeff") else " " + said[1:]

    def _check_top(self, said: str) -> None:
        """Refuse a reply that is empty, or JSON of another kind."""
        if not said.strip():
            raise RefusalError("reply_empty")
        fence = _FENCE.match(said)
        start = fence.end() if fence else 0
        opening = said[start : start + 1]
        if not opening or opening not in '"[-0123456789tfn':
            return
        found = self.scanner.scan(start)
        if isinstance(found, Scanned) and _NOTHING_MORE.match(said, found.end):
            if found.fault is not None:
                raise _refusal(found.fault)
            raise RefusalError("reply_not_object", at=start, observed=_NAMES.get(opening, "a number"))

    def _refuse_without_object(self, said: str) -> NoReturn:
        if self.broken:
            raise _refusal(self.broken[0][1])
        brace = said.find("{")
        if (deep := _DEEP.match(said, max(brace, 0))) is not None:
            raise RefusalError("reply_too_deep", at=deep.end() - 1, limit=MAX_DEPTH)
        if (meant := self._meant_as_json(said)) is not None:
            raise _refusal(meant)
        raise RefusalError("reply_no_object") if self.dropped is None else _refusal(self.dropped)

    def _meant_as_json(self, said: str) -> Fault | None:
        """What is wrong at the first brace that looks like JSON in another dialect, or like its beginning."""
        meant = _MEANT_AS_JSON.search(said)
        found = self.scanner.scan(meant.start()) if meant else None
        return found if isinstance(found, Fault) else None

    def _decoded(self, found: Scanned) -> Found:
        source, commas, breaks = found.mended(self.text)

        def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
            value = dict(pairs)
            if len(value) != len(pairs):
                key = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
                raise RefusalError("reply_duplicate_keys", at=found.start, observed=shown(key))
            return value

        value = json.loads(source, object_pairs_hook=unique)
        remarks = [sentence("repaired_commas", observed=commas)] if commas else []
        remarks += [sentence("repaired_breaks", observed=breaks)] if breaks else []
        return Found(value, tuple(remarks))
