"""Pasted matter and reasoning: rejected where plain, held where likely, held in what passes by itself (A6)."""

from __future__ import annotations

from typing import Any

import pytest

from memory_core.policy import Policy
from tests.core.review.judged import NEW_NOTE, NEW_TOPIC, SUMMARISE, changed, one

ON = Policy(rules_off=frozenset({"A7", "A8", "A9", "A9b", "A9d", "A9e"}))

PLAIN = [
    ("@@ -12,7 +12,7 @@ class A", "a diff"),
    ("改动是 --- a/pom.xml +++ b/pom.xml", "a diff"),
    ("-    int a = f(1);\n+    int a = f(2);", "a diff"),
    ("at com.demo.OrderService.find(OrderService.java:42) at com.demo.Main.main(Main.java:7)", "a stack trace"),
    ('Traceback (most recent call last):\n  File "a.py", line 3, in <module>', "a stack trace"),
    ("TypeError: x\n    at Object.<anonymous> (/app/index.js:10:5)", "a stack trace"),
    ("2026-05-01 10:00:00.123 ERROR [main] c.a.OrderService - cancel failed", "log lines"),
    ("[INFO] BUILD SUCCESS\n[INFO] Total time: 3 s", "log lines"),
    ('工具 get_finding 返回 {"id": "F3", "severity": "high", "line": 42}', "a tool's output"),
    ("drwxr-xr-x 2 root root 4096 May 1 10:00 src", "a tool's output"),
    ("里面写着 public Optional<Order> find(long id) { return repo.findById(id); }", "source code"),
    ("def cancel(order):\n    refund(order)\n    return order", "source code"),
    ("import os\nimport sys\nprint(os.getcwd())", "source code"),
    ("```java\nint x = compute(1);\n```", "source code"),
    ("<dependency>\n  <groupId>a</groupId>\n  <artifactId>b</artifactId>\n</dependency>", "source code"),
]
LIKELY = [
    'List<Order> orders = repo.findAll(Sort.by("id"));',
    "orders.stream().filter(o -> o.isPaid()).collect(toList());",
    "SELECT id, name FROM orders WHERE status = 'PAID';",
    "return order.getId();",
    "首先我需要判断用户真正想问什么，然后推断他大概更喜欢函数式写法。",
    "The user probably prefers functional style.",
    "Let me think about what they asked.",
]
HONEST = [
    "用户关注 Optional.get() 的误用，以及 pom.xml 里 Java 版本的设置方式。",
    "NullPointerException 出在 OrderService.cancel()。",
    "日志级别 ERROR 要告警，格式是 %d [%thread] %-5level。",
    '接口统一返回 {"code": 0, "msg": "ok"}。',
    "方法签名是 Optional<Order> find(long id)。",
    "执行 mvn -q test && java -jar target/app.jar。",
    "常量用 public static final 声明。",
    "用户可能重复提交，接口要幂等。",
    "The user may be null here.",
    "- 第一条\n- 第二条\n+ 补充",
]


@pytest.mark.parametrize(("text", "name"), PLAIN)
def test_plain_is_rejected_in_a_long_term_item_and_held_elsewhere(text: str, name: str) -> None:
    verdict = one(items=[changed(NEW_NOTE, summary=text)], policy=ON)
    assert (verdict.verdict, verdict.code) == ("rejected", "pasted_blob")
    (found,) = [check for check in verdict.checks if check.code == "pasted_blob"]
    assert (found.rule, found.field) == ("A6", "summary")
    assert str(found.observed).startswith(name)
    for operation in ({"topics": [changed(NEW_TOPIC, summary=text)]}, {"turns": [changed(SUMMARISE, summary=text)]}):
        assert one(**operation, policy=ON).verdict == "held"


@pytest.mark.parametrize("text", LIKELY)
def test_likely_is_held(text: str) -> None:
    verdict = one(items=[changed(NEW_NOTE, summary=text)], policy=ON)
    assert (verdict.verdict, verdict.code) == ("held", verdict.code)
    assert verdict.code in {"pasted_blob", "reasoning"}


@pytest.mark.parametrize("text", HONEST)
def test_naming_things_is_no_fault(text: str) -> None:
    for operation in ({"items": [changed(NEW_NOTE, summary=text)]}, {"turns": [changed(SUMMARISE, summary=text)]}):
        verdict = one(**operation, policy=ON)
        assert verdict.verdict == "accepted", verdict.message
        assert any(check.rule == "A6" and check.outcome == "passed" for check in verdict.checks)


def test_a_label_is_looked_at_too() -> None:
    operation: dict[str, Any] = changed(NEW_NOTE, label="if (a == b) { return 1; }")
    verdict = one(items=[operation], policy=ON)
    assert [check.field for check in verdict.checks if check.code == "pasted_blob"] == ["label"]
