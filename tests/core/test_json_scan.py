"""The scanner and the standard library agree on what JSON is; where it stops, the place and the fault are told (U2)."""

from __future__ import annotations

import json
from math import isinf
from typing import Any, NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.json_scan import MAX_DEPTH, MAX_STEPS, Fault, JsonScanner, Scanned, StepsError

STRUCTURE = st.text(alphabet='{}[]",:\\/ \n\tabtrue1-0.eE+uN记', max_size=40)


def no_constant(name: str) -> NoReturn:
    raise ValueError(name)


def finite(text: str) -> float:
    if isinf(float(text)):
        raise ValueError(text)
    return float(text)


def strict(text: str) -> tuple[bool, Any]:
    """Whether the standard library takes a text as strict JSON, and the value."""
    try:
        return True, json.loads(text, parse_constant=no_constant, parse_float=finite)
    except ValueError:
        return False, None


def scan(text: str) -> Scanned | Fault:
    return JsonScanner(text).scan(0)


def fault(text: str) -> Fault:
    """What is wrong with a text; a value that is unusable, but whole, is read to its end."""
    found = scan(text)
    if isinstance(found, Fault):
        assert found.kind in {"syntax", "ran_out"}
        return found
    assert found.end == len(text)
    assert found.fault is not None
    assert found.fault.kind not in {"syntax", "ran_out"}
    return found.fault


def nested(value: Any, depth: int) -> Any:
    for _ in range(depth):
        value = [value]
    return value


@given(STRUCTURE | st.recursive(STRUCTURE, lambda inner: st.lists(inner, max_size=3).map(json.dumps)))
def test_what_it_passes_unmended_is_what_the_standard_library_takes(text: str) -> None:
    valid, value = strict(text)
    found = scan(text)
    whole = isinstance(found, Scanned) and not text[found.end :].strip(" \t\r\n")
    if valid:
        assert isinstance(found, Scanned)
        assert whole
        assert not found.repairs
        assert not found.fault
    if isinstance(found, Scanned) and not found.fault:
        mended, commas, breaks = found.mended(text)
        assert strict(mended)[0]
        assert bool(found.repairs) == bool(commas or breaks)
        if whole and not found.repairs:
            assert valid
            assert json.loads(mended) == value


@given(STRUCTURE)
def test_a_fault_lies_within_the_text(text: str) -> None:
    found = scan(text)
    if isinstance(found, Fault):
        assert 0 <= found.stop <= len(text)
        assert found.detail or found.kind != "syntax"


@pytest.mark.parametrize(
    ("text", "kind", "stop"),
    [
        ('{"a": tru', "ran_out", 9),
        ('{"a": -', "ran_out", 7),
        ('{"a": 1', "ran_out", 7),
        ('{"a": 1.', "ran_out", 8),
        ('{"a": 1e', "ran_out", 8),
        ('{"a": 1e+', "ran_out", 9),
        ('{"a": "\\', "ran_out", 8),
        ('{"a": "\\u00', "ran_out", 11),
        ('{"a": "记', "ran_out", 8),
        ('{"a": [1,\n```', "ran_out", 13),
        ('{"a', "ran_out", 3),
        ("{", "ran_out", 1),
        ('{"a": "\\x"}', "syntax", 7),
        ('{"a": "\\u12G4"}', "syntax", 7),
        ('{"a": "b\\\n"}', "syntax", 8),
        ('{"a": 01}', "syntax", 7),
        ('{"a": +1}', "syntax", 6),
        ('{"a": .5}', "syntax", 6),
        ('{"a": 1.}', "syntax", 7),
        ('{"a": True}', "syntax", 6),
        ('{"a": nullx}', "syntax", 10),
        ("{'a': 1}", "syntax", 1),
        ("{a: 1}", "syntax", 1),
        ('{"a" 1}', "syntax", 5),
        ('{"a" "b', "syntax", 5),
        ('{"a": 1 "b": 2}', "syntax", 8),
        ('{"a": 1, 2}', "syntax", 9),
        ('{"a": [1}', "syntax", 8),
        ('{"a": {1]', "syntax", 7),
        ("[,]", "syntax", 1),
        ("[1,,]", "syntax", 3),
        ("{,}", "syntax", 1),
        ('{"a":}', "syntax", 5),
        ('{"a":,}', "syntax", 5),
        ('{"a": "\x00"}', "control", 7),
        ('{"a\x1b": 1}', "control", 3),
        ("[NaN]", "constant", 1),
        ("[-Infinity]", "constant", 1),
        ("[1 NaN]", "syntax", 3),
        ("[1e999]", "number", 1),
        ("[-1E+400]", "number", 1),
        ("[" + "9" * 301 + "]", "number", 1),
    ],
    ids=repr,
)
def test_each_fault_has_its_kind_and_place(text: str, kind: str, stop: int) -> None:
    found = fault(text)
    assert (found.kind, found.stop) == (kind, stop)


@pytest.mark.parametrize("text", ["[1e300]", "[" + "9" * 300 + "]", "[1e-999]", "[-0]", '["\x7f\u2028\x85"]', "[\r\n]"])
def test_what_lies_just_within_is_taken(text: str) -> None:
    found = scan(text)
    assert isinstance(found, Scanned)
    assert found.fault is None


def test_a_value_has_its_first_fault() -> None:
    assert fault('{"a": NaN, "b": "\x01", "c": 1e999}').kind == "constant"
    assert fault('{"a": NaN, "b": oops').kind == "syntax"
    assert fault('{"a": NaN, "b": "').kind == "ran_out"


def test_the_string_before_a_fault_is_told() -> None:
    assert fault('{"a": "b" c').string == (6, 9)
    assert fault('{"a": "b"').string is None
    assert fault('{"a": "b').string == (6, 8)
    assert fault('{"a": "b", c').string is None
    assert fault('{"a": "b" "c"').string == (6, 9)


def test_depth_is_bounded_at_its_limit() -> None:
    within = scan(json.dumps(nested(1, MAX_DEPTH)))
    assert isinstance(within, Scanned)
    assert within.fault is None
    deep = fault(json.dumps(nested(1, MAX_DEPTH + 1)))
    assert (deep.kind, deep.stop) == ("deep", MAX_DEPTH)


def test_steps_are_bounded_over_all_values_of_a_text() -> None:
    scanner = JsonScanner("[1]")
    for _ in range(MAX_STEPS // 3):
        scanner.scan(0)
    with pytest.raises(StepsError) as error:
        scanner.scan(0)
    assert error.value.fault is None
    with pytest.raises(StepsError) as error:
        scan("[" * MAX_STEPS * 2)
    assert error.value.fault == Fault(MAX_DEPTH, "deep")


@pytest.mark.parametrize(
    ("text", "mended", "commas", "breaks"),
    [
        ("[1,]", "[1]", 1, 0),
        ('{"a": [1 , ] , }', '{"a": [1  ]  }', 2, 0),
        ('["a\n\t b", "c\r\nd\te"]', '["a b", "c d e"]', 0, 3),
        ('["   a  \n  b   "]', '["   a b   "]', 0, 1),
        ('{"k\n": ",]\n,}",}', '{"k ": ",] ,}"}', 1, 2),
        ('["\\n\\t  x", "\\\\"]', '["\\n\\t  x", "\\\\"]', 0, 0),
    ],
)
def test_repairs_are_counted_and_touch_nothing_else(text: str, mended: str, commas: int, breaks: int) -> None:
    found = scan(text)
    assert isinstance(found, Scanned)
    assert found.mended(text) == (mended, commas, breaks)
