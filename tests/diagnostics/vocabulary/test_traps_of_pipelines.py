"""Definitions of pipelines of Flink CDC that do without an error what nobody wants of them."""

from __future__ import annotations

import pytest

from diagnostics.notation.cdc_pipeline import cdc_pipeline
from diagnostics.vocabulary.catalogue_file import FOLDER
from diagnostics.vocabulary.statement_traps import statement_traps, traps_in_pipeline
from diagnostics.yaml_document import read_yaml

PIPELINE = (
    "source:\n  type: mysql\n  tables: db.orders\n{}sink:\n  type: doris\n{}pipeline:\n  parallelism: 4\n"
    "  schema.change.behavior: evolve\n"
)
SET = "  server-time-zone: UTC\n  treat-tinyint1-as-boolean.enabled: true\n"
CASES = [
    (PIPELINE.format("  scan.startup.mode: latest-offset\n", ""), "pipeline-from-now-on"),
    (PIPELINE.format("  scan.startup.mode: snapshot\n", ""), "pipeline-of-the-snapshot"),
    (PIPELINE.format("  schema-change.enabled: false\n", ""), "changes-of-schemas-not-sent"),
    (PIPELINE.format("", "  exclude.schema.changes: [column]\n"), "kinds-of-schema-changes-excluded"),
    (PIPELINE.format("", "  include.schema.changes: [create.table]\n"), "kinds-of-schema-changes-chosen"),
    (PIPELINE.format("  debezium.skipped.operations: d\n", ""), "pipeline-skips-operations"),
    (PIPELINE.format("", ""), "pipeline-of-the-servers-zone"),
    (PIPELINE.format("", ""), "one-bit-numbers"),
]


def found(text: str) -> set[str]:
    pipeline = cdc_pipeline(enumerate(text.splitlines(), start=1))
    return {name for name, _, _ in traps_in_pipeline(pipeline)}


@pytest.mark.parametrize(("text", "trap"), CASES)
def test_a_trap_is_found(text: str, trap: str) -> None:
    assert trap in found(text)


def test_a_pipeline_that_states_what_it_means_shows_none_of_them() -> None:
    stated = f"{SET}  scan.startup.mode: initial\n  schema-change.enabled: true\n  debezium.skipped.operations: t\n"
    assert found(PIPELINE.format(stated, "")) & {trap for _, trap in CASES} == set()


def test_every_trap_of_pipelines_has_a_case() -> None:
    path = FOLDER / "statement_traps" / "pipelines.yaml"
    named = set(read_yaml(path.read_text("utf-8"), path.name).content)
    assert named == {trap for _, trap in CASES}
    assert named <= set(statement_traps())
