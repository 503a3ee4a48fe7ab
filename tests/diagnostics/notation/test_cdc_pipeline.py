"""Definitions of pipelines of Flink CDC: what is one, its options and rules, and what of them nobody wants."""

from __future__ import annotations

import pytest

from diagnostics.formats import recognise
from diagnostics.notation.cdc_pipeline import MOST_OPTIONS, MOST_VALUE, CdcPipeline, cdc_pipeline
from diagnostics.vocabulary.statement_traps import statement_traps, traps_in_pipeline
from tests.diagnostics.formats.reading_aids import head_of

ENDS = "source:\n  type: mysql\n  tables: db.orders\n{}sink:\n  type: {}\npipeline:\n  parallelism: 4\n{}"
RULE = "transform:\n  - source-table: db.orders\n    {}\n"
EVOLVES = "  schema.change.behavior: evolve\n"


def read(text: str) -> CdcPipeline:
    return cdc_pipeline(enumerate(text.splitlines(), start=1))


def found(text: str) -> list[str]:
    return [name for name, _, _ in traps_in_pipeline(read(text))]


@pytest.mark.parametrize(
    "text",
    [
        ENDS.format("", "doris", ""),
        "   " + ENDS.format("", "doris", "").replace("\n", "\n   "),
        RULE.format("filter: x > 0"),
        "route:\n- source-table: db.a\n  sink-table: ods.a\n",
        "# of the shop\npipeline:\n  name: orders\n  schema.change.behavior: lenient\n",
    ],
)
def test_a_definition_is_recognised_whole_and_in_pieces(text: str) -> None:
    assert recognise(head_of(text, "pasted.txt")).format_id == "flink-cdc-pipeline"


@pytest.mark.parametrize(
    "text",
    [
        "source:\n  type: git\n  repo: x\n",
        "pipeline:\n  object-reuse: true\nrest:\n  address: a\n",
        "apiVersion: v1\n" + ENDS.format("", "doris", ""),
        "services:\n  sink:\n    type: mysql\n",
    ],
)
def test_other_yaml_is_none(text: str) -> None:
    assert recognise(head_of(text, "pasted.txt")).format_id != "flink-cdc-pipeline"


def test_a_value_may_go_on_in_the_next_lines_and_has_no_quotes() -> None:
    pipeline = read(RULE.format("projection: >-\n      id,\n      name\n    filter: 'a > 1' # few"))
    assert pipeline.rules[0].values == {"source-table": "db.orders", "projection": "id, name", "filter": "a > 1"}


def test_lists_below_an_option_are_no_options() -> None:
    text = (
        "pipeline:\n  schema.change.behavior: evolve\n  user-defined-function:\n    - name: f\n      classpath: a.F\n"
    )
    assert list(read(text).values) == ["pipeline.schema.change.behavior", "pipeline.user-defined-function"]


def test_there_is_an_end_to_options_and_values() -> None:
    pipeline = read("source:\n" + "  a: 1\n" * (MOST_OPTIONS + 5) + "sink:\n  b: x\n" + "   word\n" * MOST_VALUE)
    assert len(pipeline.options) == MOST_OPTIONS
    long = read("sink:\n  b: x\n" + "    word\n" * MOST_VALUE)
    assert len(long.options[0].value) <= MOST_VALUE


@pytest.mark.parametrize(
    ("text", "trap"),
    [
        (RULE.format("filter: x > 0"), "rule-without-projection"),
        (RULE.format("projection: id, name"), "projection-without-asterisk"),
        (RULE.format("projection: ..."), "pipeline-leaves-tables-out"),
        (ENDS.format("", "doris", "  schema.change.behavior: ignore\n"), "schema-changes-swallowed"),
        (ENDS.format("", "kafka", EVOLVES), "all-records-in-one-partition"),
        (ENDS.replace("db.orders", "db.*").format("", "doris", EVOLVES), "a-dot-that-parts-names"),
        (ENDS.replace("db.orders", "db.\\.*").format("", "doris", EVOLVES), "tables-that-come-later"),
        (ENDS.format("", "paimon", ""), "schema-changes-made-lenient"),
        (ENDS.format("", "paimon", EVOLVES).replace("parallelism: 4", "name: a"), "pipeline-of-one-subtask"),
        (ENDS.format("", "paimon", EVOLVES), "pipeline-without-checkpoints"),
        (
            "source:\n  type: mysql\n  tables: a.b\n  scan.newly-added-table.enabled: true\n"
            "  scan.binlog.newly-added-table.enabled: true\n",
            "tables-read-twice",
        ),
    ],
)
def test_a_trap_is_found(text: str, trap: str) -> None:
    assert trap in found(text)


def test_a_definition_without_a_trap_is_quiet() -> None:
    rules = "transform:\n  - source-table: db.orders\n    projection: \\*, a + b AS c\n    filter: a > 0\n"
    batch = "  execution.runtime-mode: batch\n" + EVOLVES
    assert [name for name in found(ENDS.format(rules, "doris", batch)) if not statement_traps()[name].usual] == []


def test_the_words_and_the_line_are_those_of_the_definition() -> None:
    text = ENDS.format(RULE.format("filter: x > 0"), "kafka", EVOLVES)
    assert [each[1:] for each in traps_in_pipeline(read(text))][:2] == [("db.orders", 5), ("type: kafka", 8)]
