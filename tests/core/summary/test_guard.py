"""Hostile and broken servers: every call ends, in whatever phase it hangs, and leaks nothing (U3a)."""

from __future__ import annotations

import gzip
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler

import pytest

from memory_core.configuration import ModelChoice
from memory_core.errors import EndpointError
from memory_core.summary.backends.openai_chat import OpenAIChatBackend
from tests.core.summary.endpoint_server import DELTA, Answer, completion, serving
from tests.core.summary.test_openai_chat import PAYLOAD, ask, backend, failure

Act = Callable[[BaseHTTPRequestHandler], None]


class Server:
    """Ways to misbehave; `over` ends those that would go on for ever."""

    def __init__(self) -> None:
        self.over = threading.Event()

    def drip(self, start: bytes) -> Act:
        """After the start, a byte from time to time."""

        def act(handler: BaseHTTPRequestHandler) -> None:
            handler.wfile.write(start)
            while not self.over.wait(0.02):
                handler.wfile.write(b"x")

        return act

    def flood(self, start: bytes) -> Act:
        """After the start, bytes without end."""

        def act(handler: BaseHTTPRequestHandler) -> None:
            handler.wfile.write(start)
            while not self.over.is_set():
                handler.wfile.write(b"x" * 4096)

        return act

    def silent(self, handler: BaseHTTPRequestHandler) -> None:
        """Not a byte."""
        self.over.wait(10)


@pytest.fixture
def hostile() -> Iterator[Server]:
    server = Server()
    yield server
    server.over.set()


def cut_off(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n{")
    handler.connection.shutdown(socket.SHUT_RDWR)


def reset(handler: BaseHTTPRequestHandler) -> None:
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.rfile.close()
    handler.connection.close()


def no_http(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"SSH-2.0-OpenSSH_9.9\r\n")
    handler.connection.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize("act", [cut_off, reset, no_http])
def test_a_broken_connection_is_tried_again(act: Act) -> None:
    with serving(Answer(act=act), completion()) as server:
        assert ask(server).text == DELTA
        assert len(server.seen) == 2
    with serving(Answer(act=act)) as server:
        assert failure(server).code == "endpoint_unreachable"
        assert len(server.seen) == 3


def test_a_silent_server_is_given_up_at_the_time_out_and_not_asked_anew(hostile: Server) -> None:
    with serving(Answer(act=hostile.silent)) as server:
        caught = failure(server, timeout=0.1)
        assert len(server.seen) == 1
        hostile.over.set()
    assert caught.code == "endpoint_timeout"
    assert "timeout" in caught.hint


@pytest.mark.parametrize(
    "start",
    [
        b"HTTP/1.1 200 OK\r\nX-Slow: ",
        b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n",
        b"HTTP/1.1 500 No\r\nContent-Length: 100000\r\n\r\n",
        b"HTTP/1.1 307 Away\r\nLocation: /x\r\nContent-Length: 100000\r\n\r\n",
    ],
    ids=["header", "answer", "answer-without-length", "error", "redirect"],
)
def test_a_slow_drip_ends_with_the_run(start: bytes, hostile: Server) -> None:
    with serving(Answer(act=hostile.drip(start))) as server:
        caught = failure(server, run_limit=0.2)
        assert len(server.seen) == 1
        hostile.over.set()
    assert caught.code == "endpoint_timeout"


@pytest.mark.parametrize("status", [b"200 OK", b"500 No"])
def test_an_endless_answer_is_cut_off(status: bytes, hostile: Server) -> None:
    start = b"HTTP/1.1 " + status + b"\r\nConnection: close\r\n\r\n"
    with serving(Answer(act=hostile.flood(start))) as server:
        caught = failure(server, body_limit=50_000)
        assert len(server.seen) == 1
        hostile.over.set()
    assert caught.code == "answer_too_large"


def test_an_answer_that_unpacks_to_more_than_it_weighs_is_not_unpacked() -> None:
    packed = Answer(body=gzip.compress(b" " * 1_000_000), headers={"Content-Encoding": "gzip"})
    with serving(packed) as server:
        reply = ask(server, body_limit=50_000)
    assert reply.refused is not None
    assert reply.refused.code == "reply_not_utf8"


def cancelled_while(begun: threading.Event, run: Callable[[], object], cancel: Callable[[], None]) -> EndpointError:
    """What a run in another thread raises once it is cancelled."""
    raised: list[EndpointError] = []

    def work() -> None:
        try:
            run()
        except EndpointError as error:
            raised.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    assert begun.wait(10)
    cancel()
    thread.join(10)
    assert not thread.is_alive()
    return raised[0]


def test_cancelling_ends_a_call_that_waits_for_the_model(hostile: Server) -> None:
    begun = threading.Event()

    def act(handler: BaseHTTPRequestHandler) -> None:
        begun.set()
        hostile.silent(handler)

    with serving(Answer(act=act)) as server:
        asked = backend(server, timeout=60.0)
        assert PAYLOAD is not None
        caught = cancelled_while(begun, lambda: asked.reply(PAYLOAD, "n"), asked.cancel)
        hostile.over.set()
        assert len(server.seen) == 1
    assert caught.code == "cancelled"


def test_cancelling_ends_a_pause() -> None:
    begun = threading.Event()

    def act(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(b"HTTP/1.1 429 Wait\r\nRetry-After: 29\r\nContent-Length: 0\r\n\r\n")
        begun.set()

    with serving(Answer(act=act)) as server:
        asked = OpenAIChatBackend(ModelChoice(base_url=server.url, name="tiny"), None)
        assert PAYLOAD is not None
        caught = cancelled_while(begun, lambda: asked.reply(PAYLOAD, "n"), asked.cancel)
        assert len(server.seen) == 1
    assert caught.code == "cancelled"


def test_a_certificate_that_nobody_vouches_for_is_refused_and_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")
    slept: list[float] = []
    with serving(completion(), tls=True) as server:
        caught = failure(server, slept=slept)
        assert server.seen == []
    assert caught.code == "endpoint_unreachable"
    assert "certificate" in caught.message
    assert "SSL_CERT_FILE" in caught.hint
    assert slept == []


def test_a_private_ca_is_named_by_the_environment() -> None:
    with serving(completion(), tls=True) as server:
        assert ask(server).text == DELTA


def test_a_drip_is_cut_through_tls_too(hostile: Server) -> None:
    with serving(Answer(act=hostile.drip(b"HTTP/1.1 200 OK\r\nX-Slow: ")), tls=True) as server:
        assert failure(server, run_limit=0.3).code == "endpoint_timeout"
        hostile.over.set()


def test_a_ca_file_that_is_missing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere/ca.pem")
    with serving(completion()) as server:
        caught = failure(server)
    assert caught.code == "endpoint_failed"
    assert "SSL_CERT_FILE" in caught.hint


def test_plain_http_behind_https_is_told_and_not_tried_again() -> None:
    slept: list[float] = []
    with serving(completion()) as server:
        server.url = server.url.replace("http:", "https:")
        assert failure(server, slept=slept).code == "endpoint_unreachable"
    assert slept == []
