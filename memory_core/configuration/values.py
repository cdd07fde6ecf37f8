"""What the configuration files and the environment come to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from memory_core.policy import Policy

KEY_VARIABLE = "MEMORY_INSPECTOR_API_KEY"
"""The environment variable that holds the endpoint's key, unless `model.key_variable` names another."""


class ModelChoice(BaseModel):
    """What makes summaries: an endpoint, or without one the built-in extractive summariser (U3)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["openai", "extractive"] = "openai"
    """`extractive` calls no endpoint, also where one is named."""
    base_url: str = ""
    name: str = ""
    key_variable: str = KEY_VARIABLE
    timeout: float = Field(default=60.0, gt=0, le=120)
    """Seconds for one try; a whole run ends after 120 s."""
    retries: int = Field(default=2, ge=0, le=2)
    max_tokens: int = Field(default=1500, ge=64, le=32_000)
    temperature: float | None = Field(default=0.2, ge=0, le=2)
    """None is not sent at all."""

    @property
    def calls_endpoint(self) -> bool:
        """Whether an endpoint is called."""
        return self.kind == "openai" and bool(self.base_url)


class Settings(BaseModel):
    """What only the person's own file, or the environment, may say."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: ModelChoice = ModelChoice()
    keymap: dict[str, str] = {}
    """Binding id to keys, those separated by commas."""
    theme: str = ""
    language: Literal["", "en", "zh"] = ""


@dataclass(frozen=True, slots=True)
class ConfigProblem:
    """A wrong entry: which file, line (from 1), key, what is wrong, what is allowed."""

    source: str
    line: int | None
    key: str
    message: str
    allowed: str = ""

    def __str__(self) -> str:
        place = f"{self.source}:{self.line}" if self.line else self.source
        allowed = f" Allowed: {self.allowed}." if self.allowed else ""
        return f"{place}: {self.key}: {self.message}{allowed}" if self.key else f"{place}: {self.message}{allowed}"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value comes from: a file with the line, a variable of the environment, the caller."""

    source: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class PolicyRow:
    """One value in force. The key of an endpoint is never one."""

    key: str
    value: Any
    source: str
    line: int | None


@dataclass(frozen=True, slots=True)
class Configuration:
    """The policy and settings in force, where each value comes from, and what was wrong."""

    policy: Policy = Policy()
    settings: Settings = Settings()
    origins: Mapping[str, Origin] = field(default_factory=dict)
    """By key, such as `limits.label`; a key that is missing has its default."""
    problems: tuple[ConfigProblem, ...] = ()
    broken: bool = False
    """A file could not be read or used at all: it counts as absent, and the mode is `review` (I4)."""
    key: str | None = field(default=None, repr=False)
    """The endpoint's key, from the environment alone; never shown."""

    @property
    def secrets(self) -> tuple[str, ...]:
        """Values that are masked wherever they occur."""
        return (self.key,) if self.key else ()

    def with_policy(self, policy: Policy) -> Configuration:
        """The same, under a policy that the caller gives."""
        settings = {name: origin for name, origin in self.origins.items() if _section(name) in Settings.model_fields}
        given = {_section(name): Origin("caller") for name, _ in _policy_rows(policy)}
        return replace(self, policy=policy, origins={**settings, **given}, broken=False)


def _section(key: str) -> str:
    return key.partition(".")[0]


def _policy_rows(policy: Policy) -> Iterator[tuple[str, Any]]:
    yield "mode", policy.mode or "review for a person, auto for an agent"
    for name, limit in policy.limits:
        yield f"limits.{name}", limit
    yield "signals", list(policy.signals)
    yield "history.keep", policy.history_keep
    yield "queue.keep", policy.queue_keep
    yield "mask_secrets", policy.mask_secrets
    yield "rules.off", sorted(policy.rules_off)


def _settings_rows(configuration: Configuration) -> Iterator[tuple[str, Any]]:
    settings = configuration.settings
    in_force = "openai" if settings.model.calls_endpoint else "extractive"
    for name, value in settings.model:
        yield f"model.{name}", in_force if name == "kind" else value
    yield "model.key", "set" if configuration.key else "not set"
    yield "keymap", settings.keymap
    yield "theme", settings.theme
    yield "language", settings.language


def describe(configuration: Configuration) -> tuple[PolicyRow, ...]:
    """Every value in force and where it comes from, for the command `policy`."""
    rows: list[PolicyRow] = []
    for key, value in (*_policy_rows(configuration.policy), *_settings_rows(configuration)):
        origin = configuration.origins.get(key) or configuration.origins.get(_section(key)) or Origin("default")
        rows.append(PolicyRow(key, value, origin.source, origin.line))
    return tuple(rows)
