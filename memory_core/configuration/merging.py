"""The files and the environment brought together; pure (S12)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ParamSpec, TypeVar
from urllib.parse import urlsplit

import yaml

from memory_core.configuration.model import MODEL_READERS, SECRET_NAMES, base_url
from memory_core.configuration.reading import (
    ConfigFile,
    Entry,
    WrongEntryError,
    choice,
    flag,
    items,
    line_of_text,
    read,
    whole,
)
from memory_core.configuration.values import KEY_VARIABLE, ConfigProblem, Configuration, ModelChoice, Origin, Settings
from memory_core.policy import SWITCHABLE, Limits, Policy
from memory_core.text import fold

P = ParamSpec("P")
T = TypeVar("T")

PERSON_FACTOR = 10
"""How far above the limits of D6 the person's own file may go; the repository's may not go above them at all."""
MAX_SIGNALS, MAX_SIGNAL = 200, 60
MAX_KEEP = 100_000
MAX_KEYS = 200

REPOSITORY_KEYS = ("mode", "limits", "signals")
_NOT_FOR_REPOSITORY = {
    "model": "an endpoint of its choice would receive your key",
    "keymap": "keys of its choice could swap accept and turn down",
    "theme": "how the console looks is your choice",
    "language": "how the console looks is your choice",
    "rules": "no rule is switched off by what it guards against",
    "mask_secrets": "no rule is switched off by what it guards against",
    "history": "how much is kept is your choice",
    "queue": "how much is kept is your choice",
}
_OPENAI_HOST = "api.openai.com"

NAMES = {"repo": ".autopatch-j/memory.yaml", "person": "config.yaml", "named": "--policy"}
"""What the files are called where the caller does not say."""


def resolve(
    *,
    repo: str | None = None,
    person: str | None = None,
    named: str | None = None,
    environ: Mapping[str, str] | None = None,
    names: Mapping[str, str] | None = None,
) -> Configuration:
    """Bring the files' texts and the environment together; whatever they hold, the answer is a `Configuration`.

    Later words count over earlier ones: the repository's, the person's own, the file that the person named, for the
    endpoint the environment. `names` says what the three files are called. A wrong entry is named and left out, the
    good ones count; a broken file counts as absent, and the mode is then `review`.

    The key is the value of `MEMORY_INSPECTOR_API_KEY`, or of the variable that `model.key_variable` names. The one
    other variable is `OPENAI_API_KEY`, and only where the endpoint is https://api.openai.com: it belongs to that host,
    and no other may receive it.
    """
    environ = environ or {}
    called = {**NAMES, **(names or {})}
    merge = _Merge()
    for which, text in (("repo", repo), ("person", person), ("named", named)):
        if text is not None:
            allowed = REPOSITORY_KEYS if which == "repo" else tuple(merge.sections)
            merge.add(read(called[which], text, ", ".join(allowed)), trusted=which != "repo")
    merge.environment(environ)
    settings = Settings(model=ModelChoice(**merge.model), **merge.settings)
    policy = Policy(limits=Limits(**merge.limits), **merge.policy)
    return Configuration(
        policy, settings, merge.origins, tuple(merge.problems), merge.broken, _key(settings.model, environ)
    )


def _key(model: ModelChoice, environ: Mapping[str, str]) -> str | None:
    """The endpoint's key; a blank one is none (U3a)."""
    key = environ.get(model.key_variable, "").strip()
    url = urlsplit(model.base_url)
    if not key and model.key_variable == KEY_VARIABLE and (url.scheme, url.hostname) == ("https", _OPENAI_HOST):
        key = environ.get("OPENAI_API_KEY", "").strip()
    return key or None


