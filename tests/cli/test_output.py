"""What is printed, and what never is: one JSON document, no control bytes, no traceback; quiet endings."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from inspector.cli import COMMANDS
from inspector.cli import cli as group
from inspector.commands.common import find_root
from memory_core.document import RecentTurn
from memory_core.errors import OutcomeUnknownError, WriteError
from memory_core.manager import MemoryManager
from tests.cli.conftest import Cli
from tests.core.flows.helpers import delta, manager, new_note, new_topic, summary, write
from tests.core.samples import document, note, preference, topic, turn
from tests.core.storage.helpers import tree

USAGE = [
    ("nonsense",),
    ("show", "extra"),
    ("show", "--nonsense"),
    ("plan",),
    ("approve",),
    ("approve", "x", "--accept"),
    ("restore", "x"),
    ("restore",),
    ("pending", "nonsense"),
    ("pending", "show"),
    ("item",),
    ("item", "nonsense", "x"),
    ("item", "forget"),
    ("record", "--intent", "general_chat"),
    ("context",),
    ("open",),
    ("review", "x"),
    ("reset",),
    ("plan", "/nowhere"),
    ("plan", "-", "--now", "yesterday"),
    ("plan", "-", "--memory", "/nowhere"),
    ("plan", "-", "-"),
    ("propose", "/"),
]


@pytest.mark.parametrize("words", USAGE, ids=" ".join)
def test_unusable_words_are_one_json_document(cli: Cli, repo: Path, words: tuple[str, ...]) -> None:
    """2; `{"error": {"code", "message", "hint"}}`, nothing on stderr but narration, nothing created."""
    done = cli(*words, "--json")
    assert done.status == 2
    assert set(done.json) == {"error"}
    assert set(done.json["error"]) == {"code", "message", "hint"}
    assert done.json["error"]["message"]
    told = cli(*words)
    assert (told.status, told.out) == (2, b"")
    assert b"Traceback" not in told.err
    assert told.err
    assert list(repo.iterdir()) == []


def test_json_may_be_asked_for_before_or_after_the_command(cli: Cli) -> None:
    assert cli("--json", "show").json == cli("show", "--json").json
    assert cli("--json", "show", "--nonsense").json["error"]["code"] == "usage"


def test_a_folder_that_is_not_there(cli: Cli, tmp_path: Path) -> None:
    done = cli("show", "--json", at=tmp_path / "nowhere")
    assert (done.status, done.json["error"]["code"]) == (2, "bad_input")


def test_without_a_terminal_open_names_what_helps(cli: Cli) -> None:
    for words in (("open",), ()):
        done = cli(*words)
        assert (done.status, done.out) == (2, b"")
        assert b"show" in done.err
        assert b"pending" in done.err


def test_without_a_terminal_the_demonstration_proves_itself(cli: Cli) -> None:
    done = cli("demo", at=None)
    assert done.status == 0
    assert "memory never reaches it" in done.text
    assert cli("demo", "--json", at=None).json


HOSTILE = "[/x] \x1b[31mred\x1b]52;c;aa\x07 \u202egnp.exe\u2066 \x9b2J\x85 \u200b\U000e0041 正文\r\n\ttab\x00"
UNSEEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")


def hostile(repo: Path) -> str:
    """A memory full of what a terminal would obey, as somebody else may have written it; a delta that waits."""
    turns = (RecentTurn.model_validate({**turn(1).model_dump(), "user_text": HOSTILE, "scope_paths": [HOSTILE]}),)
    write(
        repo,
        document(
            turns=(*turns, turn(2, summary=HOSTILE[:200], summary_status="ready")),
            topics=(topic(1, label=HOSTILE[:50], summary=HOSTILE),),
            items=(note(1, label=HOSTILE[:50], summary=HOSTILE), preference(2, summary=HOSTILE)),
        ),
    )
    found = manager(repo)
    first = found.propose(delta(turns=[summary(turn(1).id, HOSTILE)], topics=[new_topic(HOSTILE[:50], HOSTILE)]))
    found.propose(HOSTILE)
    found.set_status(note(1).id, "inactive")
    return first.delta_id


def every_look(delta_id: str) -> list[tuple[str, ...]]:
    return [
        ("show",),
        ("check",),
        ("pending",),
        ("pending", "show", delta_id),
        ("context", "--intent", "general_chat", "--explain", "--question", HOSTILE.replace("\x00", "")),
        ("history",),
        ("diff", "empty"),
        ("diff", "1", "2"),
        ("profile",),
        ("policy",),
        ("approve", "\x1b[31m\u202e"),
        ("approve", delta_id, "--accept", "\x1b[31m"),
        ("plan", "\x1b[2J/nowhere"),
        ("\u202enonsense\x1b",),
        ("show", "--\x1b[31m"),
        ("context", "--intent", "\x1b[31m"),
        ("diff", "\x9b2J"),
        ("item", "forget", "\x1b]0;x\x07"),
    ]


def test_stored_text_reaches_no_terminal_as_it_is(cli: Cli, repo: Path) -> None:
    """Text for people is sanitised also in a pipe; JSON escapes what nobody can see."""
    delta_id = hostile(repo)
    for words in every_look(delta_id):
        done = cli(*words)
        assert not UNSEEN.search(done.text), words
        assert not UNSEEN.search(done.err.decode()), words
        told = cli(*words, "--json")
        assert not UNSEEN.search(told.text), words
        assert isinstance(told.json, (dict, list)), words
    shown = cli("show", "--json").json
    assert shown["document"]["long_term_memory"]["project_notes"][0]["summary"] == HOSTILE


def test_profile_values_of_strangers_reach_no_terminal(cli: Cli, repo: Path) -> None:
    (repo / "settings.gradle").write_text("rootProject.name = 'a\x1b[31mb'\ninclude 'x\u202ey'\n", encoding="utf-8")
    (repo / "README.md").write_text("# \x1b]52;c;aa\x07 title \u202e\n", encoding="utf-8")
    (repo / ".autopatch-j").mkdir()
    (repo / ".autopatch-j" / "memory.yaml").write_text('limits: {"\\e[31m": 1}\nmode: "\\u202e"\n')
    for words in (("profile",), ("policy",), ("show",)):
        done = cli(*words)
        assert not UNSEEN.search(done.text + done.err.decode()), words


def test_a_secret_is_shown_nowhere(cli: Cli, repo: Path) -> None:
    """A9."""
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    write(repo, document(turns=(turn(1),)))
    text = delta(turns=[summary(turn(1).id, f"用户用 {token} 登录。")], items=[new_note("登录", f"口令是 {token}。")])
    (repo / "reply.json").write_text(text, encoding="utf-8")
    for words in (("plan", str(repo / "reply.json")), ("propose", str(repo / "reply.json")), ("pending",)):
        for more in ((), ("--json",)):
            done = cli(*words, *more)
            assert token.encode() not in done.out + done.err
    (entry, *_) = cli("pending", "--json").json
    assert token.encode() not in cli("pending", "show", entry["id"]).out
    assert token.encode() not in b"".join(data for name, data in tree(repo).items() if "reply.json" not in name)


def test_every_command_of_the_table_is_there_and_explains_itself(cli: Cli) -> None:
    listed = cli("--help", at=None).text
    for name in COMMANDS:
        assert re.search(rf"^\s+{name}\b", listed, re.MULTILINE), name
        command = group.get_command(None, name)  # type: ignore[arg-type]
        assert command is not None
        assert command.help
        for parameter in command.params:
            assert parameter.param_type_name == "argument" or getattr(parameter, "help", None), (name, parameter.name)


# Faults, interruptions, closed pipes.


def broken(error: BaseException) -> object:
    def load(self: MemoryManager) -> object:
        raise error

    return load


@pytest.mark.parametrize("error", [ValueError("坏"), RecursionError(), MemoryError(), AssertionError(), KeyError("x")])
def test_a_fault_of_ours_is_one_line_and_the_traceback_is_in_the_log(
    cli: Cli, own_home: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """70."""
    monkeypatch.setattr(MemoryManager, "load", broken(error))
    done = cli("show", "--json")
    assert (done.status, done.json["error"]["code"]) == (70, "internal_fault")
    told = cli("show")
    assert (told.status, told.out, b"Traceback" in told.err) == (70, b"", False)
    (log,) = own_home.rglob("faults.log")
    assert log.read_text().count("Traceback") == 2
    assert str(log).encode() in told.err


def test_a_fault_where_no_log_can_be_written_is_told_all_the_same(
    cli: Cli, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (own_home / "xdg_state_home").write_text("in the way")
    monkeypatch.setattr(MemoryManager, "load", broken(ValueError()))
    assert cli("show", "--json").status == 70


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (WriteError("The disk is full."), 3),
        (OutcomeUnknownError("Nobody knows."), 3),
        (KeyboardInterrupt(), 130),
    ],
)
def test_the_state_and_the_person_end_a_command(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, error: BaseException, status: int
) -> None:
    monkeypatch.setattr(MemoryManager, "load", broken(error))
    done = cli("show", "--json")
    assert done.status == status
    assert set(done.json) == {"error"}
    assert cli("show").status == status


def test_an_interruption_after_the_document_is_out_gives_no_second_one(
    cli: Cli, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.commands.judge.outcome_status", broken(KeyboardInterrupt()))
    done = cli("plan", "-", "--json", stdin=b"{}")
    assert done.status == 130
    assert done.json["reply"] == "parsed"


def process(*words: str, repo: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "inspector", *words, "--repo", str(repo)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def test_a_closed_pipe_ends_quietly(repo: Path) -> None:
    write(repo, document(turns=tuple(turn(number, user_text="问" * 1000) for number in range(1, 13))))
    for words in (("show",), ("show", "--json"), ("codes",), ("show", "--help")):
        running = process(*words, repo=repo)
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.close()
        with running.stderr:
            assert (running.wait(30), running.stderr.read()) == (0, b""), words


@pytest.mark.parametrize("words", [("plan",), ("propose",)])
def test_ctrl_c_ends_a_command_that_waits(repo: Path, tmp_path: Path, words: tuple[str, ...]) -> None:
    """130, one line, nothing half done."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    running = process(*words, str(pipe), "--json", repo=repo)
    with pipe.open("wb"):  # opens when the command reads at the other end
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=30)
    assert (running.returncode, err.strip()) == (130, b"")
    assert json.loads(out)["error"]["code"] == "interrupted"
    assert list(repo.iterdir()) == []


