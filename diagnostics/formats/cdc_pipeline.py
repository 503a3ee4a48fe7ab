"""Definitions of pipelines of Flink CDC in YAML, whole or in pieces: their options, and what of them does without an
error what nobody wants.
"""

from __future__ import annotations

from collections.abc import Iterator

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import to_say
from diagnostics.notation.cdc_pipeline import MOST_OPTIONS, MOST_RULES, SECTIONS, cdc_pipeline
from diagnostics.notation.code_call import TRAP, trap_name
from diagnostics.notation.file_range import Head, Range
from diagnostics.notation.secret_option import masked
from diagnostics.notation.text_lines import numbered_lines
from diagnostics.vocabulary.statement_traps import traps_in_pipeline

SCOPE = "cdc pipeline"
MOST_LINE = 4_000
"""Characters read of a line. Our choice: the longest projection seen has a thousand."""
CONFIDENCE = 0.93
"""More than Flink's configuration, whose group `pipeline` such a file has, too."""


def _recognise(head: Head) -> float:
    text = head.text
    if text.lstrip()[:1] in "{[<" or not any(f"{section}:" in text for section in SECTIONS):
        return 0.0
    lines = enumerate((line[:MOST_LINE] for line in text.splitlines()), start=1)
    return CONFIDENCE if cdc_pipeline(lines).is_one else 0.0


def _read(part: Range) -> Iterator[Rows | Coverage]:
    pipeline = cdc_pipeline(numbered_lines(part, MOST_LINE))
    stated = list(pipeline.options)
    for rule in pipeline.rules[:MOST_RULES]:
        stated += [each.below(rule.section) for each in rule.options]
    rows = [
        {
            "scope": SCOPE,
            "key": each.key,
            "value": masked(each.key, each.value),
            "line": each.line,
            "last_line": each.line,
        }
        for each in stated[:MOST_OPTIONS]
    ]
    traps = [
        {"kind": TRAP, "name": trap_name(trap, shown), "line": line, "last_line": line}
        for trap, shown, line in traps_in_pipeline(pipeline)
    ]
    yield Rows("config_option", rows)
    yield Rows("code_call", traps)
    yield Coverage(records=len(rows) + len(traps))


FORMAT = Format(
    id="flink-cdc-pipeline",
    title=to_say("Definition of a pipeline of Flink CDC"),
    documentation="https://nightlies.apache.org/flink/flink-cdc-docs-stable/docs/core-concept/data-pipeline/",
    tables=("config_option", "code_call"),
    recognise=_recognise,
    read=_read,
    samples=(
        Sample(
            name="mysql-to-kafka.yaml",
            text="source:\n"
            "  type: mysql\n"
            "  password: secret\n"
            "  tables: app_db.orders, app_db.items  # two of them\n"
            "sink:\n"
            "  type: kafka\n"
            "  partition.strategy: hash-by-key\n"
            "transform:\n"
            "  - source-table: app_db.orders\n"
            "    projection: \\*, UPPER(name) AS name\n"
            "    filter: |\n"
            "      id > 10\n"
            "      AND paid\n"
            "pipeline:\n"
            "  name: orders\n"
            "  parallelism: 2\n"
            "  schema.change.behavior: evolve\n",
            rows={
                "config_option": [
                    {"scope": "cdc pipeline", "key": "source.type", "value": "mysql", "line": 2},
                    {"key": "source.password", "value": "******", "line": 3},
                    {"key": "source.tables", "value": "app_db.orders, app_db.items", "line": 4},
                    {"key": "sink.type", "value": "kafka", "line": 6},
                    {"key": "sink.partition.strategy", "value": "hash-by-key", "line": 7},
                    {"key": "pipeline.name", "value": "orders", "line": 15},
                    {"key": "pipeline.parallelism", "value": "2", "line": 16},
                    {"key": "pipeline.schema.change.behavior", "value": "evolve", "line": 17},
                    {"key": "transform.source-table", "value": "app_db.orders", "line": 9},
                    {"key": "transform.projection", "value": "\\*, UPPER(name) AS name", "line": 10},
                    {"key": "transform.filter", "value": "id > 10 AND paid", "line": 11},
                ],
                "code_call": [
                    {"kind": "statement-trap", "name": "pipeline-leaves-tables-out transform", "line": 9},
                    {"kind": "statement-trap", "name": "pipeline-without-checkpoints source", "line": 2},
                    {"kind": "statement-trap", "name": "pipeline-of-the-servers-zone type: mysql", "line": 2},
                    {"kind": "statement-trap", "name": "one-bit-numbers type: mysql", "line": 2},
                ],
            },
        ),
        Sample(
            name="rule.yaml",
            text="transform:\n- source-table: db.tbl\n  filter: x > 0\n",
            rows={
                "config_option": [
                    {"key": "transform.source-table", "value": "db.tbl", "line": 2},
                    {"key": "transform.filter", "value": "x > 0", "line": 3},
                ],
                "code_call": [
                    {"kind": "statement-trap", "name": "rule-without-projection db.tbl", "line": 2},
                    {"kind": "statement-trap", "name": "pipeline-leaves-tables-out transform", "line": 2},
                ],
            },
        ),
    ),
)
