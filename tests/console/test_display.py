"""Stored text on its way to a screen: nothing of it acts or hides, nothing is cut in the middle."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import unicodedata
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.text import Text
from textual.content import Content

from inspector import display
from inspector.clipboard import sendable
from inspector.display import cells, clusters, cut, json_dump, pad, safe, scrub, text_cell, token
from inspector.widgets.text import raw, text, words

CASES = Path(__file__).parents[1] / "cases"
ENGLAND = "\U0001f3f4" + "".join(chr(0xE0000 + ord(ch)) for ch in "gbeng") + "\U000e007f"
FAMILY = "👨\u200d👩\u200d👧"
HEART_ON_FIRE = "❤\ufe0f\u200d🔥"
BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
SEPARATORS = "\u2028\u2029"


def unsafe_texts() -> dict[str, str]:
    """Every text of the cases by id, those stored in parts joined."""
    source = yaml.safe_load((CASES / "unsafe_texts.yaml").read_text(encoding="utf-8"))
    entries = [entry for group in ("unsafe", "benign", "known_limits") for entry in source[group]]
    return {entry["id"]: entry.get("text") or "".join(entry["text_parts"]) for entry in entries}


def delta_case(identifier: str) -> dict[str, Any]:
    """A display case by the start of its id."""
    source = yaml.safe_load((CASES / "delta_cases.yaml").read_text(encoding="utf-8"))
    return next(case for case in source["cases"] if case["id"].startswith(identifier))


def acts(ch: str) -> bool:
    """Whether a terminal or a reader's eye could be fooled by this character."""
    return unicodedata.category(ch) in {"Cc", "Cs"} or ch in BIDI + SEPARATORS or 0xE0000 <= ord(ch) <= 0xE007F


UNSAFE = unsafe_texts()
VALUES = [*delta_case("D04")["values"], *delta_case("D06")["values"]]
# Much of what matters is rare among all characters: it is drawn on purpose.
TRICKY = st.sampled_from(
    [
        *"ab中，é̈e[]/:\n\r\t",
        *BIDI,
        *SEPARATORS,
        "\x1b",
        "\x07",
        "\x7f",
        "\x85",
        "\x9b",
        "\ud800",
        "\u200b",
        "\u200c",
        "\u200d",
        "\u2060",
        "\u00ad",
        "\u3164",
        "\ufe0f",
        "\ufeff",
        "\u0301",
        "م",
        "क",
        "🇨",
        "🇳",
        "👩",
        "🏽",
        FAMILY,
        HEART_ON_FIRE,
        ENGLAND,
        "\U0001f3f4",
        "\U000e0041",
        "\U000e007f",
        "\U0010fffe",
    ]
)
TEXTS = st.lists(st.one_of(TRICKY, st.characters(codec=None)), max_size=40).map("".join)


@pytest.mark.parametrize("text", UNSAFE.values(), ids=UNSAFE.keys())
def test_no_text_of_the_cases_acts_or_hides(text: str) -> None:
    for one_line in (True, False):
        shown = safe(text, one_line=one_line)
        assert not [ch for ch in shown if acts(ch) and ch != "\n"]
        assert ("\n" in shown) == (not one_line and "\n" in text)
    assert not [ch for ch in scrub(text) if acts(ch)]


@pytest.mark.parametrize("identifier", [name for name in UNSAFE if name.startswith("b")])
def test_honest_texts_stay_as_they_are(identifier: str) -> None:
    assert safe(UNSAFE[identifier]) == UNSAFE[identifier]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2K\x9b1m", "␛[2K⟨U+009B⟩1m"),
        ("a\x00\x07\x08\x7f", "a␀␇␈␡"),
        ("\x1b]52;c;eA==\x07", "␛]52;c;eA==␇"),
        ("gnp\u202e.exe\u2066", "gnp⟨U+202E⟩.exe⟨U+2066⟩"),
        ("שלום\u200f", "שלום⟨U+200F⟩"),
        ("ignore\u200bme\u2060\u00ad\ufeff", "ignore⟨U+200B⟩me⟨U+2060⟩⟨U+00AD⟩⟨U+FEFF⟩"),
        ("空\u3164白", "空⟨U+3164⟩白"),
        ("x\U000e0061\U000e007f", "x⟨U+E0061⟩⟨U+E007F⟩"),
        (
            "\U0001f3f4\U000e0065\U000e0076\U000e0069\U000e006c\U000e007f",
            "🏴⟨U+E0065⟩⟨U+E0076⟩⟨U+E0069⟩⟨U+E006C⟩⟨U+E007F⟩",
        ),
        ("half \ud83d", "half ⟨U+D83D⟩"),
        ("line\u2028break\x85", "line⟨U+2028⟩break⟨U+0085⟩"),
        ("a\u200db", "a⟨U+200D⟩b"),
        ("\ue000\uffff", "⟨U+E000⟩⟨U+FFFF⟩"),
    ],
)
def test_what_acts_or_hides_becomes_a_token(text: str, shown: str) -> None:
    assert safe(text) == shown
    assert safe(text, one_line=False) == shown


