"""Which summariser answers: the one that is named, else the one that the configuration names (U3)."""

from __future__ import annotations

from collections.abc import Callable

from memory_core.clock import Ids, RandomIds
from memory_core.configuration import Configuration
from memory_core.errors import InputError
from memory_core.summary.backends.extractive import ExtractiveBackend
from memory_core.summary.backends.openai_chat import ModelSettings, OpenAIChatBackend
from memory_core.summary.backends.scripted import ScriptedBackend
from memory_core.summary.summarizer import Backend, MemorySummarizer

MODELS = ("extractive", "openai", "scripted:FILE")
