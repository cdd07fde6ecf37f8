"""Whose word counts: the repository's `memory.yaml`, the person's `config.yaml`, a file named with `--policy` (S12).

A repository is not trusted: its file may lower limits, change signals and ask for review, nothing else.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memory_core.policy import Limits, Mode, Policy

MAX_BYTES = 64 * 1024
KEY_VARIABLE = "MEMORY_INSPECTOR_API_KEY"
SWITCHABLE = ("A6", "A7", "A8", "A9", "A9b", "A9d", "A9e")
REPOSITORY_KEYS = ("limits", "signals", "mode")

Source = Literal["default", "repository", "person", "named", "environment", "caller"]


class ModelChoice(BaseModel):
    """Which endpoint makes summaries; without a base URL the built-in extractive summariser does (U3)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    base_url: str = ""
    name: str = ""
    key_variable: str = KEY_VARIABLE
    timeout: float = Field(default=60.0, gt=0, le=120)
    """Seconds for one try; a whole run ends after 120 s."""
    retries: int = Field(default=2, ge=0, le=2)
    max_tokens: int = Field(default=1500, ge=64, le=32_000)
    temperature: float | None = Field(default=0.2, ge=0, le=2)


class Settings(BaseModel):
    """What only the person's own file, or the environment, may say."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: ModelChoice = ModelChoice()
    keymap: dict[str, str] = {}
    theme: str = ""
    language: Literal["", "en", "zh"] = ""


class _Signals(BaseModel):
    model_config = ConfigDict(extra="forbid")
    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()


class _Keep(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    keep: int = Field(ge=1, le=100_000)


class _Rules(BaseModel):
    model_config = ConfigDict(extra="forbid")
    off: tuple[Literal["A6", "A7", "A8", "A9", "A9b", "A9d", "A9e"], ...] = ()


_SECTIONS: dict[str, Any] = {
    "mode": None,
    "limits": Limits,
    "signals": _Signals,
    "history": _Keep,
    "queue": _Keep,
    "mask_secrets": None,
    "rules": _Rules,
    "model": ModelChoice,
    "keymap": None,
    "theme": None,
    "language": None,
}


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
        return f"{place}: {self.key}: {self.message}{allowed}" if self.key else f"{place}: {self.message}"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value comes from."""

    source: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class PolicyRow:
    """One value of the policy in force."""

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
    problems: tuple[ConfigProblem, ...] = ()
    broken: bool = False
    """A policy file could not be read or used at all: defaults, and `review` (I4)."""
    key: str | None = field(default=None, repr=False)
    """The endpoint's key, from the environment alone; never shown."""

    @property
    def secrets(self) -> tuple[str, ...]:
        """Values that are masked wherever they occur."""
        return (self.key,) if self.key else ()

    def with_policy(self, policy: Policy) -> Configuration:
        """The same, under a policy that the caller gives."""
        return replace(self, policy=policy, broken=False)