@pytest.mark.parametrize(
    "text",
    [
        FAMILY,
        HEART_ON_FIRE,
        "🐈\u200d⬛",
        "👍🏽",
        "1\ufe0f\u20e3",
        "🇨🇳🇯🇵",
        ENGLAND,
        "می\u200cخواهم",
        "क्\u200dष",
        "שלום עולם",
        "é ü ệ",
        "ที่นี่",
        "[@click=app.quit]x[/]",
        ":key: `code` <b>",
        "\U0001fae8 \U0001fabd",
        "全角　空格 NBSP\u00a0",
    ],
)
def test_honest_uses_stay(text: str) -> None:
    assert safe(text) == text
    assert scrub(text) == text


def test_line_breaks_and_tabs() -> None:
    assert safe("一\n二\r\n三\t四\r五") == "一⏎二⏎三 四␍五"
    assert safe("一\n二\r\n三\t四\r五", one_line=False) == "一\n二\n三    四␍五"
    assert scrub("一\n二\t三") == "一␊二␉三"


def test_marks_without_end_do_not_pile_up_and_joiners_do_not_hide_width() -> None:
    piled = safe("e" + "\u0301" * 40)
    assert piled.startswith("e" + "\u0301" * (display.LONGEST_CLUSTER - 1) + "⟨U+0301⟩")
    joined = "\u200d".join("👩" * 40)
    assert cells(joined) == 2
    assert cells(safe(joined)) > 40


def test_a_text_of_a_hidden_kind_is_seen_in_the_deltas_too() -> None:
    operations = json.loads(delta_case("D03")["input"])["long_term_operations"]
    shown = {entry["label"]: safe(entry["summary"]) for entry in operations}
    assert "⟨U+E006F⟩" in shown["tags"]
    assert "⟨U+202E⟩" in shown["rtl"]
    assert "⟨U+200B⟩" in shown["zero width"]
    assert "⟨U+00AD⟩" in shown["soft hyphen"]
    for label in ("family", "persian"):
        assert shown[label] == next(entry["summary"] for entry in operations if entry["label"] == label)


@given(TEXTS)
def test_what_is_shown_never_acts(text: str) -> None:
    for shown in (safe(text), scrub(text)):
        assert not [ch for ch in shown.replace(ENGLAND, "") if acts(ch)]
    assert not [ch for ch in safe(text, one_line=False).replace(ENGLAND, "") if acts(ch) and ch != "\n"]
    assert scrub(safe(text)) == safe(text)


@given(st.text(st.characters(categories=["L", "N", "P", "Zs"]), max_size=40))
def test_letters_numbers_and_punctuation_are_never_touched(text: str) -> None:
    visible = "".join(ch for ch in text if ch not in "\u115f\u1160\u3164\uffa0")
    assert safe(visible) == visible
    assert json.loads(json_dump(visible)) == visible


@given(TEXTS)
def test_clusters_are_the_whole_text(text: str) -> None:
    parts = list(clusters(text))
    assert "".join(parts) == text
    assert all(parts)


@given(TEXTS, st.integers(0, 30))
def test_cut_keeps_to_its_cells(text: str, width: int) -> None:
    shown = safe(text)
    result = cut(shown, width)
    assert cells(result) <= width
    assert cells(pad(shown, width)) == width
    if cells(shown) <= width:
        assert result == shown
    elif width > 0:
        assert result.endswith("…")
        kept = result[:-1]
        parts = list(clusters(shown))
        assert kept in {"".join(parts[:n]).rstrip() for n in range(len(parts))}


@pytest.mark.parametrize("value", VALUES, ids=lambda value: repr(value[:12]))
@pytest.mark.parametrize("width", [1, 2, 5, 9, 17, 40])
def test_rows_stay_aligned(value: str, width: int) -> None:
    cell = pad(safe(value), width)
    assert cells(cell) == width
    assert "\n" not in cell
    assert "\t" not in cell
    assert ("…" in cell) == (cells(safe(value)) > width)


def test_nothing_is_cut_inside_a_cluster() -> None:
    assert cut("👩\u200d💻👩\u200d💻👩\u200d💻", 5) == "👩\u200d💻👩\u200d💻…"
    assert cut("👩\u200d💻👩\u200d💻", 2) == "…"
    assert cut("🇨🇳🇯🇵", 3) == "🇨🇳…"
    assert cut("e\u0301e\u0301e\u0301", 2) == "e\u0301…"
    assert cut("각각", 3) == "각…"
    assert cut("中文字", 4) == "中…"
    assert cut("中文字", 5) == "中文…"
    assert cut("中文", 0) == ""
    assert cut("中文", -1) == ""
    assert cut("abc", 2, mark="->") == "->"
    assert cut("abc", 1, mark="->") == ""
    assert cut("one two", 5) == "one…"


