"""One HTTP call under guard: headers, time and bytes are bounded, and it can be cut from outside (U3a).

The time-outs of HTTP clients count from byte to byte, so a slow drip never meets them. The guard ends the call as a
whole, in whatever phase it is, by shutting its sockets down. It speaks to the client through its event hooks.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Literal, Self

Cut = Literal["endpoint_timeout", "answer_too_large", "cancelled"]

_SENT = frozenset(
    {"host", "accept", "accept-encoding", "connection", "user-agent", "content-type", "content-length"}
    | {"x-stainless-raw-response"}  # by which the client knows that the answer is wanted as it came
)
"""Headers that go out beside the key; what the client adds of the machine or the environment stays here."""


class Guard:
    """Guards one call: `seconds` for all of it, `most` bytes of an answer, `key` or no Authorization header at all."""

    def __init__(self, *, key: str | None, seconds: float, most: int) -> None:
        self._key = key
        self._most = most
        self._lock = threading.Lock()
        self._sockets: list[socket.socket] = []
        self._timer = threading.Timer(seconds, self.cut, ("endpoint_timeout",))
        self._timer.daemon = True
        self.cut_for: Cut | None = None
        """Why the call was cut, if it was."""

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._timer.cancel()

    @property
    def hooks(self) -> dict[str, list[Any]]:
        """The event hooks for the client."""
        return {"request": [self._on_request], "response": [self._on_response]}

    def cut(self, why: Cut) -> None:
        """End the call now; the first reason stands."""
        with self._lock:
            self.cut_for = self.cut_for or why
            sockets = tuple(self._sockets)
        for sock in sockets:
            _shut(sock)

    def _on_request(self, request: Any) -> None:
        for name in set(request.headers) - _SENT:
            del request.headers[name]
        # An answer that unpacks to many times its size would escape the bound.
        request.headers["Accept-Encoding"] = "identity"
        if self._key is not None:
            request.headers["Authorization"] = f"Bearer {self._key}"
        request.extensions = {**request.extensions, "trace": self._on_event}

    def _on_event(self, name: str, info: dict[str, Any]) -> None:
        """Keep each socket that the client opens; one that opens too late is shut at once."""
        if not name.endswith(("connect_tcp.complete", "start_tls.complete")):
            return
        sock = info["return_value"].get_extra_info("socket")
        with self._lock:
            self._sockets.append(sock)
            late = self.cut_for is not None
        if late:
            _shut(sock)

    def _on_response(self, response: Any) -> None:
        response.headers.pop("Content-Encoding", None)
        response.stream = _bounded(response.stream, self)

    def bounded(self, chunks: Any) -> Iterator[bytes]:
        """The chunks of an answer as far as the bound goes."""
        taken = 0
        for chunk in chunks:
            taken += len(chunk)
            if taken > self._most:
                self.cut("answer_too_large")
                return
            yield chunk


def _bounded(stream: Any, guard: Guard) -> Any:
    """The stream of an answer, bounded; the client takes its own kind of stream alone."""
    import httpx2

    class Bounded(httpx2.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            return guard.bounded(stream)

        def close(self) -> None:
            stream.close()

    return Bounded()


def _shut(sock: socket.socket) -> None:
    # Past the TLS layer, which another thread is reading from; a closed socket is shut already.
    with contextlib.suppress(OSError):
        socket.socket.shutdown(sock, socket.SHUT_RDWR)
