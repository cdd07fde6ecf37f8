"""What Gradle's settings and root build script state literally (P2b). Nothing is executed."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from memory_core.profile import frameworks
from memory_core.profile.gradle_tokens import Token, tokens
from memory_core.profile.model import Facts, Files, ProfileSource, Stated

SETTINGS = ("settings.gradle", "settings.gradle.kts")
BUILDS = ("build.gradle", "build.gradle.kts")
CATALOG = "gradle/libs.versions.toml"
PROPERTIES = "gradle.properties"

_MAIN = frozenset(
    {"implementation", "api", "compile", "compileOnly", "runtimeOnly", "runtime", "compileOnlyApi", "developmentOnly"}
)
_CONDITIONS = frozenset({"", "if", "else", "settings"})
"""Blocks in which an include counts: a literal one under a condition does (P2b)."""
_INTERPOLATED = re.compile(r"\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))")
_VERSION = re.compile(r"(?:1\.)?\d{1,2}")


@dataclass(frozen=True, slots=True)
class _Script:
    file: str
    tokens: list[Token]


class Gradle:
    """One build: settings and build script of the root, the catalog and properties that they name."""

    def __init__(self, files: Files, facts: Facts) -> None:
        self.files = files
        self.facts = facts
        self.catalog: dict[str, Any] = {}
        self.catalog_lines: list[str] = []

    def collect(self) -> None:
        """Gather the facts."""
        shown = next(name for name in (*BUILDS, *SETTINGS) if self.files.exists(name))
        self.facts.build_tool = Stated("gradle", (ProfileSource(shown),))
        self._read_catalog()
        for name in SETTINGS:
            if (script := self._script(name)) is not None:
                self._settings(script)
        for name in BUILDS:
            if (script := self._script(name)) is not None:
                self._build(script)

    def _script(self, name: str) -> _Script | None:
        text = self.files.text(name, self.facts)
        return None if text is None else _Script(name, tokens(text))

    def _read_catalog(self) -> None:
        text = self.files.text(CATALOG, self.facts)
        if text is None:
            return
        try:
            self.catalog = tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError):
            self.facts.note("not_toml", f"{CATALOG} cannot be read.", CATALOG)
            return
        self.catalog_lines = text.splitlines()

    # Settings.

    def _settings(self, script: _Script) -> None:
        found = [token for token in script.tokens if token.kind != "newline"]
        blocks = list(_blocks(found))
        for index, token in enumerate(found):
            if token.kind != "word":
                continue
            if token.text == "rootProject" and _texts(found, index + 1, 2) == [".", "name"]:
                self._root_name(script, found, index)
            elif token.text == "include" and (index == 0 or found[index - 1].text != "."):
                if not set(blocks[index]) <= _CONDITIONS:
                    self.facts.note(
                        "computed", "An include in a block is computed; it is left out.", script.file, token.line
                    )
                    continue
                self._include(script, script.tokens, token)

    def _root_name(self, script: _Script, found: list[Token], index: int) -> None:
        if index + 4 >= len(found) or found[index + 3].text != "=":
            return
        value = found[index + 4]
        stated = self._literal(script, value)
        if stated is not None and stated.value:
            self.facts.project_name = stated
        else:
            self.facts.note("computed", "rootProject.name is computed.", script.file, value.line)

    def _literal(self, script: _Script, token: Token) -> Stated | None:
        """The text of a string, or of a name that is assigned one literal; None for anything computed."""
        source = ProfileSource(script.file, token.line)
        if token.kind == "string" and not token.computed:
            return Stated(token.text.strip(), (source,))
        name = token.text if token.kind == "word" else ""
        if token.kind == "string" and (simple := _INTERPOLATED.fullmatch(token.text)):
            name = simple[1] or simple[2]
        stated = self._named(script, name) if name else None
        return Stated(stated.value, (source, *stated.sources)) if stated is not None else None

    def _named(self, script: _Script, name: str) -> Stated | None:
        """A name's value from `gradle.properties`, or from the one literal that the script assigns to it."""
        text = self.files.text(PROPERTIES, self.facts) or ""
        for number, row in enumerate(text.splitlines(), 1):
            key, mark, value = row.partition("=")
            if mark and key.strip() == name and not row.lstrip().startswith(("#", "!")):
                return Stated(value.strip(), (ProfileSource(PROPERTIES, number),))
        found = [token for token in script.tokens if token.kind != "newline"]
        assigned = [
            found[index + 2]
            for index, token in enumerate(found[:-2])
            if token.kind == "word"
            and token.text == name
            and found[index + 1].text == "="
            and found[index + 2].text != "="
        ]
        if len(assigned) == 1 and assigned[0].kind in {"string", "number"} and not assigned[0].computed:
            return Stated(assigned[0].text.strip(), (ProfileSource(script.file, assigned[0].line),))
        return None

    def _include(self, script: _Script, all_tokens: list[Token], word: Token) -> None:
        """The literal strings of one include, over lines as long as commas or brackets go on."""
        start = next(index for index, token in enumerate(all_tokens) if token is word)
        depth = 0
        expects = True
        for token in all_tokens[start + 1 :]:
            if token.kind == "newline":
                if depth == 0 and not expects:
                    return
                continue
            if token.text in {"(", "["} and token.kind == "mark":
                depth += 1
                expects = True
            elif token.text in {")", "]"} and token.kind == "mark":
                depth -= 1
                expects = False
                if depth <= 0:
                    return
            elif token.text == "," and token.kind == "mark":
                expects = True
            elif token.kind == "string" and expects:
                expects = False
                self._module(script, token)
            else:
                self.facts.note("computed", "An include is computed; it is left out.", script.file, token.line)
                return

    def _module(self, script: _Script, token: Token) -> None:
        path = token.text.strip().strip(":")
        if token.computed or not path:
            self.facts.note(
                "computed", f"The include {token.text} is computed; it is left out.", script.file, token.line
            )
            return
        self.facts.add(self.facts.modules, Stated(path.replace("/", ":"), (ProfileSource(script.file, token.line),)))

    # The build script.

    def _build(self, script: _Script) -> None:
        found = [token for token in script.tokens if token.kind != "newline"]
        levels = list(self._levels(script, found))
        for kind in ("release", "source", "toolchain"):
            values = [stated for level, stated in levels if level == kind and stated is not None]
            computed = [level for level, stated in levels if level == kind and stated is None]
            if computed or len({stated.value for stated in values}) > 1:
                self.facts.note("ambiguous", f"The Java {kind} level is computed, or several are stated.", script.file)
                break
            if values:
                self.facts.java_version = values[0]
                break
        for stated in self._applied(script, found):
            self.facts.add(self.facts.frameworks, stated)

    def _levels(self, script: _Script, found: list[Token]) -> Iterator[tuple[str, Stated | None]]:
        blocks = list(_blocks(found))
        for index, token in enumerate(found):
            path = blocks[index]
            if any("test" in name.lower() or name == "javadoc" for name in path):
                continue
            if token.text == "sourceCompatibility":
                rest = found[index + 1 :]
                if rest and rest[0].text in {"=", "("}:
                    yield "source", self._level(script, rest[1:6])
                elif rest and rest[0].kind in {"string", "number", "word"} and rest[0].line == token.line:
                    yield "source", self._level(script, rest[:5])
            elif (
                token.text == "release"
                and found[index - 1 : index]
                and _texts(found, index + 1, 1)[:1] in (["="], ["."])
            ):
                rest = found[index + 2 :] if found[index + 1].text == "=" else found[index + 4 :]
                yield "release", self._level(script, rest[:5])
            elif token.text == "JavaLanguageVersion" and _texts(found, index + 1, 3) == [".", "of", "("]:
                if "launcher" not in "".join(path).lower() and "toolchain" in "".join(path).lower():
                    yield "toolchain", self._level(script, found[index + 4 : index + 6])
            elif token.text == "jvmToolchain" and _texts(found, index + 1, 1) == ["("]:
                yield "toolchain", self._level(script, found[index + 2 : index + 4])

    def _level(self, script: _Script, rest: list[Token]) -> Stated | None:
        """A literal level, or None for a computed one."""
        if not rest:
            return None
        first = rest[0]
        texts = [token.text for token in rest]
        value = first.text
        if texts[:2] == ["JavaVersion", "."] and len(texts) > 2:
            value = texts[2].removeprefix("VERSION_").replace("_", ".")
        elif first.kind == "word" and value.startswith("VERSION_"):
            value = value.removeprefix("VERSION_").replace("_", ".")
        elif first.kind == "word" or first.computed:
            named = self._literal(script, first)
            return named if named is not None and _VERSION.fullmatch(named.value) else None
        if not _VERSION.fullmatch(value):
            return None
        return Stated(value, (ProfileSource(script.file, first.line),))

    def _applied(self, script: _Script, found: list[Token]) -> Iterator[Stated]:
        blocks = list(_blocks(found))
        for index, token in enumerate(found):
            path = blocks[index]
            source = ProfileSource(script.file, token.line)
            if path[-1:] == ["plugins"] and token.text == "id":
                yield from self._plugin(found, index, source)
            elif path[-1:] == ["plugins"] and token.text == "alias":
                yield from self._alias(found, index, source)
            elif token.text == "apply" and _texts(found, index + 1, 2) == ["plugin", ":"] and index + 3 < len(found):
                if (framework := frameworks.of_plugin(found[index + 3].text)) is not None:
                    yield Stated(framework, (source,))
            elif path[-1:] == ["dependencies"] and "buildscript" not in path and token.text in _MAIN:
                yield from self._dependency(found, index, source)

    def _plugin(self, found: list[Token], index: int, source: ProfileSource) -> Iterator[Stated]:
        at = index + 1 + (found[index + 1].text == "(") if index + 1 < len(found) else index
        if at >= len(found) or found[at].kind != "string" or _not_applied(found, at):
            return
        if (framework := frameworks.of_plugin(found[at].text)) is not None:
            yield Stated(framework, (source,))

    def _alias(self, found: list[Token], index: int, source: ProfileSource) -> Iterator[Stated]:
        accessor = _accessor(found, index + 2)
        if accessor[:2] != ["libs", "plugins"] or _not_applied(found, index + 1):
            return
        for name, entry in _table(self.catalog, "plugins"):
            if _same(name, accessor[2:]):
                identifier = entry.get("id") if isinstance(entry, dict) else str(entry).partition(":")[0]
                if (framework := frameworks.of_plugin(str(identifier))) is not None:
                    yield Stated(framework, (source, self._catalog_line(name)))

    def _dependency(self, found: list[Token], index: int, source: ProfileSource) -> Iterator[Stated]:
        at = index + 1
        if at < len(found) and found[at].text == "(":
            at += 1
        if at >= len(found):
            return
        token = found[at]
        if token.kind == "string":
            group, _, rest = token.text.partition(":")
            if (framework := frameworks.of_dependency(group, rest.partition(":")[0])) is not None:
                yield Stated(framework, (source,))
        elif token.text == "group" and at + 2 < len(found) and found[at + 2].kind == "string":
            name = next(
                (found[n + 2].text for n in range(at, min(at + 8, len(found) - 2)) if found[n].text == "name"), ""
            )
            if (framework := frameworks.of_dependency(found[at + 2].text, name)) is not None:
                yield Stated(framework, (source,))
        elif token.text == "libs":
            yield from self._library(_accessor(found, at)[1:], source)

    def _library(self, accessor: list[str], source: ProfileSource) -> Iterator[Stated]:
        wanted = [accessor] if accessor[:1] != ["bundles"] else []
        if not wanted:
            for name, members in _table(self.catalog, "bundles"):
                if _same(name, accessor[1:]) and isinstance(members, list):
                    wanted += [re.split(r"[-_.]", str(member)) for member in members]
        for path in wanted:
            for name, entry in _table(self.catalog, "libraries"):
                if not _same(name, path):
                    continue
                module = entry.get("module") if isinstance(entry, dict) else str(entry)
                group, _, artifact = str(module or "").partition(":")
                if isinstance(entry, dict) and not module:
                    group, artifact = str(entry.get("group")), str(entry.get("name"))
                if (framework := frameworks.of_dependency(group, artifact.partition(":")[0])) is not None:
                    yield Stated(framework, (source, self._catalog_line(name)))

    def _catalog_line(self, name: str) -> ProfileSource:
        line = next((n for n, text in enumerate(self.catalog_lines, 1) if text.lstrip().startswith(name)), None)
        return ProfileSource(CATALOG, line)