class _File:
    """One configuration file: its entries with their lines, and what is wrong with it."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.values: dict[str, Any] = {}
        self.lines: dict[str, int] = {}
        self.problems: list[ConfigProblem] = []
        self.broken = False
        self._read(text)

    def report(self, key: str, message: str, allowed: str = "", line: int | None = None) -> None:
        self.problems.append(ConfigProblem(self.name, line or self._line(key), key, message, allowed))

    def _line(self, key: str) -> int | None:
        while key and key not in self.lines:
            key = key.rpartition(".")[0]
        return self.lines.get(key)

    def _read(self, text: str) -> None:
        try:
            if len(text) > MAX_BYTES:
                raise yaml.YAMLError(f"over {MAX_BYTES // 1024} KiB")
            if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, Loader=yaml.SafeLoader)):
                raise yaml.YAMLError("aliases are not used here")
            node = yaml.compose(text, Loader=yaml.SafeLoader)
            value = yaml.safe_load(text)
        except (yaml.YAMLError, RecursionError, ValueError) as error:
            mark = getattr(error, "problem_mark", None)
            self.broken = True
            problem = getattr(error, "problem", None) or str(error).split("\n", 1)[0] or type(error).__name__
            self.report("", f"This is no YAML that can be read: {problem}.", line=mark.line + 1 if mark else None)
            return
        if value is None:
            return
        if not isinstance(value, dict) or node is None:
            self.broken = True
            self.report("", "Keys and values are expected.", ", ".join(_SECTIONS), line=1)
            return
        self._note_lines(node, "")
        self.values = {str(key): entry for key, entry in value.items()}

    def _note_lines(self, node: yaml.Node, prefix: str) -> None:
        if not isinstance(node, yaml.MappingNode):
            return
        for key, value in node.value:
            name = f"{prefix}{key.value}"
            line = key.start_mark.line + 1
            if name in self.lines:
                self.report(name, "The key stands twice; the last one counts.", line=line)
            self.lines[name] = line
            self._note_lines(value, f"{name}.")


def resolve(
    *,
    repo: str | None = None,
    person: str | None = None,
    named: str | None = None,
    environ: Mapping[str, str] | None = None,
) -> Configuration:
    """Bring the texts of the files together; pure. The repository's word comes first, the person's over it."""
    environ = environ or {}
    values: dict[str, Any] = {"policy": {}, "settings": {}}
    origins: dict[str, Origin] = {}
    problems: list[ConfigProblem] = []
    broken = False
    for name, text, trusted in (("memory.yaml", repo, False), ("config.yaml", person, True), ("--policy", named, True)):
        if text is None:
            continue
        file = _File(name, text)
        for key, value in file.values.items():
            _take(file, key, value, trusted=trusted, values=values, origins=origins)
        problems += file.problems
        broken = broken or file.broken
    _environment(environ, values, origins, problems)
    settings = Settings(**values["settings"])
    secret = environ.get(settings.model.key_variable, "").strip() or None
    policy = Policy() if broken else Policy(**values["policy"])
    if broken:
        policy = policy.model_copy(update={"mode": "review"})
    return Configuration(policy, settings, origins, tuple(problems), broken, secret)


def _take(
    file: _File, key: str, value: Any, *, trusted: bool, values: dict[str, Any], origins: dict[str, Origin]
) -> None:
    """Take one entry of a file where it is right and may be said there."""
    if key not in _SECTIONS:
        file.report(key, "Unknown key.", ", ".join(_SECTIONS))
        return
    if not trusted and key not in REPOSITORY_KEYS:
        file.report(key, "A repository may not set this; it is ignored.", "your own config.yaml, or the environment")
        return
    taken: dict[str, Any] = values["policy"]
    if key == "mode":
        _take_mode(file, value, trusted=trusted, taken=taken)
    elif key == "limits":
        _take_limits(file, value, trusted=trusted, taken=taken, origins=origins)
    elif key == "signals":
        _take_signals(file, value, taken)
    elif key == "mask_secrets":
        if isinstance(value, bool):
            taken["mask_secrets"] = value
        else:
            file.report(key, f"{value!r} is not understood.", "true, false")
    elif key in {"history", "queue"}:
        checked = _checked(file, key, _Keep, value)
        if checked is not None:
            taken[f"{key}_keep"] = checked.keep
    elif key == "rules":
        checked = _checked(file, key, _Rules, value)
        if checked is not None:
            taken["rules_off"] = frozenset(checked.off)
    else:
        _take_setting(file, key, value, values["settings"])
    origins[key] = Origin(file.name, file.lines.get(key))


def _take_mode(file: _File, value: Any, *, trusted: bool, taken: dict[str, Any]) -> None:
    modes: tuple[Mode, ...] = ("auto", "review")
    if value not in modes:
        file.report("mode", f"{value!r} is no mode.", "auto, review")
    elif value == "auto" and not trusted:
        file.report("mode", "A repository may not ask for auto; it is ignored.", "review")
    else:
        taken["mode"] = value


def _take_limits(file: _File, value: Any, *, trusted: bool, taken: dict[str, Any], origins: dict[str, Origin]) -> None:
    standard = Limits()
    if not isinstance(value, dict):
        file.report("limits", f"{value!r} is not understood.", "names of limits with numbers")
        return
    good: dict[str, int] = {}
    for name, number in value.items():
        place = f"limits.{name}"
        usual = getattr(standard, str(name), None) if str(name) in Limits.model_fields else None
        if usual is None:
            file.report(place, "Unknown limit.", ", ".join(Limits.model_fields))
            continue
        most = usual if not trusted else usual * 10
        try:
            Limits(**{str(name): number})
        except ValidationError:
            file.report(place, f"{number!r} is no possible limit.", f"whole numbers up to {most}")
            continue
        if number > most:
            file.report(place, f"{number} is over what may be set here.", f"whole numbers up to {most}")
            continue
        good[str(name)] = number
        origins[place] = Origin(file.name, file.lines.get(place))
    merged = {**taken.get("limits", standard).model_dump(), **good}
    if merged["soft_bytes"] > merged["hard_bytes"]:
        file.report("limits.soft_bytes", "The soft limit is over the hard one; both stay as they were.", "soft ≤ hard")
        return
    taken["limits"] = Limits(**merged)


def _take_signals(file: _File, value: Any, taken: dict[str, Any]) -> None:
    if isinstance(value, list) and all(isinstance(entry, str) and entry.strip() for entry in value):
        taken["signals"] = tuple(value)
        return
    checked = _checked(file, "signals", _Signals, value)
    if checked is not None:
        base = taken.get("signals", Policy().signals)
        taken["signals"] = (*(signal for signal in base if signal not in checked.remove), *checked.add)


def _take_setting(file: _File, key: str, value: Any, settings: dict[str, Any]) -> None:
    if key == "model":
        if isinstance(value, dict) and "api_key" in value:
            file.report("model.api_key", "A key never stands in a file; it is ignored.", f"the variable {KEY_VARIABLE}")
            value = {name: entry for name, entry in value.items() if name != "api_key"}
        choice = _checked(file, key, ModelChoice, value)
        if choice is not None:
            settings["model"] = choice
        return
    try:
        Settings(**{key: value})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        file.report(
            key, first["msg"] + ".", {"language": "en, zh", "keymap": "names of bindings with keys"}.get(key, "")
        )
    else:
        settings[key] = value


def _checked(file: _File, key: str, kind: Any, value: Any) -> Any:
    """The value as its model, or None with what is wrong reported."""
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        for fault in error.errors(include_url=False)[:5]:
            place = ".".join([key, *(str(part) for part in fault["loc"])])
            allowed = fault.get("ctx", {}).get("expected") or ", ".join(kind.model_fields)
            file.report(place, fault["msg"] + ".", str(allowed))
        return None


def _environment(
    environ: Mapping[str, str], values: dict[str, Any], origins: dict[str, Origin], problems: list[ConfigProblem]
) -> None:
    """The endpoint and the language may also be said by the environment, which counts as the person's word."""
    settings = values["settings"]
    model = settings.get("model", ModelChoice())
    for variable, name in (("MEMORY_INSPECTOR_BASE_URL", "base_url"), ("MEMORY_INSPECTOR_MODEL", "name")):
        if value := environ.get(variable, "").strip():
            model = model.model_copy(update={name: value})
            origins[f"model.{name}"] = Origin(variable)
    settings["model"] = model
    if "language" not in settings and environ.get("LANG", "").startswith("zh"):
        settings["language"] = "zh"
        origins["language"] = Origin("LANG")
    if model.name and not model.base_url:
        problems.append(
            ConfigProblem("model", None, "model.base_url", "A model is named, but no endpoint; none is called.")
        )


