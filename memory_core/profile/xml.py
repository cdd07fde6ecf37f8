"""An XML tree with line numbers, from a strict, bounded reader: no DOCTYPE, no entities beyond XML's own (P2b, P3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

MAX_DEPTH = 100


class XmlError(Exception):
    """A file that is not read: `code` is `doctype`, `not_well_formed` or `too_deep`."""

    def __init__(self, code: str, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.line = line


@dataclass(slots=True)
class Element:
    """An element: its local name, its own text, its children, the line of its start."""

    name: str
    line: int
    text: str = ""
    children: list[Element] = field(default_factory=list)

    def child(self, *path: str) -> Element | None:
        """The first element down a path of local names."""
        found: Element | None = self
        for name in path:
            found = next((child for child in found.children if child.name == name), None) if found else None
        return found

    def all(self, *path: str) -> Iterator[Element]:
        """Every element at the end of a path."""
        if not path:
            yield self
            return
        for child in self.children:
            if child.name == path[0]:
                yield from child.all(*path[1:])

    @property
    def value(self) -> str:
        """The element's own text, trimmed."""
        return self.text.strip()


def parse_xml(data: bytes) -> Element:
    """The root element. Raises `XmlError`."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    stack: list[Element] = []
    roots: list[Element] = []

    def start(name: str, _attributes: dict[str, str]) -> None:
        if len(stack) >= MAX_DEPTH:
            raise XmlError("too_deep", f"nested over {MAX_DEPTH} levels", parser.CurrentLineNumber)
        element = Element(name.rpartition(":")[2], parser.CurrentLineNumber)
        (stack[-1].children if stack else roots).append(element)
        stack.append(element)

    def end(_name: str) -> None:
        stack.pop()

    def characters(data: str) -> None:
        if stack:
            stack[-1].text += data

    def doctype(*_rest: object) -> None:
        raise XmlError("doctype", "it declares a DOCTYPE", parser.CurrentLineNumber)

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = characters
    parser.StartDoctypeDeclHandler = doctype
    try:
        parser.Parse(_as_utf8(data), True)
    except expat.ExpatError as error:
        raise XmlError("not_well_formed", f"it is not well-formed: {error}", error.lineno) from error
    except (ValueError, LookupError) as error:
        raise XmlError("not_well_formed", f"its encoding cannot be read: {error}") from error
    return roots[0]


def _as_utf8(data: bytes) -> bytes:
    """Encodings that expat does not know by itself, such as GBK, decoded by Python."""
    head = data[:200].decode("ascii", errors="replace")
    if "encoding" not in head or "?>" not in head:
        return data
    declared = head.split("encoding", 1)[1].split("?>", 1)[0].strip(" =\"'\t").split('"')[0].split("'")[0].strip()
    if declared.lower().replace("_", "-") in {"", "utf-8", "utf-16", "us-ascii", "iso-8859-1"}:
        return data
    text = data.decode(declared)
    body = text.split("?>", 1)[1]
    lines = text.split("?>", 1)[0].count("\n")
    return ("\n" * lines + body).lstrip("\ufeff").encode()