def test_bytes_are_utf8_whatever_the_locale_says(repo: Path) -> None:
    write(repo, document(turns=(turn(1),)))
    environment = {**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    for words in (["show"], ["show", "--json"], ["context", "--intent", "general_chat"]):
        done = subprocess.run(
            [sys.executable, "-m", "inspector", *words, "--repo", str(repo)],
            capture_output=True,
            env=environment,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, b"")
        assert "Optional" in done.stdout.decode("utf-8")


# Which repository.


def test_the_nearest_memory_is_found_but_never_above_the_repository(tmp_path: Path) -> None:
    inner = tmp_path / "outer" / "repo" / "src"
    inner.mkdir(parents=True)
    (tmp_path / "outer" / ".autopatch-j").mkdir()
    assert find_root(inner, Path("/home/nobody")) == tmp_path / "outer"
    (tmp_path / "outer" / "repo" / ".git").write_text("gitdir: elsewhere")
    assert find_root(inner, Path("/home/nobody")) == tmp_path / "outer" / "repo"
    (inner / ".autopatch-j").mkdir()
    assert find_root(inner, Path("/home/nobody")) == inner


def test_memory_is_never_found_above_the_home_folder(tmp_path: Path) -> None:
    home = tmp_path / "home"
    inner = home / "work"
    inner.mkdir(parents=True)
    (tmp_path / ".autopatch-j").mkdir()
    assert find_root(inner, home) == inner
    (home / ".autopatch-j").mkdir()
    assert find_root(inner, home) == home


def test_the_folder_one_stands_in(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    write(tmp_path / "a", document(turns=(turn(1),)))
    monkeypatch.chdir(inner)
    assert cli("show", "--json", at=None).json["counts"]["recent_turns"] == 1
    (inner / ".git").mkdir()
    assert cli("show", "--json", at=None).json["counts"]["recent_turns"] == 0


def test_a_home_that_is_a_link_is_the_same_home(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = tmp_path / "real"
    (real / "work").mkdir(parents=True)
    write(tmp_path, document(turns=(turn(1),)))
    (tmp_path / "home").symlink_to(real)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path / "home" / "work")
    assert cli("show", "--json", at=None).json["counts"]["recent_turns"] == 0


def test_a_folder_that_is_gone(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    done = cli("show", "--json", at=None)
    assert (done.status, done.json["error"]["code"]) == (2, "bad_input")
    monkeypatch.chdir(tmp_path)
