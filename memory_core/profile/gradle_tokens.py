"""A tokenizer for Gradle scripts, Groovy and Kotlin: knows strings and comments, executes nothing (P3)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

_TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))
    |(?P<long>\"{3}.*?(?:\"{3}|\Z)|'{3}.*?(?:'{3}|\Z))
    |(?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
    |(?P<word>[A-Za-z_$][\w$]*)
    |(?P<number>\d[\w.]*)
    |(?P<newline>\n)
    |(?P<space>[^\S\n]+)
    |(?P<mark>.)""",
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Token:
    """One token; `text` of a string is its content. `computed` marks a string with something to work out in it."""

    kind: Literal["string", "word", "number", "mark", "newline"]
    text: str
    line: int
    computed: bool = False


def tokens(source: str) -> list[Token]:
    """The script's tokens, without comments and spaces."""
    found: list[Token] = []
    line = 1
    for match in _TOKEN.finditer(source):
        text = match[0]
        kind = match.lastgroup
        if kind in {"string", "long"}:
            quotes = 3 if kind == "long" else 1
            content = text[quotes:-quotes]
            computed = text[0] == '"' and "$" in re.sub(r"\\.", "", content)
            found.append(Token("string", re.sub(r"\\(.)", r"\1", content), line, computed))
        elif kind == "word":
            found.append(Token("word", text, line))
        elif kind == "number":
            found.append(Token("number", text, line))
        elif kind == "newline":
            found.append(Token("newline", text, line))
        elif kind == "mark":
            found.append(Token("mark", text, line))
        line += text.count("\n")
    return found
