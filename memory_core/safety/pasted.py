"""Pasted matter rather than talk about it: code, diffs, traces, logs, tool output, reasoning (A6)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_core.safety.finding import Finding

_PLAIN: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "a diff",
        re.compile(
            r"^diff --git |@@ -\d{1,7}(?:,\d{1,7})? \+\d{1,7}(?:,\d{1,7})? @@|--- a/\S{1,200}\s{1,3}\+\+\+ b/|\*\*\* (?:Begin|Update|End) ",
            re.MULTILINE,
        ),
    ),
    (
        "a stack trace",
        re.compile(
            r"\bat [\w$.]{3,200}\((?:[\w$]{1,100}\.(?:java|kt|scala|groovy|js|ts|cs|py|go|rb):\d{1,6}|Native Method|Unknown Source)\)|Traceback \(most recent call last\)|File \"[^\"\n]{1,200}\", line \d{1,6}, in |goroutine \d{1,6} \["
        ),
    ),
    (
        "log lines",
        re.compile(
            r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d\S{0,12}\s{1,4}\S{0,40}\s{0,4}\[?(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL)\b|\b(?:INFO|WARN|ERROR|DEBUG)\s{1,3}\d{4}-\d\d-\d\d[ T]\d\d:\d\d|^\[(?:INFO|ERROR|WARNING)\] .{1,300}\n\[(?:INFO|ERROR|WARNING)\] ",
            re.MULTILINE,
        ),
    ),
    (
        "a tool's output",
        re.compile(
            r"\{\s{0,8}\"[\w.-]{1,60}\"\s{0,4}:\s{0,4}[^{}\n]{1,200},\s{0,8}\"[\w.-]{1,60}\"\s{0,4}:|\btool_call_id\b|\"tool_calls\"|<tool_result>|\bobservation:\s*\{"
        ),
    ),
    (
        "source code",
        re.compile(
            r"\)\s{0,4}(?:throws [\w., ]{1,80})?\{\s{0,20}[^{}\n]{0,300};|\b(?:class|interface|enum|struct)\s\w{1,60}[^{}\n.。]{0,80}\{\s{0,20}[^{}]{0,300};|=>\s{0,4}\{\s{0,20}[^{}\n]{0,200};|\b(?:def|async def) \w{1,60}\([^)\n]{0,200}\)[^:\n]{0,40}:\s{1,20}\S[^\n]{0,200}(?:=|\(|\breturn\b|\bif\b)|^```[\w+-]{0,20}\n[^`]{10,4000}",
            re.MULTILINE,
        ),
    ),
)
_STATEMENT = re.compile(
    r"^\s{0,40}(?:[\w.$<>\[\], ]{1,120}=[^=\n]{1,200};|[\w.$]{1,100}\([^\n]{0,200}\);|return\b[^\n]{0,200};|import [\w.*]{3,200};?|from [\w.]{1,100} import [\w, *]{1,100}|(?:public|private|protected|static|final)\s[^\n。]{3,200}[;{]|#include\s?<[^>\n]{1,60}>|(?:if|for|while)\s?\([^\n]{1,200}\)\s?\{?|\}\s{0,4}(?:else|catch)?)\s{0,40}$",
    re.MULTILINE,
)
_QUERY = re.compile(
    r"\b(?:SELECT\s[^;。\n]{1,200}\sFROM\s\w|INSERT INTO\s\w{1,60}[^;。\n]{0,100}\bVALUES\b|UPDATE\s\w{1,60}\sSET\s\w{1,60}\s?=|DELETE FROM\s\w{1,60})"
)
_BARE_LINE = re.compile(
    r"^[\w.$<>\[\], ]{1,120}=\s?(?:new\s)?[\w.$]{1,100}\([^\n]{0,200}\);?$|^[\w.$]{3,100}(?:\.\w{1,60}\([^\n]{0,100}\)){2,8};?$|;\s{0,3}$"
)
_REASONING = re.compile(
    "首先我(?:需要|要|应该|得)|我(?:需要|应该|得|要)先?(?:判断|分析|想想|思考|推断|弄清|搞清)|让我(?:想|思考|分析|看看|先)|我(?:推断|推测|猜测?|估计|认为用户)|推断(?:他|她|用户)|(?:他|她|用户)(?:大概|可能|或许|应该是?|似乎|看起来)(?:更|是?想|喜欢|希望|需要|不)|"
    "一步一步(?:地)?(?:想|分析|推)|综上(?:所述)?，?我"
    r"|\b(?:let me (?:think|see|analy[sz]e|consider|figure)|i (?:need|should|have|want) to (?:figure|decide|determine|think|work out|infer|consider)|first,? i (?:need|should|will|must|have)|"
    r"(?:the user|they|he|she) (?:probably|likely|might|may|seems? to|presumably|perhaps) |i (?:think|guess|assume|suspect|infer) (?:that )?(?:the user|they|he|she)|okay, so|hmm+,|wait, (?:no|but|actually)|my reasoning|chain of thought)",
    re.IGNORECASE,
)


def find_pasted(text: str) -> Iterator[Finding]:
    """What is plainly pasted (`reject`) and what likely is (`flag`); one finding of each kind at most."""
    found = False
    for name, pattern in _PLAIN:
        match = pattern.search(text)
        if match is not None:
            found = True
            yield _finding("pasted_blob", "reject", match, name)
    if not found:
        yield from _code(text)
    match = _REASONING.search(text)
    if match is not None:
        yield _finding("reasoning", "flag", match, "")


def _code(text: str) -> Iterator[Finding]:
    statements = list(_STATEMENT.finditer(text)) if "\n" in text else []
    if len(statements) >= 2:
        yield _finding("pasted_blob", "reject", statements[0], "source code")
        return
    for pattern in (_QUERY, _BARE_LINE, _STATEMENT):
        match = pattern.search(text.strip())
        if match is not None and match[0].strip(" ;}") and re.search(r"[A-Za-z]", match[0] + text[-40:]):
            yield _finding("pasted_blob", "flag", match, "a line of code")
            return


def _finding(kind: str, action: str, match: re.Match[str], name: str) -> Finding:
    excerpt = f"{name}: {match[0].strip()}" if name else match[0].strip()
    return Finding(kind, "reject" if action == "reject" else "flag", match.start(), match.end(), "A6", excerpt[:120])
