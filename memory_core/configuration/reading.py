"""One configuration file's YAML as entries with their lines. Nothing is constructed from it but plain values.

Keys and texts are taken as they are written: `off`, `no` and `4.10` stay what the person typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from memory_core.configuration.values import ConfigProblem
from memory_core.text import has_substance

MAX_BYTES = 64 * 1024
"""Of a configuration file; a larger one is refused."""
MAX_DEPTH = 16
"""Of mappings and lists in one another."""
MAX_PROBLEMS = 40
"""Of one file that are told one by one."""

_WHOLE = re.compile(r"[+-]?\d{1,9}", re.ASCII)
_NUMBER = re.compile(r"[+-]?\d{1,9}(?:\.\d{1,9})?", re.ASCII)
_FLAGS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


class _Loader(yaml.SafeLoader):
    """Stops at a depth that no configuration has: a file that nests deeply costs the scanner minutes."""

    _depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """One node and all below it."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise yaml.YAMLError("it is nested too deeply")
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node


class WrongEntryError(Exception):
    """An entry's value is not understood."""

    def __init__(self, message: str, allowed: str) -> None:
        super().__init__(message)
        self.message = message
        self.allowed = allowed


@dataclass(frozen=True, slots=True)
class Entry:
    """One key of a mapping: its place in the file, such as `limits.label`, its line from 1, and its value."""

    name: str
    place: str
    line: int
    node: yaml.Node

    @property
    def is_absent(self) -> bool:
        """Whether nothing stands behind the key."""
        return self.node.tag == "tag:yaml.org,2002:null"


@dataclass(slots=True)
class ConfigFile:
    """One file: its entries, and what is wrong with it. `broken`: it could not be used at all."""

    name: str
    entries: tuple[Entry, ...] = ()
    problems: list[ConfigProblem] = field(default_factory=list)
    broken: bool = False
    untold: int = 0

    def report(self, entry: Entry | None, message: str, allowed: str = "", *, line: int | None = None) -> None:
        """Name what is wrong; beyond `MAX_PROBLEMS` it is only counted."""
        if len(self.problems) >= MAX_PROBLEMS:
            self.untold += 1
            return
        place, line = (entry.place, line or entry.line) if entry else ("", line)
        self.problems.append(ConfigProblem(self.name, line, _short(place), message, allowed))

    def all_problems(self) -> tuple[ConfigProblem, ...]:
        """Everything that is wrong, and how much more there is."""
        if not self.untold:
            return tuple(self.problems)
        return (*self.problems, ConfigProblem(self.name, None, "", f"{self.untold} more entries are wrong."))

    def mapping(self, entry: Entry) -> Iterator[Entry]:
        """The keys below an entry. Raises `WrongEntryError` where it is no mapping."""
        if not isinstance(entry.node, yaml.MappingNode):
            raise WrongEntryError(f"{found(entry.node)} stands where keys and values are expected.", "keys and values")
        return iter(self.below(entry.node, f"{entry.place}."))

    def below(self, node: yaml.MappingNode, prefix: str) -> tuple[Entry, ...]:
        """The entries of a mapping in their order; of a key that stands twice, the last."""
        entries: dict[str, Entry] = {}
        for key, value in node.value:
            name = key.value if isinstance(key, yaml.ScalarNode) else found(key)
            entry = Entry(name, f"{prefix}{name}", key.start_mark.line + 1, value)
            if name in entries:
                self.report(entry, f"The key stands twice, first in line {entries[name].line}; the last one counts.")
            entries[name] = entry
        return tuple(entries.values())


