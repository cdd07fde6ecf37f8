"""Text aimed at a model, or at what guards the user: cue families in Chinese and English (A9).

All of it is held, never rejected: a person can judge it, and honest talk about it is held as well. Matching is done on
folded text (width, case, invisible characters), so that no spelling trick hides a cue.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from memory_core.safety.finding import Finding

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e0fff]"
)
_RULES = r"(?:instructions?|rules?|prompts?|guidelines?|directives?|polic(?:y|ies)|constraints?|restrictions?|guardrails?|safeguards?|safety|commands?|orders?|system messages?|context)"
_RULES_ZH = "(?:指令|指示|规则|提示词|系统提示|约束|限制|设定|守则|准则|命令|安全策略|安全要求|安全检查)"
_DATA = r"(?:\.env\b|secrets?|tokens?|api keys?|keys?|credentials?|passwords?|files?|file lists?|contents?|source|code|diffs?|conversations?|chats?|histor(?:y|ies)|prompts?|memor(?:y|ies)|data|summar(?:y|ies)|environment|variables?)"
_DATA_ZH = r"(?:\.env|密钥|令牌|token|密码|凭证|凭据|文件|内容|源码|代码|对话|聊天记录|历史|提示词|记忆|数据|环境变量|列表|摘要)"
_PEOPLE = r"(?:the )?(?:users?|reviewers?|maintainers?|developers?|team|anyone|anybody|someone|humans?|operators?|owners?|customers?)"
_PEOPLE_ZH = "(?:用户|任何人|评审(?:者|人)?|维护者|审核(?:者|人)?|开发者|别人|他人|对方|人类|团队)"
_NOT = r"(?<!never )(?<!not )(?<!n't )(?<!cannot )(?<!nobody may )"
_NOT_ZH = "(?<!不要)(?<!不得)(?<!不能)(?<!不可)(?<!禁止)(?<!严禁)(?<!不应)(?<!不许)(?<!不准)(?<!不允许)(?<!切勿)(?<!请勿)(?<!避免)(?<!防止)"

_FAMILIES: dict[str, tuple[str, ...]] = {
    "injection": (
        rf"\b(?:ignore|disregard|forget|override|overrule|bypass|discard|neglect|stop (?:following|obeying)|(?:do not|don't|never) (?:follow|obey|respect))\b[^.\n]{{0,24}}\b(?:previous|prior|earlier|above|preceding|your|system|safety|given|existing|original|all (?:the |of the |other |your )?(?={_RULES}))[^.\n]{{0,24}}?\b{_RULES}\b",
        rf"\b(?:ignore|disregard|forget|override) (?:all|any|every|each|the|these|those)\b[^.\n]{{0,12}}\b{_RULES}\b[^.\n]{{0,30}}\b(?:you|given|before|earlier|previous|above|told)\b",
        rf"\b(?:ignore|disregard|forget) (?:all |any |every )?(?:previous|prior|earlier) {_RULES}",
        rf"\bare your only {_RULES}|\byour only (?:source|policy|rules?|authority)\b|\b(?:these|this|the following|below)\b[^.\n]{{0,30}}\b(?:overrides?|supersedes?|replaces?|takes? precedence over)\b[^.\n]{{0,30}}\b{_RULES}",
        r"\byou(?:'re| are) (?:now|from now on) (?!ready\b|able\b|on\b|in\b|at\b|using\b|done\b|free to\b|logged\b)\w|\bfrom now on,? you (?:are|act|will act|must act|respond as)\b|\b(?:act|behave|respond|roleplay|pose) as (?:an? |the )?(?:unrestricted|root|admin|developer mode|dan\b|system|different|jailbroken|evil)|\bpretend (?:to be|you are|you have)\b",
        rf"\b(?:reveal|print|show|output|repeat|leak|disclose|dump|expose|recite|paste)\b[^.\n]{{0,30}}\b(?:system|hidden|initial|developer|secret|internal|original)\s(?:system )?(?:prompt|{_RULES})",
        r"\b(?:no|without(?: any)?|free of|lift(?:ed)?(?: all)?|remove(?: all)?|disable(?: all| the| your)?|turn off(?: all| the| your)?)\s(?:safety|ethical|content|your|all|any)?\s?(?:restrictions|guardrails|limitations|safety (?:checks|rules|filters?)|content filters?|moderation|safeguards)\b|\b(?:jailbreak|developer mode enabled|god mode)\b",
        r"(?:^|[\n>\"'“「]|\. )\s{0,4}(?:system|assistant|developer|系统|系统消息|系统指令)\s{0,2}[:：]\s{0,3}\S",
        r"\b(?:code_audit|patch_explain|patch_revise|audits?|security (?:scan|review|check)s?|findings?|vulnerabilit(?:y|ies))\b[^.\n]{0,40}\b(?:always|automatically|must|should|are to be|as)\b[^.\n]{0,24}\b(?:pass(?:es|ed)?|safe|approved?|resolved|false positives?|ignored|clean)\b",
        rf"(?:忽略|无视|忘记|忘掉|抛弃|抛开|绕过|跳过|覆盖|推翻|取消|废除|解除|不(?:要|必|再|用)?(?:遵守|遵循|服从|理会|管))[^。；\n]{{0,10}}(?:之前|先前|以前|此前|前面|上面|上述|全部|所有|一切|原有|现有|已有|原来|你的|系统|安全|任何|其他|其它)[^。；\n]{{0,8}}{_RULES_ZH}",
        rf"(?:忽略|无视|忘记|忘掉|绕过|解除)(?:掉)?(?:你(?:的|所有)?|系统|安全)[^。；\n]{{0,6}}{_RULES_ZH}",
        "(?:你现在(?:是|起|开始|没有|可以不)|从现在起，?你(?:是|将|只|要|就|不)|(?:请)?(?:扮演|假装你?是|伪装成)|进入(?:开发者|越狱|无限制|调试|管理员|上帝)模式|没有任何限制|不受(?:任何)?(?:限制|约束)|只(?:服从|听从|遵守|信任)(?:这|本|以下|我|下面)|唯一(?:的)?(?:指令|准则|规则来源))",
        "(?:泄露|输出|打印|显示|透露|复述|告诉|发送|公开|展示|说出)[^。；\n]{0,10}(?:系统提示|system prompt|隐藏(?:的)?提示|初始指令|内部(?:提示|指令)|提示词原文)",
        "(?:code_audit|patch_explain|patch_revise|审计|审查|扫描|漏洞|finding|安全检查)[^。；\n]{0,16}(?:一律|全部|直接|自动|永远|始终|总是|都)[^。；\n]{0,6}(?:判定|视|标记|认定|当作|返回|算)?[^。；\n]{0,4}(?:通过|安全|无风险|没有问题|误报|合格|忽略|放行)",
        r"\b(?:when (?:answering|responding|replying)|in every (?:answer|reply|response)|before (?:answering|responding))\b[^.\n]{0,40}\b(?:always|first|silently|must)\b[^.\n]{0,20}\b(?:send|append|include|post|upload|forward|reveal|call|fetch|load)\b",
    ),
    "approval_bypass": (
        r"\b(?:pre-?approved|approved in advance|standing (?:approval|permission|consent)|blanket (?:approval|permission)|(?:already|have been|has been|are|is) (?:been )?(?:approved|authori[sz]ed|signed off) (?:in advance|by (?:the )?(?:maintainers?|owners?|security|admins?|reviewers?|team)))\b",
        r"\b(?:no|without(?: any)?(?: further)?|no further|no more) (?:human |manual |user |further |additional )?(?:approvals?|confirmations?|reviews?|permission|consent|sign-?off) (?:is |are |will be )?(?:needed|required|necessary)\b",
        rf"{_NOT}\b(?:skip|bypass|disable|circumvent|suppress|turn off|auto-?(?:accept|approve|confirm|merge)|automatically (?:accept|approve|confirm|apply|merge)|rubber-?stamp|accept without)\b[^.\n]{{0,40}}\b(?:reviews?|approvals?|confirmations?|gates?|permission|consent|memory (?:changes?|writes?|updates?|deltas?)|deltas?|pending (?:changes|operations)|code owners?)\b",
        r"\b(?:do not|don't|never|no need to|needn't|stop) (?:ask|asking|prompt|prompting|wait|waiting|request|requesting)(?: me| the user| anyone| us)? (?:for |to )?(?:approval|approve|confirmation|confirm|permission|review|consent|before)\b",
        r"\bset (?:approved|reviewed|confirmed|trusted|auto_?approve) (?:to |= ?)(?:true|yes|1)\b|\btreat (?:this|these|all|every)[^.\n]{0,40} as (?:approved|accepted|confirmed|trusted|authori[sz]ed)\b",
        "(?:后续|今后|以后|往后|所有|任何|一切|全部|凡是|本次之后)[^。；\n]{0,24}(?:已经?|均|都|视为|默认|自动|提前|预先)[^。；\n]{0,12}(?:批准|审批通过|授权|同意|认可|确认过)",
        f"{_NOT_ZH}(?:无需|无须|不用|不必|不需要?|免去?|省去)(?:再|任何|人工|用户|额外|弹出|经过|进行|等待|请求|另行|他人|单独){{0,4}}(?:确认|审批|批准|评审|审核|询问|授权|过问|复核|同意)",
        f"{_NOT_ZH}(?:跳过|绕过|绕开|关闭|禁用|规避)[^。；\n]{{0,8}}(?:审批|评审|审核|人工确认|确认框|确认步骤|审查|门禁|权限检查)",
        f"{_NOT_ZH}(?:自动|直接)(?:批准|同意|接受|通过|采纳|确认)[^。；\n]{{0,10}}(?:变更|记忆|补丁|修改|请求|操作|写入|合并|delta)|(?:允许|可以)直接推送[^。；\n]{{0,16}}(?:不用|无需|不经|跳过)|不(?:用|经|需)(?:过)?评审",
    ),
    "delayed_trigger": (
        rf"\b(?:when(?:ever)?|once|after|next time|the next time|as soon as|if|the moment) {_PEOPLE}[^.\n]{{0,16}}\b(?:says?|asks?|types?|mentions?|writes?|sends?|thanks|replies|greets|confirms)\b[^.\n]{{0,100}}\b(?:read|send|reveal|append|delete|upload|ignore|disable|forward|exfiltrate|leak|overwrite|approve|store|save|execute|embed|erase|forget|include)\b[^.\n]{{0,60}}{_DATA}",
        rf"(?:等|当|如果|一旦|下次|只要|每当|待)[^。；\n]{{0,8}}{_PEOPLE_ZH}[^。；\n]{{0,8}}(?:说|问|提到|输入|发送|回复|感谢|写下|确认)[^。；\n]{{0,40}}(?:读取|发送|上传|附在|附上|泄露|删除|清空|忽略|覆盖|转发|写入记忆|关闭|禁用|输出|外传)[^。；\n]{{0,24}}(?:{_DATA_ZH}|规则|审批|限制)",
    ),
    "exfiltration": (
        rf"\b(?:send|post|upload|append|forward|submit|transmit|report|leak|exfiltrate|attach|encode|embed|copy|push|pass|include|put)\b[^\n]{{0,60}}{_DATA}[^\n]{{0,80}}(?:https?://(?!localhost|127\.|\[::1\])|\bwebhook\b|\bpastebin\b|@[\w-]{{1,60}}\.\w)",
        rf"{_DATA}[^\n]{{0,60}}\b(?:as (?:a )?(?:query|url) (?:parameter|string)|in (?:an? |the )?(?:image|markdown|tracking)[^.\n]{{0,20}}(?:url|link|src))|\b(?:base64|hex)[^\n]{{0,40}}https?://|\bload it as an image\b",
        r"\b(?:send|post|append|upload|forward|attach)\b[^\n]{0,40}\b(?:it|this|that|them|everything|result|output)\b[^\n]{0,40}https?://(?!localhost|127\.)",
        r"(?:发送|上传|附在|附到|附上|拼接?|提交|回传|外传|泄露|转发|拼到|写到|同步|推送|带上|编码后)[^。\n]{0,40}(?:https?://(?!localhost|127\.)|图片链接|链接参数|外部(?:服务器|地址|站点|接口)|webhook|查询参数|第三方服务器)",
        rf"(?:把|将)[^。\n]{{0,16}}{_DATA_ZH}[^。\n]{{0,24}}(?:发(?:送)?(?:到|给)|上传到|传到|附在|拼到|贴到|同步到)[^。\n]{{0,24}}(?:https?://(?!localhost|127\.)|链接|外部|外网|邮箱|服务器|\.example)",
    ),
    "concealment": (
        r"\b(?:do not|don't|never|without|avoid|no need to)\s(?:ever )?(?:mention(?:ing)?|disclos(?:e|ing)|reveal(?:ing)?|report(?:ing)?|tell(?:ing)?|show(?:ing)?|say(?:ing)?|not(?:e|ing)|acknowledg(?:e|ing)|explain(?:ing)?)\s(?:about )?(?:this|it|that|these|them|anything|any of (?:this|it)|(?:the|your) (?:change|instruction|step|memory|rule|addition|source|note|edit|modification)s?)\b",
        rf"\b(?:do not|don't|never|without|avoid)\s(?:ever )?(?:tell(?:ing)?|inform(?:ing)?|notify(?:ing)?|alert(?:ing)?|warn(?:ing)?|let(?:ting)?)\s{_PEOPLE}",
        r"\b(?:quietly|silently|secretly|covertly|stealthily|surreptitiously|discreetly)\s(?:add|insert|send|read|change|install|delete|run|include|append|write|modify|push|commit|upload|replace|copy|fetch|set|approve|store|save|remove)\w*\b",
        rf"\bkeep (?:this|it|that|these)[^.\n]{{0,20}}\b(?:secret|hidden|confidential|between us|to yourself)\b|\bhid(?:e|den|ing) (?:this|it|the (?:change|fact|instruction))?\s?from {_PEOPLE}|\b(?:user|reviewer|maintainer)s? (?:must|should|need) (?:not|never) (?:know|see|notice|learn)\b",
        f"(?:不要|别|不得|切勿|无需|不必|不用|不能|禁止|避免)(?:再)?(?:向|对|跟|和|让|被|告诉|告知|通知|提醒)?{_PEOPLE_ZH}(?:提起|提及|提到|告知|说明|说起|透露|汇报|知道|发现|看到|察觉|报告|解释)",
        f"(?:不要|别|不得|切勿|无需|不必|不用)(?:告诉|告知|通知|提醒|惊动){_PEOPLE_ZH}|(?:不要|别|切勿|不得)(?:在[^。；\n]{{1,12}}(?:里|中))?(?:提起|提及|提到|声张|透露|说明|披露)(?:这|此|该|它|本)",
        "(?:悄悄|偷偷|暗中|暗地里|秘密|私下|静默|不声不响)(?:地)?[^。；，\n]{0,4}(?:读取|发送|添加|修改|删除|执行|上传|写入|安装|提交|加入|运行|替换|记录|引入|推送|批准)|瞒着|隐瞒(?:此|这|该|用户|改动)|对(?:用户|评审)保密",
    ),
    "dependency_steer": (
        r"\b(?:add|install|insert|include|introduce|pull in)\s(?:a |an |the )?(?:new )?(?:dependency|package|library|plugin|module|artifact)\b[^\n]{0,80}\b(?:whenever|every time|each time|always|any time|when(?:ever)? you|without)\b",
        r"\b(?:whenever|every time|each time|always|any time)\b[^.\n]{0,60}\b(?:add|install|insert|include|introduce)\s(?:a |an |the )?(?:[\w@./-]{2,60} )?(?:dependency|package|library|plugin|module)\b",
        r"\b(?:always|only|must)\b[^.\n]{0,24}\b(?:install|resolve|download|fetch|pull)\b[^.\n]{0,40}\bfrom\b[^.\n]{0,12}https?://",
        "(?:每次|凡是|只要|一旦|每当|以后)[^。；\n]{0,24}(?:修改|碰|编辑|改动|生成|构建|提交|涉及|动)[^。；\n]{0,24}(?:加|添加|引入|加入|安装|加上|写入)[^。；\n]{0,24}(?:依赖|软件包|的包|组件|库|插件)",
        "(?:顺手|顺便|默默|顺带)[^。；\n]{0,8}(?:加|添加|引入|加入|安装|加上)[^。；\n]{0,24}(?:依赖|包|组件|库|插件)",
    ),
    "recommendation_bias": (
        r"\b(?:always|only|exclusively|whenever[^.\n]{0,40})\s?(?:recommend|suggest|promote|endorse|cite|favou?r|push)\b[^.\n]{0,80}\b(?:only|best|trusted|first|over|instead of|regardless|authoritative|leading|number one|competitors?|alternatives?)\b",
        r"\b(?:recommend|suggest|promote|describe|present|call)\b[^.\n]{0,60}\bas (?:the|a) (?:only|most|best|single|leading)\b[^.\n]{0,20}\b(?:trusted|reliable|secure|authoritative|credible|choice|option|source|vendor|product)\b|\bnever (?:mention|recommend|suggest)\b[^.\n]{0,30}\b(?:competitors?|alternatives?|rivals?|other (?:vendors?|products?|tools?))\b",
        "(?:凡是|以后|每次|总是|一律|始终|永远|只要|今后)[^。；\n]{0,20}(?:推荐|建议|提到|介绍)[^。；\n]{0,24}(?:一律|优先推荐|只推荐|首推|只说|唯一|业界|最可信|最权威|不提)",
        "(?:业界|市面上|行业内?)?(?:唯一|最)(?:可信|权威|可靠|安全|值得信赖)的?(?:来源|选择|方案|产品|厂商|组件|供应商)|不要(?:提|推荐|提及)(?:竞品|其他(?:产品|厂商|方案|工具|框架))",
    ),
    "dangerous_command": (
        r"\b(?:curl|wget|fetch|iwr|irm|invoke-webrequest)\b[^|\n]{0,300}\|\s{0,3}(?:sudo\s{1,3})?(?:-\w+\s)?(?:(?:ba|z|k|da|fi)?sh|python\d?|perl|ruby|node|iex|invoke-expression)\b",
        r"\b(?:ba|z)?sh\s{1,3}(?:-c\s{1,3})?[\"']?(?:<\(|\$\()\s?(?:curl|wget)|\beval\s{1,3}[\"']?\$\((?:curl|wget)|base64\s{1,3}(?:-d|--decode)[^|\n]{0,60}\|\s{0,3}(?:ba)?sh",
        r"\brm\s{1,3}(?:-[a-z]{1,6}\s{1,3}){1,3}(?:--no-preserve-root\s{1,3})?(?:/(?:\s|$|\*|etc|usr|home|var)|~|\$home|\*|\.\.?(?:\s|$|/\*))|\bmkfs(?:\.\w+)?\s|\bdd\s[^\n]{0,60}of=/dev/|:\(\)\s?\{|\bchmod\s{1,3}-r\s{1,3}777\s{1,3}/|\bdel\s{1,3}/[sfq]\b[^\n]{0,20}[a-z]:\\|\bformat\s{1,3}[a-z]:",
        r"\bgit\s{1,3}push\s[^\n]{0,40}(?:--force(?!-with-lease)|\s-f\b)|\bgit\s{1,3}(?:reset\s{1,3}--hard|clean\s{1,3}-[a-z]*f)[^\n]{0,40}\b(?:always|每次|before every)|\bdrop\s{1,3}(?:database|schema)\b|\btruncate\s{1,3}table\b|/dev/tcp/|\bnc\s{1,3}-e\b",
        r"--no-verify\b[^\n]{0,40}(?:always|every|每次|一律)|(?:always|每次|一律)[^\n]{0,40}--no-verify\b|\bgit_ssl_no_verify\b|node_tls_reject_unauthorized\s?=\s?[\"']?0|\bverify\s?=\s?false\b[^\n]{0,40}(?:always|everywhere|all requests)|(?:关闭|禁用|跳过)(?:所有)?\s?(?:tls|ssl|证书)\s?(?:校验|验证)",
    ),
}
_COMPILED: dict[str, tuple[re.Pattern[str], ...]] = {
    kind: tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns) for kind, patterns in _FAMILIES.items()
}


def folded(text: str) -> str:
    """Width, case and invisible characters folded, line breaks kept."""
    return _INVISIBLE.sub("", unicodedata.normalize("NFKC", text)).casefold().replace("’", "'")


def find_instructions(text: str) -> Iterator[Finding]:
    """The first cue of each family that a text holds."""
    body = re.sub(r"[^\S\n]+", " ", folded(text))
    for kind, patterns in _COMPILED.items():
        match = next((found for pattern in patterns if (found := pattern.search(body)) is not None), None)
        if match is not None:
            yield Finding(kind, "flag", 0, len(text), "A9", match[0].strip()[:120])
