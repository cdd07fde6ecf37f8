"""A text is found and taken out in whatever way JSON spells it (R7)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.storage.forgetting import FORGOTTEN, Wordings, is_short
from memory_core.text import normalise

TEXTS = st.text(
    st.one_of(st.characters(exclude_categories=["Cs", "Cc"]), st.sampled_from('"\\/ 中文😀[]().*+?^$|{}')),
    min_size=1,
    max_size=20,
).map(normalise)


def spelled(text: str, ways: list[bool]) -> bytes:
    """The text in an object, in a string of JSON in another object, and so on; ASCII only where so asked."""
    value: Any = {"kind": "summary", "summary": text, "at": "2026-05-01T12:45:00+08:00", "count": 10}
    for plain in ways:
        value = {"reply": json.dumps(value, ensure_ascii=plain)}
    return json.dumps(value, ensure_ascii=ways[0]).encode()


def innermost(data: bytes) -> Any:
    value = json.loads(data)
    while "reply" in value:
        value = json.loads(value["reply"])
    return value


@given(TEXTS.filter(lambda text: text.strip('"\\/ ')), st.lists(st.booleans(), min_size=1, max_size=3), st.booleans())
def test_every_spelling_is_taken_out_and_json_stays_json(text: str, ways: list[bool], alone: bool) -> None:
    """Nothing else of the value changes."""
    around = text if alone or is_short(text.strip('"\\/ ')) else f"前 {text}后"
    data = spelled(around, ways)
    wordings = Wordings([text])
    assert wordings.stand_in(data)
    assert wordings.begin_in(data)
    before, clean = innermost(data), innermost(wordings.taken_out(data))
    assert {**clean, "summary": ""} == {**before, "summary": ""}
    assert "[forgotten]" in clean["summary"]
    assert len(clean["summary"]) <= len(around) - len(text.strip('"\\/ ')) + 11 * around.count(text)


@given(TEXTS.filter(bool), TEXTS, st.booleans())
def test_whatever_the_text_json_stays_json(text: str, other: str, plain: bool) -> None:
    data = json.dumps({"summary": other, "x": [1, 2, None, True], "reply": json.dumps(other)}, ensure_ascii=plain)
    clean = json.loads(Wordings([text]).taken_out(data.encode()))
    assert clean["x"] == [1, 2, None, True]
    json.loads(clean["reply"])


def test_escapes_may_be_mixed_and_of_either_case() -> None:
    wordings = Wordings(["在桂花巷 1/2 “号”😀"])
    data = b'{"x": "\\u5728\xe6\xa1\x82\\u82b1\\u5DF7\\n1\\/2 \\u201c\\u53f7\xe2\x80\x9d\\uD83D\\ude00!"}'
    assert json.loads(wordings.taken_out(data)) == {"x": "[forgotten]!"}


@pytest.mark.parametrize("text", ["pending", "summary", "0", "08:00", "delta", "turn_20260501", "true", "n u"])
def test_a_word_that_could_be_ours_is_taken_out_of_texts_alone(text: str) -> None:
    ours = {"status": text, "at": f"x{text}", "pending": [text], "of": {"count": 10, text: "on"}}
    data = {**ours, "quote": text, "reply": json.dumps({"label": text})}
    clean = json.loads(Wordings([text]).taken_out(json.dumps(data).encode()))
    assert clean == {**ours, "quote": "[forgotten]", "reply": json.dumps({"label": "[forgotten]"})}


@pytest.mark.parametrize("texts", [[], [""], ["  "]])
def test_nothing_is_found_where_nothing_is_looked_for(texts: list[str]) -> None:
    wordings = Wordings(texts)
    assert not wordings.stand_in(b"abc  ")
    assert not wordings.begin_in(b"")
    assert wordings.taken_out(b"abc") == b"abc"


def test_another_text_stays() -> None:
    wordings = Wordings(["回答先给结论。"])
    data = json.dumps({"x": "回答先给理由。"}).encode()
    assert not wordings.stand_in(data)
    assert wordings.taken_out(data) == data


def test_a_cut_off_beginning_is_known() -> None:
    text = "一二三四五六七八九十甲乙丙丁"
    wordings = Wordings([text])
    cut = json.dumps({"reply": text[:13]}).encode()
    assert not wordings.stand_in(cut)
    assert wordings.begin_in(cut)


def test_the_longer_wording_goes_whole() -> None:
    assert Wordings(["缓存", "缓存模块"]).taken_out("缓存模块和缓存".encode()) == FORGOTTEN + "和".encode() + FORGOTTEN
