"""The alerts of real incidents: the real promtool agrees, they fire there, and are silent on a healthy run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from diagnostics.analyze import Report, analyze
from diagnostics.intake import sources_in
from diagnostics.prevention.alerts import alerts_for
from diagnostics.prevention.promtool import RULES_FILE, TEST_FILE, continued, rules_file, unit_test
from diagnostics.prevention.series import CaseSeries, case_series
from diagnostics.reading.case import Case
from diagnostics.rules.rule import Ruleset, shipped_rules
from tests.diagnostics.prevention.test_alerts import promtool, silent

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CORPUS = Path(__file__).resolve().parents[4] / "shared" / "corpus"
HEALTHY = CORPUS / "healthy-a"
FIRES = {
    "rocksdb_slow_upload-a": {"FlinkCheckpointsFailInARow", "FlinkCheckpointNearTimeout", "FlinkNoCompletedCheckpoint"},
    "data_skew-a": {"FlinkBackPressure", "FlinkSkewedTask"},
}

pytestmark = [
    pytest.mark.spark,
    pytest.mark.skipif(not HEALTHY.is_dir(), reason="the corpus is not on this machine"),
]


def report_of(case: Path, spark: SparkSession, workspace: Path) -> Report:
    sources = [each for each in sources_in([case])[0] if Path(each.name).name != "truth.json"]
    return analyze(Case(sources), ruleset=Ruleset.of(shipped_rules()), spark=spark, workspace=workspace)


def series_of(report: Report, name: str | None = None) -> CaseSeries:
    """The series of the only job, under its own name or another one."""
    (job,) = report.document["jobs"]
    return case_series(report.charts, job["job_id"], name or job["name"])


@pytest.fixture(scope="module")
def healthy(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Report:
    """A job without trouble."""
    return report_of(HEALTHY, spark, tmp_path_factory.mktemp("workspace"))


@pytest.mark.parametrize("case", FIRES)
def test_the_alerts_of_an_incident_fire_there_and_are_silent_on_a_healthy_run(
    case: str, healthy: Report, spark: SparkSession, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    incident = report_of(CORPUS / case, spark, tmp_path_factory.mktemp("workspace"))
    (job,) = incident.document["jobs"]
    alerts = alerts_for(incident.document, incident.signals, job["job_id"])
    series = series_of(incident)

    assert {alert.name for alert in alerts if alert.firing(continued(series))} == FIRES[case]
    (tmp_path / RULES_FILE).write_text(rules_file(alerts, case))
    test = unit_test(alerts, series, case)
    assert test is not None
    (tmp_path / TEST_FILE).write_text(test)
    assert promtool(tmp_path, "test", TEST_FILE) == ""

    # The healthy run under the name of the incident's job, so that the matchers let its series in.
    calm = unit_test(alerts, series_of(healthy, job["name"]), "a healthy run")
    assert calm is not None
    (tmp_path / TEST_FILE).write_text(silent(calm))
    assert promtool(tmp_path, "test", TEST_FILE) == ""
