"""An OpenAI-compatible endpoint, against a real HTTP server (U2b, U3, U3a)."""

from __future__ import annotations

import json
import socket
import time
from http.server import BaseHTTPRequestHandler
from itertools import count
from typing import Any

import pytest

from memory_core.configuration import ModelChoice
from memory_core.delta import MemoryDeltaParser
from memory_core.errors import EndpointError, InputError
from memory_core.summary.backends.endpoint import endpoint, pause, retry_after
from memory_core.summary.backends.openai_chat import OpenAIChatBackend
from memory_core.summary.summarizer import ModelReply, build_payload
from tests.core.samples import NOW, document, note, topic, turn
from tests.core.summary.endpoint_server import DELTA, Answer, Endpoint, completion, error, serving

PAYLOAD = build_payload(document(turns=(turn(1),), topics=(topic(1),), items=(note(1),)), None)
KEY = "sk-tests-not-a-real-key-000000000001"
names = count()


def backend(
    server: Endpoint, *, key: str | None = KEY, slept: list[float] | None = None, **changes: Any
) -> OpenAIChatBackend:
    """A backend on the test server, under a model name of its own, so that nothing is remembered between tests."""
    limit = changes.pop("run_limit", 20.0)
    choice = ModelChoice(base_url=server.url, name=f"tiny-{next(names)}", **{"timeout": 2.0, **changes})
    pauses = slept if slept is not None else []
    return OpenAIChatBackend(choice, key, sleep=pauses.append, run_limit=limit)


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
    monkeypatch.setenv("OPENAI_ORG_ID", "org-somebody-elses")
    with serving(completion()) as server:
        ask(server, key=key)
        assert "authorization" not in server.seen[0].headers
        assert not [value for value in server.seen[0].headers.values() if "somebody" in value]


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
        asked.reply(PAYLOAD, "n")
        asked.reply(PAYLOAD, "n")
        bodies = [seen.body for seen in server.seen]
    assert len(bodies) == 5
    for body in bodies[3:]:
        assert "max_tokens" not in body
        assert "temperature" not in body
        assert "response_format" not in body
        assert body["max_completion_tokens"] == 1500


def test_any_other_400_is_final_and_shown() -> None:
    with serving(error(400, "context too long")) as server:
        caught = failure(server)
        assert len(server.seen) == 1
    assert "context too long" in caught.message


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
    assert slept[0] < slept[1] * 1.5


def test_retry_after_is_kept_and_the_answer_taken() -> None:
    slept: list[float] = []
    with serving(error(429, "slow down", Retry_After="2"), completion()) as server:
        assert ask(server, slept=slept).text == DELTA
    assert slept == [2.0]


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


def _silent(handler: BaseHTTPRequestHandler) -> None:
    time.sleep(1.0)


def _cut(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n{")
    handler.wfile.flush()
    handler.connection.shutdown(socket.SHUT_RDWR)


def _drip(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n")
    for _ in range(100):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.05)


def _endless(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n")
    while True:
        handler.wfile.write(b" " * 65536)


def test_a_silent_server_ends_in_a_time_out() -> None:
    with serving(Answer(act=_silent)) as server:
        assert failure(server, timeout=0.1, retries=0).code == "endpoint_timeout"


def test_a_connection_cut_in_the_middle_is_tried_again() -> None:
    with serving(Answer(act=_cut), completion()) as server:
        assert ask(server).text == DELTA
        assert len(server.seen) == 2


def test_a_slow_drip_ends_with_the_run() -> None:
    with serving(Answer(act=_drip)) as server:
        caught = failure(server, run_limit=0.4)
        assert len(server.seen) == 1
    assert caught.code == "endpoint_timeout"


def test_an_endless_answer_is_cut_off() -> None:
    with serving(Answer(act=_endless)) as server:
        assert failure(server).code == "answer_too_large"


def test_nobody_there_is_told_with_the_url() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        server = Endpoint(f"http://127.0.0.1:{free.getsockname()[1]}", [], [])
        caught = failure(server, retries=0)
    assert caught.code == "endpoint_unreachable"
    assert server.url in caught.message


def test_a_redirect_is_not_followed_and_the_key_stays() -> None:
    with serving(completion()) as other:
        away = Answer(307, b"", {"Location": f"{other.url}/v1/chat/completions"})
        with serving(away) as server:
            assert failure(server).code == "endpoint_redirect"
        assert other.seen == []


def test_loopback_goes_through_no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(completion()) as proxy, serving(completion()) as server:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("ALL_PROXY", proxy.url)
        assert ask(server).text == DELTA
        assert proxy.seen == []


def test_the_key_is_masked_wherever_an_answer_echoes_it() -> None:
    with serving(error(400, f"bad header: Bearer {KEY}")) as server:
        caught = failure(server)
    assert KEY not in caught.message + caught.hint + str(caught)
    assert "[secret" in caught.message


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
        (completion(None, refusal="I cannot"), "answer_refusal"),
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
    with serving(completion([{"type": "text", "text": DELTA[:10]}, {"type": "text", "text": DELTA[10:]}])) as server:
        assert ask(server).text == DELTA


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
    ["h.example/v1", "file:///etc/passwd", "ftp://h/v1", "https://user:pw@h.example/v1", "http://", "http://h:99999"],
)
def test_other_schemes_and_passwords_in_the_url_are_refused(base: str) -> None:
    with pytest.raises(InputError) as caught:
        endpoint(base)
    assert "pw" not in caught.value.message


def test_cancelling_ends_a_run_before_its_next_try() -> None:
    with serving(error(500, "no")) as server:
        asked = backend(server)
        asked.cancel()
        assert PAYLOAD is not None
        with pytest.raises(EndpointError, match="cancelled"):
            asked.reply(PAYLOAD, "n")
        assert server.seen == []
