"""Reads the delta cases: the reply or replies of each, and the memory that it is judged against."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

CASES = Path(__file__).parent


@dataclass(frozen=True)
class Case:
    """One reply of one case, against one memory."""

    name: str
    reply: str
    memory: dict[str, Any]
    expect: dict[str, Any]
    tier: str
    variant: str
    rules: tuple[str, ...] = ()


def load(kind: str) -> list[Case]:
    """Every case of a kind that has a reply."""
    source = yaml.safe_load((CASES / "delta_cases.yaml").read_text(encoding="utf-8"))
    base = source["fixtures"]["base"]
    found: list[Case] = []
    for case in source["cases"]:
        if case["kind"] != kind:
            continue
        for variant, reply in _replies(case):
            for label, memory in _memories(case, base):
                name = "-".join(part for part in (case["id"], variant, label) if part).replace(" ", "_")
                found.append(
                    Case(name, reply, memory, case["expect"], case["tier"], variant or label, tuple(case["rules"]))
                )
    return found


def _replies(case: dict[str, Any]) -> Iterator[tuple[str, str]]:
    if "input" in case:
        yield "", case["input"]
    yield from case.get("input_variants", {}).items()
    if "input_build" in case:
        yield (
            "",
            "".join(part["text"] if "text" in part else part["repeat"] * part["times"] for part in case["input_build"]),
        )


def _memories(case: dict[str, Any], base: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    if "per_memory" in case["expect"]:
        for label in case["expect"]["per_memory"]:
            yield label, _filled(base, label)
        return
    yield "", _changed(base, case.get("memory"))


def _changed(base: dict[str, Any], change: Any) -> dict[str, Any]:
    memory = copy.deepcopy(base)
    if not isinstance(change, dict):
        return memory
    turns = memory["working_memory"]["recent_turns"]
    for part in change.get("recent_turns", ()):
        old = next((turn for turn in turns if turn["id"] == part["id"]), turns[0])
        turns[turns.index(old)] = {**old, **part}
    if "recent_turns" in change:
        wanted = {part["id"] for part in change["recent_turns"]}
        memory["working_memory"]["recent_turns"] = [turn for turn in turns if turn["id"] in wanted]
    if "append_turn" in change:
        last = memory["working_memory"]["recent_turns"][-1]
        new = {**last, "scope_paths": [], "assistant_text": "好。", "intent": "general_chat", **change["append_turn"]}
        memory["working_memory"]["recent_turns"].append(new)
    if "add_durable_preference" in change:
        items = memory["long_term_memory"]["durable_preferences"]
        items.append({**items[0], **change["add_durable_preference"]})
    return memory


def _filled(base: dict[str, Any], label: str) -> dict[str, Any]:
    """The base memory filled up to the counts that a label names, such as `49 active + 1 inactive`."""
    memory = copy.deepcopy(base)
    active = int(label.split(" ", 1)[0])
    inactive = 1 if "1 inactive" in label else 0
    notes = memory["long_term_memory"]["project_notes"]
    preferences = memory["long_term_memory"]["durable_preferences"]
    old = next(item for item in preferences if item["status"] == "inactive")
    preferences[:] = [item for item in preferences if item["status"] == "active"] + [old] * inactive
    for number in range(active - len(notes) - len(preferences) + inactive):
        notes.append(
            {
                **notes[0],
                "id": f"mem_20260401_{number + 1:03d}",
                "label": f"部分 {number}",
                "summary": f"第 {number} 部分。",
            }
        )
    return memory
