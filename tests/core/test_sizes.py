"""Sizes are told without writing the document, and must be those of the bytes that would be written (D6)."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_core.capacity import encode, encoded_size, fit, resized
from memory_core.codec import decode
from memory_core.document import MemoryDocument, RepoProfile
from memory_core.policy import Limits
from tests.core.samples import NOW, V1_SAMPLES, document, note, preference, topic, turn

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)


@st.composite
def documents(draw: st.DrawFn) -> MemoryDocument:
    """Documents of any texts, with keys that the program does not know."""
    extra = draw(st.fixed_dictionaries({}, optional={"pinned": JSON}))
    return document(
        turns=tuple(
            turn(n, user_text=draw(TEXT), scope_paths=draw(st.lists(TEXT, max_size=2)), **extra)
            for n in range(draw(st.integers(0, 3)))
        ),
        topics=tuple(
            topic(n, label=draw(TEXT), related_turn_ids=draw(st.lists(TEXT, max_size=2)))
            for n in range(draw(st.integers(0, 2)))
        ),
        items=tuple(
            draw(st.sampled_from([note, preference]))(n, summary=draw(TEXT), **extra)
            for n in range(draw(st.integers(0, 4)))
        ),
    ).touched(draw(TEXT))


@settings(deadline=None)
@given(documents())
def test_encoded_size(of: MemoryDocument) -> None:
    assert encoded_size(of) == len(encode(of))


@settings(deadline=None)
@given(documents(), documents(), st.data())
def test_resized(old: MemoryDocument, other: MemoryDocument, data: st.DataObject) -> None:
    """Any part of one document in another: entries come, go, change, and lists become empty."""
    new = old
    if data.draw(st.booleans()):
        new = new.with_turns(other.turns)
    if data.draw(st.booleans()):
        new = new.with_topics((*old.topics[1:], *other.topics))
    if data.draw(st.booleans()):
        new = new.with_items((*old.items[:1], *other.items))
    if data.draw(st.booleans()):
        new = new.touched(other.updated_at)
    if data.draw(st.booleans()):
        new = new.with_profile(RepoProfile(project_name="demo", modules=("a", "b")))
    assert resized(encoded_size(old), old, new) == len(encode(new))


@pytest.mark.parametrize("path", V1_SAMPLES, ids=lambda path: path.stem)
def test_sizes_of_files(path: Path) -> None:
    of = decode(path.read_bytes(), Limits(), NOW).document
    assert encoded_size(of) == len(encode(of))


@settings(deadline=None)
@given(documents(), st.integers(1024, 3000))
def test_fit_tells_the_size_that_it_leaves(of: MemoryDocument, hard: int) -> None:
    limits = Limits(hard_bytes=hard, recent_turns=2, active_topics=1)
    fitted = fit(of, limits, now=NOW)
    assert fitted.size == len(encode(fitted.document))
    assert fitted == fit(of, limits, now=NOW, size=encoded_size(of))
    assert fitted.fits is (fitted.size <= hard)