def _texts(found: list[Token], start: int, count: int) -> list[str]:
    return [token.text for token in found[start : start + count]]


def _blocks(found: list[Token]) -> Iterator[list[str]]:
    """For every token the names of the blocks that it stands in, outermost first."""
    path: list[str] = []
    name = ""
    for index, token in enumerate(found):
        yield list(path)
        if token.text == "{" and token.kind == "mark":
            path.append(name)
            name = ""
        elif token.text == "}" and token.kind == "mark":
            if path:
                path.pop()
            name = ""
        elif (
            token.kind == "word"
            and (index == 0 or token.line != found[index - 1].line or found[index - 1].text in "{};")
        ) or (token.kind == "word" and token.text in {"toolchain", "toolchains"}):
            name = token.text


def _accessor(found: list[Token], start: int) -> list[str]:
    """The words of `libs.a.b` from a place on."""
    names: list[str] = []
    for index in range(start, len(found), 2):
        if found[index].kind != "word":
            break
        names.append(found[index].text)
        if index + 1 >= len(found) or found[index + 1].text != ".":
            break
    return names[:-1] if names[-1:] == ["get"] else names


def _same(name: str, accessor: list[str]) -> bool:
    return re.split(r"[-_.]", name) == accessor


def _table(catalog: dict[str, Any], name: str) -> list[tuple[str, Any]]:
    table = catalog.get(name)
    return list(table.items()) if isinstance(table, dict) else []


def _not_applied(found: list[Token], start: int) -> bool:
    """Whether `apply false` follows on the same line."""
    line = found[start].line
    rest = [token.text for token in found[start : start + 12] if token.line == line]
    return "apply" in rest and "false" in rest
