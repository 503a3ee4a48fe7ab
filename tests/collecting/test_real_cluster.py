"""The collector against a real Flink cluster with a job that fails, and what the workbench makes of the zip."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from diagnostics import collect_flink
from diagnostics.analyze import analyze
from diagnostics.intake import SourceFile
from diagnostics.reading.case import Case
from diagnostics.rules.rule import Ruleset
from diagnostics.rules.shipped import shipped_rules
from tests.collecting.flink_cluster import JARS, running_flink, wait_until

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [
    pytest.mark.spark,
    pytest.mark.skipif(not JARS.is_dir(), reason="there is no Flink here: `make flink` installs it (240 MB)"),
]

NAME = "totals by customer"
UNREADABLE = "CAST(CASE WHEN id > 12 THEN 'unknown' ELSE '7' END AS INT)"
JOB = (
    "CREATE TABLE orders (id BIGINT, amount DOUBLE) WITH ('connector' = 'datagen', 'rows-per-second' = '5', "
    "'fields.id.kind' = 'sequence', 'fields.id.start' = '1', 'fields.id.end' = '1000000')",
    "CREATE TABLE totals (customer INT, total DOUBLE) WITH ('connector' = 'blackhole')",
    f"INSERT INTO totals SELECT {UNREADABLE}, SUM(amount) FROM orders GROUP BY {UNREADABLE}",
)
"""From the thirteenth order on a field that should be a number is none: the job fails at it, restarts and fails."""


@pytest.fixture(scope="module")
def document(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The diagnosis of what the collector got while the job failed and restarted."""
    folder = tmp_path_factory.mktemp("flink")
    bundle = folder / "upload.zip"
    with running_flink(folder) as cluster:
        cluster.submit(NAME, JOB)
        job = cluster.rest("/jobs/overview")["jobs"][0]["jid"]
        wait_until(lambda: len(cluster.rest(f"/jobs/{job}/exceptions")["exceptionHistory"]["entries"]) >= 3)
        arguments = ["--rest", cluster.url, "--out", str(bundle), "--seconds", "8", "--every", "8", "--rate", "50"]
        assert collect_flink.main(arguments) == 0
    sources = [SourceFile(bundle, bundle.name)]
    workspace = tmp_path_factory.mktemp("workspace")
    return analyze(Case(sources), ruleset=Ruleset.of(shipped_rules()), spark=spark, workspace=workspace).document


def test_the_failing_code_is_the_cause(document: dict[str, Any]) -> None:
    assert document["verdict"]["symptom_class"] == "user_code"
    assert "NumberFormatException" in document["findings"][0]["statement"]
    assert [job["name"] for job in document["jobs"]] == [NAME]


def test_every_file_of_the_zip_is_read(document: dict[str, Any]) -> None:
    unread = [each["file"] for each in document["inputs"] if each["format"] is None]
    assert unread == []
    assert {each["flink_version"] for each in document["inputs"]} == {None, "1.20.1"}


def test_findings_rest_on_logs_and_on_answers_of_rest(document: dict[str, Any]) -> None:
    cited = {evidence["file"] for finding in document["findings"] for evidence in finding["evidence"]}
    assert any("!/logs/" in file for file in cited)
    assert any("!/rest/" in file for file in cited)
