"""`plan`: a pure function of its input that writes nothing, over every case that is collected (A1, U2)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memory_core.document import MemoryDocument
from tests.cases.reader import Case, load
from tests.cli.conftest import Cli
from tests.core.flows.helpers import HELD, delta, manager, new_note, new_preference, record, summary, write
from tests.core.samples import document, note, preference, turn
from tests.core.storage.helpers import put, tree

GOOD = delta(turns=[summary(turn(1).id)])
REVIEW = {"reply", "reason", "remarks", "ignored_keys", "base", "delta", "operations", "document", "trimmed", "bytes"}
OPERATION = {
    "at",
    "kind",
    "operation",
    "target_id",
    "verdict",
    "code",
    "message",
    "checks",
    "before",
    "after",
    "evidence",
    "neighbour",
}
CHECK = {"rule", "code", "outcome", "message", "observed", "limit"}


def saved(path: Path, value: object) -> str:
    """A file with a text, or with a value as JSON; its name."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    return str(path)


@pytest.mark.parametrize("case", [*load("parse"), *load("semantic")], ids=lambda case: case.name)
def test_a_case(cli: Cli, tmp_path: Path, case: Case) -> None:
    memory = saved(tmp_path / "memory.json", case.memory)
    words = ("plan", saved(tmp_path / "reply.txt", case.reply), "--memory", memory)
    before = tree(tmp_path)
    done = cli(*words, "--json")
    assert cli(*words, "--json") == done
    text = cli(*words)
    assert cli(*words) == text
    assert text.status == done.status
    assert tree(tmp_path) == before
    review = done.json
    assert set(review) >= REVIEW
    assert done.status == int(
        review["reply"] == "refused" or any(op["verdict"] != "accepted" for op in review["operations"])
    )
    for operation in review["operations"]:
        assert set(operation) >= OPERATION
        assert all(set(check) >= CHECK for check in operation["checks"])
        assert operation["message"] in text.text or operation["verdict"] == "accepted"
    _is_what_the_case_expects(case, review)


def _is_what_the_case_expects(case: Case, review: dict[str, Any]) -> None:
    expect = case.expect
    reply = expect.get("reply") or (expect.get("per_variant") or {}).get(case.variant)
    if reply:
        assert review["reply"] == str(reply).split(":")[0].split(",")[0]
    if review["reply"] == "refused":
        assert review["reason"]["code"]
        assert review["reason"]["message"]
        assert review["operations"] == []
    if "ops" in expect:
        told = [(op["at"], op["verdict"]) for op in review["operations"]]
        assert [at for at, _ in told] == [op["at"] for op in expect["ops"]]
        for (_, verdict), op in zip(told, expect["ops"], strict=True):
            assert verdict in op["verdict"].split(" or ")
    if str(expect.get("document", "")).startswith("document unchanged"):
        held = MemoryDocument.model_validate(case.memory).model_dump(mode="json")
        assert review["document"] == held


def test_a_plan_against_the_repository_is_what_a_proposal_would_show(cli: Cli, repo: Path) -> None:
    found = manager(repo)
    record(found)
    turn_id = found.load().document.turns[0].id
    name = saved(repo / "reply.json", delta(turns=[summary(turn_id)], items=[HELD, new_note()]))
    before = tree(repo)
    planned = cli("plan", name, "--json")
    assert planned.status == 1
    assert tree(repo) == before
    proposed = cli("propose", name, "--json").json["review"]
    assert [op["verdict"] for op in planned.json["operations"]] == [op["verdict"] for op in proposed["operations"]]
    assert planned.json["base"] == proposed["base"]
    assert planned.json["delta"] == proposed["delta"]


def test_ids_that_are_reserved_or_used_are_not_planned_again(cli: Cli, repo: Path) -> None:
    """D4: above the document's, the queue's and the history's."""
    write(repo, document(turns=(turn(1),), items=(note(7),)))
    name = saved(repo / "reply.json", delta(items=[new_note("别的", "用户关注别的模块。")]))
    first = cli("propose", name, "--json").json["review"]["operations"][0]["after"]["id"]
    planned = cli("plan", name, "--now", "2026-05-01T13:00:00+08:00", "--json").json["operations"][0]["after"]["id"]
    assert planned == "mem_20260501_008" or planned > first


