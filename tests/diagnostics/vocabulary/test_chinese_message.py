"""What a server prints in Chinese is known by its English text, with its parts in their places."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.chinese_message import in_english
from diagnostics.vocabulary.message_remedies import remedy_of
from diagnostics.vocabulary.outside_refusals import refusal_of


@pytest.mark.parametrize(
    ("printed", "english"),
    [
        ("SQLServerException: 已超过了锁请求超时时段。", "Lock request time out period exceeded"),
        ("SQLServerException: 对象名 'dbo.a' 无效。", "Invalid object name 'dbo.a'"),
        (
            "通过端口 1433 连接到主机 db1 的 TCP/IP 连接失败。错误:“null。",
            "The TCP/IP connection to the host db1, port 1433 has failed",
        ),
        (
            '致命错误:  没有用于主机 "10.0.0.7", 用户 "flink", 数据库 "shop", SSL 关闭 的 pg_hba.conf 记录',
            'no pg_hba.conf entry for host "10.0.0.7", user "flink", database "shop"',
        ),
        ("java.io.IOException: 设备上没有空间", "java.io.IOException: No space left on device"),
    ],
)
def test_a_known_message_is_put_into_english(printed: str, english: str) -> None:
    assert english in in_english(printed)


@pytest.mark.parametrize("text", ["Connection refused", "字段 用户名 为空", ""])
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert in_english(text) == text


def test_the_english_is_what_the_catalogues_know() -> None:
    locked = in_english("com.microsoft.sqlserver.jdbc.SQLServerException: 已超过了锁请求超时时段。")
    assert "2.4.0" in (remedy_of(locked) or "")
    denied = refusal_of(in_english('org.postgresql.util.PSQLException: 用户 "flink" Password 认证失败'))
    assert denied is not None
    assert not denied.by_class
