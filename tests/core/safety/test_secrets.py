"""Secrets are recognised and masked, and nothing else is (A9, D8). Every secret here is invented."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.safety.scan import find
from memory_core.safety.secrets import MARKER, find_secrets, mask_known, mask_secrets

B32 = "Ab3dEf7hIj1lMn5pQr9tUv2xYz4B6D8F"
HEX = "4f9d1c7ab23e5068" * 4

SECRETS = {
    "api key": [
        "sk-" + HEX[:32],
        "sk-proj-" + B32 + B32,
        "sk-ant-api03-" + B32 * 3,
        "gsk_" + B32 + "abcd",
        HEX[:32] + "." + B32[:16],
    ],
    "aws access key": ["AKIA" + "Q7RT2XYZ5WVU3SNM", "ASIA" + "Q7RT2XYZ5WVU3SNM"],
    "github token": ["ghp_" + B32 + "abcd", "github_pat_" + B32 + "_" + B32, "ghs_" + B32 + "1234"],
    "gitlab token": ["glpat-" + B32[:20]],
    "slack token": ["xoxb-" + "2819304756-9283746501-" + B32[:24]],
    "google key": ["AIza" + B32 + "abc", "GOCSPX-" + B32[:28]],
    "hugging face token": ["hf_" + B32 + "ab"],
    "package registry token": ["npm_" + B32 + "abcd", "pypi-AgEI" + B32 * 2, "dckr_pat_" + B32[:27]],
    "payment key": ["sk_live_" + B32[:24], "rk_test_" + B32[:24], "whsec_" + B32],
    "mail service key": ["SG." + B32[:22] + "." + B32 + "abcdefghijk"],
    "telegram token": ["281930475:AA" + B32 + "x"],
    "aliyun key": ["LTAI" + B32[:20]],
    "tencent key": ["AKID" + B32],
    "cloud token": ["dop_v1_" + HEX, "dapi" + HEX[:32], "hvs." + B32],
    "service token": ["lin_api_" + B32 + "abcdefgh", "shpat_" + HEX[:32], "figd_" + B32 + "abcdefgh"],
    "twilio key": ["SK" + HEX[:32]],
    "webhook": [
        "https://hooks.slack.com/services/T0" + "AB12CD3/B0EF45GH6/" + B32[:24],
        "https://oapi.dingtalk.com/robot/send?access_token=" + HEX,
        "https://open.feishu.cn/open-apis/bot/v2/hook/" + "4f9d1c7a-b23e-5068-4f9d-1c7ab23e5068",
        "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=" + "4f9d1c7a-b23e-5068-4f9d-1c7ab23e5068",
    ],
    "json web token": ["eyJ" + B32 + ".eyJ" + B32 + "." + B32],
}
SENTENCES = [
    ("jdbcPassword: {}", "kT9w2xQf7LmZ"),
    ("dbPass={}", "kT9w2xQf7LmZ"),
    ("rootpw={} 用于本地。", "kT9w2xQf7LmZ"),
    ("accessToken = {}", "kT9w2xQf7LmZ"),
    ("postgres://app:{}@db.internal:5432/x", "n0t-a-re4l"),
    ("redis://:{}@10.0.0.8:6379/0", "s3cr3tpw"),
    ("jdbc:mysql://h/db?user=root&password={}", "Root#123"),
    ("Authorization: Bearer {}", B32),
    ("mysql -uroot -p{} orders", "P@ssw0rd1"),
    ("curl -u admin:{} http://h/", "Adm1n2024"),
    ("export DB_PASSWORD={}", "Tr0ub4dor&3"),
    ('api_key = "{}"', "9f8e7d6c5b4a3928"),
    ("spring.datasource.password: {}", "hunter2x"),
    ("client_secret={}", B32),
    ("数据库密码是 {}，别外传", "Qw3rty!2024"),
    ("测试账号 admin / {}", "Admin@123"),
    ("口令：{}", "abc12345"),
    ("密钥为“{}”", "k7Jm2Qp9"),
    ("AccountKey={}==", B32 + B32),
    ("Cookie: JSESSIONID={}", B32),
]
HARMLESS = [
    "cacheKey=order:123456",
    "publicKey = loadKey(path)",
    "private String accessToken = tokens.get(user);",
    "idempotencyKey: 550e8400-e29b-41d4-a716-446655440000",
    "pwd=/home/user/src",
    "AKIAIOSFODNN7EXAMPLE",
    "api_key: <your-api-key>",
    "api_key=YOUR_API_KEY",
    "token: xxxxxxxxxxxx",
    "password=${DB_PASSWORD}",
    "password: ******",
    "password={{ vault.db }}",
    "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "ghp_" + "x" * 36,
    "postgres://user:password@localhost/db",
    "postgres://user:<password>@localhost/db",
    "OPENAI_API_KEY 只从环境变量读取",
    "the password must be 12 characters long",
    "密码长度 8-20 位，存储用 bcrypt-12",
    "密码加密算法为 PBKDF2WithHmacSHA256",
    "token 有效期 7200 秒",
    "secret is stored in vault2",
    "api key is PAYMENT_API_KEY_2",
    "password = getPassword2()",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "uuid 550e8400-e29b-41d4-a716-446655440000",
    "token: 3f786850e387550fdab836ed7e6dc881de23001b",
    "Basic dXNlcjpwYXNz",
    "risk-assessment-of-the-whole-payment-flow",
    "task-list-for-the-next-milestone-2026",
]


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in SECRETS.items() for value in values])
def test_a_known_form_is_masked_by_its_name(name: str, value: str) -> None:
    assert mask_secrets(f"前面 {value} 后面") == f"前面 [secret: {name}] 后面"


@pytest.mark.parametrize(("sentence", "value"), SENTENCES)
def test_a_value_beside_its_name_is_masked(sentence: str, value: str) -> None:
    masked = mask_secrets(sentence.format(value))
    assert value not in masked
    assert MARKER.search(masked)
    before, after = sentence.split("{}")
    assert masked.startswith(before)
    assert masked.endswith(after.lstrip("="))


@pytest.mark.parametrize("text", HARMLESS)
def test_a_placeholder_a_name_or_a_checksum_is_none(text: str) -> None:
    assert list(find_secrets(text)) == []
    assert mask_secrets(text) == text


def test_a_private_key_goes_whole() -> None:
    body = "\n".join(["Tk9UQVJFQUxLRVk"] * 3)
    kind = "RSA PRIVATE" + " KEY"
    armour = f"-----BEGIN {kind}-----\nProc-Type: 4,ENCRYPTED\n\n{body}\n-----END {kind}-----"
    assert mask_secrets(f"a\n{armour}\nb") == "a\n[secret: private key]\nb"
    assert mask_secrets(f"a\n{armour[:-20]}").startswith("a\n[secret: private key]")


@pytest.mark.parametrize("spell", [str, lambda value: value.replace("AKIA", "ＡＫＩＡ"), "\u200b".join])
def test_no_spelling_hides_a_secret(spell: object) -> None:
    assert callable(spell)
    value = spell("AKIA" + "Q7RT2XYZ5WVU3SNM")
    (finding,) = [finding for finding in find(f"键 {value}。") if finding.kind == "secret"]
    assert finding.excerpt == "[secret: aws access key]"
    assert mask_secrets(f"键 {value}。") == "键 [secret: aws access key]。"


def test_exact_values_are_masked_wherever_they_stand() -> None:
    assert (
        mask_known("key=abcdefgh&abcdefgh", ["abcdefgh", "", "ab"])
        == "key=[secret: configured key]&[secret: configured key]"
    )


PIECES = [
    *(values[0] for values in SECRETS.values()),
    *HARMLESS,
    "密码：",
    "password=",
    " ",
    "\n",
    "[secret: api key]",
    "a/b",
]


@given(st.lists(st.sampled_from(PIECES), max_size=6).map(" ".join))
def test_masking_twice_is_masking_once(text: str) -> None:
    masked = mask_secrets(text)
    assert mask_secrets(masked) == masked


@given(st.text(max_size=200))
def test_all_but_the_secrets_stays(text: str) -> None:
    last, kept = 0, []
    for finding in find_secrets(text):
        kept.append(text[last : finding.start])
        last = finding.end
    kept.append(text[last:])
    masked = mask_secrets(text)
    at = 0
    for piece in kept:
        at = masked.index(piece, at) + len(piece)
