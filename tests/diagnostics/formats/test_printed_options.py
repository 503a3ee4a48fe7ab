"""The options that an exception prints of its table are settings: in a log, on one line, and in a copied text."""

from __future__ import annotations

from pathlib import Path

import pytest

from diagnostics.formats.flink_log import FORMAT
from diagnostics.notation.printed_options import options_of_text
from tests.diagnostics.formats.reading_aids import read

CHAIN = """\
org.apache.flink.table.api.ValidationException: Unable to create a source for reading table 'orders'.

Table options are:

'connector'='kafka'
'properties.sasl.jaas.config'='a b'
'scan.startup.mode'='timestamp'
Caused by: java.lang.NullPointerException
\tat com.acme.Main.main(Main.java:3)
"""
HEAD = "2026-03-02 10:00:30,000 ERROR org.apache.flink.table.client.cli.CliClient [] - It failed.\n"
FLAT = (
    "ValidationException: no table. Table options are: 'connector'='kafka' 'scan.startup.mode' = 'timestamp' Caused by"
)


@pytest.mark.parametrize("text", [HEAD + CHAIN, CHAIN], ids=["log", "copied"])
def test_the_options_of_a_table_are_read(tmp_path: Path, text: str) -> None:
    options = {each["key"]: each for each in read(FORMAT, text, tmp_path).rows["config_option"]}
    assert options["connector"]["value"] == "kafka"
    assert options["scan.startup.mode"]["scope"] == "table"
    assert options["properties.sasl.jaas.config"]["value"] == "******"


def test_options_on_one_line_end_where_other_words_begin() -> None:
    assert [(each["key"], each["value"]) for each in options_of_text(FLAT)] == [
        ("connector", "kafka"),
        ("scan.startup.mode", "timestamp"),
    ]


def test_the_properties_of_an_older_table_are_read() -> None:
    told = "The following properties are requested:\nconnector.type=kafka\nformat.type=json\n\nThe following factories"
    assert [(each["scope"], each["key"]) for each in options_of_text(told)] == [
        ("table", "connector.type"),
        ("table", "format.type"),
    ]


def test_a_list_of_options_of_the_cluster_is_read_and_a_sentence_with_one_is_not() -> None:
    listed = "state.backend: rocksdb\n  taskmanager.memory.process.size: 2g\n"
    assert [(each["scope"], each["key"], each["line"]) for each in options_of_text(listed)] == [
        ("cluster", "state.backend", 1),
        ("cluster", "taskmanager.memory.process.size", 2),
    ]
    assert [*options_of_text("Set taskmanager.memory.process.size: it is missing.\nstate.backend: rocksdb\n")] == []
