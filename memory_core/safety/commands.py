"""Commands that destroy, or let a stranger in (A9); one that a text forbids is none."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_core.safety.folding import Folded

_SHELL = r"(?:(?:ba|z|k|da|fi|a)?sh|python[\d.]{0,4}|perl|ruby|node|php|pwsh|powershell|iex|invoke-expression)"
_DOWNLOAD = r"(?:curl|wget|fetch|iwr|irm|invoke-webrequest|invoke-restmethod|new-object)"
_WHOLE = r"(?:/(?=[\s*'\";，。、）)]|$|etc|usr|home|var|root|opt|bin)|~|\$home|\$\{home\}|\*|\.(?=[\s;，。]|$)|\.\.|\./(?=[\s;，。*]|$)|/\S{0,60}/\.\.(?=[/\s]|$)|\.git(?=[\s/;，。]|$)|[a-z]:\\)"
_TLS = r"(?:tls|ssl|https|证书|certificate|cert)"
_PATTERNS: tuple[str, ...] = (
    # A download run at once.
    rf"\b{_DOWNLOAD}\b[^|\n]{{0,300}}\|\s{{0,3}}(?:sudo\s{{1,3}}(?:-\w{{1,3}}\s{{1,3}})?)?(?:/(?:usr/)?bin/)?(?:env\s{{1,3}})?{_SHELL}(?![\w-]|\.\w)",
    rf"(?<![\w-]){_SHELL}\s{{0,3}}(?:-\w{{1,3}}\s{{1,3}})?[\"']?(?:<\s?\(|\$\(|`)\s?{_DOWNLOAD}\b",
    rf"(?:\beval|\bsource|(?<!\w)\.)\s{{1,3}}[\"']?(?:<\(|\$\(|`)\s?{_DOWNLOAD}\b",
    rf"\b{_DOWNLOAD}\b[^\n]{{0,200}}(?:&&|;|然后|再|and then)\s{{0,3}}(?:sudo\s{{1,3}})?(?:chmod\s{{1,3}}\+x|(?:ba|z)?sh\s{{1,3}}\S|\./\w)",
    r"base64\s{1,3}(?:-d|-D|--decode)\b[^|\n]{0,80}\|\s{0,3}(?:sudo\s{1,3})?(?:ba|z)?sh\b",
    r"\b(?:powershell|pwsh)(?:\.exe)?\b[^\n]{0,60}\s-e(?:nc|ncodedcommand)?\s{1,3}[a-z0-9+/=]{16}",
    r"\b(?:iex|invoke-expression)\b[^\n]{0,40}\b(?:downloadstring|iwr|irm|invoke-webrequest)\b",
    r"/dev/(?:tcp|udp)/|\b(?:nc|ncat|netcat)\b[^\n|]{0,40}\s-[a-z]{0,3}e\b|\bbash\s{1,3}-i\s{0,3}>",
    r"(?:>>|\btee\b)[^\n]{0,40}(?:authorized_keys|\.bashrc|\.zshrc|\.profile|/etc/(?:passwd|sudoers|hosts|crontab))",
    rf"\bcrontab\b[^\n]{{0,120}}\b{_DOWNLOAD}\b|nopasswd\s{{0,2}}:\s{{0,2}}all",
    r"\b(?:curl|wget|scp|rsync|nc)\b[^\n]{0,160}(?:\.env\b|id_rsa|id_ed25519|\.ssh/|\.aws/|\.npmrc|/etc/(?:passwd|shadow))",
    # Something destroyed.
    rf"\brm\s{{1,3}}(?:-[a-z-]{{1,20}}\s{{1,3}}){{0,3}}-(?:[a-z]{{0,4}}r[a-z]{{0,4}}|-recursive)\s{{1,3}}(?:-[a-z-]{{1,20}}\s{{1,3}}){{0,3}}[\"']?{_WHOLE}",
    r"\bfind\s{1,3}(?:/|~)\S{0,40}\s[^\n]{0,60}-delete\b|\bmkfs(?:\.\w{1,8})?\s|\bdd\s{1,3}[^\n]{0,60}\bof=/dev/|:\s?\(\)\s{0,2}\{\s{0,2}:\s?\||>\s{0,2}/dev/(?:sd|nvme|hd)[a-z0-9]|\bshred\s{1,3}-",
    r"\bchmod\s{1,3}(?:-[a-z]{1,4}\s{1,3})?(?:0?777|a\+rwx|\+s|u\+s)\b|\bchown\s{1,3}-r\s{1,3}\S{1,40}\s{1,3}/(?:\s|$)",
    r"\b(?:del|rd|rmdir|erase)\s{1,3}(?:/[a-z]\s{1,3}){1,4}(?:[a-z]:\\|\*|%)|\bformat\s{1,3}[a-z]:|\bremove-item\b[^\n]{0,60}-recurse\b[^\n]{0,40}-force",
    r"\bgit\s{1,3}push\b[^\n，。；;]{0,60}\s(?:--force(?![\w-])|-f\b|--mirror|--delete)|\bgit\s{1,3}push\b[^\n，。；;]{0,60}\s\+\w",
    r"\bgit\s{1,3}(?:reset\s{1,3}--hard|clean\s{1,3}-[a-z]{0,3}f|filter-branch|reflog\s{1,3}expire|update-ref\s{1,3}-d)\b",
    r"\bdrop\s{1,3}(?:database|schema|table|user)\s{1,3}(?:if\s{1,3}exists\s{1,3})?[a-z_`\"\[]|\btruncate\s{1,3}table\b|\bdelete\s{1,3}from\s{1,3}\w{1,60}\s{0,3}(?:;|$|where\s{1,3}1\s?=\s?1)|\bflushall\b|\bdb\.dropdatabase\b",
    r"\bkubectl\s{1,3}delete\b[^\n]{0,40}(?:--all|\bns\b|namespace)|\bterraform\s{1,3}destroy\b|\bdocker\s{1,3}system\s{1,3}prune\b[^\n]{0,30}(?:--volumes|-a)|\baws\s{1,3}s3\s{1,3}(?:rb|rm)\b[^\n]{0,60}(?:--force|--recursive)|\bhelm\s{1,3}uninstall\b[^\n]{0,30}--all",
    r"\bkill\s{1,3}-9\s{1,3}-1\b|\bhistory\s{1,3}-c\b|\bshutdown\s{1,3}(?:-h|/s|now)|\bsetenforce\s{1,3}0\b|\bufw\s{1,3}disable\b|\biptables\s{1,3}-f\b|\bcsrutil\s{1,3}disable\b|\bsystemctl\s{1,3}(?:stop|disable)\s{1,3}(?:firewalld|auditd|apparmor)",
    # A guard taken away.
    r"\bgit\b[^\n，。；;]{0,60}--no-verify\b|\bcommit\b[^\n，。；;]{0,40}--no-verify\b|\bgit\s{1,3}commit\s(?:-\w{1,4}\s){0,2}-[a-z]{0,3}n\b|--no-gpg-sign\b|\bhusky=0\b|\bskip=\w{1,40}\s{1,3}git\b",
    r"\b(?:curl|wget)\b[^\n，。；;]{0,80}\s(?:-k\b|--insecure\b|--no-check-certificate\b)|\bnode_tls_reject_unauthorized\s?=\s?[\"']?0|\bgit_ssl_no_verify\b|\bhttp\.sslverify\s?=?\s?false|\bverify\s?=\s?false\b|\bstrict-ssl\s?=?\s?false|\bpythonhttpsverify\s?=\s?0|\bstricthostkeychecking\s?=?\s?no\b|\binsecureskipverify\s?[:=]\s?true|\btrustallcerts?\b|-dmaven\.wagon\.http\.ssl\.(?:insecure|allowall)\s?=\s?true",
    rf"(?:关闭|禁用|跳过|绕过|忽略|去掉|取消|关掉|停用|不做|不要做|不进行|不再做)[^。；，\n]{{0,10}}{_TLS}[^。；，\n]{{0,8}}(?:校验|验证|检查|错误)|(?:关闭|禁用|停用|关掉)\s?(?:tls|ssl|https)(?=[。；，,;\s]|$)|不(?:校验|验证|检查)[^。；，\n]{{0,6}}{_TLS}",
    rf"\b(?:disable|skip|turn off|bypass|ignore|switch off|don't verify|do not verify|no)\b[^.\n，。]{{0,24}}\b{_TLS}\b[^.\n，。]{{0,16}}\b(?:verification|validation|checks?|checking|errors?|verify|pinning)\b",
    r"(?:关闭|禁用|停用|关掉|停掉)[^。；，\n]{0,6}(?:防火墙|杀毒|selinux|沙箱|安全软件|病毒防护)|\bdisable\b[^.\n]{0,16}\b(?:firewall|antivirus|selinux|sandbox(?:ing)?|defender)\b",
    r"\b(?:eval|exec|os\.system|subprocess\.\w{3,12}|runtime\.getruntime\(\)\.exec)\s?\([^\n)]{0,80}(?:https?://|base64|urlopen|requests\.get|fetch\()",
    r"\bdocker\s{1,3}run\b[^\n]{0,100}\s-v\s{1,3}/:/",
)
_COMMANDS = tuple(re.compile(pattern) for pattern in _PATTERNS)
_TAKES_FILES = re.compile(
    r"^(?:curl|wget|scp|rsync|nc)\b.*(?:\.env\b|id_rsa|id_ed25519|\.ssh/|\.aws/|\.npmrc|/etc/(?:passwd|shadow))",
    re.DOTALL,
)
_ANCHORS = re.compile(
    r"curl|wget|fetch|iwr|irm|invoke|new-object|base64|powershell|pwsh|iex|/dev/|\bnc\b|ncat|netcat|bash|authorized_keys|\.bashrc|\.zshrc|\.profile|/etc/|crontab|nopasswd|scp|rsync"
    r"|\brm\b|mkfs|\bdd\b|:\s?\(|shred|chmod|chown|\bdel\b|\brd\b|rmdir|erase|format|remove-item|\bgit\b|drop|truncate|delete|flushall|kubectl|find|terraform|docker|aws|helm|kill|history|shutdown|setenforce|ufw|iptables|csrutil|systemctl"
    r"|verify|husky|skip=|ssl|tls|https|证书|certificate|\bcert\b|防火墙|杀毒|selinux|沙箱|安全软件|病毒|firewall|antivirus|sandbox|defender|eval|exec|os\.system|subprocess|sudo|insecure|trustall|reject_unauth|stricthost"
)
_FORBIDDEN = re.compile(
    r"(?:不要|不得|不能|不可|不许|不准|不允许|不应|禁止|严禁|切勿|请勿|别|勿|避免|防止|拒绝|禁用|从不|绝不)[^，。；,;\n]{0,24}$"
    r"|\b(?:never|not|don't|cannot|can't|avoid|forbid|forbidden|prohibit|without|instead of|rather than|no)\b[^,.;\n]{0,40}$"
)
_FORBIDDEN_AFTER = re.compile(
    r"^[^。；;\n]{0,24}(?:禁止|严禁|不允许|不得|不要用|不能用|已废弃|禁用|被拦截|是危险)|^[^.;\n]{0,40}\b(?:is|are) (?:forbidden|prohibited|not allowed|banned|blocked|disallowed|never)\b"
)
_REMINDED = re.compile(r"(?:不要|别|切勿)(?:忘|犹豫)|\b(?:don't|never|not) (?:forget|hesitate|fail)")

Found = tuple[str, int, int]


def find_commands(folded: Folded) -> Iterator[Found]:
    """Each dangerous command that a text does not forbid, the first of each pattern."""
    lower = folded.lower
    if not _ANCHORS.search(lower):
        return
    for pattern in _COMMANDS:
        for match in pattern.finditer(lower):
            before = lower[max(0, match.start() - 48) : match.start()]
            after = lower[match.end() : match.end() + 48]
            forbidden = _FORBIDDEN.search(before) and not _REMINDED.search(before)
            if not forbidden and not _FORBIDDEN_AFTER.search(after):
                yield "dangerous_command", match.start(), match.end()
                if _TAKES_FILES.search(match[0]):
                    yield "exfiltration", match.start(), match.end()
                break
