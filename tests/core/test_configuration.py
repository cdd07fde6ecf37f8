"""Whose word counts: the repository may lower limits, change signals and ask for review; the rest is the person's."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.configuration import (
    KEY_VARIABLE,
    MAX_BYTES,
    Configuration,
    ModelChoice,
    Settings,
    describe,
    load_files,
    resolve,
)
from memory_core.configuration.reading import MAX_PROBLEMS
from memory_core.errors import InputError
from memory_core.policy import SWITCHABLE, Limits, Policy
from memory_core.review import rules
from memory_core.summary.backends.choose import from_configuration, named

REPO = ".autopatch-j/memory.yaml"
KEY = "zq-5f3a9c27e1b84d06"
FULL = """\
mode: auto
limits:
  label: 80
  hard_bytes: 65536
signals:
  add: [今后, going forward]
  remove: [不要]
history: {keep: 50}
queue: {keep: 20}
mask_secrets: false
rules: {off: [A6, A9e]}
model:
  kind: openai
  base_url: https://models.example/v1
  name: 4.10
  key_variable: TEAM_KEY
  timeout: 12.5
  retries: 0
  max_tokens: 900
  temperature: 0
keymap:
  decide.accept: a
  "off": [n, N]
theme: nord
language: zh
"""


def told(configuration: Configuration) -> list[tuple[str, int | None, str]]:
    """Where each problem is."""
    return [(problem.source, problem.line, problem.key) for problem in configuration.problems]


def test_without_files_the_defaults_count() -> None:
    configuration = resolve()
    assert configuration == Configuration(policy=Policy(), settings=Settings())
    assert {row.source for row in describe(configuration)} == {"default"}
    assert {row.key: row.value for row in describe(configuration)}["model.kind"] == "extractive"


def test_the_persons_own_file_sets_everything() -> None:
    configuration = resolve(person=FULL, environ={"TEAM_KEY": KEY})
    policy, settings = configuration.policy, configuration.settings
    assert configuration.problems == ()
    assert (policy.mode, policy.history_keep, policy.queue_keep, policy.mask_secrets) == ("auto", 50, 20, False)
    assert policy.limits == Limits(label=80, hard_bytes=65536)
    assert policy.rules_off == {"A6", "A9e"}
    assert policy.signals[-2:] == ("今后", "going forward")
    assert "不要" not in policy.signals
    assert set(Policy().signals) - set(policy.signals) == {"不要"}
    assert settings.model == ModelChoice(
        base_url="https://models.example/v1",
        name="4.10",
        key_variable="TEAM_KEY",
        timeout=12.5,
        retries=0,
        max_tokens=900,
        temperature=0,
    )
    assert settings.keymap == {"decide.accept": "a", "off": "n,N"}
    assert (settings.theme, settings.language) == ("nord", "zh")
    assert configuration.key == KEY
    assert configuration.secrets == (KEY,)


def test_each_value_tells_where_it_comes_from() -> None:
    configuration = resolve(repo="limits:\n  summary: 200\n", person=FULL, environ={"TEAM_KEY": KEY})
    rows = {row.key: (row.value, row.source, row.line) for row in describe(configuration)}
    assert rows["mode"] == ("auto", "config.yaml", 1)
    assert rows["limits.label"] == (80, "config.yaml", 3)
    assert rows["limits.summary"] == (200, REPO, 2)
    assert rows["limits.user_text"] == (1000, "default", None)
    assert rows["signals"][1:] == ("config.yaml", 7)
    assert rows["history.keep"] == (50, "config.yaml", 8)
    assert rows["rules.off"] == (["A6", "A9e"], "config.yaml", 11)
    assert rows["model.kind"] == ("openai", "config.yaml", 13)
    assert rows["model.name"] == ("4.10", "config.yaml", 15)
    assert rows["model.key"][0] == "set"
    assert rows["keymap"][1:] == ("config.yaml", 21)
    assert {f"limits.{name}" for name in Limits.model_fields} <= rows.keys()
    assert {f"model.{name}" for name in ModelChoice.model_fields} <= rows.keys()


def test_the_repository_may_lower_limits_change_signals_and_ask_for_review() -> None:
    configuration = resolve(repo="mode: review\nlimits: {label: 30, soft_bytes: 8192}\nsignals: {add: [务必]}\n")
    assert configuration.problems == ()
    assert configuration.policy.mode == "review"
    assert configuration.policy.limits == Limits(label=30, soft_bytes=8192)
    assert configuration.policy.signals == (*Policy().signals, "务必")


def test_a_list_of_signals_replaces_the_usual_ones() -> None:
    configuration = resolve(repo="signals: [务必, 务必, no, 'Ａlways', always]")
    assert configuration.policy.signals == ("务必", "no", "Ａlways")
    assert resolve(person="signals: []").policy.signals == ()


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("model: {base_url: 'https://evil.example/v1', key_variable: OPENAI_API_KEY}", "model"),
        ("keymap: {decide.accept: n}", "keymap"),
        ("theme: nord", "theme"),
        ("language: zh", "language"),
        ("rules: {off: [A9]}", "rules"),
        ("mask_secrets: false", "mask_secrets"),
        ("history: {keep: 1}", "history"),
        ("queue: {keep: 1}", "queue"),
    ],
)
def test_what_the_repository_may_not_say_is_named_and_ignored(text: str, key: str) -> None:
    configuration = resolve(repo=f"# ours\n{text}\nlimits: {{label: 20}}", environ={"OPENAI_API_KEY": KEY})
    assert told(configuration) == [(REPO, 2, key)]
    assert "since" in configuration.problems[0].message
    assert configuration.policy == Policy(limits=Limits(label=20))
    assert configuration.settings == Settings()
    assert configuration.key is None
    assert not configuration.broken
    assert resolve(person=text).problems == () or key == "model"


def test_the_repository_may_not_ask_for_auto_nor_go_over_the_limits() -> None:
    configuration = resolve(repo="mode: auto\nlimits:\n  label: 61\n  summary: 299\n  hard_bytes: 999999\n")
    assert told(configuration) == [(REPO, 1, "mode"), (REPO, 3, "limits.label"), (REPO, 5, "limits.hard_bytes")]
    assert configuration.problems[0].allowed == "review"
    assert configuration.problems[1].allowed == "whole numbers from 1 to 60"
    assert configuration.policy.mode is None
    assert configuration.policy.limits == Limits(summary=299)


def test_the_persons_word_counts_over_the_repositorys_and_the_named_files_over_both() -> None:
    repo = "mode: review\nlimits: {label: 10, summary: 10, modules: 10}"
    person = "mode: auto\nlimits: {label: 70, summary: 70}\nmodel: {name: a, base_url: 'http://127.0.0.1:1'}"
    named_file = "limits: {label: 80}\nmodel: {name: b}"
    configuration = resolve(repo=repo, person=person, named=named_file, names={"named": "mine.yaml"})
    assert configuration.policy.mode == "auto"
    assert configuration.policy.limits == Limits(label=80, summary=70, modules=10)
    assert configuration.settings.model == ModelChoice(name="b", base_url="http://127.0.0.1:1")
    assert configuration.origins["limits.label"].source == "mine.yaml"
    assert configuration.origins["model.base_url"].source == "config.yaml"


@pytest.mark.parametrize(
    ("text", "line", "key", "allowed"),
    [
        ("\nmode: sometimes", 2, "mode", "auto, review"),
        ("mode: [auto]", 1, "mode", "auto, review"),
        ("limits: 5", 1, "limits", "keys and values"),
        ("limits:\n  lable: 5", 2, "limits.lable", ", ".join(Limits.model_fields)),
        ("limits:\n  label: many", 2, "limits.label", "whole numbers from 1 to 600"),
        ("limits:\n  label: true", 2, "limits.label", "whole numbers from 1 to 600"),
        ("limits:\n  label: 6.5", 2, "limits.label", "whole numbers from 1 to 600"),
        ("limits:\n  label: '60'", 2, "limits.label", "whole numbers from 1 to 600"),
        ("limits:\n  label: 0", 2, "limits.label", "whole numbers from 1 to 600"),
        ("limits:\n  label: 601", 2, "limits.label", "whole numbers from 1 to 600"),
        ("limits:\n  label: " + "9" * 5000, 2, "limits.label", "whole numbers from 1 to 600"),
        ("signals: 不要", 1, "signals", "keys and values"),
        ("signals:\n  extra: [x]", 2, "signals.extra", "add, remove"),
        ("signals:\n  add:\n  - 今后\n  - ['x']", 4, "signals.add", "a text of 1 to 60 characters on one line"),
        ("signals:\n  add: ['', '今后']", 2, "signals.add", "a text of 1 to 60 characters on one line"),
        ("signals:\n  add: ['…', '今后']", 2, "signals.add", "a text of 1 to 60 characters on one line"),
        ("signals:\n  remove: [没有]", 2, "signals.remove", ", ".join(Policy().signals)),
        ("history:\n  keep: 0", 2, "history.keep", "whole numbers from 1 to 100000"),
        ("queue: {kept: 5}", 1, "queue.kept", "keep"),
        ("mask_secrets: maybe", 1, "mask_secrets", "true, false"),
        ("rules:\n  off: [A6, A4]", 2, "rules.off", ", ".join(SWITCHABLE)),
        ("rules: {on: [A6]}", 1, "rules.on", "off"),
        ("model: {kind: gpt}", 1, "model.kind", "openai, extractive"),
        ("model: {retries: 3}", 1, "model.retries", "whole numbers from 0 to 2"),
        ("model: {timeout: .inf}", 1, "model.timeout", "numbers from 0.1 to 120"),
        ("model: {temperature: 2.1}", 1, "model.temperature", "numbers from 0 to 2"),
        ("keymap: {decide.accept: {a: b}}", 1, "keymap.decide.accept", "a list"),
        ("theme: ''", 1, "theme", "a text of 1 to 60 characters on one line"),
        ("language: 中文", 1, "language", "en, zh"),
        (
            "limit: {label: 5}",
            1,
            "limit",
            "mode, limits, signals, history, queue, mask_secrets, rules, model, keymap, ",
        ),
        ("<<: {mode: auto}", 1, "<<", "mode, "),
        ("? [a]\n: b", 1, "a list", "mode, "),
    ],
)
def test_a_wrong_entry_is_named_and_the_good_ones_count(text: str, line: int, key: str, allowed: str) -> None:
    configuration = resolve(person=f"{text}\n\n", named="limits: {summary: 99}")
    problem = configuration.problems[0]
    assert (problem.source, problem.line, problem.key) == ("config.yaml", line, key)
    assert problem.allowed.startswith(allowed)
    assert problem.message
    assert len(configuration.problems) == 1
    assert configuration.policy.limits == Limits(summary=99)
    assert configuration.settings == Settings()
    assert not configuration.broken
    assert str(problem).startswith(f"config.yaml:{line}: {key}: ")


def test_what_was_found_is_told() -> None:
    messages = [
        resolve(person=text).problems[0].message
        for text in (
            "mode: sometimes",
            "limits: {label: '60'}",
            "limits: [1]",
            "language: " + "x" * 100,
            "mode: {a: b}",
        )
    ]
    assert "'sometimes'" in messages[0]
    assert "the text '60'" in messages[1]
    assert "a list" in messages[2]
    assert "x" * 59 + "…" in messages[3]
    assert "a mapping" in messages[4]


def test_good_entries_beside_wrong_ones_count() -> None:
    text = "limits: {label: x, summary: 99}\nsignals: {add: [[], 今后]}\n"
    text += "rules: {off: [A1, A6]}\nmodel: {retries: 9, name: m}\n"
    configuration = resolve(person=text)
    assert configuration.policy.limits == Limits(summary=99)
    assert configuration.policy.signals[-1] == "今后"
    assert configuration.policy.rules_off == {"A6"}
    assert configuration.settings.model.name == "m"


def test_a_mode_that_is_not_understood_means_review() -> None:
    for text in ("mode: reveiw", "mode: [auto]"):
        configuration = resolve(person=text)
        assert configuration.policy.mode == "review"
        assert "review counts" in configuration.problems[0].message


def test_an_empty_value_is_none() -> None:
    configuration = resolve(person="mode:\nlimits: ~\nsignals:\nmodel: {name: , temperature: null}\ntheme: null\n")
    assert configuration.problems == ()
    assert configuration.policy == Policy()
    assert configuration.settings == Settings(model=ModelChoice(temperature=None))


def test_a_soft_limit_over_the_hard_one_is_left_and_the_others_count() -> None:
    configuration = resolve(repo="limits:\n  label: 20\n  hard_bytes: 16384\n")
    assert told(configuration) == [(REPO, 3, "limits.hard_bytes")]
    assert configuration.policy.limits == Limits(label=20)
    both = resolve(repo="limits: {hard_bytes: 16384, soft_bytes: 8192}")
    assert both.problems == ()
    assert both.policy.limits == Limits(hard_bytes=16384, soft_bytes=8192)


def test_a_key_that_stands_twice_is_told() -> None:
    configuration = resolve(person="limits: {label: 20}\nlimits:\n  label: 30\n  label: 40\n")
    assert told(configuration) == [("config.yaml", 2, "limits"), ("config.yaml", 4, "limits.label")]
    assert "line 1" in configuration.problems[0].message
    assert configuration.policy.limits.label == 40


@pytest.mark.parametrize(
    "text",
    [
        "mode: [auto",
        "a: " * 2,
        "- " * 300,
        "\tmode: auto",
        "a: b: c",
        "- mode",
        "just words",
        "mode: auto\n---\nmode: auto",
        "mode: *unknown",
        "mode: \x1b[0m",
        "[" * 20_000,
        "{a: " * 5_000,
        "a: 1\n" * 20_000,
        "'" + "中" * (MAX_BYTES // 3) + "'",
        "mode: \ud800",
    ],
    ids=lambda text: repr(text[:12]),
)
def test_a_broken_file_counts_as_absent_and_means_review(text: str) -> None:
    for which in ("repo", "person", "named"):
        configuration = resolve(**{which: text}, environ={})
        assert configuration.broken
        assert configuration.policy == Policy(mode="review")
        assert len(configuration.problems) == 1
        assert "cannot be used" in configuration.problems[0].message
        source = {row.key: row.source for row in describe(configuration)}["mode"]
        assert source == configuration.problems[0].source


def test_a_broken_file_takes_nothing_from_the_others_but_auto() -> None:
    configuration = resolve(repo="mode: [", person=FULL)
    assert configuration.broken
    assert configuration.policy.mode == "review"
    assert configuration.policy.limits.label == 80
    assert configuration.settings.theme == "nord"
    assert told(configuration)[0][:2] == (REPO, 1)


def test_the_place_of_broken_yaml_is_told() -> None:
    problem = resolve(person="limits:\n  label: 5\n mode: auto\n").problems[0]
    assert problem.line == 3
    assert problem.message.startswith("The file cannot be used: ")


@pytest.mark.parametrize("text", ["", "\n\n", "# only words\n", "---\n", "null", "{}", "\ufeff# mark\n"])
def test_an_empty_file_says_nothing(text: str) -> None:
    assert resolve(repo=text, person=text) == Configuration()


def test_a_byte_order_mark_is_skipped() -> None:
    assert resolve(person="\ufeffmode: review\n").policy.mode == "review"


def test_aliases_cost_nothing() -> None:
    levels = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    levels += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    configuration = resolve(person="\n".join([*levels, "signals: *a11", "limits: &l {label: 5, more: *l}"]))
    assert configuration.policy.signals == ()
    assert configuration.policy.limits.label == 5
    assert not configuration.broken
    assert len(configuration.problems) == 12 + 10 + 1


def test_problems_without_end_are_counted() -> None:
    configuration = resolve(repo="\n".join(f"k{n}: 1" for n in range(5_000)))
    assert len(configuration.problems) == MAX_PROBLEMS + 1
    assert str(configuration.problems[-1]) == f"{REPO}: {5_000 - MAX_PROBLEMS} more entries are wrong."
    assert all(len(problem.key) <= 60 for problem in resolve(repo=f"{'k' * 9_000}: 1").problems)


def test_nothing_but_plain_values_is_made() -> None:
    configuration = resolve(person="mode: !!python/object/apply:os.abort []\ntheme: !!python/name:os.abort ''\n")
    assert [key for _, _, key in told(configuration)] == ["mode", "theme"]
    assert configuration.settings == Settings()


# The endpoint and its key.


def test_the_environment_names_the_endpoint() -> None:
    environ = {"MEMORY_INSPECTOR_BASE_URL": " https://h.example/v1 ", "MEMORY_INSPECTOR_MODEL": "m", KEY_VARIABLE: KEY}
    configuration = resolve(person="model: {base_url: 'https://other.example', name: o, retries: 1}", environ=environ)
    assert configuration.settings.model == ModelChoice(base_url="https://h.example/v1", name="m", retries=1)
    assert configuration.key == KEY
    assert configuration.origins["model.base_url"].source == "MEMORY_INSPECTOR_BASE_URL"
    assert configuration.settings.model.calls_endpoint


@pytest.mark.parametrize("key", ["", "  ", "\n"])
def test_a_blank_key_is_none_and_a_line_break_is_stripped(key: str) -> None:
    assert resolve(environ={KEY_VARIABLE: key}).key is None
    assert resolve(environ={KEY_VARIABLE: f"{KEY}{key}"}).key == KEY


@pytest.mark.parametrize(
    ("base_url", "key"),
    [
        ("https://api.openai.com/v1", KEY),
        ("https://API.OpenAI.com", KEY),
        ("http://api.openai.com/v1", None),
        ("https://api.openai.com.evil.example/v1", None),
        ("https://evil.example/api.openai.com", None),
        ("http://127.0.0.1:8080", None),
    ],
)
def test_the_key_for_one_host_goes_to_no_other(base_url: str, key: str | None) -> None:
    environ = {"MEMORY_INSPECTOR_BASE_URL": base_url, "OPENAI_API_KEY": KEY}
    assert resolve(environ=environ).key == key
    assert resolve(environ={**environ, KEY_VARIABLE: "own"}).key == "own"
    assert resolve(person="model: {key_variable: TEAM_KEY}", environ=environ).key is None


@pytest.mark.parametrize(
    "url",
    [
        "h.example/v1",
        "file:///etc/passwd",
        "https://",
        "https://h.example:99999999",
        "https://h ost.example",
        "https://user:pw-of-mine@h.example/v1",
        "https://h.example/v1?key=pw-of-mine",
    ],
)
def test_a_base_url_that_cannot_be_called_is_named_but_never_repeated(url: str) -> None:
    for configuration in (
        resolve(person=f"model: {{base_url: '{url}'}}"),
        resolve(environ={"MEMORY_INSPECTOR_BASE_URL": url}),
    ):
        assert len(configuration.problems) == 1
        assert configuration.problems[0].allowed.startswith("a URL such as")
        assert configuration.settings.model.base_url == ""
        assert "pw-of-mine" not in f"{configuration!r} {describe(configuration)!r}"


@pytest.mark.parametrize(
    "text",
    [
        "model: {api_key: KEY}",
        "model: {Token: KEY}",
        "model: {key: KEY}",
        "model: {secret_of_mine: KEY}",
        "model: {key_variable: KEY}",
        "model: {key_variable: [KEY]}",
        "model: {base_url: KEY}",
        "model: {base_url: 'https://KEY@h.example/'}",
        "key: KEY",
        "model: {key_variable: zq5f3a9c27e1b84d06aa}",
    ],
)
def test_a_secret_in_a_file_is_named_but_never_repeated(text: str) -> None:
    configuration = resolve(person=text.replace("KEY", KEY), environ={KEY_VARIABLE: KEY})
    assert len(configuration.problems) == 1
    assert configuration.key == KEY
    shown = f"{configuration!r} {describe(configuration)!r} {[str(problem) for problem in configuration.problems]!r}"
    assert KEY not in shown
    assert "5f3a9c27e1b84d06" not in shown


def test_a_model_without_an_endpoint_is_told() -> None:
    configuration = resolve(person="theme: nord\nmodel: {name: m}")
    assert told(configuration) == [("config.yaml", 2, "model.base_url")]
    assert resolve(person="model: {name: m, kind: extractive}").problems == ()


def test_who_summarises() -> None:
    endpoint = "model: {base_url: 'http://127.0.0.1:8080', name: m"
    calling, plain = resolve(person=endpoint + "}"), resolve(person=endpoint + ", kind: extractive}")
    assert "http://127.0.0.1:8080" in from_configuration(calling).name
    assert "extractive" in from_configuration(plain).name
    assert "extractive" in from_configuration(resolve()).name
    assert "http://127.0.0.1:8080" in named("openai", plain, lambda _: b"").name


@pytest.mark.parametrize(
    ("environ", "language", "source"),
    [
        ({"LANG": "zh_CN.UTF-8"}, "zh", "LANG"),
        ({"LANG": "en_GB.UTF-8"}, "en", "LANG"),
        ({"LANG": "zh_TW", "LC_ALL": "C.UTF-8"}, "", "default"),
        ({"LANG": "en_US", "LC_MESSAGES": "zh_CN"}, "zh", "LC_MESSAGES"),
        ({"LANG": "de_DE"}, "", "default"),
        ({"LANG": ""}, "", "default"),
    ],
)
def test_the_language_of_the_environment(environ: dict[str, str], language: str, source: str) -> None:
    configuration = resolve(environ=environ)
    assert configuration.settings.language == language
    assert {row.key: row.source for row in describe(configuration)}["language"] == source
    assert resolve(person="language: en", environ=environ).settings.language == "en"


def test_a_policy_of_the_caller_counts_over_the_files() -> None:
    configuration = resolve(repo="mode: [", person=FULL).with_policy(Policy(mode="auto"))
    assert configuration.policy == Policy(mode="auto")
    assert not configuration.broken
    rows = {row.key: row.source for row in describe(configuration)}
    assert rows["mode"] == rows["limits.label"] == rows["rules.off"] == "caller"
    assert rows["theme"] == "config.yaml"


def test_the_switchable_rules_are_those_that_the_judge_knows() -> None:
    assert set(SWITCHABLE) == rules.SWITCHABLE


def test_a_configuration_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        resolve().broken = True  # type: ignore[misc]


# Whatever the texts hold.

KEYS = st.sampled_from(
    [
        *(f"limits.{name}" for name in Limits.model_fields),
        *("mode", "signals", "rules.off", "mask_secrets", "model.base_url", "model.key_variable"),
        *("keymap.a", "theme", "language", "history.keep", "queue.keep", "nonsense"),
    ]
)
VALUES = st.one_of(
    st.integers(-5, 10**6).map(str),
    st.sampled_from(
        ["auto", "review", "[A6, A9]", "{add: [x], remove: [不要]}", "false", "https://e.example", "~", "[]"]
    ),
    st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "Z"]), max_size=12),
)


def entry(key: str, value: str) -> str:
    section, _, name = key.partition(".")
    return f"{section}: {{{name}: {value}}}\n" if name else f"{section}: {value}\n"


@given(st.one_of(st.text(max_size=200), st.lists(st.builds(entry, KEYS, VALUES), max_size=6).map("".join)))
def test_the_repository_never_gets_beyond_its_word(text: str) -> None:
    configuration = resolve(repo=text, environ={"OPENAI_API_KEY": KEY})
    policy, usual = configuration.policy, Policy()
    assert policy.mode in {None, "review"}
    assert all(value <= getattr(usual.limits, name) for name, value in policy.limits)
    assert policy.limits.soft_bytes <= policy.limits.hard_bytes
    assert (policy.history_keep, policy.queue_keep, policy.mask_secrets, policy.rules_off) == (
        usual.history_keep,
        usual.queue_keep,
        usual.mask_secrets,
        usual.rules_off,
    )
    assert configuration.settings == Settings()
    assert configuration.key is None
    assert configuration.problems or not configuration.broken


@given(st.one_of(st.text(max_size=200), st.lists(st.builds(entry, KEYS, VALUES), max_size=6).map("".join)))
def test_no_text_is_too_odd_for_the_persons_file(text: str) -> None:
    configuration = resolve(person=text)
    assert configuration == resolve(person=text)
    assert configuration.policy.limits.soft_bytes <= configuration.policy.limits.hard_bytes
    assert describe(configuration)


# Reading the files.


def folder(tmp_path: Path, *, repo: str | None = None, person: str | None = None) -> tuple[Path, Path]:
    """A repository and a configuration folder."""
    root, own = tmp_path / "仓库", tmp_path / "config"
    (root / ".autopatch-j").mkdir(parents=True)
    own.mkdir()
    if repo is not None:
        (root / ".autopatch-j" / "memory.yaml").write_text(repo, encoding="utf-8")
    if person is not None:
        (own / "config.yaml").write_text(person, encoding="utf-8")
    return root, own


def test_files_are_read_and_named(tmp_path: Path) -> None:
    root, own = folder(tmp_path, repo="limits: {label: 30}\ntheme: nord", person="\ufefftheme: gruvbox\nmood: x")
    (tmp_path / "mine.yaml").write_text("limits: {label: 40}", encoding="utf-8")
    configuration = load_files(root, named=tmp_path / "mine.yaml", environ={}, config_dir=own)
    assert configuration.policy.limits == Limits(label=40)
    assert configuration.settings.theme == "gruvbox"
    assert told(configuration) == [(REPO, 2, "theme"), (str(own / "config.yaml"), 2, "mood")]
    assert configuration.origins["limits.label"].source == str(tmp_path / "mine.yaml")


def test_no_files_are_no_problem_and_none_is_made(tmp_path: Path) -> None:
    configuration = load_files(tmp_path / "nowhere", environ={}, config_dir=tmp_path / "none")
    assert configuration == Configuration()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("what", ["file", "folder", "dangling"])
def test_a_link_in_the_repository_is_not_followed(tmp_path: Path, what: str) -> None:
    root, own = folder(tmp_path)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "memory.yaml").write_text("limits: {label: 5}", encoding="utf-8")
    if what == "folder":
        (root / ".autopatch-j").rmdir()
        (root / ".autopatch-j").symlink_to(elsewhere)
    else:
        target = elsewhere / "memory.yaml" if what == "file" else elsewhere / "none.yaml"
        (root / ".autopatch-j" / "memory.yaml").symlink_to(target)
    configuration = load_files(root, environ={}, config_dir=own)
    assert configuration.broken
    assert configuration.policy == Policy(mode="review")
    assert "link" in configuration.problems[0].message


def test_the_persons_own_file_may_be_a_link(tmp_path: Path) -> None:
    root, own = folder(tmp_path)
    (tmp_path / "dotfiles.yaml").write_text("theme: nord", encoding="utf-8")
    (own / "config.yaml").symlink_to(tmp_path / "dotfiles.yaml")
    assert load_files(root, environ={}, config_dir=own).settings.theme == "nord"


@pytest.mark.parametrize("what", ["folder", "pipe", "bytes", "large"])
@pytest.mark.parametrize("whose", ["repo", "person"])
def test_a_file_that_cannot_be_read_means_review(tmp_path: Path, what: str, whose: str) -> None:
    root, own = folder(tmp_path)
    path = root / ".autopatch-j" / "memory.yaml" if whose == "repo" else own / "config.yaml"
    other = own / "config.yaml" if whose == "repo" else root / ".autopatch-j" / "memory.yaml"
    other.write_text("limits: {label: 33}", encoding="utf-8")
    if what == "folder":
        path.mkdir()
    elif what == "pipe":
        os.mkfifo(path)
    else:
        path.write_bytes(b"mode: \xff" if what == "bytes" else "# 中\n".encode() * MAX_BYTES)
    configuration = load_files(root, environ={}, config_dir=own)
    assert configuration.broken
    assert configuration.policy == Policy(mode="review", limits=Limits(label=33))
    assert len(configuration.problems) == 1
    assert configuration.problems[0].source == (REPO if whose == "repo" else str(path))
    words = {"folder": "no file", "pipe": "no file", "bytes": "UTF-8 at byte 6", "large": "64 KiB"}
    assert words[what] in str(configuration.problems[0])


@pytest.mark.parametrize("what", ["missing", "folder", "bytes"])
def test_a_named_file_that_cannot_be_read_is_an_error(tmp_path: Path, what: str) -> None:
    root, own = folder(tmp_path)
    path = tmp_path / "mine.yaml"
    if what == "folder":
        path.mkdir()
    elif what == "bytes":
        path.write_bytes(b"\xff")
    with pytest.raises(InputError) as raised:
        load_files(root, named=path, environ={}, config_dir=own)
    assert str(path) in raised.value.message
    assert raised.value.hint


def test_the_largest_file_is_read(tmp_path: Path) -> None:
    text = "mode: review\n#" + "x" * (MAX_BYTES - 14)
    root, own = folder(tmp_path, repo=text)
    assert len(text) == MAX_BYTES
    assert load_files(root, environ={}, config_dir=own).policy.mode == "review"
    assert not load_files(root, environ={}, config_dir=own).broken
