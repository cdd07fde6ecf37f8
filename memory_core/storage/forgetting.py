"""A text in every spelling that a file of ours may give it, to be found and taken out (R7)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

FORGOTTEN = b"[forgotten]"
"""What stands in place of a text that was taken out."""

_BLANK = rb"(?:\s|\\+[nrt]|\\+u(?:0020|00a0|00A0|3000)|\xc2\xa0|\xe3\x80\x80)+"
_HEAD = 12
"""Characters by which a text is known that a log line cut off."""

# Not within an escape: neither its letter nor its digits begin a text.
_NOT_ESCAPED = rb"(?<!\\)(?<!\\u)(?<!\\u[0-9A-Fa-f])(?<!\\u[0-9A-Fa-f]{2})(?<!\\u[0-9A-Fa-f]{3})"
_AS_A_VALUE = rb'((?:label|summary|user_text|assistant_text|quote|note)\\*"\s*:\s*\\*")%s'


class Wordings:
    """Texts as they may stand in JSON, or in a model's reply that is kept as a string in JSON: each character as it
    is or escaped, once or more often; any white space for a blank.

    One or two ASCII words could be a key, a status or part of a time; they count only as the whole of a text's field.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        bare = {text.strip('"\\/ ') for text in texts}
        known = sorted(bare - {""}, key=len, reverse=True)
        self._whole = re.compile(b"|".join(map(_anywhere, known)) or rb"(?!)")
        self._heads = re.compile(b"|".join(_anywhere(text, _HEAD) for text in known) or rb"(?!)")

    def stand_in(self, data: bytes) -> bool:
        """Whether one of the texts stands in a file's bytes."""
        return self._whole.search(data) is not None

    def stand_in_value(self, value: object) -> bool:
        """Whether one of the texts stands in a JSON value."""
        return self.stand_in(json.dumps(value).encode())

    def begin_in(self, data: bytes) -> bool:
        """Whether one of the texts begins there, be it cut off."""
        return self._heads.search(data) is not None

    def taken_out(self, data: bytes) -> bytes:
        """The data without them; JSON stays JSON."""
        return self._whole.sub(lambda found: (found[found.lastindex] if found.lastindex else b"") + FORGOTTEN, data)


def _anywhere(text: str, head: int | None = None) -> bytes:
    spelled = b"".join(_BLANK if character.isspace() else _character(character) for character in text[:head])
    if is_short(text):
        return _AS_A_VALUE % spelled + (rb'(?=\\*")' if head is None else b"")
    return _NOT_ESCAPED + spelled if text[0].isascii() else spelled


def is_short(text: str) -> bool:
    """Whether a text is at most two ASCII words."""
    return text.isascii() and len(text.split()) < 3


def _character(character: str) -> bytes:
    plain = re.escape(character.encode("utf-8", "surrogatepass"))
    if character == '"':
        plain = rb"\\+" + plain
    elif character == "/":
        plain = rb"\\*" + plain
    elif character == "\\":
        plain = rb"\\+"
    units = character.encode("utf-16-be", "surrogatepass")
    escaped = b"".join(rb"\\+u(?i:%s)" % units[at : at + 2].hex().encode() for at in range(0, len(units), 2))
    return rb"(?:%s|%s)" % (plain, escaped)
