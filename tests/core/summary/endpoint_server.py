"""A real HTTP server for the tests: answers each request as a script says, and keeps what it was sent."""

from __future__ import annotations

import contextlib
import json
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

CERTIFICATE = Path(__file__).with_name("self_signed.pem")
"""Key and certificate of a server that nobody vouches for; made for these tests, worth nothing elsewhere."""
DELTA = '{"turn_summaries": [{"turn_id": "turn_20260501_120001_001", "summary": "用户想了解 Optional。"}]}'


@dataclass
class Seen:
    """One request as it arrived."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


@dataclass
class Answer:
    """One answer. `act` may write to the connection itself."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    act: Callable[[BaseHTTPRequestHandler], None] | None = None


@dataclass
class Endpoint:
    """A running server."""

    url: str
    seen: list[Seen]
    answers: list[Answer]


def completion(content: Any = DELTA, *, finish: str | None = "stop", **message: Any) -> Answer:
    """A chat completion with that content."""
    value = {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "tiny",
        "choices": [
            {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": content, **message}}
        ],
    }
    return Answer(body=json.dumps(value).encode())


def error(status: int, message: str, **headers: str) -> Answer:
    """An error body as most servers write it."""
    return Answer(status, json.dumps({"error": {"message": message}}).encode(), headers)


@contextlib.contextmanager
def serving(*answers: Answer, tls: bool = False) -> Iterator[Endpoint]:
    """A server that gives these answers in order; the last one again and again."""
    seen: list[Seen] = []
    script = list(answers)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            seen.append(
                Seen(self.path, {k.lower(): v for k, v in self.headers.items()}, json.loads(self.rfile.read(length)))
            )
            answer = script[min(len(seen), len(script)) - 1]
            if answer.act is not None:
                answer.act(self)
                return
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name.replace("_", "-"), value)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body)

        def do_GET(self) -> None:
            seen.append(Seen(self.path, {k.lower(): v for k, v in self.headers.items()}, {}))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.handle_error = lambda *_: None  # type: ignore[method-assign]
    if tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(CERTIFICATE)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield Endpoint(f"{'https' if tls else 'http'}://127.0.0.1:{server.server_port}", seen, script)
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)
