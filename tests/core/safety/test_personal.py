"""Personal data with a shape is held; other long numbers are none (A9b). The numbers are samples."""

from __future__ import annotations

import pytest

from memory_core.safety.scan import find


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("手机 13800138000", "13800138000"),
        ("联系 +86 139-1234-5678 张三", "+86 139-1234-5678"),
        ("座机 0755-86013388", "0755-86013388"),
        ("call me at (415) 823-2671", "(415) 823-2671"),
        ("London +44 20 7946 1234", "+44 20 7946 1234"),
        ("身份证 11010519491231002X", "11010519491231002X"),
        ("HKID A123456(3)", "A123456(3)"),
        ("身份证字号 A123456789", "A123456789"),
        ("SSN 219-09-9999", "219-09-9999"),
        ("银行卡 6222 0212 3456 7890 128", "6222 0212 3456 7890 128"),
    ],
)
def test_personal(text: str, value: str) -> None:
    (finding,) = find(text)
    assert (finding.kind, finding.action, finding.rule, finding.excerpt) == ("pii", "flag", "A9b", value)


@pytest.mark.parametrize(
    "text",
    [
        "11010519491231002Y 110105194912310021",
        "订单号 202405010000123456",
        "毫秒 1700000000000，秒 1714521600",
        "客服 400-820-8820",
        "版本 1.38.0013.8000",
        "SO13800138000X",
        "traceId 13800138000138001380",
        "uuid 550e8400-e29b-41d4-a716-446655440000",
        "测试卡 4242 4242 4242 4242",
        "2024-01-01 10:00:00 +08:00",
        "ISBN 978-7-111-54742-6",
        "端口 8080-8090",
        "555-0123",
    ],
)
def test_other_numbers(text: str) -> None:
    assert find(text) == ()
