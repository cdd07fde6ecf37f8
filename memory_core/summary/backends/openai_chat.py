"""Any OpenAI-compatible endpoint, through the `openai` package (U3, U3a).

The package is imported only when a model is called.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from memory_core.codes import sentence
from memory_core.configuration import ModelChoice
from memory_core.errors import EndpointError
from memory_core.reply import ReplyReason
from memory_core.safety.secrets import mask_known
from memory_core.summary.backends.endpoint import LONGEST_PAUSE, endpoint, pause, retry_after, said, status_error
from memory_core.summary.backends.envelope import open_envelope
from memory_core.summary.backends.guard import Guard
from memory_core.summary.prompt import build_messages
from memory_core.summary.summarizer import ModelReply, SummaryPayload

RUN_LIMIT = 120.0
"""Seconds that one run may take in all."""
CONNECT_LIMIT = 10.0
"""Seconds for a connection to come about."""
BODY_LIMIT = 10 * 1024 * 1024
"""Bytes of an answer that are read at most."""
DETAIL_LIMIT = 300
"""Characters of an error's own words that are passed on."""

# Here the number is too high, not the parameter unknown: another name for it would change nothing.
_TOO_MANY = re.compile(r"context.{0,10}(?:length|window)|too (?:large|long|many|high)|exceed|at most|less than")
_CERTIFICATE = re.compile(r"certificate|\bssl\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Answer:
    """What came over the wire."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class _AgainError(Exception):
    """This try failed in a way that may pass; `asked` is the pause that the endpoint asks for, in seconds."""

    def __init__(self, error: EndpointError, asked: float | None = None) -> None:
        super().__init__(error.message)
        self.error = error
        self.asked = asked


class OpenAIChatBackend:
    """One endpoint and model. Without a `key`, or with a blank one, no Authorization header is sent.

    Raises `InputError` for a base URL that cannot be used. `run_limit` is in seconds; `now` reads the dates of
    Retry-After, `sleep` replaces the pauses between tries.
    """

    def __init__(
        self,
        choice: ModelChoice,
        key: str | None,
        *,
        monotonic: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        run_limit: float = RUN_LIMIT,
        body_limit: int = BODY_LIMIT,
        sleep: Callable[[float], object] | None = None,
    ) -> None:
        self._choice = choice
        self._key = (key or "").strip() or None
        self._endpoint = endpoint(choice.base_url)
        self._monotonic = monotonic
        self._now = now
        self._run_limit = run_limit
        self._body_limit = body_limit
        self._cancelled = threading.Event()
        self._sleep = sleep or self._cancelled.wait
        self._guards: set[Guard] = set()
        self._learned: dict[str, str | None] = {}
        """Parameters that this endpoint and model do not take: a name swaps one, None leaves it out."""

    @property
    def name(self) -> str:
        """The model and the URL that is called."""
        return f"{self._choice.name or 'default model'} at {self._endpoint.url}"

    def cancel(self) -> None:
        """End whatever is under way, a pause or a call; nothing is called afterwards."""
        self._cancelled.set()
        for guard in tuple(self._guards):
            guard.cut("cancelled")

    def reply(self, payload: SummaryPayload, nonce: str) -> ModelReply:
        """Ask, again where that may help, at most 120 s in all. Raises `EndpointError`."""
        try:
            return self._reply(payload, nonce)
        except EndpointError as error:
            raise EndpointError(self._clean(error.message), hint=self._clean(error.hint), code=error.code) from error

    def _reply(self, payload: SummaryPayload, nonce: str) -> ModelReply:
        if self._key is not None and not (self._key.isascii() and self._key.isprintable()):
            raise EndpointError(
                "The key holds a character that no header can carry.",
                hint="Set its environment variable anew, without quotes or blanks around it.",
                code="bad_key",
            )
        known = dict(self._learned)
        body = self._ask_again(build_messages(payload, nonce), self._monotonic() + self._run_limit)
        envelope = open_envelope(body, token_limit=self._choice.max_tokens)
        return ModelReply(
            text=self._clean(envelope.text),
            finish_reason=envelope.finish_reason,
            model=self._clean(envelope.model)[:100] or self._choice.name,
            url=self._endpoint.url,
            token_limit=self._choice.max_tokens,
            remarks=tuple(_fell_back(name, new) for name, new in self._learned.items() if name not in known),
            refused=self._clean_reason(envelope.refused),
        )

    def _clean(self, text: str) -> str:
        """The text as it may be shown and kept: encodable, and without the key, wherever an answer echoes it."""
        return mask_known(text.encode("utf-8", "replace").decode(), [self._key] if self._key else [])

    def _clean_reason(self, reason: ReplyReason | None) -> ReplyReason | None:
        return replace(reason, message=self._clean(reason.message)) if reason else None

    def _ask_again(self, messages: list[dict[str, str]], deadline: float) -> bytes:
        """The body of the answer, at most `retries` tries after the first, with growing pauses."""
        attempt = 0
        while True:
            try:
                return self._ask(messages, deadline)
            except _AgainError as again:
                error, seconds = again.error, pause(attempt, again.asked)
                attempt += 1
                if seconds > LONGEST_PAUSE:
                    long = f"{error.message} It asks to wait {seconds:.0f} s; {LONGEST_PAUSE:.0f} s at most are waited."
                    raise EndpointError(long, hint=error.hint, code=error.code) from again
                if attempt > self._choice.retries or self._monotonic() + seconds > deadline:
                    times = f"Asked {attempt} times. " if attempt > 1 else ""
                    raise EndpointError(error.message, hint=times + error.hint, code=error.code) from again
            self._sleep(seconds)

    def _ask(self, messages: list[dict[str, str]], deadline: float) -> bytes:
        """One try, and one more for each parameter that a 400 names."""
        while True:
            answer = self._call(messages, deadline)
            if answer.status == 200:
                return answer.body
            if answer.status == 400 and self._learn(answer.body):
                continue
            words = self._clean(said(answer.body))
            if 300 <= answer.status < 400:
                words = self._clean(f"Location: {answer.headers.get('location', '')}")
            error = status_error(answer.status, self._endpoint.url, words[:DETAIL_LIMIT])
            if answer.status == 429 or answer.status >= 500:
                raise _AgainError(error, retry_after(answer.headers.get("retry-after"), self._now()))
            raise error

    def _parameters(self) -> dict[str, Any]:
        """What is sent beside model and messages, without what this endpoint is known not to take.

        `max_tokens` comes first: servers that know only it ignore the newer name silently, and then write on and on.
        """
        wanted: dict[str, Any] = {
            "response_format": {"type": "json_object"},
            "max_tokens": self._choice.max_tokens,
            "temperature": self._choice.temperature,
        }
        if self._choice.temperature is None:
            del wanted["temperature"]
        return {new: value for name, value in wanted.items() if (new := self._learned.get(name, name)) is not None}

    def _learn(self, body: bytes) -> bool:
        """Whether a 400 names a parameter that was not swapped or left out yet, which is then done and remembered."""
        text = body.decode("utf-8", "replace").lower()
        untried = self._parameters().keys() - self._learned.keys()
        if "max_tokens" in untried and re.search("max_(?:completion_)?tokens", text) and not _TOO_MANY.search(text):
            self._learned["max_tokens"] = "max_completion_tokens"
            return True
        for name in ("response_format", "temperature"):
            if name in untried and name in text:
                self._learned[name] = None
                return True
        return False

    @contextmanager
    def _guarded(self, seconds: float) -> Iterator[Guard]:
        """A guard that `cancel` reaches."""
        with Guard(key=self._key, seconds=seconds, most=self._body_limit) as guard:
            self._guards.add(guard)
            try:
                if self._cancelled.is_set():
                    raise self._cut("cancelled")
                yield guard
            finally:
                self._guards.discard(guard)

    def _call(self, messages: list[dict[str, str]], deadline: float) -> _Answer:
        """One request. The package is imported here and nowhere else. Raises `EndpointError`, `_AgainError`."""
        import openai

        seconds = deadline - self._monotonic()
        if seconds <= 0:
            raise self._cut("endpoint_timeout")
        timeout = min(self._choice.timeout, seconds)
        limits = openai.Timeout(timeout, connect=min(CONNECT_LIMIT, timeout))
        with self._guarded(seconds) as guard:
            try:
                http = openai.DefaultHttpxClient(
                    timeout=limits,
                    follow_redirects=False,
                    event_hooks=guard.hooks,
                    # Proxies come from the environment, but none stands between us and this machine itself.
                    mounts=dict.fromkeys(("all://", "http://", "https://")) if self._endpoint.loopback else None,
                )
            except (OSError, ValueError, ImportError) as error:
                raise EndpointError(
                    f"The call to {self._endpoint.url} cannot be set up: {error}",
                    hint="Look at SSL_CERT_FILE, SSL_CERT_DIR and the proxies in the environment.",
                    code="endpoint_failed",
                ) from error
            # The key goes in by the guard, so that no other credential of the environment can take its place.
            # The time-out too is told to both: the client of `openai` takes five seconds from the other for no word.
            with openai.OpenAI(
                api_key="none", base_url=self._endpoint.base, max_retries=0, timeout=limits, http_client=http
            ) as client:
                answer = self._send(client, messages, openai)
            if guard.cut_for is not None:
                raise self._cut(guard.cut_for)
            if isinstance(answer, EndpointError | _AgainError):
                raise answer
            return answer

    def _send(self, client: Any, messages: list[dict[str, str]], openai: Any) -> _Answer | EndpointError | _AgainError:
        """What came back, or why nothing did; a call that the guard cut breaks in any of these ways."""
        try:
            response = client.chat.completions.with_raw_response.create(
                model=self._choice.name, messages=messages, **self._parameters()
            ).http_response
        except openai.APIStatusError as error:
            response = error.response
        except openai.APITimeoutError as error:
            if type(error.__cause__).__name__ == "ConnectTimeout":
                return _AgainError(self._unreached("no connection came about in time", "endpoint_unreachable"))
            return self._unreached(f"no answer within {self._choice.timeout:.0f} s", "endpoint_timeout")
        except openai.APIConnectionError as error:
            why = str(error.__cause__ or error)
            broken = self._unreached(why, "endpoint_unreachable")
            return broken if _CERTIFICATE.search(why) else _AgainError(broken)
        except openai.OpenAIError as error:
            return self._unreached(str(error), "endpoint_failed")
        return _Answer(200 if response.is_success else response.status_code, response.headers, response.content)

    def _unreached(self, why: str, code: str) -> EndpointError:
        hint = "Is it running, and is the URL right?"
        if code == "endpoint_timeout":
            hint = "A slow model needs a higher model.timeout (120 s at most), or fewer model.max_tokens."
        elif _CERTIFICATE.search(why):
            hint = "Certificates are always checked; name the file of a private CA in SSL_CERT_FILE."
        return EndpointError(f"{self._endpoint.url}: {why}", hint=hint, code=code)

    def _cut(self, why: str) -> EndpointError:
        """The error for a call that was cut."""
        if why == "answer_too_large":
            message = f"{self._endpoint.url} answered with more than {self._body_limit} bytes."
        elif why == "cancelled":
            message = "The summary was cancelled."
        else:
            message = f"{self._endpoint.url} gave no whole answer within {self._run_limit:.0f} s in all."
        return EndpointError(message, hint="The turns stay pending." if why == "cancelled" else "", code=why)


def _fell_back(name: str, new: str | None) -> str:
    return sentence("swapped" if new else "left_out_parameter", observed=name, limit=new or "")
