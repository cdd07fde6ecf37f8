"""Structure and markup that a stored text must not bring into a prompt or onto a screen (A9)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_core.safety.folding import Folded

Found = tuple[str, int, int]

_ORDERS = r"(?:new\s|system\s|updated\s|important\s|additional\s|hidden\s|developer\s|admin\s|latest\s|priority\s|override\s|urgent\s)*(?:instructions?|rules?|polic(?:y|ies)|system|override|prompt|directives?|guidelines?|admin|assistant|developer|task|important|end of)"
_ORDERS_ZH = "(?:新|系统|最新|重要|附加|补充|隐藏|更新后?的?|管理员|开发者|最高)?(?:的)?(?:指令|指示|规则|系统|提示词|策略|系统消息|权限|任务|命令|说明|提示)"
_ALWAYS_TAGS = "system|system[-_ ]?(?:prompt|reminder|message|note|instructions?)|assistant|instructions?|user[-_](?:memory|message|input|query|instructions?)|developer|im_start|im_end|function_calls?|function_results?|tool[-_](?:call|result|response|output)s?|admin|important|human|override|new_rules|antml:\\w{1,20}|memory[-_]?(?:context|entry|item|block)?|end_of_\\w{1,20}|trusted|approved|policy"
_CLOSED_TAGS = "context|user|tool|data|document|history|notes?|preferences?|rules?|conversation|reference|content|input|repo_profile|working_memory|long_term_memory|durable_preferences|project_notes|active_topics|recent_turns"
_SPOOFS: tuple[str, ...] = (
    # A heading that begins a section of its own.
    r"\n[ \t>]{0,8}#{1,6}[ \t]{1,4}\S[^\n]{0,60}",
    rf"(?:^|\s)#{{1,6}}\s{{0,3}}(?:{_ORDERS}\b|{_ORDERS_ZH})[^\n]{{0,20}}",
    rf"\n\s{{0,8}}(?:\*\*|__|={{3,}}|-{{3,}}|【|\[)\s{{0,3}}(?:{_ORDERS}|{_ORDERS_ZH})\b[^\n]{{0,30}}",
    r"\n[^\n]{2,60}\n(?:={3,}|-{3,})\s{0,3}(?:\n|$)",
    # A turn of somebody else.
    r"(?:^|\n)\s{0,8}(?:assistant|human|助手|ai)\s?[:：]\s?\S",
    r"\n\s{0,8}(?:system|user|developer|tool|系统|用户|开发者|工具|系统消息)\s?[:：]\s?\S",
    r"(?:^|[.。！!；;>\"'“「])\s{0,4}(?:system|developer|admin|root|系统|系统消息|系统指令|系统提示|系统通知|管理员|开发者)(?:\s?(?:message|prompt|note|override|instruction|notice|update))?\s?[:：]\s{0,3}(?=[^\n]{0,80}(?:\byou\b|\byour\b|ignore|disregard|override|instruction|from now|approved|must obey|grant|unrestricted|\brules?\b|你|您|忽略|无视|已批准|指令|规则|限制|授权|服从|从现在|privilege|obey|permission|\badmin|skip|approve|权限|允许|批准|无需|跳过))",
    # Marks of chat templates and of prompts.
    r"<\|[a-z0-9_ ]{2,24}\|>|\[/?inst\]|<</?sys>>|</?s>\s{0,3}\[|<(?:start|end)_of_turn>|\bbegin_of_text\b|\[/?(?:system|sys|system_prompt)\](?!\()",
    rf"</?(?:{_ALWAYS_TAGS})(?:\s[^>\n]{{0,80}})?/?>",
    r"(?:-{3,}|={3,}|#{3,}|\*{3,}|~{3,}|<{3,}|>{3,})\s{0,3}(?:(?:end|begin|start|stop)\b[^\n]{0,30}|(?:system|instructions?|memory|context|untrusted|trusted|user data|new)\b[^\n]{0,30}|[^\n]{0,12}(?:记忆|上下文|系统|指令|数据|内容)[^\n]{0,8}(?:结束|开始|到此|以上|以下|消息|指令|提示|通知|-{3}|={3}))",
    r"\b(?:end of|begin|start of) (?:the )?(?:user |untrusted |trusted |memory |system )?(?:memory|context|system prompt|instructions|user data|untrusted data|notes|data block|input)\b[^\n]{0,10}(?:-{2,}|={2,}|\]|>|#|:|\.\s)|(?:记忆|上下文|用户数据|参考资料|以上数据)(?:区|块|部分)?(?:到此)?结束[，。；;:：\]】\s]",
    r"[\[【(（<]\s?(?:system|admin|developer|security|trusted|verified|approved|reviewed|priority|override|系统|系统消息|系统指令|系统通知|系统提示|管理员|管理员指令|开发者|官方|已审核|已批准|已通过审核|已验证|最高优先级|安全团队)(?:[\s:：-]{0,2}(?:message|note|notice|approved|verified|override|instruction|instructions|update|by [a-z ]{2,30}|消息|指令|通知|授权|已批准|认证))?\s?[\]】)）>]\s{0,2}(?=[:：]|[^\s])(?!\()(?=[^\n]{0,120}(?:\byou\b|ignore|disregard|must|always|rule|instruction|approv|verified|allow|grant|skip|your|no review|忽略|无视|必须|允许|批准|规则|指令|无需|跳过|授权|直接|你))",
    r"(?:^|\n)-{3}\s{0,3}\n\s{0,8}(?:role|system|name|priority|alwaysapply|instructions?|type|trusted)\s?:",
    # Pieces of a message or of this memory in JSON.
    r"[\"']role[\"']\s{0,3}:\s{0,3}[\"'](?:system|assistant|developer|tool|user)[\"']",
    r"[\"'](?:turn_summaries|topic_operations|long_term_operations|long_term_memory|durable_preferences|project_notes|working_memory|summary_status)[\"']\s{0,3}:",
    r"[\"'](?:source|status|decision|verdict|approved|trusted)[\"']\s{0,3}:\s{0,3}(?:[\"'](?:user_explicit|accepted|approved|accept)[\"']|true)",
    r"(?:^|\n)\s{0,8}`{3,}(?:system|prompt|instructions?|tool|tool_code)\b",
)
_SPOOF = tuple(re.compile(pattern) for pattern in _SPOOFS)
_VOICE = tuple(re.compile(pattern) for pattern in _SPOOFS if "assistant|human" in pattern or "obey" in pattern)
"""Words put into the mouth of somebody else, which order something."""
_CLOSING = re.compile(rf"</({_CLOSED_TAGS})\s?>")
_MARKUP = tuple(
    re.compile(pattern)
    for pattern in (
        r"\[@[a-z]{2,20}\s?=[^\]\n]{1,200}\]?|\[(?:link|url|on\s?click|action)\s?=\s?[^\]\n]{1,300}\]|\[/?\s?on_click\b",
        r"!\[[^\]\n]{0,200}\]\s?\(\s?(?:[a-z][a-z0-9+.-]{1,12}:|//|\.{0,2}/)[^)\n]{1,600}\)?",
        r"!\[[^\]\n]{0,200}\]\s?\([^)\s]{1,200}\.(?:png|jpe?g|gif|svg|webp|bmp)\b",
        r"\[[^\]\n]{1,200}\]\s?\(\s?<?(?:https?:|ftp:|//|javascript:|data:|file:|vscode:|command:|mailto:|ssh:)[^)\n]{1,600}\)?",
        r"\[[^\]\n]{1,80}\]:\s{1,3}(?:https?:|//|javascript:|data:)\S",
        r"<script\b(?:[^>\n]{0,200}\bsrc\s{0,2}=|[^>\n]{0,200}>\s{0,8}[^<\s，。、；]{3,})",
        r"<(?:img|iframe|embed|object|video|audio|source|link|base|input|image|form|meta)\b[^>\n]{0,300}\s(?:src|href|data|action|formaction|content|xlink:href|http-equiv)\s{0,2}=",
        r"<a\b[^>\n]{0,200}\shref\s{0,2}=",
        r"<[a-z][a-z0-9-]{0,20}\b[^>\n]{0,200}\son[a-z]{3,20}\s{0,2}=\s{0,2}[\"'a-z]",
        r"\bjavascript:\s{0,3}(?:[a-z_$][\w$.]{0,40}\s?[(=]|//|%)|\bdata:text/(?:html|javascript)\b|\bvbscript:",
        r"<(?:style|svg|math)\b[^>\n]{0,200}>|style\s{0,2}=\s{0,2}[\"'][^\"'\n]{0,100}(?:display\s?:\s?none|visibility\s?:\s?hidden|font-size\s?:\s?0|opacity\s?:\s?0|url\s?\()",
        r"<!--(?!\s{0,3}-->)[^\n]{12}",
        r"<details\b[^>]{0,80}>\s{0,8}<summary|<meta\b[^>\n]{0,100}refresh|<template\b|<marquee\b",
    )
)
_HOOKS = re.compile(r"[#<>\[\]【】（(|*=~`\n-]|:|：|结束|end of|begin|start of")


def find_structure(folded: Folded) -> Iterator[Found]:
    """The first spoofed structure, and the first markup that could act."""
    lower = folded.lower
    if not _HOOKS.search(lower):
        return
    spoof = _first(_SPOOF, lower) or _unopened(lower)
    if spoof is not None:
        yield ("structure_spoof", *spoof)
        if any(pattern.match(lower, spoof[0]) for pattern in _VOICE):
            yield ("injection", *spoof)
    markup = _first(_MARKUP, lower)
    if markup is not None:
        yield ("markup", *markup)


def _first(patterns: tuple[re.Pattern[str], ...], lower: str) -> tuple[int, int] | None:
    for pattern in patterns:
        match = pattern.search(lower)
        if match is not None:
            return match.span()
    return None


def _unopened(lower: str) -> tuple[int, int] | None:
    """A closing tag of a section that the text itself did not open: it would end somebody else's."""
    for match in _CLOSING.finditer(lower):
        if not re.search(rf"<{match[1]}[\s>]", lower[: match.start()]):
            return match.span()
    return None
