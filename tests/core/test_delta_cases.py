"""The project's cases: replies that broke other people's systems, each with its right answer."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cases.reader import Case, load
from tests.core.review.judged import judged_case


def ids(case: Case) -> str:
    return case.name


@pytest.mark.parametrize("case", load("parse"), ids=ids)
def test_parse_case(case: Case) -> None:
    document, review = judged_case(case)
    expected: Any = case.expect.get("reply") or case.expect["per_variant"][case.variant]
    assert review.reply == expected.split(":")[0].split(",")[0]
    if review.reply == "refused":
        assert review.reason is not None
        assert review.reason.message
    if "ops" in case.expect:
        assert {op.at: op.verdict for op in review.operations} == {op["at"]: op["verdict"] for op in case.expect["ops"]}
    if str(case.expect.get("document", "")).startswith("document unchanged"):
        assert review.document is document