def describe(configuration: Configuration) -> tuple[PolicyRow, ...]:
    """Every value in force and where it comes from, for people."""

    def rows() -> Iterator[tuple[str, Any]]:
        policy, settings = configuration.policy, configuration.settings
        yield "mode", policy.mode or "review for a person, auto for an agent"
        for name, limit in policy.limits:
            yield f"limits.{name}", limit
        yield "signals", list(policy.signals)
        yield "history.keep", policy.history_keep
        yield "queue.keep", policy.queue_keep
        yield "mask_secrets", policy.mask_secrets
        yield "rules.off", sorted(policy.rules_off)
        for name, value in settings.model:
            yield f"model.{name}", value
        yield "model.key", "set" if configuration.key else "not set"
        yield "keymap", settings.keymap
        yield "theme", settings.theme
        yield "language", settings.language

    described: list[PolicyRow] = []
    for key, value in rows():
        origin = configuration.origins.get(key) or configuration.origins.get(key.partition(".")[0])
        described.append(PolicyRow(key, value, origin.source if origin else "default", origin.line if origin else None))
    return tuple(described)


def load_files(
    root: Path, *, named: Path | None = None, environ: Mapping[str, str] | None = None, config_dir: Path | None = None
) -> Configuration:
    """Read the files and bring them together; a file that cannot be read is a problem, never an exception (I4)."""
    import platformdirs

    environ = os.environ if environ is None else environ
    own = config_dir or Path(platformdirs.user_config_dir("memory-inspector"))
    problems: list[ConfigProblem] = []
    folder = root / ".autopatch-j"
    repository = None
    if folder.is_symlink():
        problems.append(ConfigProblem("memory.yaml", None, "", ".autopatch-j is a link; its policy is not read."))
    else:
        repository = _text(folder / "memory.yaml", "memory.yaml", problems, follow=False)
    person = _text(own / "config.yaml", "config.yaml", problems, follow=True)
    given = _text(named, "--policy", problems, follow=True, required=True) if named else None
    found = resolve(repo=repository, person=person, named=given, environ=environ)
    if not problems:
        return found
    policy = found.policy.model_copy(update={"mode": "review"})
    return replace(found, policy=policy, problems=(*problems, *found.problems), broken=True)


def _text(path: Path, name: str, problems: list[ConfigProblem], *, follow: bool, required: bool = False) -> str | None:
    try:
        if not follow and path.is_symlink():
            raise OSError("it is a link")
        if path.exists() and not path.is_file():
            raise OSError("it is not a file")
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1).decode("utf-8-sig")
    except FileNotFoundError:
        if required:
            problems.append(ConfigProblem(name, None, "", f"There is no file {path}."))
    except (OSError, UnicodeDecodeError) as error:
        why = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else (error.strerror or str(error))
        problems.append(ConfigProblem(name, None, "", f"It cannot be read: {why}."))
    return None
