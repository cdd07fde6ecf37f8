"""An OpenAI-compatible endpoint, against a real HTTP server (U2b, U3, U3a)."""

from __future__ import annotations

import json
import socket
from typing import Any

import pytest

from memory_core.configuration import ModelChoice
from memory_core.delta import MemoryDeltaParser
from memory_core.errors import EndpointError, InputError
from memory_core.summary.backends.endpoint import endpoint, pause, retry_after, said
from memory_core.summary.backends.openai_chat import OpenAIChatBackend
from memory_core.summary.summarizer import ModelReply, build_payload
from tests.core.samples import NOW, document, note, topic, turn
from tests.core.summary.endpoint_server import DELTA, Answer, Endpoint, completion, error, serving

PAYLOAD = build_payload(document(turns=(turn(1),), topics=(topic(1),), items=(note(1),)), None)
KEY = "sk-tests-not-a-real-key-000000000001"


def backend(
    server: Endpoint, *, key: str | None = KEY, slept: list[float] | None = None, **changes: Any
) -> OpenAIChatBackend:
    """A backend on the test server; its pauses are noted and take no time."""
    injected = {name: changes.pop(name) for name in ("run_limit", "body_limit", "now", "monotonic") if name in changes}
    choice = ModelChoice(base_url=server.url, **{"name": "tiny", "timeout": 5.0, **changes})
    pauses = slept if slept is not None else []
    return OpenAIChatBackend(choice, key, **{"sleep": pauses.append, "run_limit": 20.0, **injected})


def ask(server: Endpoint, **changes: Any) -> ModelReply:
    assert PAYLOAD is not None
    return backend(server, **changes).reply(PAYLOAD, "nonce")


def failure(server: Endpoint, **changes: Any) -> EndpointError:
    with pytest.raises(EndpointError) as caught:
        ask(server, **changes)
    return caught.value


def test_a_good_answer_is_a_delta_and_what_was_sent_is_right() -> None:
    with serving(completion()) as server:
        reply = ask(server)
        sent = server.seen[0]
    assert MemoryDeltaParser.parse(reply.text, finish_reason=reply.finish_reason).delta is not None
    assert (reply.finish_reason, reply.model) == ("stop", "tiny")
    assert sent.path == "/v1/chat/completions"
    assert reply.url.endswith("/v1/chat/completions")
    assert sent.headers["authorization"] == f"Bearer {KEY}"
    assert sent.body["response_format"] == {"type": "json_object"}
    assert sent.body["max_tokens"] == reply.token_limit == 1500
    assert "JSON" in sent.body["messages"][0]["content"]
    assert "Optional 怎么用？" in sent.body["messages"][1]["content"]


@pytest.mark.parametrize("key", [None, "", "  \n"])
def test_without_a_key_no_authorization_is_sent(key: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-somebody-elses")
    monkeypatch.setenv("OPENAI_ADMIN_KEY", "sk-somebody-elses-admin")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-somebody-elses")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://somebody.example")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "Authorization: Bearer somebody-elses\nX-Tenant: somebody")
    with serving(completion()) as server:
        ask(server, key=key)
        assert "authorization" not in server.seen[0].headers
        assert not [value for value in server.seen[0].headers.values() if "somebody" in value]


def test_nothing_goes_out_but_the_request_and_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "Authorization: Bearer somebody-elses\nX-Tenant: somebody")
    with serving(completion()) as server:
        ask(server)
        sent = server.seen[0]
    assert sent.headers["authorization"] == f"Bearer {KEY}"
    assert sent.headers["accept-encoding"] == "identity"
    assert not {name for name in sent.headers if name.startswith(("openai-", "x-tenant", "x-stainless-os"))}
    assert set(sent.body) == {"model", "messages", "response_format", "max_tokens", "temperature"}


@pytest.mark.parametrize("key", ["sk-with a-käy", "sk-\nX-Injected: yes", "键"])
def test_a_key_that_no_header_can_carry_is_told_without_printing_it(key: str) -> None:
    with serving(completion()) as server:
        caught = failure(server, key=key)
        assert server.seen == []
    assert caught.code == "bad_key"
    assert key not in caught.message + caught.hint


def test_a_line_break_around_the_key_is_stripped() -> None:
    with serving(completion()) as server:
        ask(server, key=KEY + "\n")
        assert server.seen[0].headers["authorization"] == f"Bearer {KEY}"


