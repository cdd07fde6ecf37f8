"""What `pom.xml`, and the parents that it points to inside the repository, state (P2b)."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass

from memory_core.profile import frameworks
from memory_core.profile.model import Facts, Files, ProfileSource, Stated
from memory_core.profile.xml import Element, XmlError, parse_xml

_REFERENCE = re.compile(r"\$\{([^{}]*)\}")
_MAX_PARENTS = 10
_PLUGIN_GROUP = "org.apache.maven.plugins"


@dataclass(slots=True)
class _Pom:
    file: str
    root: Element


class _UnresolvedError(Exception):
    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Maven:
    """One build: the root's `pom.xml` first, its parents after it."""

    def __init__(self, files: Files, facts: Facts) -> None:
        self.files = files
        self.facts = facts
        self.poms: list[_Pom] = []

    def collect(self) -> bool:
        """Gather the facts; whether `pom.xml` could be read."""
        self.facts.build_tool = Stated("maven", (ProfileSource("pom.xml"),))
        root = self._read("pom.xml")
        if root is None:
            return False
        self.poms.append(_Pom("pom.xml", root))
        self._parents()
        self._name()
        self._java()
        self._modules()
        self._frameworks()
        return True

    def _read(self, name: str) -> Element | None:
        data = self.files.read(name, self.facts)
        if data is None:
            return None
        try:
            root = parse_xml(data)
        except XmlError as error:
            self.facts.note(error.code, f"{name}: {error}; only the build tool is taken from it.", name, error.line)
            return None
        if root.name != "project":
            self.facts.note("not_a_pom", f"{name} is no Maven project.", name, root.line)
            return None
        return root

    def _parents(self) -> None:
        seen = {"pom.xml"}
        while len(self.poms) < _MAX_PARENTS:
            pom = self.poms[-1]
            parent = pom.root.child("parent")
            if parent is None:
                return
            relative = parent.child("relativePath")
            path = relative.value if relative is not None else "../pom.xml"
            if not path:
                return
            if not path.endswith(".xml"):
                path = f"{path.rstrip('/')}/pom.xml"
            name = posixpath.normpath(posixpath.join(posixpath.dirname(pom.file), path.replace("\\", "/")))
            if name.startswith("..") or posixpath.isabs(name):
                if relative is not None:
                    self.facts.note(
                        "outside", f"The parent at {path} lies outside the repository.", pom.file, relative.line
                    )
                return
            if name in seen:
                self.facts.note("cycle", f"The parents of {pom.file} run in a circle.", pom.file, parent.line)
                return
            seen.add(name)
            root = self._read(name) if self.files.exists(name) else None
            if root is None or not self._is_parent(root, parent):
                return
            self.poms.append(_Pom(name, root))

    @staticmethod
    def _is_parent(root: Element, reference: Element) -> bool:
        """Whether a file is the parent that is named, and not just what stands one folder up."""
        wanted, found = reference.child("artifactId"), root.child("artifactId")
        return wanted is not None and found is not None and wanted.value == found.value

    # Values.

    def _resolve(self, element: Element, pom: _Pom, asked: frozenset[str] = frozenset()) -> Stated:
        """An element's text with its properties put in. Raises `_UnresolvedError`."""
        sources = [ProfileSource(pom.file, element.line)]

        def put_in(match: re.Match[str]) -> str:
            stated = self._property(match[1].strip(), asked)
            sources.extend(source for source in stated.sources if source not in sources)
            return stated.value

        value = element.value
        for _ in range(20):
            resolved = _REFERENCE.sub(put_in, value)
            if resolved == value:
                break
            value = resolved
        return Stated(value.strip(), tuple(sources))

    def _property(self, name: str, asked: frozenset[str]) -> Stated:
        if name in asked:
            raise _UnresolvedError("cycle", f"The property {name} refers to itself.")
        for pom in self.poms:
            for element in pom.root.all("properties", name):
                return self._resolve(element, pom, asked | {name})
        if name.startswith(("project.", "pom.")):
            found = self._project(name.partition(".")[2])
            if found is not None:
                return self._resolve(found[0], found[1], asked | {name})
        raise _UnresolvedError("undefined", f"The property {name} is not defined in the repository.")

    def _project(self, name: str) -> tuple[Element, _Pom] | None:
        pom = self.poms[0]
        path = name.split(".")
        found = pom.root.child(*path)
        if found is None and path[0] in {"version", "groupId"}:
            found = pom.root.child("parent", *path)
        return (found, pom) if found is not None else None

    def _try(self, element: Element, pom: _Pom, what: str) -> Stated | None:
        try:
            stated = self._resolve(element, pom)
        except _UnresolvedError as error:
            self.facts.note(error.code, f"{what}: {error}", pom.file, element.line)
            return None
        return stated if stated.value else None

    # Fields.

    def _name(self) -> None:
        pom = self.poms[0]
        element = pom.root.child("artifactId")
        if element is not None:
            self.facts.project_name = self._try(element, pom, "The project's name")

    def _java(self) -> None:
        for candidates in self._java_candidates():
            for pom, element in candidates:
                try:
                    stated = self._resolve(element, pom)
                except _UnresolvedError as error:
                    self.facts.note(error.code, f"The Java version: {error}", pom.file, element.line)
                    return
                if stated.value:
                    self.facts.java_version = stated
                    return

    def _java_candidates(self) -> Iterator[list[tuple[_Pom, Element]]]:
        """In the order of their weight: release, then source, then a bare `java.version`."""
        for kind in ("release", "source"):
            yield [found for pom in self.poms for found in self._compiler(pom, kind)]
            yield [
                (pom, element) for pom in self.poms for element in pom.root.all("properties", f"maven.compiler.{kind}")
            ]
        yield [(pom, element) for pom in self.poms for element in pom.root.all("properties", "java.version")]

    def _compiler(self, pom: _Pom, kind: str) -> Iterator[tuple[_Pom, Element]]:
        """The compiler plugin's own configuration, that of pluginManagement, then an execution of main code."""
        plugins: list[Element] = []
        for path in (("build", "plugins", "plugin"), ("build", "pluginManagement", "plugins", "plugin")):
            for plugin in pom.root.all(*path):
                artifact, group = plugin.child("artifactId"), plugin.child("groupId")
                if artifact is None or artifact.value != "maven-compiler-plugin":
                    continue
                if group is None or group.value == _PLUGIN_GROUP:
                    plugins.append(plugin)
        for plugin in plugins:
            yield from ((pom, element) for element in plugin.all("configuration", kind))
        for plugin in plugins:
            for execution in plugin.all("executions", "execution"):
                goals = [goal.value for goal in execution.all("goals", "goal")]
                identifier = execution.child("id")
                if "testCompile" in goals or (identifier is not None and "test" in identifier.value.lower()):
                    continue
                yield from ((pom, element) for element in execution.all("configuration", kind))

    def _modules(self) -> None:
        pom = self.poms[0]
        places = [("modules", "module"), ("subprojects", "subproject")]
        elements = [element for path in places for element in pom.root.all(*path)]
        for path in places:
            elements += pom.root.all("profiles", "profile", *path)
        for element in elements:
            stated = self._try(element, pom, f"The module {element.value}")
            if stated is not None:
                self.facts.add(self.facts.modules, stated)

    def _frameworks(self) -> None:
        pom = self.poms[0]
        for element in pom.root.all("dependencies", "dependency"):
            scope, kind = element.child("scope"), element.child("type")
            if scope is not None and scope.value in {"test", "import"}:
                continue
            if kind is not None and kind.value in {"pom", "test-jar"}:
                continue
            self._framework(element, pom)
        for element in pom.root.all("build", "plugins", "plugin"):
            self._framework(element, pom)

    def _framework(self, element: Element, pom: _Pom) -> None:
        group, artifact = element.child("groupId"), element.child("artifactId")
        if group is None or artifact is None:
            return
        try:
            group_id, artifact_id = self._resolve(group, pom), self._resolve(artifact, pom)
        except _UnresolvedError:
            return
        framework = frameworks.of_dependency(group_id.value, artifact_id.value)
        if framework is not None:
            sources = tuple(dict.fromkeys((*group_id.sources, *artifact_id.sources)))
            self.facts.add(self.facts.frameworks, Stated(framework, sources))
