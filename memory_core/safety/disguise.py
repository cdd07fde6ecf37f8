"""Structure that is not what it seems: spoofed sections, payloads, markup that acts, mixed scripts (A9)."""

from __future__ import annotations

import base64
import binascii
import re
import unicodedata
from collections.abc import Iterator
from urllib.parse import unquote

from memory_core.safety.finding import Finding

_SPOOF = re.compile(
    r"\n[ \t]{0,8}#{1,6}[ \t]+\S|(?:^|\s)#{1,6}\s{0,3}(?:new |system |updated |important )?(?:instructions?|rules?|policy|system|系统|指令|新指令|规则)\b"
    r"|</(?:memory|context|instructions?|system|assistant|developer)\s{0,3}>|<\|[a-z_]{2,20}\|>|\[/?INST\]|<<<|>>>\s*end|-{3,}\s*(?:end|begin) (?:of )?(?:memory|context|instructions?|system)"
    r"|\n\s{0,8}(?:system|assistant|user|human|系统|用户|助手)\s?[:：]",
    re.IGNORECASE,
)
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/_-]{20,4000}={0,2}(?![A-Za-z0-9+/_-])")
_ESCAPES = re.compile(
    r"(?:\\x[0-9a-fA-F]{2}){6,400}|(?:\\u[0-9a-fA-F]{4}){4,400}|(?:%[0-9a-fA-F]{2}){8,400}|(?:&#x?[0-9a-fA-F]{2,5};){5,400}"
)
_HEX = re.compile(r"(?<![0-9a-fA-F])(?:[0-9a-fA-F]{2}){16,2000}(?![0-9a-fA-F])")
_MARKUP = re.compile(
    r"\[@\w{1,20}=|\[/?link=|\[on_\w+|<script\b|<iframe\b|<img\b|<svg\b|<object\b|<embed\b|\bon(?:error|load|click|mouseover)\s{0,3}=|javascript:|data:text/html"
    r"|!\[[^\]\n]{0,200}\]\([^)\n]{1,400}\)|\[[^\]\n]{1,200}\]\((?:https?:|ftp:|//|javascript:)[^)\n]{1,400}\)|<a\s[^>\n]{0,100}href\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]{3,60}")
_READABLE = re.compile(r"[A-Za-z]{3,}[ ,.:;/_-]|[\u3400-\u9fff]{2,}")


def find_disguise(text: str) -> Iterator[Finding]:
    """The first of each kind."""
    for kind, pattern in (("structure_spoof", _SPOOF), ("markup", _MARKUP)):
        match = pattern.search(text)
        if match is not None:
            yield Finding(kind, "flag", match.start(), match.end(), "A9", match[0].strip()[:120])
    yield from _payload(text)
    yield from _mixed(text)


def _payload(text: str) -> Iterator[Finding]:
    """Encoded text that decodes to something readable; digests and identifiers do not."""
    for pattern, decode in ((_BASE64, _from_base64), (_ESCAPES, _from_escapes), (_HEX, _from_hex)):
        for match in pattern.finditer(text):
            decoded = decode(match[0])
            if decoded and _READABLE.search(decoded):
                yield Finding("encoded_payload", "flag", match.start(), match.end(), "A9", decoded[:120])
                return


def _from_base64(text: str) -> str:
    if text.isalpha() or re.fullmatch(r"[0-9a-fA-F]+", text):
        return ""
    bare = text.rstrip("=").replace("-", "+").replace("_", "/")
    return _printable(lambda: base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True))


def _from_hex(text: str) -> str:
    return _printable(lambda: bytes.fromhex(text))


def _from_escapes(text: str) -> str:
    if text.startswith("%"):
        return unquote(text, errors="ignore")
    if text.startswith("&"):
        codes = [
            int(code, 16 if mark else 10)
            for mark, code in re.findall(r"&#(x?)([0-9a-fA-F]+);", text)
            if mark or code.isdigit()
        ]
    else:
        codes = [int(code, 16) for code in re.findall(r"\\[xu]([0-9a-fA-F]{2,4})", text)]
    return "".join(chr(code) for code in codes if 0x20 <= code < 0xD800) + " "


def _printable(decode: object) -> str:
    try:
        decoded: str = decode().decode("utf-8") if callable(decode) else ""
    except (binascii.Error, ValueError):
        return ""
    return decoded if len(decoded) >= 8 and all(ch.isprintable() or ch in "\n\t" for ch in decoded) else ""


def _mixed(text: str) -> Iterator[Finding]:
    """A word that mixes Latin with Cyrillic or Greek letters, which look alike."""
    if text.isascii():
        return
    for match in _WORD.finditer(text):
        word = match[0]
        if word.isascii():
            continue
        scripts = {
            name
            for ch in word
            if (name := unicodedata.name(ch, "").split(" ", 1)[0])
            in {"LATIN", "CYRILLIC", "GREEK", "CHEROKEE", "ARMENIAN"}
        }
        if "LATIN" in scripts and len(scripts) > 1:
            yield Finding("mixed_script", "flag", match.start(), match.end(), "A9", word)
            return