class _Merge:
    """Values as they come together, with where each is from."""

    def __init__(self) -> None:
        self.limits: dict[str, int] = Limits().model_dump()
        self.policy: dict[str, Any] = {}
        self.model: dict[str, Any] = {}
        self.settings: dict[str, Any] = {}
        self.origins: dict[str, Origin] = {}
        self.problems: list[ConfigProblem] = []
        self.broken = False
        self._file = ConfigFile("")
        self._trusted = False
        self.sections: dict[str, Callable[[Entry], None]] = {
            "mode": self._mode,
            "limits": self._limits,
            "signals": self._signals,
            "history": self._keep,
            "queue": self._keep,
            "mask_secrets": self._mask_secrets,
            "rules": self._rules,
            "model": self._model,
            "keymap": self._keymap,
            "theme": self._theme,
            "language": self._language,
        }

    def add(self, file: ConfigFile, *, trusted: bool) -> None:
        """Take what is right of a file and may be said there; what a later file says counts over it."""
        self._file, self._trusted = file, trusted
        for entry in file.entries:
            if entry.name not in self.sections:
                file.report(entry, "Unknown key.", ", ".join(self.sections if trusted else REPOSITORY_KEYS))
            elif not trusted and entry.name not in REPOSITORY_KEYS:
                file.report(
                    entry,
                    f"A repository may not set this, since {_NOT_FOR_REPOSITORY[entry.name]}; it is ignored.",
                    "in your own config.yaml",
                )
            elif not entry.is_absent:
                self._attempt(entry, self.sections[entry.name], entry)
        if file.broken:
            self.broken = True
        self.problems += file.all_problems()
        if self.broken:
            self._set("mode", "review", Origin(file.name) if file.broken else self.origins["mode"])

    def _attempt(self, entry: Entry, reader: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | None:
        """What the reader gives, or None with what is wrong reported."""
        try:
            return reader(*args, **kwargs)
        except WrongEntryError as error:
            self._file.report(entry, error.message, error.allowed)
            return None

    def _from(self, entry: Entry) -> Origin:
        return Origin(self._file.name, entry.line)

    def _set(self, key: str, value: Any, origin: Origin) -> None:
        self.policy[key] = value
        self.origins[key] = origin

    def _known(self, entry: Entry, names: Iterable[str]) -> list[Entry]:
        """The entries below one, unknown ones reported."""
        allowed = tuple(names)
        below: list[Entry] = []
        for inner in self._file.mapping(entry):
            if inner.name in allowed:
                below.append(inner)
            else:
                self._file.report(inner, "Unknown key.", ", ".join(allowed))
        return [inner for inner in below if not inner.is_absent]

    # The policy.

    def _mode(self, entry: Entry) -> None:
        try:
            mode = choice(entry.node, ("auto", "review"))
        except WrongEntryError as error:
            # Who set a mode wanted another than the default; until it is right, a person decides.
            self._set("mode", "review", self._from(entry))
            raise WrongEntryError(f"{error.message} Until it is right, review counts.", error.allowed) from error
        if mode == "auto" and not self._trusted:
            raise WrongEntryError("A repository may not ask for auto; it is ignored.", "review")
        self._set("mode", mode, self._from(entry))

    def _limits(self, entry: Entry) -> None:
        standard = Limits()
        taken: dict[str, Entry] = {}
        values = dict(self.limits)
        for inner in self._known(entry, Limits.model_fields):
            usual = int(getattr(standard, inner.name))
            most = usual * PERSON_FACTOR if self._trusted else usual
            value = self._attempt(inner, whole, inner.node, _least(inner.name), most)
            if value is not None:
                values[inner.name], taken[inner.name] = value, inner
        if values["soft_bytes"] > values["hard_bytes"]:
            for name in ("soft_bytes", "hard_bytes"):
                if name in taken:
                    self._file.report(
                        taken.pop(name),
                        f"Soft {values['soft_bytes']} would be over hard {values['hard_bytes']}; it stays as it was.",
                        "soft_bytes up to hard_bytes",
                    )
        for name, inner in taken.items():
            self.limits[name] = values[name]
            self.origins[inner.place] = self._from(inner)

    def _signals(self, entry: Entry) -> None:
        if isinstance(entry.node, yaml.SequenceNode):
            self._set("signals", self._texts(entry), self._from(entry))
            return
        signals = self.policy.get("signals", Policy().signals)
        for inner in self._known(entry, ("add", "remove")):
            words = self._attempt(inner, self._texts, inner) or ()
            folded = {fold(word) for word in words}
            if inner.name == "remove":
                for word in words:
                    if fold(word) not in {fold(signal) for signal in signals}:
                        self._file.report(inner, f"{word!r} is no signal in force.", ", ".join(signals))
                signals = tuple(signal for signal in signals if fold(signal) not in folded)
            else:
                signals = (*signals, *(word for word in words if fold(word) not in {fold(old) for old in signals}))
            self._set("signals", signals[:MAX_SIGNALS], self._from(inner))

    def _texts(self, entry: Entry) -> tuple[str, ...]:
        """The texts of a list, each once; a wrong one is reported, the others count."""
        texts: dict[str, str] = {}
        for node in items(entry.node, MAX_SIGNALS):
            place = Entry(entry.name, entry.place, node.start_mark.line + 1, node)
            text = self._attempt(place, line_of_text, node, MAX_SIGNAL)
            if text is not None:
                texts.setdefault(fold(text), text)
        return tuple(texts.values())

    def _keep(self, entry: Entry) -> None:
        for inner in self._known(entry, ("keep",)):
            value = self._attempt(inner, whole, inner.node, 1, MAX_KEEP)
            if value is not None:
                self.policy[f"{entry.name}_keep"] = value
                self.origins[inner.place] = self._from(inner)

    def _mask_secrets(self, entry: Entry) -> None:
        self._set("mask_secrets", flag(entry.node), self._from(entry))

    def _rules(self, entry: Entry) -> None:
        for inner in self._known(entry, ("off",)):
            off = set()
            for node in items(inner.node, len(SWITCHABLE)):
                place = Entry(inner.name, inner.place, node.start_mark.line + 1, node)
                rule = self._attempt(place, choice, node, SWITCHABLE)
                if rule is not None:
                    off.add(rule)
            self.policy["rules_off"] = frozenset(off)
            self.origins[inner.place] = self._from(inner)

    # The settings.

    def _model(self, entry: Entry) -> None:
        for inner in self._file.mapping(entry):
            if inner.name.lower() in SECRET_NAMES:
                self._file.report(
                    inner,
                    "A key never stands in a file; it is ignored. Take it out, and count it as seen by others.",
                    f"the environment variable {KEY_VARIABLE}, or the one that model.key_variable names",
                )
            elif inner.name not in MODEL_READERS:
                self._file.report(inner, "Unknown key.", ", ".join(MODEL_READERS))
            elif inner.is_absent and inner.name == "temperature":
                self._set_model("temperature", None, self._from(inner))
            elif not inner.is_absent:
                value = self._attempt(inner, MODEL_READERS[inner.name], inner.node)
                if value is not None:
                    self._set_model(inner.name, value, self._from(inner))

    def _set_model(self, name: str, value: Any, origin: Origin) -> None:
        self.model[name] = value
        self.origins[f"model.{name}"] = origin

    def _keymap(self, entry: Entry) -> None:
        keymap: dict[str, str] = dict(self.settings.get("keymap", {}))
        for inner in list(self._file.mapping(entry))[:MAX_KEYS]:
            keys = self._attempt(inner, _keys, inner.node)
            if keys:
                keymap[inner.name] = keys
        if keymap:
            self.settings["keymap"] = keymap
            self.origins["keymap"] = self._from(entry)

    def _theme(self, entry: Entry) -> None:
        self.settings["theme"] = line_of_text(entry.node, 60)
        self.origins["theme"] = self._from(entry)

    def _language(self, entry: Entry) -> None:
        self.settings["language"] = choice(entry.node, ("en", "zh"))
        self.origins["language"] = self._from(entry)

    def environment(self, environ: Mapping[str, str]) -> None:
        """The endpoint and the language may also be said by the environment, which counts as the person's word."""
        for variable, name in (("MEMORY_INSPECTOR_BASE_URL", "base_url"), ("MEMORY_INSPECTOR_MODEL", "name")):
            value = environ.get(variable, "").strip()
            if not value:
                continue
            try:
                self._set_model(name, base_url(value) if name == "base_url" else value, Origin(variable))
            except WrongEntryError as error:
                self.problems.append(ConfigProblem(variable, None, "", error.message, error.allowed))
        for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
            locale = environ.get(variable, "").strip().lower()
            if locale:
                if "language" not in self.settings and locale[:2] in {"en", "zh"}:
                    self.settings["language"] = locale[:2]
                    self.origins["language"] = Origin(variable)
                break
        if self.model.get("name") and not self.model.get("base_url") and self.model.get("kind") != "extractive":
            place = self.origins["model.name"]
            message = "A model is named, but no endpoint; the built-in extractive summariser is used."
            self.problems.append(ConfigProblem(place.source, place.line, "model.base_url", message))


def _least(name: str) -> int:
    """The least that a limit may be."""
    return next(int(bound.ge) for bound in Limits.model_fields[name].metadata if hasattr(bound, "ge"))


def _keys(node: yaml.Node) -> str:
    """One or more keys of a binding."""
    return ",".join(line_of_text(key, 60, symbols=True) for key in items(node, 10))
