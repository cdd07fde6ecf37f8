"""Any OpenAI-compatible endpoint, through the `openai` package (U3, U3a).

The package is imported only when a model is called.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, ClassVar

from memory_core.configuration import ModelChoice
from memory_core.errors import EndpointError
from memory_core.safety import mask_known
from memory_core.summary.backends.endpoint import endpoint, pause, retry_after, status_error
from memory_core.summary.backends.envelope import open_envelope
from memory_core.summary.prompt import build_messages
from memory_core.summary.summarizer import ModelReply, SummaryPayload

RUN_LIMIT = 120.0
"""Seconds that one run may take in all."""
BODY_LIMIT = 10 * 1024 * 1024
"""Bytes of an answer that are read at most."""


class _AgainError(Exception):
    """This try failed in a way that may pass."""

    def __init__(self, error: EndpointError, asked: float | None = None) -> None:
        super().__init__(error.message)
        self.error = error
        self.asked = asked


class OpenAIChatBackend:
    """One endpoint and model. `key` None means that no Authorization header is sent."""

    _learned: ClassVar[dict[tuple[str, str], dict[str, str | None]]] = {}
    """Parameters that an endpoint and model do not take: None leaves one out, a name swaps it."""

    def __init__(
        self,
        choice: ModelChoice,
        key: str | None,
        *,
        monotonic: Callable[[], float] = time.monotonic,
        run_limit: float = RUN_LIMIT,
        sleep: Callable[[float], None] | None = None,
    ) -> None:
        self._choice = choice
        self._key = (key or "").strip() or None
        self._endpoint = endpoint(choice.base_url)
        self._monotonic = monotonic
        self._run_limit = run_limit
        self._cancelled = threading.Event()
        self._sleep = sleep or self._pause

    @property
    def name(self) -> str:
        """The model and the URL that is called."""
        return f"{self._choice.name or 'default model'} at {self._endpoint.url}"

    def cancel(self) -> None:
        """End pauses and reading as soon as may be."""
        self._cancelled.set()

    def _pause(self, seconds: float) -> None:
        self._cancelled.wait(seconds)

    def reply(self, payload: SummaryPayload, nonce: str) -> ModelReply:
        """Ask, again where that may help, at most 120 s in all. Raises `EndpointError`."""
        deadline = self._monotonic() + self._run_limit
        messages = build_messages(payload, nonce)
        attempt = 0
        while True:
            if self._cancelled.is_set():
                raise EndpointError("The summary was cancelled.", code="cancelled")
            try:
                body = self._ask(messages, deadline)
            except _AgainError as again:
                if attempt >= self._choice.retries:
                    raise self._masked(again.error) from again
                seconds = pause(attempt, again.asked)
                if self._monotonic() + seconds > deadline:
                    raise self._masked(again.error) from again
                self._sleep(seconds)
                attempt += 1
            except EndpointError as error:
                raise self._masked(error) from error
            else:
                break
        envelope = open_envelope(body, token_limit=self._choice.max_tokens)
        return ModelReply(
            text=envelope.text,
            finish_reason=envelope.finish_reason,
            model=envelope.model or self._choice.name,
            url=self._endpoint.url,
            token_limit=self._choice.max_tokens,
            refused=envelope.refused,
        )

    def _masked(self, error: EndpointError) -> EndpointError:
        secrets = [self._key] if self._key else []
        return EndpointError(mask_known(error.message, secrets), hint=mask_known(error.hint, secrets), code=error.code)

    def _parameters(self) -> dict[str, Any]:
        """What is sent beside model and messages, without what this endpoint is known not to take.

        `max_tokens` comes first: servers that know only it ignore the newer name silently, and then write on and on.
        """
        wanted: dict[str, Any] = {
            "response_format": {"type": "json_object"},
            "max_tokens": self._choice.max_tokens,
        }
        if self._choice.temperature is not None:
            wanted["temperature"] = self._choice.temperature
        learned = self._learned.get((self._endpoint.url, self._choice.name), {})
        return {new: value for name, value in wanted.items() if (new := learned.get(name, name)) is not None}

    def _learn(self, detail: str) -> bool:
        """Whether a 400 names a parameter that can be swapped or left out, which is then remembered."""
        learned = self._learned.setdefault((self._endpoint.url, self._choice.name), {})
        text = detail.lower()
        sent = self._parameters()
        if "max_tokens" in sent and ("max_tokens" in text or "max_completion_tokens" in text):
            learned["max_tokens"] = "max_completion_tokens"
            return True
        if "max_completion_tokens" in sent and "max_completion_tokens" in text:
            learned["max_tokens"] = None
            return True
        for name in ("response_format", "temperature"):
            if name in sent and name in text:
                learned[name] = None
                return True
        return False

    def _ask(self, messages: list[dict[str, str]], deadline: float) -> bytes:
        """One try, and up to one more for each parameter that a 400 names."""
        while True:
            status, headers, body = self._call(messages, deadline)
            if status == 200:
                return body
            detail = self._detail(body)
            if status == 400 and self._learn(detail):
                continue
            error = status_error(status, self._endpoint.url, detail)
            if status == 429 or status >= 500:
                raise _AgainError(error, retry_after(headers.get("retry-after"), datetime.now(UTC)))
            raise error

    def _detail(self, body: bytes) -> str:
        """What an error's body says, in at most 300 characters, the key masked."""
        text = " ".join(body[:4000].decode("utf-8", "replace").split())
        return mask_known(text, [self._key] if self._key else [])[:300]

    def _call(self, messages: list[dict[str, str]], deadline: float) -> tuple[int, dict[str, str], bytes]:
        """One request: status, headers and the bytes of the body. The package is imported here and nowhere else."""
        import openai

        remaining = deadline - self._monotonic()
        if remaining <= 0:
            raise EndpointError(f"{self._endpoint.url} gave no whole answer in time.", code="endpoint_timeout")
        timeout = min(self._choice.timeout, remaining)
        omitted: Any = openai.Omit()
        headers = {"OpenAI-Organization": omitted, "OpenAI-Project": omitted}
        if self._key is None:
            headers["Authorization"] = omitted
        http = openai.DefaultHttpxClient(timeout=timeout, follow_redirects=False, trust_env=not self._endpoint.loopback)
        with (
            http,
            openai.OpenAI(
                api_key=self._key or "none",
                base_url=self._endpoint.base,
                max_retries=0,
                timeout=timeout,
                http_client=http,
            ) as client,
        ):
            try:
                create: Any = client.chat.completions.with_streaming_response.create
                with create(
                    model=self._choice.name, messages=messages, extra_headers=headers, **self._parameters()
                ) as response:
                    return 200, dict(response.headers), self._read(response.iter_bytes(), deadline)
            except openai.APIStatusError as error:
                return error.status_code, dict(error.response.headers), error.response.content
            except openai.APITimeoutError as error:
                raise _AgainError(self._unreached(f"no answer within {timeout:.0f} s", "endpoint_timeout")) from error
            except openai.APIConnectionError as error:
                raise _AgainError(self._unreached(str(error.__cause__ or error), "endpoint_unreachable")) from error
            except openai.OpenAIError as error:
                raise self._unreached(str(error), "endpoint_failed") from error
            except UnicodeEncodeError as error:
                raise EndpointError("The key holds a character that no header can carry.", code="bad_key") from error
            except OSError as error:
                raise _AgainError(self._unreached(str(error), "endpoint_unreachable")) from error
            except Exception as error:
                if type(error).__module__.partition(".")[0] not in {"httpx2", "httpx", "httpcore2", "h11"}:
                    raise
                raise _AgainError(self._unreached(str(error), "endpoint_broken")) from error

    def _unreached(self, why: str, code: str) -> EndpointError:
        hint = "Is it running, and is the URL right?"
        if "certificate" in why.lower():
            hint = "Certificates are always checked; name a private CA's file in SSL_CERT_FILE."
        return EndpointError(f"{self._endpoint.url}: {why}", hint=hint, code=code)

    def _read(self, chunks: Any, deadline: float) -> bytes:
        """The body, at most 10 MiB of it, and not beyond the deadline however slowly it drips."""
        body = bytearray()
        for chunk in chunks:
            body += chunk
            if len(body) > BODY_LIMIT:
                raise EndpointError(
                    f"{self._endpoint.url} answered with over {BODY_LIMIT // 1024 // 1024} MiB.",
                    code="answer_too_large",
                )
            if self._cancelled.is_set():
                raise EndpointError("The summary was cancelled.", code="cancelled")
            if self._monotonic() > deadline:
                raise EndpointError(f"{self._endpoint.url} gave no whole answer in time.", code="endpoint_timeout")
        return bytes(body)