def test_marks_of_plain_terminals_are_ascii() -> None:
    plain = display.glyphs(ascii_only=True)
    rich_marks = display.glyphs()
    names = display.Glyphs.__dataclass_fields__
    assert all(getattr(plain, name).isascii() for name in names)
    assert (rich_marks.accepted, rich_marks.held, rich_marks.rejected) == ("✓", "?", "✗")
    assert len({plain.accepted, plain.held, plain.rejected, plain.unread}) == 4
    assert pad("中文字", 4, mark=plain.cut) == "中~ "


@pytest.mark.parametrize("value", [*VALUES, UNSAFE["u28-markup"], "[/x]"])
def test_a_cell_is_never_read_as_markup_or_emoji_code(value: str) -> None:
    cell = text_cell(value, 200)
    assert isinstance(cell, Text)
    assert cell.plain == safe(value)
    assert cell.spans == []
    output = io.StringIO()
    Console(file=output, width=220, force_terminal=False).print(cell)
    assert output.getvalue().rstrip() == safe(value).rstrip()
    assert Content(safe(value)).plain == safe(value)


def test_a_cell_is_cut_by_cells() -> None:
    assert text_cell("中文标签", 5).plain == "中文…"
    assert text_cell("中文\x1b标签", 5).plain == "中文…"


def test_json_shows_what_hides() -> None:
    value = {"文": "中\x1b\x7f\x9b\u202e\u200b\u2028\u3164\ufe0f\ufeff\U000e0041\ud800é", "n": [1, None, True]}
    text = json_dump(value)
    assert json.loads(text) == value
    assert text.startswith(
        '{\n  "文": "中\\u001b\\u007f\\u009b\\u202e\\u200b\\u2028\\u3164\\ufe0f\\ufeff\\udb40\\udc41\\ud800é"'
    )
    assert text.splitlines()[-1] == "}"


def test_json_is_json() -> None:
    with pytest.raises(ValueError, match="JSON"):
        json_dump(float("nan"))


@given(
    st.recursive(st.one_of(TEXTS, st.integers(), st.none()), lambda inner: st.lists(inner, max_size=3), max_leaves=6)
)
def test_json_reads_back_and_holds_nothing_that_acts(value: Any) -> None:
    text = json_dump(value)
    assert not [ch for ch in text if (acts(ch) or unicodedata.category(ch) == "Cf") and ch != "\n"]
    # A pair of half characters is one character of JSON.
    assert json.loads(text) == json.loads(json.dumps(value))


def test_tokens_are_visible() -> None:
    assert [token(ch) for ch in "\x00\x1f\x7f\x80\u202e\U000e0041"] == [
        "␀",
        "␟",
        "␡",
        "⟨U+0080⟩",
        "⟨U+202E⟩",
        "⟨U+E0041⟩",
    ]


def test_the_command_line_does_not_pay_for_the_screen() -> None:
    code = "import sys, inspector.display; print([m for m in ('textual', 'rich.text', 'openai') if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


HIDDEN = "dbPass=kT9w2xQf7LmZ"


def test_secrets_are_masked_wherever_a_text_is_shown() -> None:
    said = f"The test database uses {HIDDEN} since May."
    for shown in (safe(said), json_dump([{"summary": said, said: 1}]), sendable(said), text_cell(said, 80).plain):
        assert "kT9w2xQf7LmZ" not in shown
        assert "[secret: " in shown


def test_secrets_are_masked_before_a_text_is_taken_apart() -> None:
    """A line or a changed word of it would not be recognised as a part of one."""
    key = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0\n-----END PRIVATE KEY-----"
    documents = [
        (words("Log in with dbPass=kT9w2xQf7LmZ.", "Log in with dbPass=pW4e8rTy1UiO."),),
        text(key),
        raw(json.dumps({"summary": f"Log in with {HIDDEN}."}, indent=2)),
    ]
    for shown in ["\n".join(line.plain for line in found) for found in documents]:
        assert not [part for part in ("kT9w", "pW4e", "MIIEvQ") if part in shown]
        assert "[secret: " in shown


@pytest.mark.parametrize(
    "honest",
    [
        "password=<your password>",
        "MEMORY_INSPECTOR_API_KEY",
        "turn_20260501_120001_001",
        "a" * 64,
        "0-5e619ac3053fd9da",
    ],
)
def test_what_is_no_secret_is_shown_as_it_is(honest: str) -> None:
    assert safe(honest) == sendable(honest) == honest
    assert json.loads(json_dump({honest: honest})) == {honest: honest}
