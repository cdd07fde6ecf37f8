"""Endpoints in words: URLs, pauses, what a status means. Pure (U3a)."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit, urlunsplit

from memory_core.errors import EndpointError, InputError

LONGEST_PAUSE = 30.0
"""Seconds of a Retry-After that are kept to; a longer one ends the run."""
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A checked endpoint: the base that the client gets, and the URL that is called."""

    base: str
    url: str
    loopback: bool


def endpoint(base_url: str) -> Endpoint:
    """Check a base URL. It may carry a path, a trailing slash or the whole `/chat/completions`.

    `/v1` is added where the path is empty. Raises `InputError` for another scheme, and for a user or password in it.
    """
    try:
        parts = urlsplit(base_url.strip())
        host, user = parts.hostname or "", parts.username or parts.password
        port = parts.port
    except ValueError as error:
        raise InputError("The endpoint's base URL cannot be read.", hint="Such as https://host.example/v1") from error
    if parts.scheme not in {"http", "https"} or not host:
        raise InputError(
            f"The endpoint's base URL needs http:// or https:// and a host, not {parts.scheme or 'no scheme'}.",
            hint="Such as https://host.example/v1 or http://127.0.0.1:8080",
        )
    if user:
        raise InputError("The endpoint's base URL carries a user or password.", hint="Keys go into the environment.")
    path = parts.path.rstrip("/").removesuffix("/chat/completions").rstrip("/") or "/v1"
    shown_host = f"[{host}]" if ":" in host else host
    netloc = f"{shown_host}:{port}" if port else shown_host
    base = urlunsplit((parts.scheme, netloc, path, "", ""))
    loopback = host in _LOOPBACK or host.startswith("127.")
    return Endpoint(base, f"{base}/chat/completions", loopback)


def retry_after(value: str | None, now: datetime) -> float | None:
    """Seconds that a Retry-After header asks for, as a number or a date; None where it says nothing readable."""
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(value) - now).total_seconds())
    except (ValueError, TypeError):
        return None


def pause(attempt: int, asked: float | None) -> float:
    """Seconds before the next try: what was asked for, else growing and jittered. Raises for too long a wait."""
    if asked is None:
        return min(8.0, 0.5 * float(2**attempt)) * (0.75 + random.random() / 2)
    if asked > LONGEST_PAUSE:
        raise EndpointError(
            f"The endpoint asks to wait {asked:.0f} s; at most {LONGEST_PAUSE:.0f} s are waited.",
            hint="Try again later.",
            code="endpoint_busy",
        )
    return asked


def status_error(status: int, url: str, detail: str) -> EndpointError:
    """What a status that is not tried again means, with a hint."""
    said = f" It said: {detail}" if detail else ""
    if status in {401, 403}:
        return EndpointError(
            f"{url} answered {status}: the key is missing, wrong or not allowed this.{said}",
            hint="The key comes from the environment variable that the policy command names.",
            code="endpoint_auth",
        )
    if status == 404:
        return EndpointError(
            f"{url} answered 404.{said}",
            hint="Look at the URL above (is /v1 right?) and at the model's name.",
            code="endpoint_not_found",
        )
    if 300 <= status < 400:
        return EndpointError(
            f"{url} answered with a redirect ({status}).{said}",
            hint="Redirects are not followed, since a key must not travel; set the base URL to the new place.",
            code="endpoint_redirect",
        )
    if status == 429 or status >= 500:
        return EndpointError(
            f"{url} answered {status}, also when asked again.{said}", hint="Try later.", code="endpoint_busy"
        )
    return EndpointError(f"{url} answered {status}.{said}", hint="It is not tried again.", code="endpoint_refused")
