"""Asks once before something is written; Cancel is what stands preselected."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from inspector.widgets.text import TONES, line


class Confirm(ModalScreen[bool]):
    """The key that asked confirms; `esc` leaves; `enter` does nothing, so that no habit applies anything."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "cancel", "Cancel", show=False, id="confirm.cancel"),
        Binding("down,j", "scroll(2)", "Down", show=False, id="confirm.down"),
        Binding("up,k", "scroll(-2)", "Up", show=False, id="confirm.up"),
        Binding("pagedown,space", "scroll(10)", "Page down", show=False, id="confirm.page_down"),
        Binding("pageup", "scroll(-10)", "Page up", show=False, id="confirm.page_up"),
        Binding("G,end", "scroll(9999)", "To the end", show=False, id="confirm.end"),
        Binding("g,home", "scroll(-9999)", "To the start", show=False, id="confirm.start"),
        Binding("enter", "nothing", "Nothing", show=False, id="confirm.nothing"),
    ]

    def __init__(self, title: str, body: Content, *, key: str, verb: str, danger: bool = False) -> None:
        super().__init__()
        self._title = title
        self._body = body
        self._key = key
        self._verb = verb
        self._danger = danger

    def compose(self) -> ComposeResult:
        """Title, what will happen, and the two ways on."""
        with Vertical(classes="dialog danger" if self._danger else "dialog"):
            yield Static(line((self._title, "title")), classes="dialog-title")
            with VerticalScroll(classes="dialog-body", can_focus=False):
                yield Static(self._body)
            yield Static(self._foot(), classes="dialog-foot")

    def _foot(self) -> Content:
        return Content.assemble(
            (" esc  Cancel ", "reverse"),
            "   ",
            (f" {self._key} ", "bold $text-error" if self._danger else "bold $text-success"),
            f" {self._verb}",
            ("    j k space  scroll", TONES["dim"]),
        )

    def action_cancel(self) -> None:
        """Leave everything as it is."""
        self.dismiss(False)

    def action_nothing(self) -> None:
        """Enter does nothing here, and says so."""
        self.query_one(".dialog-foot", Static).update(
            self._foot() + line((f"    enter does nothing; {self._key} again to {self._verb}", "warn"))
        )

    def action_scroll(self, by: int) -> None:
        """Scroll what will happen."""
        self.query_one(".dialog-body", VerticalScroll).scroll_relative(y=by, animate=False)

    def on_key(self, event: events.Key) -> None:
        """The key that asked confirms."""
        if event.character == self._key:
            event.stop()
            self.dismiss(True)


class TypedConfirm(ModalScreen[bool]):
    """For what cannot be undone lightly: the word must be typed."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "cancel", "Cancel", show=False, id="typed.cancel")]

    def __init__(self, title: str, body: Content, *, word: str) -> None:
        super().__init__()
        self._title = title
        self._body = body
        self._word = word

    def compose(self) -> ComposeResult:
        """Title, what will go, and the box for the word."""
        with Vertical(classes="dialog danger"):
            yield Static(line((self._title, "title")), classes="dialog-title")
            with VerticalScroll(classes="dialog-body", can_focus=False):
                yield Static(self._body)
            yield Input(placeholder=f"type {self._word} to confirm, esc leaves", compact=True)

    def on_mount(self) -> None:
        """Type at once."""
        self.query_one(Input).focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Only the very word confirms."""
        if event.value.strip() == self._word:
            self.dismiss(True)
        else:
            event.input.value = ""
            event.input.placeholder = f"only the word {self._word} confirms; esc leaves"

    def action_cancel(self) -> None:
        """Leave everything as it is."""
        self.dismiss(False)


class Ask(ModalScreen[str | None]):
    """Asks for a line of text, such as a note; `esc` gives None."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "cancel", "Cancel", show=False, id="ask.cancel")]

    def __init__(self, title: str, *, value: str = "", hint: str = "enter keeps it, esc leaves") -> None:
        super().__init__()
        self._title = title
        self._value = value
        self._hint = hint

    def compose(self) -> ComposeResult:
        """Title and box."""
        with Vertical(classes="dialog small"):
            yield Static(line((self._title, "title")), classes="dialog-title")
            yield Input(self._value, placeholder=self._hint, compact=True)

    def on_mount(self) -> None:
        """Type at once."""
        self.query_one(Input).focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Keep the text."""
        self.dismiss(event.value.strip())

    def action_cancel(self) -> None:
        """No text."""
        self.dismiss(None)
