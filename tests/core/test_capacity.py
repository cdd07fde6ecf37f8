"""Limits and trimming (D6): what goes first, what never goes."""

from __future__ import annotations

from memory_core.capacity import encoded_size, fit, oldest_inactive
from memory_core.policy import Limits
from tests.core.samples import NOW, document, note, topic, turn


def test_a_document_within_its_limits_stays_as_it_is() -> None:
    whole = document(turns=(turn(1),), topics=(topic(1),), items=(note(1),))
    fitted = fit(whole, Limits(), now=NOW)
    assert (fitted.document, fitted.trimmed, fitted.fits) == (whole, (), True)


def test_beyond_twelve_turns_the_oldest_ready_one_goes_first() -> None:
    turns = tuple(turn(n, summary_status="ready" if n == 5 else "pending") for n in range(1, 14))
    fitted = fit(document(turns=turns), Limits(), now=NOW)
    assert [(step.what, step.id, step.reason) for step in fitted.trimmed] == [("turn", turn(5).id, "count")]


def test_the_turn_being_recorded_never_goes() -> None:
    turns = tuple(turn(n) for n in range(1, 14))
    fitted = fit(document(turns=turns), Limits(recent_turns=1), now=NOW, protect=turn(1).id)
    assert [entry.id for entry in fitted.document.turns] == [turn(1).id]


def test_the_topic_untouched_longest_goes_by_instant_not_by_text() -> None:
    early = topic(1, last_touched_at="2026-05-01T12:00:00+08:00")
    late = topic(2, last_touched_at="2026-05-01T05:00:00+00:00")
    fitted = fit(document(topics=(late, early)), Limits(active_topics=1), now=NOW)
    assert [entry.id for entry in fitted.document.topics] == [late.id]


def test_for_space_ready_texts_go_then_ready_turns_then_topics_then_pending_texts_then_pending_turns() -> None:
    whole = document(
        turns=(
            turn(1, summary_status="ready", assistant_text="甲" * 300, user_text="甲" * 300),
            turn(2, assistant_text="乙" * 300, user_text="乙" * 300),
        ),
        topics=(topic(1, summary="丙" * 300),),
        items=(note(1, summary="丁" * 300),),
    )
    order: list[tuple[str, str]] = []
    for hard in range(encoded_size(whole), 1023, -50):
        fitted = fit(whole, Limits(hard_bytes=hard, soft_bytes=1024), now=NOW)
        for step in fitted.trimmed:
            if (step.what, step.id) not in order:
                order.append((step.what, step.id))
        assert fitted.document.items == whole.items
        assert fitted.fits == (encoded_size(fitted.document) <= hard)
    assert order == [
        ("assistant_text", turn(1).id),
        ("turn", turn(1).id),
        ("topic", topic(1).id),
        ("assistant_text", turn(2).id),
        ("turn", turn(2).id),
    ]


def test_long_term_memory_is_never_trimmed_for_space() -> None:
    whole = document(items=tuple(note(n, summary="丁" * 300) for n in range(1, 40)))
    fitted = fit(whole, Limits(), now=NOW)
    assert not fitted.fits
    assert fitted.document == whole


def test_the_oldest_inactive_item_is_found_by_instant() -> None:
    items = (
        note(1),
        note(2, status="inactive", updated_at="2026-05-01T12:00:00+08:00"),
        note(3, status="inactive", updated_at="2026-05-01T03:00:00+00:00"),
    )
    found = oldest_inactive(items, NOW)
    assert found is not None
    assert found.id == note(3).id
    assert oldest_inactive((note(1),), NOW) is None
