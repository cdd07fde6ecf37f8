"""What the tests of endpoints share: an environment of their own."""

from __future__ import annotations

import os

import pytest

from tests.core.summary.endpoint_server import CERTIFICATE


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No proxy and no key of the machine that the tests run on; one certificate, since loading them all takes time."""
    for variable in tuple(os.environ):
        if variable.lower().endswith("_proxy") or variable.startswith("OPENAI_"):
            monkeypatch.delenv(variable)
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
