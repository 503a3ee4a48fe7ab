"""What a table must state, where an exception lists its options and its cause is cut off."""

from __future__ import annotations

import re

import pytest

from diagnostics.language import CHINESE, Text
from diagnostics.vocabulary.filled_remedy import filled_remedy
from diagnostics.vocabulary.required_options import act_of_message, required_options

HEAD = "Unable to create a {} for {} table 'default_catalog.default_database.t'.\n\nTable options are:\n\n{}"
SINK, SOURCE = ("sink", "writing"), ("source", "reading")


def act(role: tuple[str, str], **options: str) -> str | None:
    listed = "\n".join(f"'{key.replace('_', '.')}'='{value}'" for key, value in options.items())
    return act_of_message(HEAD.format(*role, listed))


def test_an_option_that_is_not_listed_is_asked_for_with_an_example() -> None:
    said = act(SINK, connector="filesystem", format="csv")
    assert said
    assert said.startswith("Add 'path' = 's3://<bucket>/<folder>' to the WITH of the table: its connector filesystem")


def test_another_spelling_goes_before_what_else_is_missing() -> None:
    said = act(SOURCE, connector="kafka", topics="t", properties_bootstrap_server="b:9092")
    assert said
    assert said.startswith("Write 'topic' = '<topic>' in place of 'topics' in the WITH of the table")


@pytest.mark.parametrize(
    ("role", "options", "missing"),
    [
        (SINK, {"connector": "jdbc", "url": "jdbc:mysql://h/d"}, ["'table-name'"]),
        (SOURCE, {"connector": "starrocks", "load-url": "h:8030"}, ["'scan-url'", "'jdbc-url'", "'password'"]),
        (
            SINK,
            {"connector": "kafka", "topic-pattern": "a.*", "value.format": "json"},
            ["'properties.bootstrap.servers'"],
        ),
    ],
)
def test_what_the_role_needs_is_named(role: tuple[str, str], options: dict[str, str], missing: list[str]) -> None:
    listed = "\n".join(f"'{key}'='{value}'" for key, value in options.items())
    said = act_of_message(HEAD.format(*role, listed)) or ""
    assert [each for each in missing if each not in said] == []


@pytest.mark.parametrize(
    "message",
    [
        HEAD.format(*SINK, "'connector'='filesystem'\n'path'='x'\n'format'='csv'"),
        HEAD.format(*SINK, "'connector'='our-own'"),
        "Unable to create a sink for writing table 'a.b.c'.",
        "Table options are:\n\n'connector'='filesystem'",
        "",
    ],
)
def test_nothing_is_asked_for_where_nothing_is_known_to_be_missing(message: str) -> None:
    assert act_of_message(message) is None


@pytest.mark.parametrize("connector", required_options().needed)
def test_each_act_is_read_again_in_chinese(connector: str) -> None:
    said = act(SINK, connector=connector)
    read = filled_remedy(str(said))
    assert isinstance(read, Text)
    assert re.search(r"[\u4e00-\u9fff]", read.translations[CHINESE])
    assert connector in read.translations[CHINESE]
