"""The console's frame: the first line, the tab bar, the line of keys. Each fits its width; nothing is cut unseen."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from inspector.display import cells, cut, safe
from inspector.snapshot import Snapshot
from inspector.widgets.text import TONES
from memory_core.policy import Limits

STATUS_WORDS = {
    "absent": "no file yet",
    "corrupt": "DAMAGED FILE",
    "other_version": "OTHER VERSION",
    "unreadable": "CANNOT BE READ",
    "link": "LINK REFUSED",
}


def header(name: str, snapshot: Snapshot | None, limits: Limits, width: int, *, read_only: bool, busy: str) -> Content:
    """Repository, size, counts, life, trouble; the least important go first where there is little room."""
    if snapshot is None:
        return Content(cut(f" {safe(name)}  looking …", width))
    loaded, document = snapshot.loaded, snapshot.document
    size = loaded.bytes.size / 1024
    gauge = bar(loaded.bytes.size, limits.hard_bytes)
    long = (
        f"{size:.1f}/{limits.soft_bytes // 1024} KiB {gauge} max {limits.hard_bytes // 1024}  "
        f"turns {len(document.turns)}/{limits.recent_turns}  topics {len(document.topics)}/{limits.active_topics}  "
        f"items {len(document.items)}/{limits.long_term_items}"
    )
    short = (
        f"{size:.1f}/{limits.soft_bytes // 1024}K {len(document.turns)}/{limits.recent_turns} "
        f"{len(document.topics)}/{limits.active_topics} {len(document.items)}/{limits.long_term_items}"
    )
    over = loaded.bytes.size > limits.soft_bytes or len(document.items) > limits.long_term_items
    trouble = STATUS_WORDS.get(loaded.status, "")
    right = [
        (word, tone)
        for word, tone in ((busy, "warn"), ("read-only" if read_only else "", "warn"), (trouble, "bad"))
        if word
    ]
    right.append((f"live, since {snapshot.at}", "dim"))
    right_width = sum(cells(word) + 2 for word, _ in right)
    room = width - right_width - 2
    shown_name = cut(safe(name), 24)
    for counts, path in ((long, " .autopatch-j/memory.json"), (long, ""), (short, "")):
        if cells(shown_name + path + counts) + 2 <= room:
            break
    else:
        path = ""
        if right and len(right) > 1:
            right.pop()
            room = width - sum(cells(word) + 2 for word, _ in right) - 2
        shown_name = cut(shown_name, max(6, room - cells(counts) - 2))
    left = Content.assemble(
        " ", (shown_name, "bold"), (path, TONES["dim"]), "  ", (counts, TONES["warn"] if over else "")
    )
    gap = " " * max(1, width - left.cell_length - sum(cells(word) + 2 for word, _ in right))
    tail = Content("").join([Content.styled(word + "  ", TONES[tone]) for word, tone in right])
    return left + Content(gap) + tail


def bar(size: int, hard: int, width: int = 8) -> str:
    """The file's size against the hard limit."""
    filled = min(width, round(size / hard * width))
    return "[" + "#" * filled + "." * (width - filled) + "]"


def tab_bar(titles: Sequence[str], active: int, news: Sequence[str], problems: int, width: int) -> Content:
    """The tabs with their numbers and news; problems at the right."""
    wide = width >= 96
    for most in (20, 9, 7, 5):
        pieces = [Content(" ")]
        for index, title in enumerate(titles):
            text = f" {index + 1} {cut(title, most)}{news[index]} "
            pieces.append(Content.styled(text, "reverse bold" if index == active else ""))
            pieces.append(Content(" " if wide else ""))
        left = Content("").join(pieces)
        if left.cell_length + (14 if wide else 7) <= width:
            break
    word = f"! {problems} problem{'s' if problems != 1 else ''}" if wide else f"! {problems}"
    right = Content.styled(word + " ", TONES["warn"]) if problems else Content.styled("? keys ", TONES["dim"])
    return left + Content(" " * max(1, width - left.cell_length - right.cell_length)) + right


def key_bar(hints: Sequence[tuple[str, str]], width: int) -> Content:
    """Keys of what has the focus; as many as fit, and always where to find the rest."""
    tail = Content.assemble(("S", "bold"), " summarise  ", ("?", "bold"), " keys  ", ("q", "bold"), " quit ")
    pieces: list[Content] = [Content(" ")]
    used = 1
    for key, words in hints:
        piece = Content.assemble((key, "bold"), f" {words}   ")
        if used + piece.cell_length + tail.cell_length > width:
            break
        pieces.append(piece)
        used += piece.cell_length
    left = Content("").join(pieces)
    return left + Content(" " * max(1, width - used - tail.cell_length)) + tail
