"""Keys of the console: every binding has an id, by which a keymap may change it, words and a tooltip."""

from __future__ import annotations

import contextlib
import unicodedata
from collections.abc import Iterable, Mapping

from textual import events
from textual.binding import Binding, BindingType
from textual.keys import _character_to_key

DEFAULTS: dict[str, str] = {}
"""The keys of every binding, by its id."""

GROUPS = {
    name: Binding.Group(name)
    for name in (
        "Everywhere", "Tabs", "Lists", "Details", "Profile", "Working", "Long-term", "Pending", "Context", "History",
    )
}  # fmt: skip
_NAMES = {
    "question_mark": "?",
    "exclamation_mark": "!",
    "colon": ":",
    "slash": "/",
    "plus": "+",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "pagedown": "PgDn",
    "pageup": "PgUp",
    "escape": "esc",
}
TWINS = {chr(0xFF01 + offset): chr(0x21 + offset) for offset in range(94)} | {"、": "/", "【": "[", "】": "]"}
"""What an input method types for a key, to the key that it stands for."""


def bind(
    keys: str, action: str, description: str, id: str, group: str, *, tip: str = "", priority: bool = False
) -> Binding:
    """A binding of ours, known by its id."""
    DEFAULTS[id] = keys
    return Binding(
        keys,
        action,
        description,
        show=False,
        id=id,
        tooltip=tip or description + ".",
        group=GROUPS[group],
        priority=priority,
    )


def keys_of(id: str, keymap: Mapping[str, str]) -> str:
    """The keys of a binding, as the person's keymap has them."""
    return keymap.get(id) or DEFAULTS.get(id, id)


def key_name(id: str, keymap: Mapping[str, str]) -> str:
    """The first key of a binding, for people; an id that names no binding stands for itself."""
    return named(keys_of(id, keymap).split(",")[0].strip())


def named(key: str) -> str:
    """A key for people: `question_mark` is `?`."""
    if key in _NAMES:
        return _NAMES[key]
    if key.startswith("upper_") and len(key) == 7:
        return key[-1].upper()
    return key


def described(bindings: Iterable[BindingType], keymap: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """Keys, words and tooltip of bindings."""
    found: list[tuple[str, str, str]] = []
    for binding in bindings:
        if isinstance(binding, Binding) and binding.description:
            keys = keys_of(binding.id, keymap) if binding.id else binding.key
            shown = " ".join(named(key.strip()) for key in keys.split(","))
            found.append((shown, binding.description, binding.tooltip))
    return found


def unknown(keymap: Mapping[str, str]) -> tuple[str, ...]:
    """Ids of a keymap that name no binding."""
    return tuple(id for id in keymap if id not in DEFAULTS)


SCOPES = ("profile", "working", "long_term", "pending", "context", "history")
"""Beginnings of the ids of each tab's own bindings."""
_SHARED = (frozenset({"pane", "row", "app", "tab"}), frozenset({"pane", "detail", "app", "tab"}))


def clashes(keymap: Mapping[str, str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Keys that a keymap gives two meanings within one tab, with the ids that they mean."""
    found: dict[tuple[str, tuple[str, ...]], None] = {}
    for scope in SCOPES:
        for shared in _SHARED:
            meanings: dict[str, list[str]] = {}
            for id in DEFAULTS:
                if id.partition(".")[0] in shared | {scope} and id != "long_term.everywhere":
                    for key in keys_of(id, keymap).split(","):
                        meanings.setdefault(key.strip(), []).append(id)
            for key, ids in meanings.items():
                if len(ids) > 1:
                    found[key, tuple(sorted(ids))] = None
    return tuple(found)


def is_key(event: events.Key, id: str, keymap: Mapping[str, str]) -> bool:
    """Whether an event is a key of that binding."""
    wanted = [key.strip() for key in keys_of(id, keymap).split(",")]
    return event.key in wanted or (event.character is not None and event.character in wanted)


def twin(event: events.Key) -> events.Key | None:
    """The plain key that a full-width one stands for; None for any other key."""
    character = event.character or ""
    if not character and event.key.startswith("fullwidth_"):
        with contextlib.suppress(KeyError):
            character = unicodedata.lookup(event.key.replace("_", " ").upper())
    plain = TWINS.get(character)
    return events.Key(_character_to_key(plain), plain) if plain else None