def test_parameters_that_a_400_names_are_swapped_or_left_out_once_and_remembered() -> None:
    refusals = [
        error(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
        error(400, "'temperature' does not support 0.2, only the default (1)."),
        error(400, "response_format is not supported by this model"),
    ]
    with serving(*refusals, completion()) as server:
        asked = backend(server)
        assert PAYLOAD is not None
        first, second = asked.reply(PAYLOAD, "n"), asked.reply(PAYLOAD, "n")
        bodies = [seen.body for seen in server.seen]
    assert len(first.remarks) == 3
    assert "max_completion_tokens" in first.remarks[0]
    assert second.remarks == ()
    assert len(bodies) == 5
    for body in bodies[3:]:
        assert "max_tokens" not in body
        assert "temperature" not in body
        assert "response_format" not in body
        assert body["max_completion_tokens"] == 1500


def test_a_parameter_is_swapped_once_and_no_more() -> None:
    with serving(error(400, "max_tokens and max_completion_tokens are unknown")) as server:
        assert failure(server).code == "endpoint_refused"
        assert [set(seen.body) & {"max_tokens", "max_completion_tokens"} for seen in server.seen] == [
            {"max_tokens"},
            {"max_completion_tokens"},
        ]


def test_a_400_that_echoes_every_parameter_costs_one_call_for_each() -> None:
    with serving(error(400, "bad: response_format, max_tokens, max_completion_tokens, temperature")) as server:
        assert failure(server).code == "endpoint_refused"
        assert len(server.seen) == 4


@pytest.mark.parametrize(
    "words",
    [
        "the prompt is not liked",
        "max_tokens is too large: 1500. This model's maximum context length is 1024 tokens",
        "This model's maximum context length is 1024 tokens; reduce max_tokens.",
    ],
)
def test_any_other_400_is_final_and_shown(words: str) -> None:
    with serving(error(400, words)) as server:
        caught = failure(server)
        assert len(server.seen) == 1
    assert words in caught.message


def test_no_temperature_is_sent_where_none_is_wished() -> None:
    with serving(completion()) as server:
        ask(server, temperature=None)
        assert "temperature" not in server.seen[0].body


@pytest.mark.parametrize(
    ("status", "code"), [(401, "endpoint_auth"), (403, "endpoint_auth"), (404, "endpoint_not_found")]
)
def test_what_will_not_pass_is_not_tried_again_and_carries_a_hint(status: int, code: str) -> None:
    with serving(error(status, "no")) as server:
        caught = failure(server)
        assert len(server.seen) == 1
        assert f"{server.url}/v1/chat/completions" in caught.message
    assert caught.code == code
    assert caught.hint


def test_a_failing_server_is_asked_three_times_with_growing_pauses() -> None:
    slept: list[float] = []
    with serving(error(500, "no")) as server:
        assert failure(server, slept=slept).code == "endpoint_busy"
        assert len(server.seen) == 3
    assert len(slept) == 2
    assert 0 < slept[0] < slept[1]


def test_retry_after_is_kept_and_the_answer_taken() -> None:
    slept: list[float] = []
    with serving(error(429, "slow down", Retry_After="2"), completion()) as server:
        assert ask(server, slept=slept).text == DELTA
    assert slept == [2.0]


def test_a_date_to_come_back_at_is_kept() -> None:
    slept: list[float] = []
    with serving(error(503, "soon", Retry_After="Fri, 01 May 2026 04:45:07 GMT"), completion()) as server:
        assert ask(server, slept=slept, now=lambda: NOW).text == DELTA
    assert slept == [7.0]


def test_a_pause_beyond_the_runs_end_is_not_begun() -> None:
    moments = iter(range(0, 1000, 50))
    slept: list[float] = []
    with serving(error(429, "slow down", Retry_After="29")) as server:
        failure(server, slept=slept, monotonic=lambda: float(next(moments)), run_limit=120.0)
        assert len(server.seen) == 1
    assert slept == []


@pytest.mark.parametrize(("retries", "calls"), [(0, 1), (1, 2), (2, 3)])
def test_no_more_tries_than_the_settings_say(retries: int, calls: int) -> None:
    with serving(error(503, "no")) as server:
        failure(server, retries=retries)
        assert len(server.seen) == calls


def test_a_longer_wait_than_is_kept_ends_the_run() -> None:
    slept: list[float] = []
    with serving(error(429, "slow down", Retry_After="86400")) as server:
        assert "86400" in failure(server, slept=slept).message
        assert len(server.seen) == 1
    assert slept == []


def test_retry_after_reads_seconds_and_dates() -> None:
    assert retry_after("2", NOW) == 2.0
    assert retry_after("Fri, 01 May 2026 04:45:07 GMT", NOW) == 7.0
    assert retry_after("Fri, 01 May 2020 04:45:07 GMT", NOW) == 0.0
    assert retry_after("soon", NOW) is None
    assert retry_after(None, NOW) is None
    assert pause(0, 30.0) == 30.0


def test_nobody_there_is_told_with_the_url() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        server = Endpoint(f"http://127.0.0.1:{free.getsockname()[1]}", [], [])
        slept: list[float] = []
        caught = failure(server, slept=slept)
    assert caught.code == "endpoint_unreachable"
    assert server.url in caught.message
    assert "3 times" in caught.hint
    assert len(slept) == 2


def test_a_redirect_is_not_followed_and_the_key_stays() -> None:
    with serving(completion()) as other:
        away = Answer(307, b"", {"Location": f"{other.url}/v1/chat/completions"})
        with serving(away) as server:
            caught = failure(server)
            assert len(server.seen) == 1
        assert caught.code == "endpoint_redirect"
        assert other.url in caught.message
        assert other.seen == []


def test_loopback_goes_through_no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(completion()) as proxy, serving(completion()) as server:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("ALL_PROXY", proxy.url)
        assert ask(server).text == DELTA
        assert proxy.seen == []


def test_another_host_is_reached_through_the_proxy_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(completion()) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("http_proxy", proxy.url)
        assert ask(Endpoint("http://h.example", [], [])).text == DELTA
        assert proxy.seen[0].path == "http://h.example/v1/chat/completions"


def test_a_proxy_that_cannot_be_used_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "gopher://127.0.0.1:1")
    caught = failure(Endpoint("http://h.example", [], []))
    assert caught.code == "endpoint_failed"
    assert "proxies" in caught.hint


