"""The alerts of real incidents: the real promtool agrees, they fire there, and are silent on a healthy run."""

from __future__ import annotations

from pathlib import Path

import pytest

from diagnostics.analyze import Report
from diagnostics.diagnosis.problem_time import over_since
from diagnostics.prevention.alert import fitted
from diagnostics.prevention.alerts import alerts_for
from diagnostics.prevention.case_series import case_series
from diagnostics.prevention.promtool import RULES_FILE, TEST_FILE, continued, outcome, rules_file, unit_test
from diagnostics.prevention.series import CaseSeries
from tests.diagnosed_corpus import CASES, CorpusReport
from tests.diagnostics.prevention.alert_evidence import promtool, silent

HEALTHY = "healthy-a"
FIRES = {
    "rocksdb_slow_upload-a": {"FlinkCheckpointsFailInARow", "FlinkCheckpointNearTimeout", "FlinkNoCompletedCheckpoint"},
    "data_skew-a": {"FlinkBackPressure", "FlinkSkewedTask"},
    "out_of_order_events-a": {"FlinkWatermarkAheadOfClock", "FlinkLateRecordsDropped"},
    "gc_pressure": {"FlinkHeapNearlyFull"},
    "slow_sink_backpressure": {"FlinkCheckpointsFailInARow", "FlinkTaskWithoutReserve"},
    "network_partition": {
        "FlinkCheckpointsFailInARow",
        "FlinkJobNotRunning",
        "FlinkJobRestarted",
        "FlinkTaskManagersMissing",
    },
}

pytestmark = [
    pytest.mark.spark,
    pytest.mark.skipif(HEALTHY not in CASES, reason="the corpus is not on this machine"),
]


def series_of(report: Report, name: str | None = None) -> CaseSeries:
    """The series of the only job, under its own name or another one."""
    (job,) = report.document["jobs"]
    is_over = over_since(report.document, job["job_id"]) is not None
    return case_series(report.charts, job["job_id"], name or job["name"], report.signals, is_over=is_over)


@pytest.mark.parametrize("case", FIRES)
def test_the_alerts_of_an_incident_fire_there_and_are_silent_on_a_healthy_run(
    case: str, corpus_report: CorpusReport, tmp_path: Path
) -> None:
    incident = corpus_report(case)
    (job,) = incident.document["jobs"]
    series = series_of(incident)
    alerts = [fitted(each, series) for each in alerts_for(incident.document, incident.signals, job["job_id"])]

    assert {alert.name for alert in alerts if alert.firing(continued(series))} == FIRES[case]
    (tmp_path / RULES_FILE).write_text(rules_file(alerts, case))
    test = unit_test(alerts, series, case)
    assert test is not None
    (tmp_path / TEST_FILE).write_text(test)
    assert promtool(tmp_path, "test", TEST_FILE) == ""

    # The healthy run under the name of the incident's job, so that the matchers let its series in.
    calm = unit_test(alerts, series_of(corpus_report(HEALTHY), job["name"]), "a healthy run")
    assert calm is not None
    (tmp_path / TEST_FILE).write_text(silent(calm))
    assert promtool(tmp_path, "test", TEST_FILE) == ""


def sentences(report: Report) -> dict[str, str]:
    """Alert -> what it does in the case, as the page says it."""
    (job,) = report.document["jobs"]
    series = series_of(report)
    return {each.name: outcome(each, series) for each in alerts_for(report.document, report.signals, job["job_id"])}


def test_an_alert_that_the_start_of_the_job_fires_names_the_time_of_the_incident_first(
    corpus_report: CorpusReport,
) -> None:
    assert sentences(corpus_report("checkpoint_declined"))["FlinkCheckpointFailed"] == (
        "This incident fires it at 2026-11-21 01:07:57 UTC. It also fires at 2026-11-21 01:06:42 UTC, before the "
        "trouble began."
    )
    heap = sentences(corpus_report("resource_shortage-a")).values()
    assert [each for each in heap if "before the trouble" in each] == [], "one step of 15 s is no other time"


def test_an_alert_that_fires_on_from_before_the_trouble_warned_of_it(corpus_report: CorpusReport) -> None:
    """A checkpoint of 21.9 s is over half of the timeout; the one that expires is triggered 20 s later."""
    assert sentences(corpus_report("rocksdb_slow_upload-a"))["FlinkCheckpointNearTimeout"] == (
        "This incident fires it at 2026-11-21 00:48:34 UTC, 21.6 s before the trouble began."
    )


def test_trouble_that_is_over_does_not_go_on_after_the_evidence(corpus_report: CorpusReport) -> None:
    """The back pressure lasted for 2.5 min; Flink's mean of a minute is still high half a minute later."""
    assert sentences(corpus_report("slow_sink_backpressure"))["FlinkBackPressure"] == (
        "This incident does not fire it: its condition holds for 2 min 15 s at most, and it waits for 5 min."
    )
    assert sentences(corpus_report("checkpoint_declined"))["FlinkJobNotRunning"] == (
        "This incident does not fire it: its condition holds at single looks only, and it waits for 2 min."
    )
    assert sentences(corpus_report("slow_sink_backpressure"))["FlinkJobNotRunning"] == (
        "The series of this case never meet its condition."
    )


def test_the_evidence_ends_where_its_last_sample_is(corpus_report: CorpusReport) -> None:
    """The alert is tested for one more step, in which the end of the job shows."""
    told = sentences(corpus_report("network_partition"))["FlinkJobNotRunning"]
    assert told.endswith("its metrics end at 2026-11-21 01:02:11 UTC.")


def test_the_alert_on_skew_is_silent_while_the_task_is_idle(corpus_report: CorpusReport) -> None:
    report = corpus_report("data_skew-a")
    (job,) = report.document["jobs"]
    (skewed,) = (
        each for each in alerts_for(report.document, report.signals, job["job_id"]) if each.name == "FlinkSkewedTask"
    )
    assert "busyTimeMsPerSecond" in skewed.expr
