"""What the parser makes of replies: the project's cases with their codes and places, and the edges (U2, U2b)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memory_core.codes import CODES
from memory_core.delta import MemoryDeltaParser, ParsedReply
from memory_core.reply import MAX_LENGTH, ReplyReason
from tests.cases.reader import Case, load

parse = MemoryDeltaParser.parse
EMPTY = '{"turn_summaries": []}'
GOOD: dict[str, Any] = {"turn_summaries": [{"turn_id": "T1", "summary": "用户想了解 Optional 的基本用法。"}]}
TEXT = json.dumps(GOOD, ensure_ascii=False)

REFUSED: dict[str, tuple[str, int | None, int | None]] = {
    "P04-reasoning-never-closed": ("reply_think_open", 1, 1),
    "P07-other-dialects-of-json-python_literal": ("reply_not_json", 1, 2),
    "P07-other-dialects-of-json-full_width_structure": ("reply_not_json", 1, 2),
    "P07-other-dialects-of-json-bare_quotes_in_value": ("reply_not_json", 1, 77),
    "P07-other-dialects-of-json-comments": ("reply_not_json", 1, 23),
    "P09-non-finite-numbers-nan": ("reply_nan", 1, 87),
    "P09-non-finite-numbers-infinity": ("reply_nan", 1, 34),
    "P11-more-than-one-object-concatenated": ("reply_several_objects", 1, 98),
    "P11-more-than-one-object-two_fences": ("reply_several_objects", 7, 1),
    "P11-more-than-one-object-second_is_an_example": ("reply_several_objects", 2, 8),
    "P12-array-at-the-top-one_object_in_a_list": ("reply_not_object", 1, 1),
    "P12-array-at-the-top-bare_operations": ("reply_not_object", 1, 1),
    "P15-whole-reply-is-a-json-string": ("reply_not_object", 1, 1),
    "P18-number-with-5000-digits": ("reply_number", 1, 33),
    "P19-nesting-100000-deep": ("reply_too_deep", 1, 51),
    "P20-nothing-to-record-prose": ("reply_no_object", None, None),
    "P20-nothing-to-record-empty": ("reply_empty", None, None),
    "P20-nothing-to-record-blank": ("reply_empty", None, None),
}


def reason(reply: str | bytes, **said: Any) -> ReplyReason:
    parsed = parse(reply, **said)
    assert parsed.delta is None
    assert parsed.reason is not None
    assert parsed.reason.hint
    assert "{" not in parsed.reason.message.replace("{}", "")
    return parsed.reason


def raw(reply: str | bytes, **said: Any) -> dict[str, Any]:
    parsed = parse(reply, **said)
    assert parsed.reason is None
    assert parsed.delta is not None
    return parsed.delta.raw


@pytest.mark.parametrize("form", [str, str.encode], ids=["text", "bytes"])
@pytest.mark.parametrize("case", load("parse"), ids=lambda case: case.name)
def test_cases_are_parsed_or_refused_for_their_own_reason(case: Case, form: Any) -> None:
    parsed: ParsedReply = parse(form(case.reply))
    if case.name not in REFUSED:
        assert parsed.reason is None
        assert parsed.delta is not None
        return
    assert parsed.reason is not None
    assert (parsed.reason.code, parsed.reason.line, parsed.reason.column) == REFUSED[case.name]


def test_every_refused_case_is_there() -> None:
    names = {
        case.name: str(case.expect.get("reply") or case.expect["per_variant"][case.variant]) for case in load("parse")
    }
    assert {name for name, expected in names.items() if expected.startswith("refused")} == set(REFUSED)


def test_every_wrapper_gives_the_same_delta() -> None:
    wrapped = [parse(case.reply) for case in load("parse") if case.name.startswith("P01")]
    assert len(wrapped) == 7
    assert len({parsed.delta.sha256 for parsed in wrapped if parsed.delta}) == 1
    assert {(parsed.remarks, parsed.ignored_keys) for parsed in wrapped} == {((), ())}


def test_a_repaired_case_says_what_was_repaired() -> None:
    found = {case.name[:3]: parse(case.reply) for case in load("parse") if case.name[:3] in {"P06", "P16"}}
    assert found["P06"].remarks == ("Trailing commas were taken out (3).",)
    assert found["P16"].remarks == ("Raw line breaks or tabs inside strings were folded into one space (1).",)
    texts = {name: parsed.delta.raw["turn_summaries"][0]["summary"] for name, parsed in found.items() if parsed.delta}
    assert texts == {"P06": "含有 ,] 字样的摘要", "P16": "用户想了解 Optional 的基本用法， 以及链式写法。"}


@pytest.mark.parametrize(
    "reply",
    [
        f'The "{{" character opens it: {TEXT}',
        f"字段 {{ 与 }} 成对：{TEXT}",
        f'格式 {{"turn_id": ..., "summary": ...}} 如下：{TEXT}',
        f'格式 {{"turn_summaries": [...]}}：\n{TEXT}',
        f"{TEXT}\n说明：以 {{ 开头",
        f"{TEXT}, 如上。",
        f'以 {{ 开头：{TEXT}\n示例 {{"turn_id": ...}}',
        f"- 结果\n1. {TEXT}",
        f"[1] {TEXT}",
        f'Result: "see below"\n\n{TEXT}',
        f'Here is the "delta": {TEXT}',
        f"~~~\n{TEXT}\n~~~",
        f"\ufeff\n{TEXT}\n",
    ],
)
def test_prose_around_the_object_is_prose(reply: str) -> None:
    assert raw(reply) == GOOD


@pytest.mark.parametrize(
    "reply",
    [
        f"<think></think>{TEXT}",
        f"<think>一</think>\n<THINK>二</Think>\n```json\n{TEXT}\n```",
        f"\ufeff<think>想</think>{TEXT}",
        f"{TEXT}<think>事后 {{}} 再想</think>",
        f'想一想 {EMPTY} 再想 {{"a": 1}}</think>{TEXT}',
        f"<think>a<think>b</think>c</think>{TEXT}",
        f'<think>草稿 {{"turn_summaries": [</think>{TEXT}',
        f'<think>草稿 {{"a": "半句</think>{TEXT}',
        f'没有开头的草稿 {{"a": "半句</think>{TEXT}',
        f'没有开头的草稿 {{"a": NaN, </think>{TEXT}',
        f'没有开头的草稿 {{"a": NaN, "b": "\x01"}} </think>{TEXT}',
        f'没有开头的草稿 {{"a": 1, "半句</think>\n```json\n{TEXT}\n```',
        f'没有开头的草稿 {{"a": "\\d </think>{TEXT}',
        f'<think>写作 {{"a": "</think>"}} 才对</think>{TEXT}',
        "<think>" + '{"a":' * 200 + f"</think>{TEXT}",
        "<think>" + "{" * 200 + f"</think>{TEXT}",
        "<think>x</think>" * 5000 + TEXT,
        f"<think>{EMPTY}{EMPTY}{EMPTY}</think>{TEXT}",
        f"<THINK>{EMPTY}</Think>{TEXT}",
        f'没有开头的草稿 {{"a": "半句</THINK>{TEXT}',
    ],
    ids=range(20),
)
def test_closed_reasoning_is_passed_over(reply: str) -> None:
    assert raw(reply) == GOOD


def test_half_a_string_in_closed_reasoning_does_not_hide_an_answer_without_quotes() -> None:
    assert raw('<think>草稿 {"a": "半句</think>{}') == {}


@pytest.mark.parametrize("tag", ["<think>", "</think>", "<THINK>a</THINK>", "</think><think>"])
def test_a_tag_in_a_string_is_text(tag: str) -> None:
    value = {"turn_summaries": [{"turn_id": "T1", "summary": tag}], f"k{tag}": 1}
    assert raw(f"结果：{json.dumps(value)}") == value
    assert raw(f"<think>想</think>{json.dumps(value)}<think>完</think>") == value


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (f"<think>{TEXT}", "reply_think_open"),
        (f"{TEXT}<think>", "reply_think_open"),
        (f"<think>a</think>{TEXT}<think>b", "reply_think_open"),
        (f'<think>先写 {{"a": "</think>"}} 再写 {TEXT}', "reply_think_open"),
        (f"{TEXT}</think>", "reply_empty"),
        ("<think>只有想法</think>", "reply_empty"),
        (f"<think>{TEXT}</think>没有了", "reply_no_object"),
        ('<think>{"a": oops</think>没有了', "reply_no_object"),
        ('<think>{"a": "半句</think>没有了', "reply_no_object"),
        ('{"a": oops</think>没有了', "reply_no_object"),
        ('<think>{"a": [1,', "reply_think_open"),
        ('<think>{"a": "半句</think>', "reply_empty"),
        ('{"turn_summaries": [{"turn_id": "T1", "summary": "标签 </think>"x', "reply_not_json"),
        (f"<think>想</think>[{TEXT}]", "reply_not_object"),
        (f"<think>想</think>{json.dumps(TEXT)}", "reply_not_object"),
        ('{"turn_summaries": [{"turn_id": "T1", "summary": "标签 </think> 怎', "reply_truncated"),
        ('{"turn_summaries": [{"turn_id": "T1", "summary": "标签 </think>"}], "more": {}', "reply_truncated"),
        ('{"turn_summaries": [{"turn_id": "T1", "summary": "标签 </think>"}], oops, "more": {}', "reply_not_json"),
        ('{"turn_summaries": [{"turn_id": "T1", "summary": "标签 </think> "x""}], "more": {}', "reply_not_json"),
        ('{"turn_summaries": [{"turn_id": "T1", "summary": "标签 </think> {}', "reply_truncated"),
        ('<think>先写 {"summary": "标签 </think>"}, "more": {}', "reply_think_open"),
    ],
)
def test_reasoning_that_leaves_no_answer(reply: str, code: str) -> None:
    assert reason(reply).code == code


@pytest.mark.parametrize(
    ("reply", "place"),
    [
        ('{"wrap": 1, "x": {"turn_summaries": []}', (1, 40)),
        ('{"turn_summaries": [{"turn_id": "T", "summary": "s"}], "topic_operations": [{"operation": "upd', (1, 95)),
        (f"{EMPTY}\n等等，应当是：\n" + '{"turn_summaries": [{"turn_id"', (3, 31)),
        ("```json\n" + '{"turn_summaries": [\n```', (3, 4)),
        ('{"turn_summaries": nul', (1, 23)),
        ('{"turn_summ', (1, 12)),
        ('{"turn_summaries": ["a\nb', (2, 2)),
        ("好的：{", (1, 5)),
        ('{"{}', (1, 5)),
    ],
)
def test_an_object_that_ends_too_early_is_never_mined_for_its_parts(reply: str, place: tuple[int, int]) -> None:
    told = reason(reply)
    assert (told.code, told.line, told.column) == ("reply_truncated", *place)


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (f"{EMPTY}}}", "reply_not_json"),
        (f"{EMPTY}]", "reply_not_json"),
        (f'{EMPTY}, "topic_operations": []}}', "reply_not_json"),
        (f"{{{TEXT}}}", "reply_not_json"),
        (f"{{'result': {TEXT}}}", "reply_not_json"),
        (f"{{result: {TEXT}}}", "reply_not_json"),
        (f"{{结果 {TEXT} 完}}", "reply_not_json"),
        (f'{{"a": \'x\', "b": {TEXT}}}', "reply_not_json"),
        (f'{{"a": oops {TEXT}', "reply_not_json"),
        (f'{{"turn_summaries": [{{"turn_id": "T", "summary": \'x\'}}, {TEXT}, {TEXT}]}}', "reply_not_json"),
        (f"[{EMPTY}", "reply_not_object"),
        (f"结果：[{EMPTY}, {EMPTY}]", "reply_not_object"),
        ("```json\n[]\n```", "reply_not_object"),
        ("```\nnull\n```", "reply_not_object"),
        ("true", "reply_not_object"),
        ("-1.5e3", "reply_not_object"),
        ('"{}"', "reply_not_object"),
        ("[" * 40 + "]" * 40, "reply_too_deep"),
        ("{" * 40, "reply_too_deep"),
        ("9" * 5000, "reply_number"),
        (f"无变更时写 {{}}。{TEXT}", "reply_several_objects"),
        (f'{{"a": 1, "a": 2}} {TEXT}', "reply_several_objects"),
        (f'{TEXT} {{"score": NaN}}', "reply_nan"),
        ('{"turn_summaries": [{"turn_id": "a", "turn_\\u0069d": "b"}]}', "reply_duplicate_keys"),
        ('{"turn_summaries": [{"a b": 1, "a\nb": 2}]}', "reply_duplicate_keys"),
        ('{"turn_summaries": {"a": {"b": "\x0b"}}}', "reply_control_character"),
        ("{{ template }}", "reply_no_object"),
        ("请看 {turn_id, summary}。", "reply_no_object"),
        ("{turn_summaries: []}", "reply_not_json"),
        ("x" * (MAX_LENGTH + 1), "reply_too_large"),
        ("{}" + " " * MAX_LENGTH, "reply_too_large"),
        ('{"a":1} ' * 20_000, "reply_several_objects"),
        ('{"turn_summaries": [' + "1," * 20_000 + "1]}", "reply_too_many"),
    ],
    ids=lambda part: part[:32] if isinstance(part, str) else None,
)
def test_nothing_is_picked_out_of_what_is_no_single_object(reply: str, code: str) -> None:
    assert reason(reply).code == code


@pytest.mark.parametrize(
    ("reply", "place"),
    [
        ('\ufeff{"a": NaN}', (1, 7)),
        ('\ufeff\n{"a": NaN}', (2, 7)),
        (f"{{'result': {TEXT}}}", (1, 2)),
        ('{\r\n "turn_summaries": [],\r\n 记 oops\r\n}', (3, 2)),
        ('好的\n\n```json\n{"turn_summaries": [1 2]}\n```', (4, 23)),
        ('<think>a\nb</think>\n{"turn_summaries": [1 2]}', (3, 23)),
        ('x\n{"k": {"turn_summaries": 1, "turn_summaries": 2}}', (2, 1)),
    ],
)
def test_places_count_from_one_in_the_reply_as_it_came(reply: str, place: tuple[int, int]) -> None:
    told = reason(reply)
    assert (told.line, told.column) == place
    assert reason(reply.encode()) == told


def test_bytes_that_are_no_utf8_name_the_offset() -> None:
    told = reason(b'{"turn_summaries": "\xe7\x94"}')
    assert (told.code, told.line) == ("reply_not_utf8", None)
    assert "20" in told.message
    assert reason("{}".encode("utf-16")).code == "reply_not_utf8"
    assert raw("\ufeff{}".encode()) == {}


def test_half_a_character_refuses_no_reply_and_reaches_no_reason() -> None:
    assert raw('{"turn_summaries": ["\\ud83d"]}') == {"turn_summaries": ["\ud83d"]}
    assert raw('{"turn_summaries": ["\ud83d"]}') == {"turn_summaries": ["\ud83d"]}
    parsed = parse('{"turn_summaries": [{"\\ud83d": 1}], "\\ude00": 2}')
    assert parsed.delta is not None
    assert parsed.ignored_keys == ("?", "turn_summaries[0].?")
    for told in (reason('{"\\ud83d": 1}'), reason('{"turn_summaries": {"\\ud83d": 1, "\\ud83d": 2}}')):
        assert told.message.encode()


def test_what_finishing_says() -> None:
    cut = [TEXT[:60], "", "<think>还在想", "没有对象", '{"turn_summaries": [oops']
    for reply in cut:
        told = reason(reply, finish_reason="length", token_limit=800)
        assert (told.code, told.message) == ("reply_cut_off", "The reply was cut off at the token limit of 800 tokens.")
    assert reason(cut[0], finish_reason="length").message == "The reply was cut off at the token limit."
    for whole, code in (
        (f"[{TEXT}]", "reply_not_object"),
        (TEXT + TEXT, "reply_several_objects"),
        ('{"a": 1}', "reply_unknown_keys"),
    ):
        assert reason(whole, finish_reason="length", token_limit=800).code == code
    parsed = parse('{"turn_summaries": [],}', finish_reason="length")
    assert parsed.remarks == (
        "Trailing commas were taken out (1).",
        "The answer stopped at the token limit, but its object is whole.",
    )
    for reply in (TEXT, TEXT[:9], "", b"\xff"):
        assert reason(reply, finish_reason="content_filter").code == "reply_filtered"
    assert reason(TEXT, finish_reason="function_call").code == "reply_tool_call"
    for finish in ("stop", None, "", "eos"):
        assert parse(TEXT, finish_reason=finish).remarks == ()


def test_nothing_to_do_is_a_delta() -> None:
    for reply in ("{}", EMPTY, '{"turn_summaries": null}', '{"turn_summaries": null, "topic_operations": []}'):
        parsed = parse(reply)
        assert parsed.delta is not None
        assert parsed.delta.operations == ()


def test_keys_that_nobody_knows() -> None:
    assert reason('{"memories": [], "note": 1}').message == "The object holds only unknown keys: memories, note."
    assert reason('{"turn_summaries": null, "memories": []}').code == "reply_unknown_keys"
    assert reason(EMPTY.upper()).code == "reply_unknown_keys"
    parsed = parse(
        json.dumps(
            {
                "version": 1,
                "turn_summaries": [{"turn_id": "T1", "summary": "s", "score": 1}, [1], None],
                "topic_operations": {"operation": "create_new", "odd": 1},
                "long_term_operations": [{"id": "mem_1", "related_turn_ids": []}],
            }
        )
    )
    assert parsed.ignored_keys == (
        "version",
        "turn_summaries[0].score",
        "long_term_operations[0].id",
        "long_term_operations[0].related_turn_ids",
    )
    assert parsed.delta is not None
    assert [(op.at, op.kind, op.section_of_wrong_type) for op in parsed.delta.operations] == [
        ("turn_summaries[0]", "turn_summary", False),
        ("turn_summaries[1]", "turn_summary", False),
        ("turn_summaries[2]", "turn_summary", False),
        ("topic_operations", "topic", True),
        ("long_term_operations[0]", "long_term", False),
    ]
    assert len(parse('{"turn_summaries": [], "' + "k" * 1000 + '": 1}').ignored_keys[0]) == 80


def test_every_reason_of_a_reply_has_a_hint_and_a_reply_that_gets_it() -> None:
    """A code that no reply leads to would be a sentence about nothing."""
    replies: list[tuple[str | bytes, str | None]] = [
        ("", None),
        ("x", None),
        ("{x", "length"),
        ("{'", None),
        ('{"a":', None),
        ("{}{}", None),
        ("[]", None),
        ("<think>", None),
        ('{"a":NaN}', None),
        ('{"a":1,"a":1}', None),
        ("{" * 40, None),
        ('{"a":1e999}', None),
        (b"\xff", None),
        ('{"a":1}', None),
        ('{"a":"\x01"}', None),
        ("x" * (MAX_LENGTH + 1), None),
        ("[" + "1," * 30_000, None),
        ("{}", "content_filter"),
        ("{}", "tool_calls"),
    ]
    told = {reason(reply, finish_reason=finish).code for reply, finish in replies}
    assert told == {code for code, entry in CODES.items() if code.startswith("reply_") and entry.area == "reply"}
