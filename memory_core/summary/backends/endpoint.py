"""Endpoints in words: URLs, pauses, what a status means. Pure (U3a)."""

from __future__ import annotations

import ipaddress
import json
import random
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit, urlunsplit

from memory_core.errors import EndpointError, InputError

LONGEST_PAUSE = 30.0
"""Seconds of a Retry-After that are kept to; a longer one ends the run."""
_SUCH_AS = "Such as https://host.example/v1 or http://127.0.0.1:8080"


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
    text = base_url.strip()
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
        host.encode("idna")
    except ValueError as error:
        raise InputError("The endpoint's base URL cannot be read.", hint=_SUCH_AS) from error
    if parts.scheme not in {"http", "https"} or not host:
        raise InputError(
            f"The endpoint's base URL needs http:// or https:// and a host, not {parts.scheme or 'no scheme'}.",
            hint=_SUCH_AS,
        )
    if "@" in parts.netloc:
        raise InputError("The endpoint's base URL carries a user or password.", hint="Keys go into the environment.")
    if parts.query or parts.fragment or port == 0 or not text.isprintable() or " " in text:
        raise InputError(
            "The endpoint's base URL carries more than a scheme, a host, a port and a path.",
            hint=_SUCH_AS,
        )
    path = parts.path.rstrip("/").removesuffix("/chat/completions").rstrip("/") or "/v1"
    shown_host = f"[{host}]" if ":" in host else host
    base = urlunsplit((parts.scheme, f"{shown_host}:{port}" if port else shown_host, path, "", ""))
    return Endpoint(base, f"{base}/chat/completions", _is_loopback(host))


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback


def retry_after(value: str | None, now: datetime) -> float | None:
    """Seconds that a Retry-After header asks for, as a number or a date; None where it says nothing readable."""
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(value) - now).total_seconds()
        except (ValueError, TypeError, OverflowError):
            return None
    return max(0.0, seconds)


def pause(attempt: int, asked: float | None) -> float:
    """Seconds before the next try: what was asked for, else growing and jittered. `attempt` counts from 0."""
    return 0.5 * 2.0**attempt * (0.75 + random.random() / 2) if asked is None else asked


def said(body: bytes) -> str:
    """What the body of an error says: its message where it has one, in whatever form servers put it; else its text."""
    text = body.decode("utf-8", "replace").strip()
    if text[:1] == "<":
        return "a web page"
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return " ".join(text.split())
    if isinstance(value, dict):
        fault = value.get("error") or value
        found = fault.get("message") or fault.get("detail") if isinstance(fault, dict) else fault
        if isinstance(found, str) and found.strip():
            return " ".join(found.split())
    return " ".join(text.split())


def status_error(status: int, url: str, detail: str) -> EndpointError:
    """What a status that is not tried again means, with a hint."""
    words = f" It said: {detail}" if detail else ""
    if status in {401, 403}:
        return EndpointError(
            f"{url} answered {status}: the key is missing, wrong or not allowed this.{words}",
            hint="The key comes from the environment variable that the policy command names.",
            code="endpoint_auth",
        )
    if status == 404:
        return EndpointError(
            f"{url} answered 404.{words}",
            hint="Look at the URL above (is /v1 right?) and at the model's name.",
            code="endpoint_not_found",
        )
    if 300 <= status < 400:
        return EndpointError(
            f"{url} answered with a redirect ({status}).{words}",
            hint="Redirects are not followed, since a key must not travel; set the base URL to the new place.",
            code="endpoint_redirect",
        )
    if status == 429 or status >= 500:
        return EndpointError(
            f"{url} answered {status}: it is busy or failing.{words}", hint="Try later.", code="endpoint_busy"
        )
    return EndpointError(
        f"{url} answered {status}.{words}", hint="The same request would be refused again.", code="endpoint_refused"
    )
