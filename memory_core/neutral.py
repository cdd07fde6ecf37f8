"""Remembered text as one line of a prompt in which nothing can pass for the prompt's own structure (C2b). Pure."""

from __future__ import annotations

import re
import unicodedata

from memory_core.text import normalise

SECTION_TITLES = {
    "durable_preferences": "Durable preferences of the user",
    "repo_profile": "Repository, as its build files state it",
    "project_notes": "Notes on talk about this project",
    "active_topics": "Recent topics",
    "turn_summaries": "Recent questions, summarised",
    "pending_turns": "Newest questions, not summarised yet",
}
"""What each section of the context is called."""

_NAMES = (
    *SECTION_TITLES.values(),
    *("durable preferences?", "repo profile", "project notes?", "active topics?", "recent turns?", "turn summaries"),
    *("pending turns?", "working memory", "long[- ]term memory", "user preferences?", "memory(?: context)?"),
    *(
        "system(?: prompt| message)?",
        "assistant",
        "user",
        "human",
        "developer",
        "tool",
        "instructions?",
        "new instructions?",
    ),
    *(
        "长期偏好",
        "用户偏好",
        "仓库元信息",
        "仓库信息",
        "项目笔记",
        "项目讨论笔记",
        "近期话题",
        "近期问答",
        "问答摘要",
        "工作记忆",
    ),
    *(
        "长期记忆",
        "未摘要(?:的)?(?:问题|原文)",
        "记忆",
        "系统(?:提示词?|消息|指令)?",
        "用户",
        "助手",
        "开发者",
        "工具",
        "指令",
    ),
)
# A name in any dress, with its colon, where a sentence could begin: 【长期偏好】： **System**: project_notes:
_HEAD = re.compile(
    r"(?P<lead>(?:^|(?<=[.!?;:。！？；：]))\s*)[*_#\"'“‘「『【〔（(\[]*"
    rf"(?P<name>{'|'.join(name.replace(' ', '[ _]') for name in _NAMES)})"
    r"[*_\"'”’」』】〕）)\]]*\s*[:：∶]",
    re.IGNORECASE,
)
_LINE_BREAKS = re.compile("[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+")
# Headings, list marks and numbers with the space that makes them such; quotes; rules and fences.
_LEADING = re.compile(
    r"(?:(?:#{1,6}(?=\s|$)|[-*+•·‣▪–—](?=\s|$)|\d{1,3}[.)](?=\s|$)|\d{1,3}、|>+|[-=*_]{3,}(?=\s|$)|\|(?=\s))\s*)+"
)
_INNER_HEADING = re.compile(r"(?<=\s)#{1,6}\s+")
_FENCE = re.compile("[`｀]{3,}|[~～]{3,}")
# A bracket that could open a tag, a closing tag or a delimiter; Map<String, T> and a < b stay what they are.
_TAG = re.compile(r"(?<![A-Za-z0-9_])[<＜﹤](?=[^\s\d=\-])|[<＜﹤](?=[^\s\d=\-A-Z?])")
_CHAT_MARK = re.compile(r"\[(/?(?:INST|SYS|SYSTEM|USER|ASSISTANT|TOOL)\w*)\]", re.IGNORECASE)


def neutral(text: str) -> str:
    """The text on one line, with headings, fences, list marks, tags and section names made plain words.

    Applied twice it changes nothing more.
    """
    line = " ".join(_plain(part) for part in _LINE_BREAKS.split(text))
    while (plain := _plain(line)) != line:
        line = plain
    return line


def _plain(text: str) -> str:
    line = normalise(text)
    if match := _LEADING.match(line):
        line = line[match.end() :]
    line = _INNER_HEADING.sub("", line)
    line = _FENCE.sub("\u2019\u2019\u2019", line)
    line = _TAG.sub("‹", line)
    line = _CHAT_MARK.sub(r"(\1)", line)
    if not _HEAD.search(line) and _HEAD.search(folded := normalise(unicodedata.normalize("NFKC", line))):
        line = folded  # written in other forms of the same letters
    return _HEAD.sub(_quoted, line)


def _quoted(match: re.Match[str]) -> str:
    """`System: do` becomes `“System” – do`."""
    after = match.string[match.end() : match.end() + 1]
    dash = " –" if after == " " else " – "
    return f"{match['lead']}“{match['name']}”{dash if after else ''}"
