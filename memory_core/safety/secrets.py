"""Recognised secrets, and the markers that stand for them (A9, D8)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memory_core.safety.finding import Finding


@dataclass(frozen=True, slots=True)
class _Shape:
    """A shape of secret. `value` is the group that is masked; a `loose` one must also look random."""

    name: str
    pattern: re.Pattern[str]
    loose: bool = False


def _shape(name: str, pattern: str, *, loose: bool = False, flags: int = 0) -> _Shape:
    return _Shape(name, re.compile(pattern, re.ASCII | flags), loose)


_EDGE = r"(?<![A-Za-z0-9])"
_NAMES = (
    r"pass(?:word|wd|phrase|code)?|pwd|secret(?:[_-]?(?:access[_-]?)?key)?|token|api[_-]?key|apikey|access[_-]?key(?:[_-]?id)?|"
    r"auth(?:orization)?|credentials?|private[_-]?key|client[_-]?secret|webhook"
)
_SHAPES: tuple[_Shape, ...] = (
    _shape(
        "private key",
        r"(?P<value>-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]{0,16384}?(?:-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\Z))",
    ),
    _shape("api key", _EDGE + r"(?P<value>sk-(?:ant-|proj-|or-|svcacct-)?[A-Za-z0-9_-]{20,200})"),
    _shape("aws access key", _EDGE + r"(?P<value>(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16})(?![A-Z0-9])"),
    _shape("github token", _EDGE + r"(?P<value>gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{22,255})"),
    _shape("gitlab token", _EDGE + r"(?P<value>gl(?:pat|dt|rt|soat)-[A-Za-z0-9_-]{20,255})"),
    _shape("slack token", _EDGE + r"(?P<value>xox[abeoprs]-[A-Za-z0-9-]{10,255})"),
    _shape("slack webhook", r"(?P<value>https://hooks\.slack\.com/services/[A-Za-z0-9/_-]{20,120})"),
    _shape("google api key", _EDGE + r"(?P<value>AIza[A-Za-z0-9_-]{35})"),
    _shape("google oauth secret", _EDGE + r"(?P<value>GOCSPX-[A-Za-z0-9_-]{20,60})"),
    _shape("hugging face token", _EDGE + r"(?P<value>hf_[A-Za-z0-9]{30,60})"),
    _shape("npm token", _EDGE + r"(?P<value>npm_[A-Za-z0-9]{30,60})"),
    _shape("pypi token", _EDGE + r"(?P<value>pypi-[A-Za-z0-9_-]{40,300})"),
    _shape("stripe key", _EDGE + r"(?P<value>[srp]k_(?:live|test)_[A-Za-z0-9]{16,255}|whsec_[A-Za-z0-9]{16,255})"),
    _shape("sendgrid key", _EDGE + r"(?P<value>SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,128})"),
    _shape("telegram token", _EDGE + r"(?P<value>\d{8,10}:AA[A-Za-z0-9_-]{33})"),
    _shape("aliyun key", _EDGE + r"(?P<value>LTAI[A-Za-z0-9]{12,30})"),
    _shape("tencent key", _EDGE + r"(?P<value>AKID[A-Za-z0-9]{13,40})"),
    _shape(
        "json web token",
        _EDGE + r"(?P<value>eyJ[A-Za-z0-9_-]{8,2000}\.eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,2000})",
    ),
    _shape(
        "password in a url",
        r"[a-z][a-z0-9+.-]{1,20}://[^\s:/@]{0,80}:(?P<value>[^\s/@]{3,200})@[^\s@/]",
        loose=False,
        flags=re.IGNORECASE,
    ),
    _shape(
        "bearer token", r"\b(?:bearer|basic)\s+(?P<value>[A-Za-z0-9._~+/=-]{16,2000})", loose=True, flags=re.IGNORECASE
    ),
    _shape(
        "credential",
        rf"(?<![A-Za-z])(?:[A-Za-z0-9]{{1,30}}[_.-]){{0,3}}(?:{_NAMES})[\"']?(?:\s{{0,3}}[:=]{{1,2}}>?\s{{0,3}}|\s(?:is|was|为|是)\s?)[\"'`]?"
        r"(?P<value>[^\s\"'`,;，。；、）)]{8,200})",
        loose=True,
        flags=re.IGNORECASE,
    ),
    _shape(
        "credential",
        r"(?:密码|口令|密钥|令牌|凭证|秘钥|私钥)\s{0,2}(?:[:：=]|是|为|用)\s{0,2}[\"'“「`]?(?P<value>[!-~]{6,200})",
        loose=True,
    ),
)
_PLACEHOLDER = re.compile(
    r"^(?:<.*|\$\{.*|\$\(.*|\{\{.*|%[A-Za-z_]+%|\$[A-Z_]+|[*x.•_-]+|.*(?:your|example|placeholder|changeme|change-me|dummy|redacted|sample).*|"
    r"(?:null|none|true|false|undefined|string|required|optional|process\.env.*|os\.environ.*|System\.getenv.*|env\..*|getenv.*))$",
    re.IGNORECASE,
)
_PUBLISHED = re.compile(r"EXAMPLE(?:KEY)?$|^AKIAIOSFODNN7|wJalrXUtnFEMI")


def find_secrets(text: str) -> Iterator[Finding]:
    """Every recognised secret, in order, the earlier and longer one where two overlap."""
    found: list[tuple[int, int, str]] = []
    for shape in _SHAPES:
        for match in shape.pattern.finditer(text):
            value = match["value"]
            if _is_placeholder(value) or (shape.loose and not _looks_random(value)):
                continue
            found.append((match.start("value"), match.end("value"), shape.name))
    last = -1
    for start, end, name in sorted(found, key=lambda entry: (entry[0], -entry[1])):
        if start >= last:
            yield Finding("secret", "reject", start, end, "A9", marker(name))
            last = end


MARKER = re.compile(r"\[secret: [a-z ]{1,40}\]")
"""What stands for a secret that was masked."""


def marker(name: str) -> str:
    """What stands for a secret: its kind."""
    return f"[secret: {name}]"


def _is_placeholder(value: str) -> bool:
    bare = value.strip("\"'`()[]{}，。") or value
    return (
        bool(_PLACEHOLDER.match(value) or _PLACEHOLDER.match(bare) or _PUBLISHED.search(bare))
        or "***" in value
        or "xxx" in value.lower()
    )


def _looks_random(value: str) -> bool:
    """Whether a value after a name such as `password` is one, rather than a word of the sentence."""
    if (
        value.startswith(("[secret:", "http://", "https://", "/", "./", "com.", "org."))
        or "(" in value
        or "://" in value
    ):
        return False
    has_letter = any(ch.isalpha() for ch in value)
    has_digit = any(ch.isdigit() for ch in value)
    has_mark = any(not ch.isalnum() and ch not in "._-" for ch in value)
    ascii_only = value.isascii()
    return ascii_only and ((has_letter and has_digit) or (has_letter and has_mark)) and len(set(value)) >= 5


def mask_secrets(text: str) -> str:
    """The text with each secret replaced by a marker that names its kind; the rest stays byte for byte."""
    pieces: list[str] = []
    last = 0
    for finding in find_secrets(text):
        pieces += [text[last : finding.start], finding.excerpt]
        last = finding.end
    return "".join([*pieces, text[last:]]) if pieces else text


def mask_known(text: str, secrets: Iterable[str]) -> str:
    """The text with given exact values, such as the endpoint's key, replaced wherever they occur."""
    for secret in secrets:
        if len(secret) >= 4:
            text = text.replace(secret, marker("configured key"))
    return text