@pytest.mark.parametrize(
    "answer",
    [
        error(400, f"bad header: Bearer {KEY}"),
        error(401, "x" * 280 + KEY),
        error(500, f"upstream got {KEY}"),
        Answer(307, b"", {"Location": f"http://h.example/?key={KEY}"}),
        Answer(400, f"Authorization: Bearer {KEY}".encode()),
    ],
)
def test_the_key_is_masked_wherever_an_error_echoes_it(answer: Answer) -> None:
    with serving(answer) as server:
        caught = failure(server)
    shown = caught.message + caught.hint + str(caught)
    assert KEY[:12] not in shown
    assert "[secret" in shown


def test_the_key_is_masked_wherever_an_answer_echoes_it() -> None:
    fault = {"error": {"message": f"key {KEY} is known"}, "model": KEY}
    with serving(completion(f"{{}} {KEY}"), completion(None, refusal=f"no {KEY}"), body(fault)) as server:
        asked = backend(server)
        assert PAYLOAD is not None
        replies = [asked.reply(PAYLOAD, "n") for _ in range(3)]
    assert KEY not in repr(replies)
    assert "[secret" in replies[0].text
    assert all(reply.refused is not None and "[secret" in reply.refused.message for reply in replies[1:])


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b'{"error": {"message": "no  such\\nmodel", "type": "x"}}', "no such model"),
        (b'{"error": "no such model"}', "no such model"),
        (b'{"detail": "no such model"}', "no such model"),
        (b'{"object": "error", "message": "no such model"}', "no such model"),
        (b'{"detail": [{"loc": ["body"]}]}', '{"detail": [{"loc": ["body"]}]}'),
        (b"  no such\nmodel ", "no such model"),
        (b"<!doctype html><html>", "a web page"),
        (b"\xff", "\ufffd"),
        (b"", ""),
    ],
)
def test_an_errors_own_words_are_found(raw: bytes, words: str) -> None:
    assert said(raw) == words


