"""Which summariser answers: the one that is named, else the one that the configuration names (U3)."""

from __future__ import annotations

from collections.abc import Callable

from memory_core.configuration import Configuration
from memory_core.errors import InputError
from memory_core.summary.backends.extractive import ExtractiveBackend
from memory_core.summary.backends.openai_chat import OpenAIChatBackend
from memory_core.summary.backends.scripted import from_text
from memory_core.summary.summarizer import MemorySummarizer

MODELS = ("extractive", "openai", "scripted:FILE")


def from_configuration(configuration: Configuration) -> MemorySummarizer:
    """The endpoint where one is configured, else the extractive summariser. Raises `InputError` for a bad URL."""
    if configuration.settings.model.calls_endpoint:
        return MemorySummarizer(OpenAIChatBackend(configuration.settings.model, configuration.key))
    return MemorySummarizer(ExtractiveBackend(signals=configuration.policy.signals))


def named(model: str, configuration: Configuration, read: Callable[[str], bytes]) -> MemorySummarizer:
    """The summariser of that name; `read` reads a script. Raises `InputError`."""
    if model == "extractive":
        return MemorySummarizer(ExtractiveBackend(signals=configuration.policy.signals))
    if model == "openai":
        if not configuration.settings.model.base_url:
            raise InputError(
                "No endpoint is configured.",
                hint="Set MEMORY_INSPECTOR_BASE_URL and MEMORY_INSPECTOR_MODEL, or model: in your config.yaml.",
            )
        return MemorySummarizer(OpenAIChatBackend(configuration.settings.model, configuration.key))
    if model.startswith("scripted:"):
        name = model.removeprefix("scripted:")
        return MemorySummarizer(from_text(read(name).decode("utf-8", "replace"), jsonl=name.endswith(".jsonl")))
    raise InputError(f"There is no model {model}.", hint="Models: " + ", ".join(MODELS) + ".")
