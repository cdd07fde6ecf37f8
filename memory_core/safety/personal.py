"""Personal data with a shape: telephone, identity and card numbers (A9b). Other long numbers are none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from memory_core.safety.finding import Finding

_EDGE = r"(?<![A-Za-z0-9_.#/=-])"
_END = r"(?![A-Za-z0-9_]|[.-]\d)"
_NUMBER = r"\d[\d ()（）-]{5,18}\d"
_PHONES = tuple(
    re.compile(pattern)
    for pattern in (
        # Mainland mobile numbers, with or without the country's code, in their usual groups.
        rf"(?<![A-Za-z0-9_.#/=-])(?:(?:\+|00)?86[- ]?)?1[3-9]\d(?:[- ]?\d{{4}}){{2}}{_END}",
        rf"{_EDGE}1[3-9]\d-\d{{3}}-\d{{5}}{_END}",
        # Area code and number.
        rf"{_EDGE}(?:\(0\d{{2,3}}\)|（0\d{{2,3}}）|0\d{{2,3}}[- ])[2-9]\d{{6,7}}(?:-\d{{1,5}})?{_END}",
        # International.
        rf"(?<![\w.+])\+[1-9]\d{{0,2}}[ .-]?\(?\d{{1,4}}\)?(?:[ .-]?\d{{2,4}}){{2,4}}{_END}",
        rf"{_EDGE}\(?[2-9]\d{{2}}\)?[ -][2-9]\d{{2}}-\d{{4}}{_END}",
    )
)
_NAMED_PHONE = re.compile(
    rf"(?:手机|电话|座机|固话|联系方式|致电|拨打|微信|传真|\btel(?:ephone)?\b|\bphone\b|\bmobile\b|\bcell\b|\bfax\b|\bcall\b)[^\d\n，。；+]{{0,12}}(?P<number>\+?{_NUMBER}){_END}",
    re.IGNORECASE,
)
_FICTIONAL = re.compile(r"555[- ]?01\d\d|\+?1?[ -]?\(?800\)?[ -]|^400|^95\d{3}$")
_IDENTITY = re.compile(rf"{_EDGE}[1-9]\d{{5}}[ -]?\d{{4}}[ -]?\d{{4}}[ -]?\d{{3}}[\dXx]{_END}")
_HONG_KONG = re.compile(rf"{_EDGE}[A-Z]{{1,2}}\d{{6}}\(?[0-9A]\)?(?![A-Za-z0-9])")
_TAIWAN = re.compile(rf"{_EDGE}[A-Z][12]\d{{8}}{_END}")
_SOCIAL = re.compile(
    rf"(?:\bssn\b|social security|社保号)[^\d\n]{{0,16}}(?P<number>(?!000|666|9\d\d)\d{{3}}-?(?!00)\d{{2}}-?(?!0000)\d{{4}}){_END}",
    re.IGNORECASE,
)
_CARD = re.compile(
    rf"{_EDGE}(?:3[47]\d{{2}}|4\d{{3}}|5[1-5]\d{{2}}|2[2-7]\d{{2}}|62\d{{2}}|6011)(?:[ -]?\d{{4}}){{2,3}}[ -]?\d{{1,4}}{_END}"
)
_TEST_CARDS = re.compile(
    r"4111111111111111|4242424242424242|4012888888881881|5555555555554444|5105105105105100|378282246310005|371449635398431|6011111111111117|4000\d{12}|6200000000000005|2223003122003222"
)
_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_PROVINCES = frozenset(
    f"{place}"
    for first, last in ((11, 15), (21, 23), (31, 37), (41, 46), (50, 54), (61, 65), (71, 71), (81, 83))
    for place in range(first, last + 1)
)
"""First two digits of a mainland identity number."""
_TAIWAN_LETTERS = dict(zip("ABCDEFGHJKLMNPQRSTUVXYWZIO", range(10, 36), strict=True))


def find_personal(text: str) -> Iterator[Finding]:
    """Telephone numbers, and identity and card numbers whose checksum is right."""
    spans = sorted(_spans(text), key=lambda span: (span[0], -span[1]))
    last = -1
    for start, end in spans:
        if start >= last:
            yield Finding("pii", "flag", start, end, "A9b", text[start:end])
            last = end


def _spans(text: str) -> Iterator[tuple[int, int]]:
    if not re.search(r"\d{4}|\d-\d", text):
        return
    for match in _IDENTITY.finditer(text):
        if is_identity_number(re.sub(r"[ -]", "", match[0])):
            yield match.span()
    for match in _CARD.finditer(text):
        digits = re.sub(r"[ -]", "", match[0])
        if 15 <= len(digits) <= 19 and _luhn(digits) and not _TEST_CARDS.fullmatch(digits):
            yield match.span()
    for match in _HONG_KONG.finditer(text):
        if _is_hong_kong(re.sub(r"[()]", "", match[0])):
            yield match.span()
    for match in _TAIWAN.finditer(text):
        if _is_taiwan(match[0]):
            yield match.span()
    for match in _SOCIAL.finditer(text):
        yield match.span("number")
    for pattern in _PHONES:
        for match in pattern.finditer(text):
            if not _FICTIONAL.search(match[0]):
                yield match.span()
    for match in _NAMED_PHONE.finditer(text):
        digits = re.sub(r"\D", "", match["number"])
        if 7 <= len(digits) <= 13 and not _FICTIONAL.search(match["number"]):
            yield match.span("number")


def is_identity_number(number: str) -> bool:
    """Whether 18 characters are a resident identity number: a place, a day, the right checksum."""
    try:
        born = date(int(number[6:10]), int(number[10:12]), int(number[12:14]))
    except ValueError:
        return False
    if born.year < 1900 or number[:2] not in _PROVINCES:
        return False
    total = sum(int(digit) * weight for digit, weight in zip(number[:17], _WEIGHTS, strict=True))
    return "10X98765432"[total % 11] == number[17].upper()


def _luhn(digits: str) -> bool:
    """The checksum of card numbers; one digit repeated passes it and is none."""
    doubled = [int(digit) * (2 if at % 2 else 1) for at, digit in enumerate(reversed(digits))]
    return sum(value - 9 if value > 9 else value for value in doubled) % 10 == 0 and len(set(digits)) > 2


def _is_hong_kong(number: str) -> bool:
    letters = number[:-7].rjust(2)
    values = [36 if ch == " " else ord(ch) - 55 for ch in letters] + [int(ch) for ch in number[-7:-1]]
    check = 10 if number[-1] == "A" else int(number[-1])
    return (sum(value * weight for value, weight in zip(values, range(9, 1, -1), strict=True)) + check) % 11 == 0


def _is_taiwan(number: str) -> bool:
    tens, ones = divmod(_TAIWAN_LETTERS[number[0]], 10)
    rest = sum(int(digit) * weight for digit, weight in zip(number[1:], (8, 7, 6, 5, 4, 3, 2, 1, 1), strict=True))
    return (tens + ones * 9 + rest) % 10 == 0
