"""The first level-1 heading of README.md (P2b)."""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.token import Token

from memory_core.profile.model import ProfileSource, Stated

_H1 = re.compile(r"<h1\b[^>]*>(.*?)</h1>", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n.*?\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_READ = 64 * 1024
"""Characters of a README that are looked at."""


def title(text: str, file: str) -> Stated | None:
    """The title, links and emphasis reduced to their text, images dropped; None where there is none."""
    text = text[:_READ].replace("\r\n", "\n")
    front = _FRONT_MATTER.match(text)
    skipped = text.count("\n", 0, front.end()) if front else 0
    body = text[front.end() :] if front else text
    tokens = MarkdownIt("commonmark").parse(body)
    for index, token in enumerate(tokens):
        line = (token.map[0] + 1 + skipped) if token.map else None
        if token.type == "heading_open" and token.tag == "h1":
            found = _plain(tokens[index + 1].children or [])
        elif token.type == "html_block" and (
            match := _H1.search(re.sub(r"<!--.*?-->", "", token.content, flags=re.DOTALL))
        ):
            found = " ".join(_TAG.sub(" ", match[1]).split())
        else:
            continue
        if found:
            return Stated(found, (ProfileSource(file, line),))
    return None


def _plain(tokens: list[Token]) -> str:
    """Inline tokens as text: no images, no markup."""
    parts: list[str] = []
    for token in tokens:
        if token.type in {"text", "code_inline"}:
            parts.append(token.content)
        elif token.type in {"softbreak", "hardbreak"}:
            parts.append(" ")
    return " ".join("".join(parts).split())