def read(name: str, text: str, allowed: str) -> ConfigFile:
    """Read a file's text; whatever it holds, the answer is a `ConfigFile`, never an exception (I4)."""
    file = ConfigFile(name)
    try:
        if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
            raise yaml.YAMLError(f"it is over {MAX_BYTES // 1024} KiB")
        node = yaml.compose(text.removeprefix("\ufeff"), Loader=_Loader)
    except (yaml.YAMLError, ValueError) as error:
        file.broken = True
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or str(error).split("\n", 1)[0]
        file.report(None, f"The file cannot be used: {problem}.", line=mark.line + 1 if mark else None)
        return file
    if node is None or node.tag == "tag:yaml.org,2002:null":
        return file
    if not isinstance(node, yaml.MappingNode):
        file.broken = True
        file.report(None, f"The file cannot be used: it holds {found(node)}.", allowed, line=1)
        return file
    file.entries = file.below(node, "")
    return file


def found(node: yaml.Node) -> str:
    """What stands there, in few words."""
    if isinstance(node, yaml.ScalarNode):
        if node.tag == "tag:yaml.org,2002:null":
            return "nothing"
        return f"the text {_short(node.value)!r}" if _quoted(node) else repr(_short(node.value))
    return "a list" if isinstance(node, yaml.SequenceNode) else "a mapping"


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:59] + "…"


def _scalar(node: yaml.Node, allowed: str, *, echo: bool = True) -> str:
    """The scalar as it is written. Without `echo` a wrong value is not repeated: it could be a secret."""
    if not isinstance(node, yaml.ScalarNode) or node.tag == "tag:yaml.org,2002:null":
        raise WrongEntryError(f"{found(node)} is not understood." if echo else "It is not understood.", allowed)
    return str(node.value).strip()


def whole(node: yaml.Node, low: int, high: int) -> int:
    """A whole number within the bounds."""
    allowed = f"whole numbers from {low} to {high}"
    text = _scalar(node, allowed)
    if _quoted(node) or not _WHOLE.fullmatch(text) or not low <= int(text) <= high:
        raise WrongEntryError(f"{found(node)} is not possible here.", allowed)
    return int(text)


def number(node: yaml.Node, low: float, high: float) -> float:
    """A number within the bounds."""
    allowed = f"numbers from {low:g} to {high:g}"
    text = _scalar(node, allowed)
    if _quoted(node) or not _NUMBER.fullmatch(text) or not low <= float(text) <= high:
        raise WrongEntryError(f"{found(node)} is not possible here.", allowed)
    return float(text)


def flag(node: yaml.Node) -> bool:
    """True or false."""
    text = _scalar(node, "true, false").lower()
    if _quoted(node) or text not in _FLAGS:
        raise WrongEntryError(f"{found(node)} is not possible here.", "true, false")
    return _FLAGS[text]


def choice(node: yaml.Node, options: tuple[str, ...]) -> str:
    """One of the words."""
    allowed = ", ".join(options)
    text = _scalar(node, allowed)
    if text not in options:
        raise WrongEntryError(f"{found(node)} is not possible here.", allowed)
    return text


def line_of_text(node: yaml.Node, longest: int, *, echo: bool = True, symbols: bool = False) -> str:
    """A text on one line with something in it: a letter, digit or emoji, or with `symbols` anything visible."""
    allowed = f"a text of 1 to {longest} characters on one line"
    text = _scalar(node, allowed, echo=echo)
    if not 1 <= len(text) <= longest or not text.isprintable() or not (symbols or has_substance(text)):
        raise WrongEntryError(f"{found(node)} is not possible here." if echo else "It is not possible here.", allowed)
    return text


def items(node: yaml.Node, most: int) -> tuple[yaml.Node, ...]:
    """The entries of a list; one text alone counts as a list of one."""
    if isinstance(node, yaml.ScalarNode) and node.tag != "tag:yaml.org,2002:null":
        return (node,)
    if not isinstance(node, yaml.SequenceNode):
        raise WrongEntryError(f"{found(node)} stands where a list is expected.", "a list")
    if len(node.value) > most:
        raise WrongEntryError(f"The list has {len(node.value)} entries.", f"at most {most} entries")
    return tuple(node.value)


def _quoted(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.style in {"'", '"', "|", ">"}
