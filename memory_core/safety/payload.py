"""Text that is encoded so that a reviewer does not read what a model would (A9); digests and identifiers are none."""

from __future__ import annotations

import base64
import binascii
import codecs
import html
import re
from collections.abc import Iterator
from urllib.parse import unquote_to_bytes

from memory_core.safety.folding import Folded

Found = tuple[str, int, int]

_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16,8000}={0,2}(?![A-Za-z0-9+/_-])")
_BASE32 = re.compile(r"(?<![A-Z0-9=])[A-Z2-7]{24,4000}={0,6}(?![A-Z0-9])")
_HEX = re.compile(r"(?<![0-9a-zA-Z])(?:0x)?(?:[0-9a-fA-F]{2}[ :,]?){12,4000}(?![0-9a-zA-Z])")
_BINARY = re.compile(r"(?<!\d)(?:[01]{8}[ ,]?){6,1000}(?!\d)")
_DECIMAL = re.compile(r"(?<!\d)(?:\d{2,3}[ ,]{1,2}){9,1000}\d{2,3}(?!\d)")
_ESCAPED = re.compile(
    r"(?:\\x[0-9a-fA-F]{2}){5,2000}|(?:\\u\{?[0-9a-fA-F]{4,6}\}?){4,2000}|(?:%[0-9a-fA-F]{2}[\w.~-]{0,20}){4,1000}"
    r"|(?:&#x?[0-9a-fA-F]{2,6};){5,1000}|(?:\\[0-7]{3}){6,2000}"
)
_ROTATED = re.compile(
    r"rot-?13|rot-?47|caesar|凯撒|移位密码|倒序|反转|倒着读|backwards|reversed?\b|atbash|morse|摩斯|摩尔斯|base-?64|base-?32|base-?85|hex(?:adecimal)?[ -]?(?:encoded|string)|十六进制|解码|解密|decode|decrypt|unescape|deobfuscate",
    re.IGNORECASE,
)
_DECODE_AND = re.compile(
    r"\bbase64\s{1,3}(?:-d|-D|--decode)\b|\b(?:decode|decrypt|unscramble|deobfuscate|decipher|unpack|reverse)\b[^.\n]{0,40}\b(?:and|then|to)\b[^.\n]{0,24}\b(?:follow|execute|run|obey|apply|do|perform|eval|act|comply)|(?:解码|解密|还原|解开|破译|反转|倒序读)[^。\n]{0,16}(?:执行|照做|遵守|遵循|运行|服从|按|生效)",
    re.IGNORECASE,
)
_OPAQUE = re.compile(r"[A-Za-z0-9+/=_-]{10,}|[A-Za-z0-9+/=_%\\&#;-]{12,}")
_READABLE = re.compile(
    r"[A-Za-z]{2,}(?:[ ,.:;'/_-]{1,2}[A-Za-z.]{1,}){2,}|[\u3400-\u9fff]{4,}|(?:https?|curl|rm |sudo|\.env)",
    re.IGNORECASE,
)
_LETTERS = re.compile(r"[A-Za-z]{3,}[ _./:-]{1,2}[A-Za-z]{2,}|[A-Za-z]{8,}|[\u3400-\u9fff]{4,}")
"""Enough where nobody has a reason to escape: plain letters."""
_BACKWARDS = re.compile(r"snoitcurtsni|erongi|dragersid|tpmorp metsys|evorppa|drowssap|令指|略忽|批准已")
_MARKS = re.compile(r"[.\-]{1,5}(?:[ /][.\-/]{1,5}){8,}")
_LONGEST = 20


def find_payload(folded: Folded) -> Iterator[Found]:
    """The first encoded text that reads as language once decoded, or that a reader is told to decode and follow."""
    text = folded.text
    for pattern, decode, readable in _DECODERS:
        for tries, match in enumerate(pattern.finditer(text)):
            if tries >= _LONGEST:
                break
            decoded = decode(match[0])
            if decoded and readable.search(decoded):
                yield "encoded_payload", match.start(), match.end()
                return
    asked = _DECODE_AND.search(text)
    if asked is not None and (_OPAQUE.search(text) or _MARKS.search(text)):
        yield "encoded_payload", asked.start(), asked.end()
        return
    named = _ROTATED.search(text)
    if named is not None and _rotated(text, named.end()):
        yield "encoded_payload", named.start(), len(text)
        return
    backwards = _BACKWARDS.search(folded.lower)
    if backwards is not None:
        yield "encoded_payload", backwards.start(), backwards.end()


def _text_of(data: bytes) -> str:
    """Bytes as text, where all of it can be read."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return ""
    return text if len(text) >= 4 and all(ch.isprintable() or ch in "\n\t" for ch in text) else ""


def _base64(text: str) -> str:
    if text.isalpha() and text.islower():
        return ""
    bare = text.rstrip("=").replace("-", "+").replace("_", "/")
    bare = bare[: len(bare) - (len(bare) % 4 == 1)]
    try:
        return _text_of(base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True))
    except (binascii.Error, ValueError):
        return ""


def _base32(text: str) -> str:
    bare = text.rstrip("=")
    try:
        return _text_of(base64.b32decode(bare + "=" * (-len(bare) % 8)))
    except (binascii.Error, ValueError):
        return ""


def _hex(text: str) -> str:
    return _text_of(bytes.fromhex(re.sub(r"0x|[ :,]", "", text)))


def _binary(text: str) -> str:
    return _text_of(bytes(int(group, 2) for group in re.findall(r"[01]{8}", text)))


def _decimal(text: str) -> str:
    codes = [int(group) for group in re.findall(r"\d{2,3}", text)]
    return _text_of(bytes(codes)) if all(32 <= code < 127 for code in codes) else ""


def _escaped(text: str) -> str:
    if text.startswith("%"):
        return _text_of(unquote_to_bytes(text))
    if text.startswith("&"):
        return html.unescape(text) + " "
    if text.startswith("\\x"):
        return _text_of(bytes.fromhex(text.replace("\\x", "")))
    if text.startswith("\\u"):
        codes = [int(code, 16) for code in re.findall(r"[0-9a-fA-F]{4,6}", text)]
        return "".join(chr(code) for code in codes if code < 0xD800 or 0xE000 <= code < 0x110000)
    return _text_of(bytes(int(code, 8) % 256 for code in text[1:].split("\\")))


_DECODERS = (
    (_BASE64, _base64, _READABLE),
    (_ESCAPED, _escaped, _LETTERS),
    (_HEX, _hex, _READABLE),
    (_BASE32, _base32, _READABLE),
    (_BINARY, _binary, _READABLE),
    (_DECIMAL, _decimal, _READABLE),
)
_PLAIN_WORD = re.compile(
    r"\b(?:ignore|previous|instructions?|rules?|system|prompt|the|and|all|user|send|file|print|delete|approve|review|read|env)\b"
)


def _rotated(text: str, start: int) -> bool:
    """Whether what follows the name of a cipher reads as English once it is turned back."""
    rest = text[start : start + 2000].lower()
    for turned in (codecs.decode(rest, "rot13"), rest[::-1]):
        if len(_PLAIN_WORD.findall(turned)) >= 2 > len(_PLAIN_WORD.findall(rest)):
            return True
    return bool(_MARKS.search(rest))
