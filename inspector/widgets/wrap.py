"""Breaks a line for the screen: by terminal cells, between Chinese characters, with an indent for what goes on."""

from __future__ import annotations

from textual.content import Content

from inspector.display import cells, clusters

NOT_FIRST = frozenset("，。、；：！？）》」』】〉”’…—～％,.;:!?)]}%'\"»")
"""Characters that begin no line."""
NOT_LAST = frozenset("（《「『【〈“‘([{«")
"""Characters that end no line."""
_SIGNS = frozenset("-+")
SOFT = frozenset("/_-.,;:")
"""Where a long Latin word may be cut."""


def wrapped(content: Content, width: int, hang: int = 0) -> list[Content]:
    """The lines that a line takes on the screen; those after the first are indented by `hang` cells."""
    plain = content.plain
    if width < 2 or cells(plain) <= width:
        return [content]
    hang = hang if hang <= width // 2 else 2
    pieces: list[Content] = []
    for number, (start, end) in enumerate(_spans(plain, width, hang)):
        piece = content[start:end]
        pieces.append(Content(" " * hang) + piece if number else piece)
    return pieces


def _spans(text: str, width: int, hang: int) -> list[tuple[int, int]]:
    """Start and end of each line within the text."""
    spans: list[tuple[int, int]] = []
    start = at = 0
    used = soft = best = 0
    room = width
    before = ""
    for cluster in clusters(text):
        size = cells(cluster)
        if before and at > start and _may_break(before, cluster):
            best = at
        elif before in SOFT and at > start:
            soft = at
        while used + size > room and at > start and cluster != " ":
            good = [place for place in (best, soft) if place > start and cells(text[start:place].rstrip(" ")) <= room]
            cut = good[0] if good else _fit(text[start:at], start, room)
            spans.append((start, start + len(text[start:cut].rstrip(" "))))
            start = cut + len(text[cut:at]) - len(text[cut:at].lstrip(" "))
            used = cells(text[start:at])
            room = width - hang
        used += size
        at += len(cluster)
        before = cluster
    spans.append((start, start + len(text[start:].rstrip(" "))))
    return [(first, last) for first, last in spans if last > first]


def _fit(text: str, start: int, room: int) -> int:
    """Where to cut what has no better place: the most that fits, at least one character."""
    at = used = 0
    for cluster in clusters(text):
        used += cells(cluster)
        if at and used > room:
            break
        at += len(cluster)
    return start + at


def _may_break(before: str, after: str) -> bool:
    """Whether a line may end between two characters."""
    if after == " " or after[0] in NOT_FIRST or before in NOT_LAST:
        return False
    if before == " ":
        return True
    if before in NOT_FIRST and after in NOT_LAST:
        return True
    if before in _SIGNS or after in _SIGNS:  # `[-gone-]` and `{+new+}` stay with their words
        return False
    return _is_wide(before) or _is_wide(after)


def _is_wide(cluster: str) -> bool:
    return cells(cluster) == 2
