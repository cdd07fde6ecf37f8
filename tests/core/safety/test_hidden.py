"""What a reviewer cannot see, and honest uses of the same characters (A9)."""

from __future__ import annotations

import pytest

from memory_core.safety.hidden import has_hidden
from memory_core.safety.scan import find


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("a\x1b[31mred", "control_chars"),
        ("\x9b31m", "control_chars"),
        ("bell\x07", "control_chars"),
        ("a\x00b", "control_chars"),
        ("a\x7f", "control_chars"),
        ("over\rwritten", "control_chars"),
        ("next\x85line", "control_chars"),
        ("a\u200bb", "invisible_chars"),
        ("re\u00adview", "invisible_chars"),
        ("word\u2060joiner", "invisible_chars"),
        ("x\u2063y", "invisible_chars"),
        ("filler\u3164", "invisible_chars"),
        ("A\ufe0fB", "invisible_chars"),
        ("Latin\u200djoined", "invisible_chars"),
        ("字\U000e0101\U000e0102\U000e0103", "invisible_chars"),
        ("line\u2028break", "invisible_chars"),
        ("a\u202eb", "bidi"),
        ("x\u2067y", "bidi"),
        ("plain\u200f latin", "bidi"),
        ("hi\U000e0041\U000e0042", "unicode_tags"),
        ("🏴\U000e0069\U000e0067\U000e006e\U000e006f\U000e0072\U000e0065\U000e0020\U000e007f", "unicode_tags"),
    ],
)
def test_hidden(text: str, kind: str) -> None:
    found = [finding for finding in find(text) if finding.action == "reject"]
    assert kind in {finding.kind for finding in found}
    assert all(finding.rule == "A9" for finding in found)
    assert has_hidden(text)


@pytest.mark.parametrize(
    "text",
    [
        "👨‍👩‍👧 🏳️‍🌈 🐈‍⬛ ❤️‍🔥 👩🏽‍💻 🏴‍☠️",
        "1️⃣ #️⃣ ✔️ ⚠️ ↔️ ™️ 〰️",
        "🇨🇳 🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        "می‌خواهم",
        "क्‍ष क्‌ष",
        "עברית ו-English",
        "عربي \u200fنص",
        "tab\tand\nline\r\nbreak",
        "全角　空格 no-break\u00a0space",
        "e\u0301 ñ",
    ],
)
def test_honest(text: str) -> None:
    assert find(text) == ()
    assert not has_hidden(text)
