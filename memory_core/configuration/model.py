"""The entries of `model`. A wrong text among them is never repeated: it could be a key, or carry a password."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import yaml

from memory_core.configuration.reading import WrongEntryError, choice, line_of_text, number, whole
from memory_core.configuration.values import KEY_VARIABLE

SECRET_NAMES = frozenset({"key", "api_key", "apikey", "token", "secret", "password", "authorization"})
"""What people call a key that they put into a file, where it never belongs."""

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}", re.ASCII)
_KEY_SHAPE = re.compile(r"(?=.*[0-9])(?=.*[a-z])[A-Za-z0-9_]{20,}", re.ASCII)


def base_url(text: str) -> str:
    """An endpoint's base URL. Raises `WrongEntryError`."""
    allowed = "a URL such as https://host.example/v1, without a user or password"
    try:
        parts = urlsplit(text)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        usable = False
    if not usable or not text.isprintable() or " " in text:
        raise WrongEntryError("The endpoint's base URL needs http:// or https:// and a host; it is ignored.", allowed)
    if "@" in parts.netloc:
        raise WrongEntryError("The endpoint's base URL carries a user or password; it is ignored.", allowed)
    if parts.query or parts.fragment:
        raise WrongEntryError("The endpoint's base URL carries a query or fragment; it is ignored.", allowed)
    return text


def key_variable(text: str) -> str:
    """The name of an environment variable, and nothing that looks like the key itself. Raises `WrongEntryError`."""
    if not _VARIABLE.fullmatch(text) or _KEY_SHAPE.fullmatch(text):
        raise WrongEntryError(
            "That is no name of an environment variable; the key itself never stands in a file.",
            f"a name such as {KEY_VARIABLE}",
        )
    return text


MODEL_READERS: dict[str, Callable[[yaml.Node], Any]] = {
    "kind": lambda node: choice(node, ("openai", "extractive")),
    "base_url": lambda node: base_url(line_of_text(node, 500, echo=False)),
    "name": lambda node: line_of_text(node, 200, echo=False),
    "key_variable": lambda node: key_variable(line_of_text(node, 100, echo=False)),
    "timeout": lambda node: number(node, 0.1, 120),
    "retries": lambda node: whole(node, 0, 2),
    "max_tokens": lambda node: whole(node, 64, 32_000),
    "temperature": lambda node: number(node, 0, 2),
}
"""How each entry is read; each raises `WrongEntryError`."""
