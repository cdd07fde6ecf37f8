"""Colours of our own, calm ones, for dark and light terminals; which theme a terminal gets."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from textual.theme import Theme

DARK = Theme(
    name="calm-dark",
    primary="#5f87af",
    secondary="#7f9fb9",
    accent="#87afd7",
    foreground="#d0d5dc",
    background="#14171c",
    surface="#1a1e25",
    panel="#222833",
    success="#87b387",
    warning="#d8b06a",
    error="#d98880",
    dark=True,
)
LIGHT = Theme(
    name="calm-light",
    primary="#3a6ea5",
    secondary="#5b7f9f",
    accent="#2f5f8f",
    foreground="#22272e",
    background="#f7f6f2",
    surface="#efeee9",
    panel="#e2e2dc",
    success="#2f7d4a",
    warning="#8f6200",
    error="#b3403a",
    dark=False,
)
OURS = (DARK, LIGHT)
_SHORT = {"dark": "calm-dark", "light": "calm-light", "ansi": "ansi-dark"}


def chosen(wanted: str, known: Collection[str], environ: Mapping[str, str]) -> str:
    """The theme to begin with: the wanted one where it is known, else ours; below true colour the terminal's own."""
    name = _SHORT.get(wanted, wanted)
    if name in known:
        return name
    if environ.get("COLORTERM", "").casefold() not in {"truecolor", "24bit"}:
        return "ansi-dark"
    return DARK.name
