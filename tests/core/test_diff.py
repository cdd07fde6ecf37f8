"""Documents compared entry by entry and field by field, texts word by word."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.capacity import encode
from memory_core.codec import decode
from memory_core.diff import MAX_COMPARED, Change, FieldChange, diff, marked, tokens
from memory_core.document import MemoryDocument, RepoProfile
from memory_core.policy import Limits
from tests.core.samples import NOW, V1_SAMPLES, document, note, preference, topic, turn

NOTES = "long_term_memory.project_notes"


def applied(before: MemoryDocument, changes: tuple[Change, ...]) -> dict[str, Any]:
    """The earlier document with the changes made, entries by id: what a reader of the changes knows of the later."""
    state = flat(before)
    for change in changes:
        if change.kind == "moved":
            continue
        if change.kind == "removed":
            del state[change.at]
        else:
            state[change.at] = change.after
    return state


def flat(memory: MemoryDocument) -> dict[str, Any]:
    """Every place of a document that a change may name, with its value."""
    value = memory.model_dump(mode="json")
    state: dict[str, Any] = {}
    for section in ("working_memory", "long_term_memory"):
        for name, entries in value.pop(section).items():
            for entry in entries:
                place = plain = f"{section}.{name}.{entry['id']}"
                number = 1
                while place in state:
                    number += 1
                    place = f"{plain}#{number}"
                state[place] = entry
    state.update({f"repo_profile.{name}": field for name, field in value.pop("repo_profile").items()})
    del value["version"]
    return state | value


def same(left: Any, right: Any) -> bool:
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


BASE = document(
    turns=(turn(1), turn(2)), topics=(topic(1), topic(2)), items=(preference(1), note(2, label="缓存"), note(3))
).with_profile(RepoProfile(build_tool="maven", modules=("a", "b")))


def test_equal_documents_do_not_differ() -> None:
    assert diff(BASE, BASE) == ()
    assert diff(BASE, decode(encode(BASE), Limits(), NOW).document) == ()
    assert diff(MemoryDocument(), MemoryDocument()) == ()


@pytest.mark.parametrize("sample", V1_SAMPLES, ids=lambda path: path.stem)
def test_a_v1_document_does_not_differ_from_itself(sample: Any) -> None:
    loaded = decode(sample.read_bytes(), Limits(), NOW).document
    assert diff(loaded, decode(encode(loaded), Limits(), NOW).document) == ()
    assert len(diff(MemoryDocument(), loaded)) >= len(list(loaded.entries()))


def test_an_item_is_added_removed_and_changed_field_by_field() -> None:
    old, new = note(2, label="缓存"), note(2, label="缓存", summary="用户关注缓存的失效。", status="inactive")
    changes = diff(document(items=(old, note(3))), document(items=(new, note(4, label="x" * 90))))
    assert [(change.at, change.kind) for change in changes] == [
        (f"{NOTES}.mem_20260501_003", "removed"),
        (f"{NOTES}.mem_20260501_002", "changed"),
        (f"{NOTES}.mem_20260501_004", "added"),
    ]
    removed, changed, added = changes
    assert removed.after is None
    assert removed.before["summary"] == note(3).summary
    assert changed.fields == (
        FieldChange("summary", old.summary, "用户关注缓存的失效。"),
        FieldChange("status", "active", "inactive"),
    )
    assert (changed.before, changed.after) == (old.model_dump(), new.model_dump())
    assert changed.label == "缓存"
    assert added.before is None
    assert added.label == "x" * 59 + "…"
    assert {field.name for field in added.fields} == set(note().model_dump())


def test_fields_outside_the_entries() -> None:
    profile = RepoProfile(build_tool="maven", modules=("a", "c"), java_version="17")
    after = BASE.with_profile(profile).touched("2026-05-02T08:00:00+08:00")
    assert diff(BASE, after) == (
        Change("repo_profile.java_version", "changed", "", "17", (FieldChange("java_version", "", "17"),)),
        Change(
            "repo_profile.modules", "changed", ["a", "b"], ["a", "c"], (FieldChange("modules", ["a", "b"], ["a", "c"]),)
        ),
        Change(
            "updated_at",
            "changed",
            BASE.updated_at,
            "2026-05-02T08:00:00+08:00",
            (FieldChange("updated_at", BASE.updated_at, "2026-05-02T08:00:00+08:00"),),
        ),
    )


def test_unknown_keys_count_as_the_json_that_they_are() -> None:
    def with_key(value: object) -> MemoryDocument:
        return MemoryDocument.model_validate({"x": value})

    assert [(change.at, change.kind, change.after) for change in diff(MemoryDocument(), with_key(None))] == [
        ("x", "added", None)
    ]
    assert [change.kind for change in diff(with_key(1), MemoryDocument())] == ["removed"]
    assert [change.kind for change in diff(with_key(1), with_key(True))] == ["changed"]
    assert [change.kind for change in diff(with_key([1]), with_key([1.0]))] == ["changed"]
    assert diff(with_key({"a": 1, "b": 2}), with_key({"b": 2, "a": 1})) == ()
    inside = diff(document(items=(note(2, mark=1),)), document(items=(note(2, mark=True),)))
    assert inside[0].fields == (FieldChange("mark", 1, True),)


def test_another_order_is_told_once_a_list() -> None:
    first, second, third = note(1), note(2), note(3)
    changes = diff(document(items=(first, second)), document(items=(third, second, first)))
    assert [(change.at, change.kind) for change in changes] == [(f"{NOTES}.{third.id}", "added"), (NOTES, "moved")]
    assert changes[-1].before == [first.id, second.id]
    assert changes[-1].after == [second.id, first.id]
    assert diff(document(items=(first, second, third)), document(items=(first, third)))[0].kind == "removed"


def test_a_change_is_json() -> None:
    after = document(turns=(turn(2, scope_paths=("src/订单.java",)),), items=(note(2, mark={"a": [1]}),))
    for change in (*diff(BASE, after), *diff(after, BASE)):
        assert json.loads(json.dumps([change.before, change.after])) == [change.before, change.after]


IDS = st.sampled_from(["a", "b", "a#2", "mem.1"])
TEXT = st.sampled_from(["", "x", "订单", "1"])
EXTRA = st.dictionaries(
    st.sampled_from(["k", "另"]), st.one_of(st.none(), st.booleans(), st.integers(0, 1), st.just(1.0), st.just([1]))
)


def items(maker: Any, field: str) -> st.SearchStrategy[Any]:
    built = st.builds(lambda i, text, extra: maker(1, **{"id": i, field: text, **extra}), IDS, TEXT, EXTRA)
    return st.lists(built, max_size=3).map(tuple)


DOCUMENTS = st.builds(
    lambda turns, topics, notes, preferences, profile, extra: MemoryDocument.model_validate(
        document(turns=turns, topics=topics, items=notes + preferences).with_profile(profile).model_dump() | extra
    ),
    items(turn, "summary"),
    items(topic, "label"),
    items(note, "summary"),
    items(preference, "summary"),
    st.builds(RepoProfile, java_version=TEXT, modules=st.lists(TEXT, max_size=2).map(tuple)),
    EXTRA,
)


@given(DOCUMENTS, DOCUMENTS)
def test_the_changes_are_every_difference(before: MemoryDocument, after: MemoryDocument) -> None:
    changes = diff(before, after)
    assert same(applied(before, changes), flat(after))
    assert same(applied(after, diff(after, before)), flat(before))
    assert bool(changes) != same(before.model_dump(mode="json"), after.model_dump(mode="json"))
    assert all(
        change.kind == "moved" or not same(change.before, change.after) or change.before is None for change in changes
    )


@given(DOCUMENTS)
def test_nothing_differs_from_itself(memory: MemoryDocument) -> None:
    assert diff(memory, memory) == ()
    assert diff(memory, memory.model_copy(deep=True)) == ()


# Words.


@pytest.mark.parametrize(
    ("before", "after", "pieces"),
    [
        ("回答用英文。", "回答用中文。", [("回答用", "same"), ("英", "removed"), ("中", "added"), ("文。", "same")]),
        (
            "Use JUnit 4 here",
            "Use JUnit 5 here",
            [("Use JUnit ", "same"), ("4", "removed"), ("5", "added"), (" here", "same")],
        ),
        ("refund path", "refunds path", [("refund", "removed"), ("refunds", "added"), (" path", "same")]),
        (
            "用Redis缓存",
            "用Caffeine缓存",
            [("用", "same"), ("Redis", "removed"), ("Caffeine", "added"), ("缓存", "same")],
        ),
        ("不要改", "改", [("不要", "removed"), ("改", "same")]),
        ("甲乙丙", "甲乙乙丙", [("甲乙", "same"), ("乙", "added"), ("丙", "same")]),
        ("改", "不改", [("不", "added"), ("改", "same")]),
        ("同样", "同样", [("同样", "same")]),
        ("", "新", [("新", "added")]),
        ("旧", "", [("旧", "removed")]),
        ("", "", []),
        ("👩\u200d💻 ok", "👩\u200d🚀 ok", [("👩\u200d💻", "removed"), ("👩\u200d🚀", "added"), (" ok", "same")]),
        ("🇨🇳🇯🇵", "🇨🇳🇰🇷", [("🇨🇳", "same"), ("🇯🇵", "removed"), ("🇰🇷", "added")]),
    ],
)
def test_words_are_marked(before: str, after: str, pieces: list[tuple[str, str]]) -> None:
    assert list(marked(before, after)) == pieces


def test_what_belongs_together_stays_together() -> None:
    assert tokens("com.acme_x 订单 e\u0301t") == ["com", ".", "acme_x", " ", "订", "单", " ", "e\u0301t"]
    assert tokens("❤\ufe0f\u200d🔥👍🏽!") == ["❤\ufe0f\u200d🔥", "👍🏽", "!"]
    assert tokens("می\u200cخواهم") == ["می\u200cخواهم"]
    assert tokens("🇨🇳🇯") == ["🇨🇳", "🇯"]


SHORT = st.text(st.sampled_from("ab 订单.，\n\u0301\u200d👩🇨🇳"), max_size=24)


@given(SHORT, SHORT)
def test_the_pieces_are_both_texts(before: str, after: str) -> None:
    pieces = marked(before, after)
    assert "".join(text for text, piece in pieces if piece != "added") == before
    assert "".join(text for text, piece in pieces if piece != "removed") == after
    assert all(text for text, _ in pieces)
    assert all(pieces[at][1] != pieces[at + 1][1] for at in range(len(pieces) - 1))
    assert all(piece == "same" for _, piece in marked(before, before))


def test_long_texts_are_marked_as_a_whole_between_what_they_share() -> None:
    size = int(MAX_COMPARED**0.5) + 1
    pieces = marked("头" + "甲乙" * size + "尾", "头" + "乙丙" * size + "尾")
    assert [piece for _, piece in pieces] == ["same", "removed", "added", "same"]
    assert pieces[0][0] == "头"
    assert pieces[-1][0] == "尾"
