"""Pasted matter rather than talk about it: code, diffs, traces, logs, tool output (A6).

Plain where nobody would write it by hand into a note, likely where it is one bare line. Naming a class, a method, a
file, a command or an error is no fault.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_core.safety.finding import Action, Finding

_DIFF = re.compile(
    r"^diff --git \S|^Index: \S+\n={5,}|@@ -\d{1,7}(?:,\d{1,7})? \+\d{1,7}(?:,\d{1,7})? @@|--- (?:a/|/dev/null)\S{0,200}\s{1,3}\+\+\+ (?:b/|/dev/null)"
    r"|^\*\*\* (?:Begin|Update|End|Add|Delete) (?:Patch|File)|^<{7} \S[\s\S]{0,4000}?^>{7} |^index [0-9a-f]{7,40}\.\.[0-9a-f]{7,40}|^[-+]{3} \S+\.\w+(?:\t|\s*$)[\s\S]{0,20}^[-+]{3} "
    r"|(?:^|\s)diff --git a/\S+ b/\S+",
    re.MULTILINE,
)
_CHANGED_LINE = re.compile(r"^(?P<sign>[-+])(?![-+ ]{0,2}\d*$)\s{0,40}\S[^\n]{0,400}$", re.MULTILINE)
_TRACE = re.compile(
    r"\bat [\w$.<>/@-]{3,300}\((?:[\w$]{1,100}\.(?:java|kt|kts|scala|groovy|clj):\d{1,6}|Native Method|Unknown Source|<generated>)\)"
    r"|\bat (?:[\w$.<>\[\] ]{1,200} )?\(?(?:file://|node:|webpack:|/|[A-Z]:\\|\./)[^\s()]{1,300}:\d{1,6}:\d{1,6}\)?|\bat [\w.`<>]{3,200}\([^()\n]{0,200}\) in \S{1,300}:line \d{1,6}"
    r"|Traceback \(most recent call last\)|\bFile \"[^\"\n]{1,300}\", line \d{1,6}|\bgoroutine \d{1,6} \[|\bpanic: [^\n]{1,300}\n|thread '[^'\n]{1,60}' panicked at"
    r"|Exception in thread \"[^\"\n]{1,80}\"|^Caused by: [\w.$]{3,200}(?:Exception|Error)\b|\.{3} \d{1,5} (?:more|common frames omitted)\b|^[ \t]{1,40}from \S{1,200}\.rb:\d{1,6}:in |\.rb:\d{1,6}:in `"
    r"|#\d{1,3}\s{1,3}0x[0-9a-f]{6,16} in |^\s{0,8}at .{1,200}\n\s{0,8}at |#\d{1,3} \S{1,200}\.php\(\d{1,6}\):",
    re.MULTILINE,
)
_LEVEL = r"(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|SEVERE|CRITICAL|NOTICE)"
_STAMP = r"\d{4}[-/]\d\d[-/]\d\d[ T]\d\d:\d\d:\d\d"
_LOG = re.compile(
    rf"{_STAMP}[.,\d]{{0,8}}(?:Z|[+-]\d\d:?\d\d)?\]?[ \t]{{1,4}}(?:\S{{1,40}}[ \t]{{1,4}}){{0,3}}?[\[(]?{_LEVEL}\b|^[\[(]?{_LEVEL}[\])]?[: \t]{{1,4}}\[?{_STAMP}|(?:^|\s)\d\d:\d\d:\d\d[.,]\d{{3}}[ \t]{{1,4}}(?:\[[^\]\n]{{1,60}}\][ \t]{{1,4}})?{_LEVEL}\b"
    rf"|^\[{_LEVEL}\][^\n]{{1,300}}\n\[{_LEVEL}\]|\[{_LEVEL}\] (?:BUILD (?:SUCCESS|FAILURE)|Tests run:|-{{5,}}|Total time)|^[A-Z][a-z]{{2}} [ \d]\d \d\d:\d\d:\d\d \S{{1,60}} \S{{1,60}}\[\d{{1,7}}\]:|^[IWEF]\d{{4}} \d\d:\d\d:\d\d\.\d{{6}}"
    r"|\blevel=(?:info|warn|error|debug|fatal)\b[^\n]{0,200}\bmsg=|\d{1,3}(?:\.\d{1,3}){3} - \S{1,40} \[\d\d/\w{3}/\d{4}:|^npm ERR! |^yarn error |^error\[E\d{4}\]:",
    re.MULTILINE,
)
_TOOL = re.compile(
    r"\btool_call_id\b|[\"']tool_calls[\"']\s?:|</?tool_(?:result|call|use)>|<function_(?:calls|results)>|^(?:Observation|Action Input|Tool (?:output|result)|Function result)\s?:\s{0,3}\S|\bobservation:\s?[{\[]"
    r"|Tests run: \d+, Failures: \d+|^={3,} .{0,40}(?:passed|failed|test session).{0,60}={3,}|\bBUILD (?:SUCCESSFUL|FAILED) in \d|^(?:\S{1,200}:\d{1,6}:(?:\d{1,5}:)?[^\n]{1,300}\n){2}|^total \d{1,8}\n[d-][rwx-]{9}|(?:^|\s)[d-](?:[r-][w-][xst-]){3}\s{1,3}\d{1,4}\s\w|^commit [0-9a-f]{40}\s{1,3}(?:Merge:|Author:)|^On branch \S{1,100}\n|^[$#>] [a-z][\w./-]{1,40}[^\n]{0,200}\n\S|^exit (?:code|status):? \d{1,3}$|^(?:stdout|stderr)\s?[:：]"
    r"|^\s{0,4}\d{1,5}[→|\t][^\n]{0,300}\n\s{0,4}\d{1,5}[→|\t]|^\|[^\n|]{1,100}\|[^\n]{1,300}\n\|[\s:|-]{5,}\|",
    re.MULTILINE,
)
_PAIR = r"\"[^\"\n]{1,80}\"\s{0,6}:\s{0,6}"
_JSON = re.compile(rf"[{{\[]\s{{0,20}}(?:[{{\[]\s{{0,20}})?{_PAIR}")
_PAIRS = re.compile(_PAIR)
_FROM_TOOL = re.compile(
    r"工具|函数调用|命令输出|输出如下|返回如下|执行结果|调用结果|\btool\b|\boutput\b|\bstdout\b|\breturned\b|\bresult of\b|\b[a-z]{2,20}(?:_[a-z]{2,20}){1,4}\b(?=\s?(?:返回|输出|的结果|returned|result|gave|->|=>|:))",
    re.IGNORECASE,
)

_ARGS = r"\((?:[^()\n]|\([^()\n]{0,80}\)){0,160}\)"
"""Arguments, at most one call within."""
_BODY = re.compile(
    r"\)\s{0,4}(?:(?:throws|:|->|=>|where|const|override|noexcept)[ \t]{0,3}[\w.,<>\[\]?*& ]{0,80})?\{\s{0,20}[^{}\n]{0,300}(?:;|\breturn\b|\w\s?\([^{}\n]{0,100}\)\s{0,3}\})"
    r"|\b(?:class|interface|enum|struct|record|trait|impl|object)\s\w{1,60}[^{}\n.。，]{0,80}\{\s{0,20}(?:[^{}]{0,300};|(?:public|private|protected|def|fun|func|fn|val|var|let|const|case|static)\b)"
    r"|=>\s{0,4}\{\s{0,20}[^{}\n]{0,200};|\b(?:def|async def)\s\w{1,60}\s?\([^)\n]{0,200}\)[^:\n]{0,40}:\s{1,20}(?:\S[^\n]{0,200}(?:=|\(|\breturn\b|\bif\b)|return\b|pass\b|yield\b)"
    r"|\b(?:func|fn|fun)\s(?:\([^)\n]{1,60}\)\s)?\w{1,60}\s?\([^)\n]{0,200}\)[^{}\n]{0,60}\{\s{0,20}\S|\b(?:if|for|while|switch|try|catch|else|do)\s{0,2}(?:\([^{}\n]{0,200}\)\s{0,2})?\{\s{0,20}[^{}\n]{0,300}[;}]|\bfunction\s?\w{0,60}\s?\([^)\n]{0,200}\)\s?\{"
    r"|^\s{0,12}(?:if|for|while|with|try|elif|else|except|class|def)\b[^\n]{0,200}:\s{0,3}\n\s{1,40}\S",
    re.MULTILINE,
)
_FENCE = re.compile(
    r"^\s{0,3}(?:`{3,}|~{3,})[\w+#.-]{0,20}\s{0,4}\n(?P<code>[^`]{4,8000})|(?:```)[a-z]{2,12}\s(?P<inline>[^`]{12,4000})```",
    re.MULTILINE,
)
_STATEMENT = re.compile(
    r"^[ \t]{0,60}(?:"
    r"(?:(?:public|private|protected|static|final|abstract|synchronized|const|let|var|val|auto|int|long|double|boolean|bool|string|String|export|async|override|readonly|mut|unsigned|char|float|void)\s+)+[\w<>\[\], .?*&:$]{1,160}(?:=[^=\n][^\n]{0,300}|\([^\n]{0,200}\)[^\n]{0,80})?[;{]"
    r"|[\w.$\[\]<>?, ]{1,120}\s?[-+*/|&%:?]?=\s?[^=\n][^\n]{0,300};"
    r"|[\w.$\]\[]{1,100}" + _ARGS + r"[^\n]{0,300};"
    r"|(?:return|throw|break|continue|goto|yield|await|delete|assert|raise)\b[^\n]{0,200};|(?:break|continue|return);"
    r"|(?:import|using|package|namespace)\s[\w.*:{} ,]{2,200};|import\s[\w.]{2,120}(?:\sas\s\w{1,40})?|from\s[\w.]{1,100}\simport\s[\w, *()]{1,100}|import\s.{1,120}\sfrom\s['\"][^'\"]{1,100}['\"];?"
    r"|#include\s?[<\"][^>\"\n]{1,80}[>\"]|#define\s\w{1,60}\b[^\n]{0,100}"
    r"|(?:if|for|while|switch|catch|else if|foreach)\s?\([^\n]{1,200}\)\s?\{?|\}\s{0,4}(?:else\b[^\n]{0,60}\{?|catch\b[^\n]{0,80}|finally\s?\{)?|(?:else|try|do|finally)\s?\{"
    r"|(?:def|class|async def)\s\w{1,60}[^\n]{0,160}:|(?:if|elif|for|while|with|except)\s[^\n，。]{1,160}:|(?:else|try|finally):|(?:return|raise|yield|assert|del|pass|await)\b[^\n，。；;]{0,160}|[a-z_][\w.]{0,60}(?:\[[^\]\n]{1,40}\])?\s[-+*/]?=\s[^=\n，。][^\n，。]{0,200}|[a-z_][\w.]{0,80}\([^\n，。]{0,160}\)"
    r"|@\w[\w.]{1,60}(?:\([^\n]{0,160}\))?|<\/?[\w:.-]{1,60}(?:\s[\w:.-]{1,40}=\"[^\"\n]{0,120}\"){0,8}\s?\/?>[^<\n]{0,200}(?:<\/[\w:.-]{1,60}>)?"
    r"|(?:fn|func|fun|type|package|impl|use|pub|mod)\s[^\n，。]{1,160}[{;]?"
    r")[ \t]{0,20}(?://[^\n]{0,200}|#[^\n]{0,200})?$",
    re.MULTILINE,
)
_HAN = re.compile("[\u3400-\u9fff]")
_ONE_LINE = re.compile(
    r"(?:(?:public|private|protected|static|final|const|let|var|val|int|long|String|boolean|auto|export)\s+)+[\w<>\[\], .?]{1,120}\s?=\s?[^=\n]{1,300};?"
    r"|[\w.$<>\[\], ]{1,120}\s?=\s?(?:new\s|await\s)?[\w.$]{1,100}(?:<[^>\n]{0,60}>)?\([^\n]{0,300}\)[^\n]{0,200};?|[\w$]{1,60}(?:\.[\w$]{1,60})*(?:"
    + _ARGS
    + r")?(?:\.\w{1,60}"
    + _ARGS
    + r"){2,10};?|[^\n]{3,300};"
    r"|(?:return|throw|raise|yield|await)\s[^\n]{1,200}|(?:for|if|while)\s?\(.{1,200}\)\s?.{1,200}|for\s\w{1,40}\sin\s[^\n:]{1,120}:\s?.{1,120}|lambda\s[\w, ]{0,60}:\s.{1,160}|\w{1,40}\s=\s\[.{1,160}\sfor\s\w{1,40}\sin\s.{1,100}\]|def\s\w{1,60}\(.{0,120}\).{0,40}:|class\s\w{1,60}(?:\(.{0,80}\))?:|import\s[\w.]{2,120}|from\s[\w.]{2,100}\simport\s[\w, *]{1,100}|@\w[\w.]{1,60}\(.{1,200}\)\s\S.{2,200}"
)
_INLINE = re.compile(
    r"\b(?:(?:public|private|protected|static|final)\s+){1,4}[\w<>\[\], .?]{1,80}\s\w{1,60}\s?\([^()\n]{0,160}\)\s{0,3}(?:throws\s[\w., ]{1,80})?[;{]|(?<![\w.])(?:final\s)?[A-Z][\w<>, \[\]]{1,60}\s[a-z]\w{0,40}\s?=\s?(?:new\s)?[\w.$]{1,80}\([^\n，。]{0,160}\);"
    r"|\b(?:if|for|while)\s?\([^()\n，。]{1,120}(?:==|!=|<|>|&&|\|\||\+\+|:)[^\n，。]{0,120}\)\s?\{?\s?(?:return|throw|continue|break|[\w.]{1,60}\()[^\n。]{0,120};|\b\w{1,60}\s?[-+]?=\s?[\w.]{1,60}\([^\n，。]{0,120}\);\s?\w{1,60}[^\n，。]{0,60}[;(]"
)
_QUERY = re.compile(
    r"\bselect\s(?:distinct\s)?[\w*.,() `\"'=]{1,200}\sfrom\s[\w.`\"]{1,80}(?:\s(?:as\s)?\w{1,20})?\s(?:where|left|inner|join|right|group|order|limit|for update|union)\b[^\n。]{0,300}[=><(\d;]|\binsert\s+into\s[\w.`\"]{1,60}\s?\([^\n)]{1,200}\)\s?(?:values\b|select\b)|\bupdate\s[\w.`\"]{1,60}\sset\s[\w.`\"]{1,60}\s?=\s?[^\n。]{1,200}|\bdelete\s+from\s[\w.`\"]{1,60}(?:\swhere\s[^\n。]{1,200}|;)|\b(?:create|alter|drop)\s+(?:table|index|view|database)\s[\w.`\" ]{1,80}(?:\([^\n]{1,300}|add\s|drop\s|modify\s|on\s|;)",
    re.IGNORECASE,
)


def find_pasted(text: str) -> Iterator[Finding]:
    """What is plainly pasted (`reject`), or else what likely is (`flag`); one finding at most."""
    found = _plain(text) or _likely(text)
    if found is not None:
        name, action, start, end = found
        yield Finding("pasted_blob", action, start, end, "A6", f"{name}: {text[start:end].strip()[:120]}")


def _plain(text: str) -> tuple[str, Action, int, int] | None:
    for name, pattern in (
        ("a diff", _DIFF),
        ("a stack trace", _TRACE),
        ("log lines", _LOG),
        ("a tool's output", _TOOL),
    ):
        match = pattern.search(text)
        if match is not None:
            return name, "reject", *match.span()
    return _changed_lines(text) or _json(text) or _source(text)


def _changed_lines(text: str) -> tuple[str, Action, int, int] | None:
    """Lines taken out and put in, without a header."""
    lines = list(_CHANGED_LINE.finditer(text)) if "\n" in text else []
    signs = {match["sign"] for match in lines}
    code = sum(bool(re.search(r"[;{}=()<>\[\]]", match[0])) for match in lines)
    if len(signs) == 2 and code >= 2 and code * 2 > len(lines):
        return "a diff", "reject", lines[0].start(), lines[-1].end()
    return None


def _json(text: str) -> tuple[str, Action, int, int] | None:
    """An object that a tool gave back; a short one that shows a format is none."""
    match = _JSON.search(text)
    if match is None:
        return None
    pairs = len(_PAIRS.findall(text, match.start()))
    from_tool = _FROM_TOOL.search(text) is not None
    if pairs >= 3 and (from_tool or pairs >= 6 or text.lstrip()[:1] in "{["):
        return "a tool's output", "reject", match.start(), len(text)
    if pairs >= 4 or (pairs >= 2 and from_tool):
        return "a tool's output", "flag", match.start(), len(text)
    return None


def _source(text: str) -> tuple[str, Action, int, int] | None:
    match = _BODY.search(text)
    if match is not None:
        return "source code", "reject", *match.span()
    match = _FENCE.search(text)
    if match is not None:
        code = match["code"] or match["inline"]
        if re.search(r"[;{}=()<>\[\]:]", code) and not _HAN.search(code.split("\n", 1)[0]):
            return "source code", "reject", *match.span()
    if "\n" not in text:
        return None
    statements = [match for match in _STATEMENT.finditer(text) if match[0].strip(" \t}")]
    lines = [line for line in text.split("\n") if line.strip()]
    if len(statements) >= 3 or (len(statements) == 2 and len(lines) <= 4):
        return "source code", "reject", statements[0].start(), statements[-1].end()
    return None


def _likely(text: str) -> tuple[str, Action, int, int] | None:
    at = 0
    for line in text.split("\n"):
        bare = line.strip(" \t`\r")
        if bare and len(bare) < 600 and not _prose(bare) and _ONE_LINE.fullmatch(bare):
            start = at + line.index(bare)
            return "a line of code", "flag", start, start + len(bare)
        at += len(line) + 1
    for pattern in (_INLINE, _QUERY):
        match = pattern.search(text)
        if match is not None:
            return "a line of code", "flag", *match.span()
    return None


def _prose(line: str) -> bool:
    """Whether a line reads as a sentence: Chinese outside quotes, or English words with few signs of code."""
    outside = re.sub(r"\"[^\"]{0,200}\"|'[^']{0,200}'|//.{0,300}$|#.{0,300}$", "", line)
    if _HAN.search(outside):
        return True
    words = re.findall(r"(?<![\w.(])[A-Za-z]{2,20}(?![\w.(=\[])", outside)
    signs = len(re.findall(r"[(){}\[\]=<>]|::|->", outside))
    return len(words) >= 5 and signs * 2 < len(words)
