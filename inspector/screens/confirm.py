"""Asks before something is written; Cancel is what stands preselected, and `enter` does nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from inspector.keys import bind, is_key, key_name
from inspector.widgets.detail import DocView
from inspector.widgets.text import TONES, Doc, styled

CANCEL = bind("escape,q", "cancel", "Cancel", "confirm.cancel", "Everywhere")
SCROLL = (
    bind("down,j", "scroll('down')", "Down", "confirm.down", "Everywhere"),
    bind("up,k", "scroll('up')", "Up", "confirm.up", "Everywhere"),
    bind("pagedown,ctrl+d", "scroll('page_down')", "Page down", "confirm.page_down", "Everywhere"),
    bind("pageup,ctrl+u", "scroll('page_up')", "Page up", "confirm.page_up", "Everywhere"),
    bind("g,home", "scroll('scroll_home')", "Top", "confirm.top", "Everywhere"),
    bind("G,end", "scroll('scroll_end')", "End", "confirm.end", "Everywhere"),
)


class Dialog(ModalScreen[str | None]):
    """A title, lines that can be scrolled, a foot."""

    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [*SCROLL]

    def __init__(self, title: str, body: Doc, *, classes: str = "") -> None:
        super().__init__()
        self._words = title
        self._lines = body
        self._look = classes

    def compose(self) -> ComposeResult:
        """Title, lines, foot."""
        with Vertical(classes=f"dialog {self._look}".strip()):
            yield Static(styled((self._words, "title")), classes="dialog-title")
            yield DocView(self._lines, classes="dialog-body", can_focus=False)
            yield from self.below()
            yield Static(self.foot(), classes="dialog-foot")

    def below(self) -> ComposeResult:
        """What stands between the lines and the foot."""
        return iter(())

    def foot(self) -> Content:
        """The ways on."""
        raise NotImplementedError

    @property
    def keymap(self) -> Mapping[str, str]:
        """The person's own keys."""
        return self.app._keymap

    def action_scroll(self, how: str) -> None:
        """Scroll the lines."""
        view = self.query_one(".dialog-body", DocView)
        steps = {"down": view.action_scroll_down, "up": view.action_scroll_up}
        steps |= {"page_down": view.action_page_down, "page_up": view.action_page_up}
        steps |= {"scroll_home": view.action_scroll_home, "scroll_end": view.action_scroll_end}
        steps[how]()

    def action_cancel(self) -> None:
        """Leave everything as it is."""
        self.dismiss(None)


class Confirm(Dialog):
    """The key that asked confirms; `esc` leaves; `enter` does nothing, so that no habit applies anything.

    It gives the binding id of the key that was pressed, or None.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        CANCEL,
        bind("enter", "nothing", "Nothing", "confirm.nothing", "Everywhere"),
    ]

    def __init__(
        self,
        title: str,
        body: Doc,
        asked_by: str,
        verb: str,
        *,
        danger: bool = False,
        others: Sequence[tuple[str, str]] = (),
    ) -> None:
        super().__init__(title, body, classes="danger" if danger else "")
        self._ways = ((asked_by, verb), *others)
        self._danger = danger

    def foot(self) -> Content:
        """Cancel, then what the keys do."""
        tone = "bold $text-error" if self._danger else "bold $text-success"
        pieces: list[Content | tuple[str, str]] = [(" esc cancel ", "reverse bold")]
        for id, verb in self._ways:
            pieces += [Content("    "), (key_name(id, self.keymap), tone), Content(f" {verb}")]
        return Content.assemble(*pieces)

    def action_nothing(self) -> None:
        """Enter does nothing here, and says so."""
        id, verb = self._ways[0]
        words = f"\nenter does nothing: {key_name(id, self.keymap)} to {verb}, esc to leave"
        self.query_one(".dialog-foot", Static).update(self.foot() + Content.styled(words, TONES["warn"]))

    def on_key(self, event: events.Key) -> None:
        """The key that asked confirms."""
        for id, _ in self._ways:
            if is_key(event, id, self.keymap):
                event.stop()
                self.dismiss(id)
                return


class Typed(Dialog):
    """Asks for a line: a word that confirms what cannot be undone lightly, or a note. `esc` gives None.

    With a `word`, only that word is given back.
    """

    BINDINGS: ClassVar[list[BindingType]] = [bind("escape", "cancel", "Leave", "typed.cancel", "Everywhere")]

    def __init__(
        self, title: str, body: Doc = (), *, word: str = "", value: str = "", hint: str = "", danger: bool = False
    ) -> None:
        super().__init__(title, body, classes="danger" if danger else "small")
        self._word = word
        self._value = value
        self._hint = hint or (f"type {word}" if word else "")

    def below(self) -> ComposeResult:
        """The box."""
        yield Input(self._value, placeholder=self._hint, compact=True, max_length=1000)

    def foot(self) -> Content:
        """The ways on."""
        way = f"  enter goes on once it says {self._word}" if self._word else "  enter keeps it"
        return Content.assemble((" esc cancel ", "reverse bold"), "  ", (way, TONES["dim"]))

    def on_mount(self) -> None:
        """Type at once."""
        self.query_one(Input).focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Only the very word confirms."""
        typed = event.value.strip()
        if self._word and typed != self._word:
            event.input.value = ""
            event.input.placeholder = f"only the word {self._word} goes on; esc leaves"
            return
        self.dismiss(typed)
