"""The console's frame: the first line, the tab bar, the line of keys. Each fits its width; nothing is cut unseen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from textual.content import Content

from inspector.display import cells, cut, safe
from inspector.keys import key_name
from inspector.snapshot import Snapshot
from inspector.widgets.text import TONES
from memory_core.policy import Limits

TROUBLE = {
    "corrupt": "DAMAGED FILE",
    "other_version": "OTHER VERSION",
    "unreadable": "CANNOT BE READ",
    "link": "LINK REFUSED",
}
"""States of the file that are said in words, whatever the width."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of the first line: its wordings, the longest first; the lowest `weight` is shortened first."""

    forms: tuple[str, ...]
    tone: str = ""
    weight: int = 0
    right: bool = False


def header(
    name: str, snapshot: Snapshot | None, limits: Limits, width: int, *, read_only: bool, busy: str, trouble: str
) -> Content:
    """Repository, file, size, counts, life, trouble; the least important go first where there is little room."""
    shown = safe(name)
    title = Segment((shown, cut(shown, 24), cut(shown, 14), cut(shown, 9)), "strong", 6)
    words = [trouble, TROUBLE.get(snapshot.loaded.status, "") if snapshot else ""]
    troubles = [Segment((word,), "bad", 99, right=True) for word in words if word]
    if busy:
        troubles.append(Segment((busy, cut(busy, 24), cut(busy, 14), cut(busy, 8)), "warn", 8, right=True))
    if read_only:
        troubles.append(Segment(("read-only",), "warn", 98, right=True))
    if snapshot is None:
        return laid_out([title, *troubles, Segment(("looking …",), "dim", right=True)], width)
    return laid_out([title, *_counts(snapshot, limits), *troubles, _life(snapshot)], width)


def _counts(snapshot: Snapshot, limits: Limits) -> list[Segment]:
    loaded, document = snapshot.loaded, snapshot.document
    size, soft, hard = loaded.bytes.size, limits.soft_bytes // 1024, limits.hard_bytes // 1024
    kilo = f"{size / 1024:.1f}/{soft}"
    gauge = bar(size, limits.hard_bytes)
    file = ".autopatch-j/memory.json"
    if loaded.status == "absent":
        return [Segment((f"{file}: no file yet", "no file yet"), "dim", 5)]
    turns, topics, items = (
        f"{len(document.turns)}/{limits.recent_turns}",
        f"{len(document.topics)}/{limits.active_topics}",
        f"{len(document.items)}/{limits.long_term_items}",
    )
    full = len(document.items) >= limits.long_term_items
    return [
        Segment((file, "memory.json", ""), "dim", 0),
        Segment(
            (f"{kilo} KiB {gauge} max {hard}", f"{kilo} KiB max {hard}", f"{kilo}K", ""),
            "warn" if size > limits.soft_bytes else "",
            2,
        ),
        Segment(
            (f"turns {turns}  topics {topics}  items {items}", f"{turns} {topics} {items}", ""),
            "warn" if full else "",
            1,
        ),
    ]


def _life(snapshot: Snapshot) -> Segment:
    if not snapshot.at:
        return Segment(("live",), "dim", 4, right=True)
    return Segment((f"live, since {snapshot.at}", f"live {snapshot.at}", "live", ""), "dim", 4, right=True)


def laid_out(segments: Sequence[Segment], width: int) -> Content:
    """Segments from the left and from the right; the one of least weight is shortened until all fit."""
    at = [0] * len(segments)

    def form(index: int) -> str:
        return segments[index].forms[at[index]]

    def used() -> int:
        return sum(cells(form(index)) + 2 for index in range(len(segments)) if form(index))

    while used() > width:
        longer = [i for i, segment in enumerate(segments) if at[i] + 1 < len(segment.forms)]
        # Leaving one out altogether comes only after all were shortened, but for what is worth nothing.
        able = [i for i in longer if segments[i].forms[at[i] + 1] or not segments[i].weight] or longer
        if not able:
            break
        at[min(able, key=lambda i: segments[i].weight)] += 1
    left = [(form(i), s.tone) for i, s in enumerate(segments) if not s.right and form(i)]
    right = [(form(i), s.tone) for i, s in enumerate(segments) if s.right and form(i)]
    start = Content("").join([Content.styled(" " + text + " ", TONES[tone]) for text, tone in left])
    end = Content("").join([Content.styled(" " + text + " ", TONES[tone]) for text, tone in right])
    return start + Content(" " * max(0, width - start.cell_length - end.cell_length)) + end


def bar(size: int, hard: int, width: int = 8) -> str:
    """The file's size against the hard limit."""
    filled = min(width, round(size / hard * width)) if hard else width
    return "[" + "#" * filled + "." * (width - filled) + "]"


@dataclass(frozen=True, slots=True)
class TabBar:
    """The bar, and where each tab begins and ends on it."""

    content: Content
    spans: tuple[tuple[int, int], ...]

    def at(self, x: int) -> int | None:
        """The tab at a column."""
        return next((number for number, (start, end) in enumerate(self.spans) if start <= x < end), None)


def tab_bar(
    titles: Sequence[str], active: int, news: Sequence[str], problems: int, width: int, help_key: str, chosen: str
) -> TabBar:
    """The tabs with their numbers and news; problems, or where to find the keys, at the right."""
    wide = width >= 96
    plural = "s" if problems != 1 else ""
    word = (f"! {problems} problem{plural} " if wide else f"! {problems} ") if problems else f"{help_key} keys "
    right = Content.styled(word, TONES["warn" if problems else "dim"])
    pieces: list[Content] = []
    spans: list[tuple[int, int]] = []
    for most in (20, 9, 7, 5, 3):
        pieces, spans, at = [Content(" ")], [], 1
        for number, title in enumerate(titles):
            text = f" {number + 1} {cut(title, most)}{news[number]} "
            spans.append((at, at + cells(text)))
            pieces.append(Content.styled(text, chosen if number == active else ""))
            pieces.append(Content(" " if wide else ""))
            at += cells(text) + wide
        if at + right.cell_length <= width:
            break
    left = Content("").join(pieces)
    gap = Content(" " * max(0, width - left.cell_length - right.cell_length))
    return TabBar(left + gap + right, tuple(spans))


def key_bar(
    hints: Sequence[tuple[str, str]], always: Sequence[tuple[str, str]], width: int, keymap: Mapping[str, str]
) -> Content:
    """Keys of what has the focus, by binding id; as many as fit, and always where to find the rest."""

    def piece(id: str, words: str) -> Content:
        keys = " ".join(key_name(part, keymap) for part in id.split("+") if part)
        return Content.assemble(" ", (keys, TONES["key"]), f" {words}  ")

    tail = Content("").join([piece(*hint) for hint in always])
    pieces: list[Content] = []
    used = tail.cell_length
    for hint in hints:
        found = piece(*hint)
        if used + found.cell_length > width:
            break
        pieces.append(found)
        used += found.cell_length
    return Content("").join([*pieces, Content(" " * max(0, width - used)), tail])
