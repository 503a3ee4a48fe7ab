"""Options of tables that contradict each other."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.signals import declared_tables
from tests.diagnostics.hand_made import hand_made, only


def options(*stated: tuple[str, str]) -> list[dict[str, Any]]:
    return [
        {"scope": "table", "key": key, "value": value, "file_id": 1, "line": line, "last_line": line}
        for line, (key, value) in enumerate(stated, 1)
    ]


def facts_of(*stated: tuple[str, str]) -> Any:
    return only(declared_tables.measure(hand_made(config_option=options(*stated))), "declared_tables").facts


@pytest.mark.parametrize(
    ("key", "one", "other"),
    [
        ("slot.name", "flink", "flink"),
        ("server-id", "5401-5404", "5404"),
        ("sink.transactional-id-prefix", "a", "a"),
    ],
)
def test_a_name_that_two_tables_share_is_seen(key: str, one: str, other: str) -> None:
    assert facts_of((key, one), (key, other))["shared_key"] == key


def test_a_pattern_of_file_names_is_seen() -> None:
    assert facts_of(("connector", "mysql-cdc"), ("table-name", "order_*"))["glob_value"] == "order_*"


@pytest.mark.parametrize(
    "stated",
    [
        (("server-id", "5401-5404"), ("server-id", "5405-5408")),
        (("slot.name", "a"), ("slot.name", "b")),
        (("connector", "mysql-cdc"), ("table-name", r"order_.*|item_\d*|(a|b)*|[0-9]*")),
        (("connector", "jdbc"), ("table-name", "a*")),
    ],
)
def test_options_that_agree_show_nothing(stated: tuple[tuple[str, str], ...]) -> None:
    assert list(declared_tables.measure(hand_made(config_option=options(*stated)))) == []