def body(value: object) -> Answer:
    return Answer(body=value if isinstance(value, bytes) else json.dumps(value).encode())


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (body(b"<html>login</html>"), "answer_html"),
        (body(b"\xff\xfe"), "reply_not_utf8"),
        (body(b"not json"), "answer_no_json"),
        (body([1]), "answer_no_json"),
        (body({"error": {"message": "overloaded"}}), "answer_error"),
        (body({"choices": []}), "answer_no_choices"),
        (body({"choices": None}), "answer_no_choices"),
        (body({"choices": [{"message": None}]}), "answer_no_message"),
        (completion(None), "answer_null_content"),
        (completion(None, reasoning_content=DELTA), "answer_in_reasoning"),
        (completion(None, finish="length", reasoning_content="想了很久"), "answer_all_reasoning"),
        (completion(None, tool_calls=[{"id": "1"}]), "reply_tool_call"),
        (completion(DELTA, tool_calls=[{"id": "1"}]), "reply_tool_call"),
        (completion(None, refusal="I cannot"), "answer_refusal"),
        (completion([{"type": "refusal", "refusal": "I cannot"}]), "answer_refusal"),
        (body({"choices": [{"error": {"message": "overloaded"}, "finish_reason": "error"}]}), "answer_error"),
        (body({"error": {"message": "half"}, "choices": [{"message": {"content": DELTA}}]}), "answer_error"),
        (body({"choices": ["text"]}), "answer_no_choices"),
        (body(b"[" * 100_000), "answer_no_json"),
        (body(b""), "answer_no_json"),
        (completion(DELTA, finish="content_filter"), "reply_filtered"),
    ],
)
def test_an_envelope_without_an_answer_is_refused_with_its_own_reason(answer: Answer, code: str) -> None:
    with serving(answer) as server:
        reply = ask(server)
    assert reply.refused is not None
    assert reply.refused.code == code
    assert reply.refused.message


def test_content_in_parts_is_joined() -> None:
    thought = {"type": "reasoning", "text": "hm"}
    parts = [thought, {"type": "text", "text": DELTA[:10]}, {"text": DELTA[10:20]}, DELTA[20:], {"type": "text"}, 7]
    with serving(completion(parts)) as server:
        assert ask(server).text == DELTA


def test_half_a_character_in_an_answer_harms_nothing() -> None:
    whole = json.loads(completion("{} \ud800").body)
    whole["model"] = "\udfff"
    with serving(Answer(body=b"\xef\xbb\xbf" + json.dumps(whole).encode())) as server:
        reply = ask(server)
    assert (reply.text, reply.model, reply.refused) == ("{} ?", "?", None)


@pytest.mark.parametrize(
    ("base", "url"),
    [
        ("https://h.example/v1", "https://h.example/v1/chat/completions"),
        ("https://h.example/v1/", "https://h.example/v1/chat/completions"),
        ("https://h.example/v1/chat/completions", "https://h.example/v1/chat/completions"),
        ("https://h.example/v1beta/openai/", "https://h.example/v1beta/openai/chat/completions"),
        ("https://h.example/api/v3", "https://h.example/api/v3/chat/completions"),
        ("http://127.0.0.1:11434", "http://127.0.0.1:11434/v1/chat/completions"),
        ("http://[::1]:8080/", "http://[::1]:8080/v1/chat/completions"),
    ],
)
def test_the_base_url_may_be_written_in_many_ways(base: str, url: str) -> None:
    assert endpoint(base).url == url


@pytest.mark.parametrize(
    "base",
    [
        *("h.example/v1", "file:///etc/passwd", "ftp://h/v1", "https://user:pw@h.example/v1", "https://pw@h.example"),
        *(
            "http://",
            "http://h:99999",
            "http://h:0",
            "http://[::1",
            "http://a..b",
            "http://h/v1?key=pw",
            "http://h/#pw",
        ),
        *("http://h .example/", "http://h/\u202e", ""),
    ],
)
def test_other_schemes_and_passwords_in_the_url_are_refused(base: str) -> None:
    with pytest.raises(InputError) as caught:
        endpoint(base)
    assert "pw" not in caught.value.message


@pytest.mark.parametrize(
    ("base", "loopback"),
    [
        *[
            (f"http://{host}:1", True)
            for host in ("localhost", "127.0.0.1", "127.9.9.9", "[::1]", "[::ffff:127.0.0.1]")
        ],
        *[(f"http://{host}:1", False) for host in ("127.evil.example", "localhost.example", "10.0.0.1", "[::2]")],
    ],
)
def test_this_machine_is_told_from_others(base: str, loopback: bool) -> None:
    assert endpoint(base).loopback is loopback


def test_cancelling_ends_a_run_before_its_next_try() -> None:
    with serving(error(500, "no")) as server:
        asked = backend(server)
        asked.cancel()
        assert PAYLOAD is not None
        with pytest.raises(EndpointError, match="cancelled"):
            asked.reply(PAYLOAD, "n")
        assert server.seen == []
