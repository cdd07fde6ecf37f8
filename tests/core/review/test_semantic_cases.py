"""The semantic cases: parsed replies with one right verdict for each operation, and for the document."""

from __future__ import annotations

import pytest

from memory_core.document import MemoryDocument
from memory_core.review.verdict import Review
from tests.cases.reader import Case, load
from tests.core.review.judged import judged_case

ENFORCED = frozenset(
    {"A1", "A2", "A3", "A4", "A5", "A7", "A8", "A9c", "A9d", "A9e", "A10", "A11", "D4", "D6", "D7", "P2"}
)
"""Requirements whose rules are there; a case runs when all that it is about are."""
ALSO_ABOUT = {"S01": {"A7"}, "S15": {"A9"}}
"""Requirements that a case needs or names beside those of its own list, by the case's number."""


def cases() -> list[Case]:
    """The cases that are about nothing but what is enforced."""
    found = []
    for case in load("semantic"):
        needed = set(case.rules) | ALSO_ABOUT.get(case.name[:3], set())
        if needed <= ENFORCED and ("ops" in case.expect or "per_memory" in case.expect):
            found.append(case)
    return found


def expected(case: Case) -> list[tuple[str | None, str]]:
    """Place and verdict of each operation, in order; a place that the case does not name is None."""
    if "ops" in case.expect:
        return [(op["at"], op["verdict"]) for op in case.expect["ops"]]
    told = case.expect["per_memory"][case.variant].replace(";", ",").split(", ")
    verdicts = [part for part in told if "create" in part or "update" in part]
    return [(None, "accepted" if "accepted" in part else "rejected") for part in verdicts]


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_case(case: Case) -> None:
    document, review = judged_case(case)
    assert review.reply == "parsed"
    assert len(review.operations) == len(expected(case))
    for op, (at, verdict) in zip(review.operations, expected(case), strict=True):
        assert at in {None, op.at}
        assert op.verdict in verdict.split(" or "), (op.at, op.code, op.message)
    if str(case.expect.get("document", "")).startswith("document unchanged"):
        assert review.document is document
    _changes_are_those_of_the_accepted(document, review)


def _changes_are_those_of_the_accepted(document: MemoryDocument, review: Review) -> None:
    """Each accepted operation's entry as it was shown, nothing else beside; what was dropped is named."""
    made = {op.after["id"]: op.after for op in review.operations if op.effective == "apply" and op.after}
    gone = {identifier for op in review.operations if op.effective == "apply" for identifier in op.dropped}
    before = {entry.id: entry.model_dump(mode="json") for entry in document.entries() if entry.id not in gone}
    assert {entry.id: entry.model_dump(mode="json") for entry in review.document.entries()} == before | made
    assert review.document.repo_profile == document.repo_profile


def test_the_structure_cases_are_there() -> None:
    names = {case.name[:3] for case in cases()}
    assert {"S01", "S02", "S03", "S04", "S13", "S14", "S25", "S27", "S28"} <= names


def test_a_zero_width_label_is_empty() -> None:
    """S15, which also names A9."""
    (case,) = [case for case in load("semantic") if case.name.startswith("S15")]
    document, review = judged_case(case)
    assert [op.code for op in review.operations] == ["empty_field"] * 3
    assert review.document is document
