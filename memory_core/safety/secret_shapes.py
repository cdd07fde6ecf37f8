"""Shapes of secrets, and what looks like one and is none (A9). Data.

`strict` shapes are known by their form alone; `loose` ones need a value that a person would not write as a word.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shape:
    """One shape. The group `value` is what is masked; without `hint` in the text, lower-cased, it is not looked for."""

    name: str
    hint: tuple[str, ...]
    pattern: re.Pattern[str]
    loose: bool = False


def _shape(name: str, hint: str, pattern: str, *, loose: bool = False, flags: int = 0) -> Shape:
    return Shape(name, tuple(hint.split("|")), re.compile(pattern, re.ASCII | flags), loose)


_EDGE = r"(?<![A-Za-z0-9])"
_NAME = (
    r"(?:pass(?:word|wd|phrase|code)?|passw|pwd|secret(?:[ _-]?(?:access[ _-]?)?key)?|token|api[ _-]?key|apikey|access[ _-]?key(?:[ _-]?(?:id|secret))?"
    r"|auth(?:orization)?|credentials?|private[ _-]?key|client[ _-]?secret|app[ _-]?secret|session[ _-]?(?:id|key)|encryption[ _-]?key|signing[ _-]?key|license[ _-]?key|密码|口令|密钥|令牌|凭证|秘钥|私钥)"
)
_OPEN = r"[\"'`“「]?"

SHAPES: tuple[Shape, ...] = (
    _shape(
        "private key",
        "private key",
        r"(?P<value>-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----)){0,16384}(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?)",
    ),
    _shape(
        "private key",
        "putty-user-key",
        r"(?P<value>PuTTY-User-Key-File-\d:[\s\S]{20,16384}?(?:Private-MAC: ?[0-9a-f]{40,64}|\Z))",
    ),
    _shape("private key", "age-secret-key-", r"(?P<value>AGE-SECRET-KEY-1[0-9A-Z]{58})"),
    _shape("api key", "sk-", _EDGE + r"(?P<value>sk-(?:[a-z0-9]{2,10}-)?[A-Za-z0-9_-]{20,300})(?![A-Za-z0-9])"),
    _shape(
        "api key",
        "gsk_|xai-|pplx-|r8_|fw_|nvapi-|csk-|tgp_v1_",
        _EDGE + r"(?P<value>(?:gsk_|xai-|pplx-|r8_|fw_|nvapi-|csk-|tgp_v1_)[A-Za-z0-9_-]{20,200})",
    ),
    _shape(
        "api key",
        "0.|1.|2.|3.|4.|5.|6.|7.|8.|9.|a.|b.|c.|d.|e.|f.",
        _EDGE + r"(?P<value>[0-9a-f]{32}\.[A-Za-z0-9]{16})(?![A-Za-z0-9])",
    ),
    _shape(
        "aws access key",
        "akia|asia|abia|acca|a3t",
        _EDGE + r"(?P<value>(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16})(?![A-Z0-9])",
    ),
    _shape("aws key", "absk", _EDGE + r"(?P<value>ABSK[A-Za-z0-9+/]{60,300}={0,2})"),
    _shape(
        "github token",
        "gh|github_pat_",
        _EDGE + r"(?P<value>gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_[A-Za-z0-9_]{22,255})",
    ),
    _shape(
        "gitlab token",
        "gl",
        _EDGE
        + r"(?P<value>gl(?:pat|dt|rt|soat|ptt|cbt|ft|imt|agent|oas|ffct)-[A-Za-z0-9_.-]{20,300}|GR1348941[A-Za-z0-9_-]{20})",
    ),
    _shape(
        "slack token",
        "xox|xapp-",
        _EDGE + r"(?P<value>xox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,255}|xapp-\d-[A-Za-z0-9-]{20,255})",
    ),
    _shape(
        "webhook",
        "hooks.slack.com",
        r"(?P<value>https://hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,160})",
    ),
    _shape(
        "webhook",
        "/api/webhooks/",
        r"(?P<value>https://(?:\w{1,20}\.)?discord(?:app)?\.com/api/webhooks/\d{10,24}/[A-Za-z0-9_-]{30,120})",
    ),
    _shape(
        "webhook",
        "webhook.office.com",
        r"(?P<value>https://[\w-]{1,60}\.webhook\.office\.com/webhookb2/[\w@/-]{40,300})",
    ),
    _shape("webhook", "dingtalk", r"(?P<value>https://oapi\.dingtalk\.com/robot/send\?access_token=[0-9a-f]{40,80})"),
    _shape(
        "webhook",
        "/open-apis/bot/",
        r"(?P<value>https://open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/(?:v2/)?hook/[0-9a-zA-Z-]{20,60})",
    ),
    _shape(
        "webhook",
        "qyapi.weixin",
        r"(?P<value>https://qyapi\.weixin\.qq\.com/cgi-bin/webhook/send\?key=[0-9a-f-]{30,50})",
    ),
    _shape(
        "google key",
        "aiza|gocspx-|ya29.",
        _EDGE + r"(?P<value>AIza[A-Za-z0-9_-]{35}|GOCSPX-[A-Za-z0-9_-]{20,60}|ya29\.[A-Za-z0-9_-]{30,300})",
    ),
    _shape("hugging face token", "hf_|api_org_", _EDGE + r"(?P<value>(?:hf|api_org)_[A-Za-z0-9]{30,60})"),
    _shape(
        "package registry token",
        "npm_|pypi-|rubygems_|oy2|clojars_|dckr_pat_|cio",
        _EDGE
        + r"(?P<value>npm_[A-Za-z0-9]{30,60}|pypi-[A-Za-z0-9_-]{40,300}|rubygems_[0-9a-f]{48}|oy2[a-z0-9]{43}|CLOJARS_[a-z0-9]{60}|dckr_pat_[A-Za-z0-9_-]{20,60}|cio[A-Za-z0-9]{32})(?![A-Za-z0-9])",
    ),
    _shape(
        "payment key",
        "k_live_|k_test_|whsec_|sq0|eaaa|access_token$production$",
        _EDGE
        + r"(?P<value>[sr]k_(?:live|test)_[A-Za-z0-9]{16,255}|whsec_[A-Za-z0-9+/=]{16,255}|sq0(?:atp|csp)-[A-Za-z0-9_-]{22,60}|access_token\$production\$[0-9a-z]{16}\$[0-9a-f]{32})",
    ),
    _shape(
        "mail service key",
        "sg.|key-|xkeysib-|-us|re_",
        _EDGE
        + r"(?P<value>SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,128}|key-[0-9a-f]{32}|xkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}|[0-9a-f]{32}-us\d{1,2}|re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24})(?![A-Za-z0-9])",
    ),
    _shape("telegram token", ":aa", _EDGE + r"(?P<value>\d{8,10}:AA[A-Za-z0-9_-]{33})(?![A-Za-z0-9_-])"),
    _shape("aliyun key", "ltai", _EDGE + r"(?P<value>LTAI[A-Za-z0-9]{12,30})(?![A-Za-z0-9])"),
    _shape("tencent key", "akid", _EDGE + r"(?P<value>AKID[A-Za-z0-9]{13,40})(?![A-Za-z0-9])"),
    _shape(
        "cloud token",
        "dop_v1_|doo_v1_|dor_v1_|dapi|hvs.|hvb.|hrku-|fo1_|fm1|fm2_|glc_|glsa_|eyjrijoi|dt0c01.|sbp_|do_",
        _EDGE
        + r"(?P<value>do[opr]_v1_[0-9a-f]{64}|dapi[0-9a-f]{32}(?:-\d)?|hv[sb]\.[A-Za-z0-9_-]{24,300}|HRKU-[A-Za-z0-9_-]{36,80}|fo1_[A-Za-z0-9_-]{43}|fm[12][ar]?_[A-Za-z0-9+/]{40,400}|glc_[A-Za-z0-9+/]{32,400}|glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}|dt0c01\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{64}|sbp_[0-9a-f]{40})",
    ),
    _shape(
        "service token",
        "lin_api_|pmak-|sntrys_|sntryu_|shpat_|shpca_|shppa_|shpss_|nrak-|atatt3|atctt3|ntn_|secret_|figd_|pat|dp.pt.|ops_|phx_|phc_|squ_|sqp_|sqa_|akcp|ddp_|pscale_|tfp_|nfp_|rpa_|eyjh",
        _EDGE
        + r"(?P<value>lin_api_[A-Za-z0-9]{40}|PMAK-[0-9a-f]{24}-[0-9a-f]{34}|sntry[su]_[A-Za-z0-9+/=_-]{40,300}|shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}|NRAK-[A-Z0-9]{27}|AT[AC]TT3[A-Za-z0-9_=-]{60,300}|ntn_[A-Za-z0-9]{40,60}|secret_[A-Za-z0-9]{43}|figd_[A-Za-z0-9_-]{36,60}|pat[A-Za-z0-9]{14}\.[0-9a-f]{64}|dp\.pt\.[A-Za-z0-9]{40,44}|ops_eyJ[A-Za-z0-9+/=]{100,800}|sq[upa]_[0-9a-f]{40}|AKCp[A-Za-z0-9]{60,80}|pscale_(?:pw|tkn|oauth)_[A-Za-z0-9=._-]{30,80}|rpa_[A-Za-z0-9]{40,60})(?![A-Za-z0-9])",
    ),
    _shape("twilio key", "sk", _EDGE + r"(?P<value>SK[0-9a-f]{32})(?![0-9a-zA-Z])"),
    _shape(
        "azure key",
        "accountkey|sharedaccesskey|sig=",
        r"(?:AccountKey|SharedAccessKey)\s?=\s?(?P<value>[A-Za-z0-9+/]{40,100}={0,2})",
    ),
    _shape("azure signature", "sig=", r"[?&]sig=(?P<value>[A-Za-z0-9%+/]{40,100}(?:%3D|=)?)"),
    _shape(
        "json web token",
        "eyj",
        _EDGE + r"(?P<value>eyJ[A-Za-z0-9_-]{8,4000}\.eyJ[A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{8,4000})",
    ),
    _shape(
        "password in a url",
        "://",
        r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,24}://[^\s:/@<>\"']{0,80}:(?P<value>[^\s/@<>\"']{3,200})@[^\s@/]",
    ),
    _shape(
        "password in a url",
        "password=|passwd=|pwd=|token=|secret=|apikey=|api_key=|access_key=|sessionid=",
        r"[?&;](?:password|passwd|pwd|pass|(?:access_|auth_|refresh_)?token|secret|api_?key|access_?key|sessionid)=(?P<value>[^\s&;\"'<>，。；）)]{4,300})",
        loose=True,
        flags=re.IGNORECASE,
    ),
    _shape(
        "bearer token",
        "bearer|basic ",
        r"\b(?:bearer|basic)\s{1,3}(?P<value>[A-Za-z0-9._~+/-]{16,4000}={0,2})",
        loose=True,
        flags=re.IGNORECASE,
    ),
    _shape(
        "cookie",
        "cookie|sessionid|jsessionid",
        r"(?:\b(?:set-)?cookie\s?[:：]\s?[^;=\s]{1,60}|\bj?sessionid)=(?P<value>[A-Za-z0-9%._~+/-]{16,2000})",
        loose=True,
        flags=re.IGNORECASE,
    ),
    _shape(
        "password on a command line",
        "-p",
        r"\b(?:mysql|mysqldump|mariadb|mysqladmin|sshpass|psql|mongo|mongosh|sqlcmd)\b[^\n，。；]{0,100}?\s-p\s?(?P<value>[^\s\"'`，。；-][^\s\"'`，。；]{4,80})",
        loose=True,
    ),
    _shape(
        "password on a command line",
        "-u|--user|-a",
        r"\b(?:curl|wget|http)\b[^\n，。；]{0,160}?\s(?:-u\s?|--user[ =])[\"']?[^\s:\"'`]{1,60}:(?P<value>[^\s\"'`，。；]{4,80})",
    ),
    _shape(
        "password on a command line",
        "redis-cli|--password|--token|--api-key",
        r"(?:\bredis-cli\b[^\n，。；]{0,80}?\s-a|--(?:password|passwd|token|api-key|secret))[ =][\"']?(?P<value>[^\s\"'`，。；]{5,200})",
        loose=True,
    ),
    _shape(
        "credential",
        "pass|pwd|secret|token|key|auth|credential|session",
        rf"(?<![A-Za-z])(?:[A-Za-z0-9]{{1,30}}[_.-]){{0,3}}{_NAME}[A-Za-z0-9_]{{0,12}}[\"'`]?\)?(?:\s{{0,3}}(?::=|=>|={{1,2}}|[:：])\s{{0,3}}|\s{{1,2}}(?:is|was|to|为|是|用|改成|改为|设为)\s{{1,2}}|\s{{0,2}}(?:是|为|设为|改成|改为)\s{{0,2}}){_OPEN}"
        r"(?P<value>[!-~]{6,300})",
        loose=True,
        flags=re.IGNORECASE,
    ),
    _shape(
        "credential",
        "pass|pwd|secret|token|key|credential|pw",
        r"(?<![A-Za-z0-9])(?:[a-z][A-Za-z0-9]{0,30}(?:Pass(?:word|wd|phrase|code)?|Pwd|Pw|Secret(?:Key)?|Token|(?:Api|Access|Private|Signing|License)Key|Credentials?)|(?:[a-z]{1,12}_?)?p[sw]?wd?)"
        r"[\"'`]?(?:\s{0,3}(?::=|=>|={1,2}|[:：])\s{0,3}|\s{1,2}(?:is|was|是|为)\s{1,2})"
        rf"{_OPEN}(?P<value>[!-~]{{6,300}})",
        loose=True,
    ),
    _shape(
        "credential",
        "密码|口令|密钥|令牌|凭证|秘钥|私钥|暗号|授权码|激活码|账号",
        r"(?:密码|口令|密钥|令牌|凭证|秘钥|私钥|授权码|激活码)[^\s:：=是为用，。；！？]{0,6}\s{0,2}(?:[:：=]{1,2}|是|为|用的是|用|设为|设成|设置为|改为|改成|叫)?\s{0,2}[\"'“「`]?(?P<value>[!-~]{6,200})",
        loose=True,
    ),
    _shape(
        "credential",
        "账号|账户|用户名|登录|root|admin",
        r"(?:账号|账户|用户名|登录名?|login|root|admin)\s{0,2}(?:[:：=]|是|为|用)?\s{0,2}[A-Za-z0-9_.@-]{2,40}\s?[/／]\s?(?P<value>[!-~]{6,60})",
        loose=True,
        flags=re.IGNORECASE,
    ),
)

PLACEHOLDER = re.compile(
    r"<[^>]*>?|\$\{.*|\$\(.*|\$\$.*|\{\{.*|\{[A-Za-z_.]*\}|\[[^\]]*\]|%[A-Za-z_]+%|%\(.*|\$[A-Za-z_]+|#\{.*|@[A-Za-z_.]+@|!vault.*|ENC\(.*|[*x.•_#?-]+|(?i:[x*]+)"
    r"|(?i:.*(?:your[_-]|your(?:api|secret|token|password)|example|placeholder|changeme|change[_-]me|dummy|redacted|sample|fake|todo|replace[_-]?me|insert[_-]|masked|hidden|notreal|xxxx|\*\*\*|\.\.\.).*)"
    r"|(?i:null|none|nil|true|false|undefined|string|required|optional|empty|secret|password|passwd|token|pass|pwd|test|root|admin|user|username|process\.env.*|os\.environ.*|os\.getenv.*|system\.getenv.*|env\..*|getenv.*|environment.*|secrets\..*|vault:.*|ssm:.*|config\..*|settings\..*|props?\..*|self\..*|this\..*)"
)
"""Whole values that stand for a secret."""
FORMED_PLACEHOLDER = re.compile(
    r"(?i:x{6,}|\*{3,}|\.{3,}|0{12,}|1{12,}|your|placeholder|redacted|<|changeme|abcdefghijklmnop|1234567890abcdef|0123456789abcdef)|EXAMPLE"
)
"""Parts that make a value of a known form an example of that form."""
PUBLISHED = (
    "AKIAIOSFODNN7",
    "wJalrXUtnFEMI",
    "4eC39HqLyjWDarjtT1zdp7dc",
    "TYooMQauvdEDq54NiTphI7jx",
    "16C7e42F292c6912E7710c838347Ae178B4a",
    "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
    "AIzaSyDaGmWKa4JsXZ-HjGw7ISLn_3namBGewQe",
    "dXNlcjpwYXNz",
    "QWxhZGRpbjpvcGVuIHNlc2FtZQ",
    "mF_9.B5f-4.1JqM",
    "f3d0-4b1a",
)
"""Parts of values that vendors print in their documentation."""
NO_VALUE = re.compile(
    r"(?i:sha-?\d+.*|md5|aes-?\d*.*|rsa-?\d*.*|des|3des|bcrypt.*|argon2\w*|scrypt|pbkdf2.*|hmac.*|sm[234]|[hrep]s(?:256|384|512)|ed25519.*|x509|base64.*|base32|utf-?8.*|ascii|jwt.*|oauth2?.*|oidc|saml2?|uuid.*|hex.*|char\(.*|varchar.*|string.*|int\d*|bytes?\[.*|\d[\d.,:/-]*(?:[a-z]{1,2}|ms|min|%)?|v\d[\d.]*|http.*|[a-z]+://.*|/.*|\./.*|~/.*|[a-z]:\\.*)"
)
"""What often follows the name of a secret and is none: algorithms, types, lengths, versions, places."""
