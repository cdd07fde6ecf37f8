"""The repo profile, held against builds that broke other people's collectors (P1-P3)."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_core.policy import Limits
from memory_core.profile.collector import CollectedProfile, RepoProfileCollector
from tests.cases import profile_check
from tests.core.samples import AT

CASES = profile_check.load(Path(__file__).parents[2] / "cases" / "profile_cases.yaml")


def collect(root: Path, **options: Any) -> CollectedProfile:
    return RepoProfileCollector(root, **options).collect(AT)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_profile_case(case: dict[str, Any], tmp_path: Path) -> None:
    collected = collect(profile_check.materialise(case, tmp_path))
    assert profile_check.problems(case, collected.profile.model_dump(mode="json")) == []


def write(root: Path, **files: str) -> Path:
    for name, text in files.items():
        (root / name.replace("_", ".")).write_text(text, encoding="utf-8")
    return root


POM = "<project><artifactId>shop</artifactId><properties><java.version>17</java.version></properties></project>"


def test_every_value_names_its_file_and_line(tmp_path: Path) -> None:
    collected = collect(write(tmp_path, pom_xml=POM.replace("<properties>", "\n<properties>\n")))
    stated = {
        field: [(source.file, source.line) for source in sources] for field, sources in collected.stated_by.items()
    }
    assert stated["project_name"] == [("pom.xml", 1)]
    assert stated["java_version"] == [("pom.xml", 3)]


def test_an_empty_repository_says_nothing(tmp_path: Path) -> None:
    collected = collect(tmp_path)
    assert not collected.profile.has_value
    assert collected.profile.updated_at == ""


def test_a_doctype_is_refused_with_a_note(tmp_path: Path) -> None:
    bomb = '<!DOCTYPE p [<!ENTITY a "aaaa">]>' + POM
    collected = collect(write(tmp_path, pom_xml=bomb))
    assert (collected.profile.build_tool, collected.profile.project_name) == ("maven", "")
    assert "doctype" in {note.code for note in collected.notes}


def test_links_pipes_and_large_files_are_noted_and_not_read(tmp_path: Path) -> None:
    outside = tmp_path / "outside.xml"
    outside.write_text(POM)
    for name, make in {
        "link": lambda path: path.symlink_to(outside),
        "pipe": os.mkfifo,
        "large": lambda path: path.write_text("<project>" + " " * 2_000_000 + "</project>"),
    }.items():
        root = tmp_path / name
        root.mkdir()
        make(root / "pom.xml")
        assert collect(root).profile.project_name == ""


def test_a_parent_outside_the_repository_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "pom.xml").write_text(POM.replace("shop", "parent"))
    root = tmp_path / "root"
    root.mkdir()
    parent = "<parent><artifactId>parent</artifactId><relativePath>../pom.xml</relativePath></parent>"
    child = f"<project>{parent}<artifactId>child</artifactId></project>"
    collected = collect(write(root, pom_xml=child))
    assert collected.profile.java_version == ""
    assert "outside" in {note.code for note in collected.notes}


def test_modules_beyond_the_limit_are_counted(tmp_path: Path) -> None:
    modules = "".join(f"<module>m{number}</module>" for number in range(250))
    collected = collect(
        write(tmp_path, pom_xml=f"<project><artifactId>a</artifactId><modules>{modules}</modules></project>")
    )
    assert len(collected.profile.modules) == Limits().modules
    assert any("50 modules" in note.message for note in collected.notes)


def test_a_value_that_is_objected_to_is_left_out_with_a_note(tmp_path: Path) -> None:
    collected = collect(write(tmp_path, pom_xml=POM), objection=lambda text: "injection" if text == "shop" else None)
    assert collected.profile.project_name == ""
    assert "unsafe" in {note.code for note in collected.notes}


@settings(max_examples=40)
@given(
    st.sampled_from(
        [
            "pom.xml",
            "build.gradle",
            "settings.gradle.kts",
            "gradle/libs.versions.toml",
            "gradle.properties",
            "README.md",
        ]
    ),
    st.binary(max_size=400),
)
def test_any_bytes_in_any_file_give_a_profile(name: str, data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        write(root, settings_gradle="rootProject.name = 'a'", build_gradle="plugins { alias(libs.plugins.boot) }")
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_bytes(data)
        collect(root)
