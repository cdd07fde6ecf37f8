"""Recognised secrets, and the markers that stand for them (A9, D8)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from memory_core.safety.finding import Finding
from memory_core.safety.folding import fold
from memory_core.safety.secret_shapes import FORMED_PLACEHOLDER, NO_VALUE, PLACEHOLDER, PUBLISHED, SHAPES

MARKER = re.compile(r"\[secret: [a-z ]{1,40}\]")
"""What stands for a secret that was masked."""
SHORTEST_KNOWN = 4
"""Characters of an exact value that is masked; a shorter one would mask words."""
_HINT = re.compile("|".join(sorted({re.escape(hint) for shape in SHAPES for hint in shape.hint})))
_CLOSING = "\"'`“”」】)）]}>,;，。；、：:!！?？"
_DIGEST = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128}", re.IGNORECASE)
_CONSTANT = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[A-Za-z]+(?:[_-][a-z]+)+|[a-z]+(?:\.[A-Za-z]+)+")
_CODE = re.compile(r"[\w.]+\(.*|new[A-Z]\w*|[a-z]+(?:[A-Z][a-z]+)+\d?|.*(?:\(\)|->|=>|&&|\|\|).*")


def find_secrets(text: str) -> Iterator[Finding]:
    """Every recognised secret, in order, the earlier and longer one where two overlap.

    Looked for in the text as it stands, and as a reader would take it.
    """
    found = list(_spans(text))
    folded = fold(text)
    if folded.text != text:
        found += [(*folded.span(start, end), name) for start, end, name in _spans(folded.text)]
    last = -1
    for start, end, name in sorted(found, key=lambda entry: (entry[0], -entry[1])):
        if start >= last:
            yield Finding("secret", "reject", start, end, "A9", marker(name))
            last = end


def _spans(text: str) -> Iterator[tuple[int, int, str]]:
    lower = text.lower()
    if not _HINT.search(lower):
        return
    for shape in SHAPES:
        if not any(hint in lower for hint in shape.hint):
            continue
        for match in shape.pattern.finditer(text):
            value = match["value"]
            start = match.start("value")
            if shape.loose:
                value = _bare(value)
                if _is_word(value):
                    continue
            elif _stands_for_one(value, strict=shape.name != "password in a url"):
                continue
            yield start, start + len(value), shape.name


def _bare(value: str) -> str:
    """A loose value without what closes it."""
    for at, ch in enumerate(value):
        if ch in "\"'`<>，。；、" and at:
            value = value[:at]
            break
    return value.rstrip(_CLOSING) or value


def _stands_for_one(value: str, *, strict: bool) -> bool:
    """Whether a value of a known form is a placeholder or a published example."""
    if any(part in value for part in PUBLISHED) or MARKER.search(value):
        return True
    if strict:
        return FORMED_PLACEHOLDER.search(value) is not None or len(set(value)) < 6
    return PLACEHOLDER.fullmatch(value) is not None


def _is_word(value: str) -> bool:
    """Whether a value after a name such as `password` is a word of the sentence, code, or a placeholder."""
    if len(value) < 6 or not value.isascii() or _stands_for_one(value, strict=False) or value.startswith("[secret:"):
        return True
    if NO_VALUE.fullmatch(value) or _CONSTANT.fullmatch(value) or _CODE.fullmatch(value) or _DIGEST.fullmatch(value):
        return True
    letters = sum(ch.isalpha() for ch in value)
    digits = sum(ch.isdigit() for ch in value)
    marks = len(value) - letters - digits
    mixed_case = value != value.lower() and value != value.upper() and not value.istitle()
    if len(set(value)) < 4:
        return True
    if digits and letters:
        return False
    if letters and marks and any(ch in "!@#$%^&*+=~" for ch in value):
        return False
    return not (letters >= 16 and mixed_case and not marks)


def marker(name: str) -> str:
    """What stands for a secret: its kind."""
    return f"[secret: {name}]"


def mask_secrets(text: str) -> str:
    """The text with each secret replaced by a marker that names its kind; the rest stays byte for byte."""
    pieces: list[str] = []
    last = 0
    for finding in find_secrets(text):
        pieces += [text[last : finding.start], finding.excerpt]
        last = finding.end
    return "".join([*pieces, text[last:]]) if pieces else text


def mask_known(text: str, secrets: Iterable[str]) -> str:
    """The text with given exact values, such as the endpoint's key, replaced wherever they occur."""
    for secret in secrets:
        if len(secret) >= SHORTEST_KNOWN:
            text = text.replace(secret, marker("configured key"))
    return text
