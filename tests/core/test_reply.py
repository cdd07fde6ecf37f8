"""Finding the one object in any reply: wrappers, repairs, refusals, hostile sizes (U2, U2b)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.delta import MemoryDeltaParser
from tests.core.samples import SAMPLES

GOOD: dict[str, Any] = {
    "turn_summaries": [
        {"turn_id": "turn_1", "summary": "用户问 <think>草稿</think> 与 ```json {} ```，还有 ,] 怎么写。"}
    ]
}
TEXT = json.dumps(GOOD, ensure_ascii=False)
parse = MemoryDeltaParser.parse


@pytest.mark.parametrize(
    "reply",
    [
        TEXT,
        TEXT.encode(),
        "\ufeff" + TEXT,
        f"结果：\n```json\n{TEXT}\n```\n完毕",
        f"````JSON {TEXT} ````",
        f'<think>想一想 {{ 还有 " 引号</think>{TEXT}',
        f"<THINK>a</THINK><think>b {{}}</think>\n{TEXT}",
        f'只有结尾的想法 {{"turn_summaries": []}}</think>{TEXT}',
        f"每项是 {{turn_id, summary}}：{TEXT} 请看 {{后文}}",
    ],
)
def test_wrappers_change_nothing(reply: str | bytes) -> None:
    parsed = parse(reply)
    assert parsed.reason is None
    assert parsed.delta is not None
    assert parsed.delta.raw == GOOD
    assert parsed.remarks == ()


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        ("", "reply_empty"),
        (" \n　", "reply_empty"),
        ("没有要记的。", "reply_no_object"),
        (b"\xff{}", "reply_not_utf8"),
        (TEXT + TEXT, "reply_several_objects"),
        (f'{TEXT}\n例如 {{"operation": "x"}}', "reply_several_objects"),
        (f"[{TEXT}]", "reply_not_object"),
        (json.dumps(TEXT), "reply_not_object"),
        ("42", "reply_not_object"),
        ("null", "reply_not_object"),
        ('{"turn_summaries": NaN}', "reply_nan"),
        ('{"turn_summaries": [], "turn_summaries": []}', "reply_duplicate_keys"),
        ('{"turn_summaries": ' + "9" * 5000 + "}", "reply_number"),
        ('{"turn_summaries": 1e999}', "reply_number"),
        (f"<think>没有说完 {TEXT}", "reply_think_open"),
        (TEXT[:40], "reply_truncated"),
        ("{'turn_summaries': []}", "reply_not_json"),
        ('{"turn_summaries": [] // 无\n}', "reply_not_json"),
        ('{"turn_summaries": "\x01"}', "reply_control_character"),
        ('{"memories": []}', "reply_unknown_keys"),
        ('{"a": ' * 200 + "1" + "}" * 200, "reply_too_deep"),
    ],
)
def test_each_fault_has_its_own_reason(reply: str | bytes, code: str) -> None:
    parsed = parse(reply)
    assert parsed.delta is None
    assert parsed.reason is not None
    assert (parsed.reason.code, bool(parsed.reason.message)) == (code, True)


def test_a_fault_is_pointed_at_by_line_and_column() -> None:
    reason = parse('{\n  "turn_summaries": [],\n  oops\n}').reason
    assert reason is not None
    assert (reason.line, reason.column) == (3, 3)


def test_the_two_repairs_are_told_and_touch_nothing_else() -> None:
    parsed = parse('{"turn_summaries": [{"turn_id": "a,]", "summary": "一\n\t 二,}",},],}')
    assert parsed.delta is not None
    assert parsed.delta.raw["turn_summaries"] == [{"turn_id": "a,]", "summary": "一 二,}"}]
    assert len(parsed.remarks) == 2
    for broken in ('{"turn_summaries": [,]}', '{"turn_summaries": [1,,2]}'):
        assert parse(broken).delta is None


def test_what_the_endpoint_says_of_the_end_counts() -> None:
    cut = parse(TEXT[:30], finish_reason="length", token_limit=77).reason
    assert cut is not None
    assert cut.code == "reply_cut_off"
    assert "77" in cut.message
    assert parse(TEXT, finish_reason="length").remarks
    for finish, code in (("content_filter", "reply_filtered"), ("tool_calls", "reply_tool_call")):
        refused = parse(TEXT, finish_reason=finish).reason
        assert refused is not None
        assert refused.code == code


def test_unknown_keys_are_listed_and_null_counts_as_absent() -> None:
    parsed = parse('{"turn_summaries": null, "note": 1, "topic_operations": [{"operation": "x", "id": 1}, null]}')
    assert parsed.delta is not None
    assert parsed.ignored_keys == ("note", "topic_operations[0].id")
    assert [operation.at for operation in parsed.delta.operations] == ["topic_operations[0]", "topic_operations[1]"]
    assert parse("{}").delta is not None


REPLIES = json.loads((SAMPLES / "model_replies" / "smollm2_135m.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("reply", REPLIES, ids=lambda reply: reply["id"])
def test_what_a_small_model_really_said_is_parsed_or_refused_with_a_reason(reply: dict[str, Any]) -> None:
    parsed = parse(reply["reply"], finish_reason=reply["finish_reason"])
    assert (parsed.delta is None) == (parsed.reason is not None)


@pytest.mark.parametrize(
    "reply",
    [
        "[" * 200_000,
        "{" * 1_000_000,
        '{"a":' * 200_000,
        '{"turn_summaries": ' + "[" * 100_000 + "]" * 100_000 + "}",
        "{}" * 100_000,
        "{a} " * 100_000,
        '"' * 300_000,
        '{"' * 100_000,
        "\\" * 500_000,
        "<think>" * 50_000 + "</think>" * 50_000,
        "<think>x</think>" * 50_000 + TEXT,
        "{" + "," * 300_000 + "}",
        '{"a": "' + "\n " * 100_000 + '"}',
    ],
    ids=range(13),
)
def test_hostile_sizes_end_in_a_result(reply: str) -> None:
    parsed = parse(reply)
    assert (parsed.delta is None) == (parsed.reason is not None)


@given(st.binary(max_size=400) | st.text(max_size=400))
def test_any_reply_gives_a_delta_or_a_reason(reply: str | bytes) -> None:
    parsed = parse(reply)
    assert (parsed.delta is None) == (parsed.reason is not None)


@given(st.text(alphabet='{}[]",:\\ \n\ta</think>1', max_size=200))
def test_any_mixture_of_structure_gives_a_delta_or_a_reason(reply: str) -> None:
    parsed = parse(reply)
    assert (parsed.delta is None) == (parsed.reason is not None)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=25,
)


@given(json_values, st.sampled_from(["{}", "```json\n{}\n```", "好的：{}", "<think>{{</think>{}", "{}\n完毕"]))
def test_a_delta_survives_its_wrapper(value: Any, wrapper: str) -> None:
    raw = {"turn_summaries": value}
    parsed = parse(
        wrapper.replace("{}", json.dumps(raw, ensure_ascii=False), 1)
        if wrapper != "<think>{{</think>{}"
        else "<think>{</think>" + json.dumps(raw, ensure_ascii=False)
    )
    assert parsed.delta is not None
    assert parsed.delta.raw == raw