def test_several_files_and_lines(cli: Cli, repo: Path) -> None:
    memory = saved(repo / "memory.json", json.loads(write(repo, document(turns=(turn(1),)))))
    one, two = saved(repo / "one.json", GOOD), saved(repo / "two.txt", "没有 JSON。")
    lines = [json.dumps(GOOD), json.dumps({"reply": GOOD, "finish_reason": "content_filter"}), "", GOOD, "[1]"]
    many = saved(repo / "many.jsonl", "\n".join(lines) + "\n")
    done = cli("plan", one, two, "-", "--memory", memory, "--json", stdin=b"{}")
    assert done.status == 1
    assert [review["reply"] for review in done.json] == ["parsed", "refused", "parsed"]
    done = cli("plan", many, "--memory", memory, "--json")
    assert [review["reply"] for review in done.json] == ["parsed", "refused", "parsed", "refused"]
    assert done.json[0] == cli("plan", one, "--memory", memory, "--json").json
    single = saved(repo / "single.jsonl", json.dumps(GOOD))
    assert len(cli("plan", single, "--memory", memory, "--json").json) == 1
    assert cli("plan", saved(repo / "empty.jsonl", "\n"), "--memory", memory, "--json").json == []
    odd = saved(repo / "odd.jsonl", json.dumps({"reply": GOOD, "finish_reason": ["stop"]}))
    assert cli("plan", odd, "--memory", memory, "--json").status == 0
    text = cli("plan", one, two, "--memory", memory).text
    assert "reply 1" in text
    assert "reply 2" in text


def test_a_line_that_is_no_json_is_named(cli: Cli, repo: Path) -> None:
    done = cli("plan", saved(repo / "bad.jsonl", '{}\n{"x\n'), "--json")
    assert (done.status, "line 2" in done.json["error"]["message"]) == (2, True)


def test_what_the_endpoint_said_counts(cli: Cli, repo: Path) -> None:
    """U2b."""
    write(repo, document(turns=(turn(1),)))
    name = saved(repo / "reply.json", GOOD)
    assert cli("plan", name, "--finish-reason", "length", "--json").json["remarks"]
    assert cli("plan", name, "--finish-reason", "content_filter", "--json").status == 1


def test_another_policy_and_another_time(cli: Cli, repo: Path) -> None:
    write(repo, document(turns=(turn(1, user_text="以后回答先给结论再给理由。"),)))
    name = saved(repo / "reply.json", delta(items=[new_preference("很长的一个标签")]))
    own = saved(repo / "own.yaml", "limits: {label: 3}")
    assert cli("plan", name, "--json").status == 0
    assert cli("plan", name, "--policy", own, "--json").json["operations"][0]["code"] == "too_long"
    later = cli("plan", name, "--now", "2027-01-02T03:04:05+08:00", "--json").json
    assert later["operations"][0]["after"]["created_at"] == "2027-01-02T03:04:05+08:00"
    assert later["operations"][0]["after"]["id"].startswith("mem_20270102_")
    for time in ("yesterday", "2027-01-02T03:04:05", ""):
        assert cli("plan", name, "--now", time).status == 2


@pytest.mark.parametrize("memory", [b"{", b'{"version": 2}', b"\xff", b"[]"])
def test_a_memory_without_a_document_is_unusable(cli: Cli, repo: Path, memory: bytes) -> None:
    (repo / "memory.json").write_bytes(memory)
    name = saved(repo / "reply.json", GOOD)
    assert cli("plan", name, "--memory", str(repo / "memory.json"), "--json").status == 2
    put(repo, memory)
    before = tree(repo)
    assert cli("plan", name, "--json").status == 2
    assert tree(repo) == before


def test_a_memory_of_some_bad_entries_is_planned_against_what_it_holds(cli: Cli, repo: Path) -> None:
    value = json.loads(write(repo, document(turns=(turn(1),), items=(preference(1),))))
    value["working_memory"]["recent_turns"].append({"id": 7})
    done = cli("plan", saved(repo / "r.json", GOOD), "--memory", saved(repo / "m.json", value), "--json")
    assert done.status == 0
    assert b"recent_turns[1]" in done.err


def test_too_much_input(cli: Cli, repo: Path) -> None:
    big = repo / "big.json"
    with big.open("wb") as file:
        file.truncate(17 * 1024 * 1024)
    assert cli("plan", str(big), "--json").status == 2
    done = cli("plan", "-", "--json", stdin=b"[" * 1_000_000)
    assert (done.status, done.json["reply"]) == (1, "refused")
