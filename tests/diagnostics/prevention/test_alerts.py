"""Alerts from a case: the real promtool passes their unit test on the case's own series."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from diagnostics.prevention.alert import Alert, duration, fitted
from diagnostics.prevention.alerts import alerts_for
from diagnostics.prevention.case_series import case_series
from diagnostics.prevention.own_alerts import OF_SETTINGS, OWN_ALERTS
from diagnostics.prevention.promtool import RULES_FILE, TEST_FILE, continued, outcome, rules_file, unit_test
from diagnostics.prevention.series import CaseSeries, label_value
from diagnostics.rules.shipped import shipped_rules
from diagnostics.symptoms import symptoms
from tests.diagnostics.prevention.alert_evidence import (
    FAILING,
    JOB_ID,
    MINUTE,
    activity,
    checkpoint,
    finding,
    fired,
    history,
    made,
    metrics,
    promtool,
    silent,
    told_by_promtool,
    watched,
)


def test_two_failed_checkpoints_in_a_row_fire_and_promtool_agrees(tmp_path: Path) -> None:
    alerts, series = made(FAILING)

    # Checkpoint 2 completes at 1:05, 3 fails at 4:00, 4 at 5:00: two in a row, none completed since 3:00.
    assert fired(alerts, series) == {"FlinkCheckpointsFailInARow": [5]}
    told_by_promtool(tmp_path, alerts, series)


def test_two_failed_checkpoints_with_a_completed_one_between_them_do_not_fire(tmp_path: Path) -> None:
    points = history(
        checkpoint(1, 0, "expired", 60_000),
        checkpoint(2, 60_000),
        checkpoint(3, 120_000, "expired", 60_000),
        checkpoint(4, 180_000),
        until=300_000,
    )
    alerts, series = made(points)
    assert fired(alerts, series) == {}
    told_by_promtool(tmp_path, alerts, series)


SHORT = {"interval_ms": 5_000, "timeout_ms": 60_000}


def of_settings(points: dict[str, Any], settings: dict[str, int], **declines: Any) -> tuple[list[Alert], CaseSeries]:
    """As `made`, with these settings, and facts of declined checkpoints."""
    facts = {"settings": settings, "checkpoint_declines": declines}
    signals = [{"key": key, "subject": {"job": JOB_ID}, "facts": of_key} for key, of_key in facts.items()]
    document = {"findings": [finding("checkpoint_declined")], "jobs": [{"job_id": JOB_ID, "name": "Orders"}]}
    return alerts_for(document, signals, JOB_ID), case_series(points, JOB_ID, "Orders")


def test_the_words_of_a_window_and_its_length_agree() -> None:
    """Two intervals of 5 s are 10 s; Prometheus sees them in whole scrapes."""
    alerts, _ = of_settings({}, SHORT)
    why = {alert.name: alert.why for alert in alerts}
    assert (
        "none completed within 15 s or 2 min: two intervals, or two timeouts, rounded up to whole steps of 15 s."
        in (why["FlinkCheckpointsFailInARow"])
    )
    assert "One within 15 s (two intervals, in whole scrapes of 15 s) is enough here" in why["FlinkCheckpointFailed"]


def test_triggers_refused_while_tasks_start_fire_no_alert_on_failures_in_a_row(tmp_path: Path) -> None:
    """Restarted at 1:00, the tasks need 13 s to start: the metric counts three refused triggers, and none completes."""
    completed = [checkpoint(n, n * 5_000, lasted=500) for n in (*range(12), *range(17, 60))]
    points = history(*completed, until=5 * MINUTE)
    counted = watched("numberOfFailedCheckpoints", [0.0] * 12 + [1.0, 2.0] + [3.0] * 47)
    alerts, series = of_settings({**points, **metrics(5_000, counted)}, SHORT, slowest_start_ms=13_000)

    assert max(value or 0 for value in series.of("flink_jobmanager_job_numberOfFailedCheckpoints")[0].values) == 3
    assert "FlinkCheckpointsFailInARow" not in fired(alerts, series)
    assert "a start of the job fires it too" in alerts[-1].why
    told_by_promtool(tmp_path, alerts, series)


def test_back_pressure_fires_after_five_minutes_and_not_for_a_burst(tmp_path: Path) -> None:
    lasting = made(activity(10 * MINUTE, back_pressured=[0.0, *[0.8] * 9]))
    burst = made(activity(10 * MINUTE, back_pressured=[0.8, 0.8, 0.8, *[0.1] * 7]))

    assert (fired(*lasting), fired(*burst)) == ({"FlinkBackPressure": [6]}, {})
    told_by_promtool(tmp_path, *lasting)


def test_an_alert_waits_less_than_the_incident_lasted_so_that_the_next_one_is_seen_while_it_lasts(
    tmp_path: Path,
) -> None:
    """The sink is busy from minute 2 to 5: an alert that waits for five minutes does not see it."""
    points = activity(10 * MINUTE, busy=[0.1, 0.1, 1.0, 1.0, 1.0, *[0.1] * 5], back_pressured=[0.0] * 10)
    alerts, series = made(points, finding("slow_sink", vertex="Sink: orders-sink"))
    shorter = [fitted(alert, series) for alert in alerts]

    assert (fired(alerts, series), fired(shorter, series)) == ({}, {"FlinkTaskWithoutReserve": [3]})
    assert shorter[-1].why.endswith("It waits for 75 s only, because this incident met the condition for 2 min 45 s.")
    told_by_promtool(tmp_path, shorter, series)


@pytest.mark.parametrize("busy", [[0.1, 1.0, *[0.1] * 8], [*[0.1] * 7, 1.0, 1.0, 1.0]])
def test_a_burst_and_what_goes_on_at_the_end_leave_the_wait_as_it_is(busy: list[float | None]) -> None:
    alerts, series = made(activity(10 * MINUTE, busy=busy), finding("slow_sink", vertex="Sink: orders-sink"))
    assert fitted(alerts[-1], series) == alerts[-1]


def test_an_alert_on_checkpoints_says_for_which_settings_its_bound_holds() -> None:
    """The plan of the same case may change both: with a longer timeout two failures do not fit into the window."""
    alerts, _ = made(FAILING, finding("rocksdb_slow_upload"))
    told = [alert.name for alert in alerts if "open a case with evidence from after the change" in alert.why]

    assert told == ["FlinkCheckpointsFailInARow", "FlinkNoCompletedCheckpoint", "FlinkCheckpointNearTimeout"]
    assert "a checkpoint interval of 60 s and a timeout of 60 s" in alerts[0].why


def test_an_alert_on_checkpoints_whose_settings_no_file_states_says_what_it_assumes() -> None:
    alerts = alerts_for({"findings": [], "jobs": []}, [], None)
    told = [alert.name for alert in alerts if "3 min and 10 min are assumed" in alert.why]
    assert told == ["FlinkCheckpointsFailInARow", "FlinkNoCompletedCheckpoint"]
    assert not any("This holds for a checkpoint interval" in alert.why for alert in alerts)


def test_without_a_completed_checkpoint_for_ten_minutes_it_fires(tmp_path: Path) -> None:
    alerts, series = made(history(checkpoint(1, 0), until=15 * MINUTE))
    assert fired(alerts, series) == {"FlinkNoCompletedCheckpoint": [10]}
    told_by_promtool(tmp_path, alerts, series)


def test_the_count_of_a_new_jobmanager_neither_fires_nor_blinds_the_alert_on_no_completed_checkpoint(
    tmp_path: Path,
) -> None:
    """Three JobManagers; the last completed checkpoint is of minute 7, and the last one counts none."""
    counts = [0.0, 4.0, 8.0, 0.0, 4.0, 8.0, 11.0, 15.0, 0.0, 0.0, 0.0, 0.0]
    points = history(checkpoint(1, 0), until=12 * MINUTE)
    alerts, series = made({**points, **metrics(MINUTE, watched("numberOfCompletedCheckpoints", counts))})

    assert fired(alerts, continued(series))["FlinkNoCompletedCheckpoint"] == [17]
    told_by_promtool(tmp_path, alerts, series)


def test_failures_that_a_new_jobmanager_counts_fire_and_its_completed_checkpoints_keep_it_silent(
    tmp_path: Path,
) -> None:
    def counted(failed: list[float], completed: list[float]) -> tuple[list[Alert], CaseSeries]:
        found = (watched("numberOfFailedCheckpoints", failed), watched("numberOfCompletedCheckpoints", completed))
        return made({**history(checkpoint(1, 0), until=10 * MINUTE), **metrics(MINUTE, *found)})

    failing = counted([5.0] * 5 + [0.0, 3.0, 3.0, 3.0, 3.0], [9.0] * 5 + [0.0] * 5)
    refused = counted([0.0] * 5 + [3.0] * 5, [9.0] * 5 + [1.0, 2.0, 3.0, 4.0, 5.0])

    assert fired(*failing)["FlinkCheckpointsFailInARow"] == [6]
    assert "FlinkCheckpointsFailInARow" not in fired(*refused)
    told_by_promtool(tmp_path, *failing)
    told_by_promtool(tmp_path, *refused)


def test_what_is_wrong_at_the_end_of_the_evidence_stays_wrong_in_the_test(tmp_path: Path) -> None:
    """Back pressure rose within the last minutes; the evidence ends before the alert has waited for five."""
    alerts, series = made(activity(10 * MINUTE, back_pressured=[*[0.1] * 7, 0.3, 0.8, 1.0]))
    [alert] = [each for each in alerts if each.name == "FlinkBackPressure"]

    assert outcome(alert, series).startswith("This incident fires it at 1970-01-01 00:13:00 UTC if it goes on as at")
    told_by_promtool(tmp_path, alerts, series)


def test_the_cases_own_alert_names_the_operator_of_the_cause(tmp_path: Path) -> None:
    points = activity(10 * MINUTE, busy=[1.0] * 10)
    alerts, series = made(points, finding("slow_sink", vertex="Sink: orders-sink"))

    assert 'task_name="Sink:_orders_sink"' in alerts[-1].expr
    assert fired(alerts, series) == {"FlinkTaskWithoutReserve": [5]}
    told_by_promtool(tmp_path, alerts, series)


def test_an_alert_is_not_tested_on_series_that_the_case_does_not_hold(tmp_path: Path) -> None:
    alerts, series = made(FAILING, finding("user_code"))
    test = told_by_promtool(tmp_path, alerts, series)
    assert "holds no such series: FlinkBackPressure, FlinkJobNotRunning, FlinkJobRestarted." in test


def test_one_declined_checkpoint_is_enough_where_declines_are_the_cause(tmp_path: Path) -> None:
    points = history(checkpoint(1, 0), checkpoint(2, 60_000, "declined", 500), checkpoint(3, 120_000), until=5 * MINUTE)
    alerts, series = made(points, finding("checkpoint_declined"))

    # It fails at 1:00; at 2:00 two intervals are there to look back on. The shared alert wants two in a row.
    assert fired(alerts, series) == {"FlinkCheckpointFailed": [2]}
    told_by_promtool(tmp_path, alerts, series)


def test_a_wrong_setting_has_the_alert_of_what_it_does_to_the_metrics(tmp_path: Path) -> None:
    """Every checkpoint takes 40 s of 60 s: more than half, for five minutes from the first end at 0:40 on."""
    points = history(*(checkpoint(n, n * 60_000, lasted=40_000) for n in range(8)), until=8 * MINUTE)
    alerts, series = made(points, finding("misconfiguration", "conf.interval"))

    assert fired(alerts, series) == {"FlinkCheckpointsWithoutPause": [5]}
    told_by_promtool(tmp_path, alerts, series)


def test_a_source_without_a_position_loses_the_work_without_a_checkpoint() -> None:
    def said(source: str) -> str:
        signals = [{"key": "delivery_guarantee", "subject": {"job": JOB_ID}, "facts": {"source": source}}]
        alerts = alerts_for({"jobs": [], "findings": []}, signals, JOB_ID)
        return next(each.why for each in alerts if each.name == "FlinkNoCompletedCheckpoint")

    assert "records since the last completed checkpoint are lost" in said("at most once")
    assert "work since the last completed checkpoint is repeated" in said("exactly once")


def test_a_setting_that_no_metric_shows_has_no_alert_of_its_own() -> None:
    assert len(made({}, finding("misconfiguration", "conf.misspelt"))[0]) == 4


def test_a_job_that_completes_its_checkpoints_goes_on_doing_so_after_the_evidence(tmp_path: Path) -> None:
    """The evidence ends after five minutes; the test goes on for half an hour and no alert fires."""
    points = history(*(checkpoint(n, n * 60_000) for n in range(5)), until=5 * MINUTE)
    alerts, series = made(points)
    assert fired(alerts, continued(series)) == {}
    assert "# Not fired by this incident: FlinkCheckpointsFailInARow, FlinkNoCompletedCheckpoint." in told_by_promtool(
        tmp_path, alerts, series
    )


def test_each_alert_says_what_it_does_on_the_incident() -> None:
    alerts, series = made(FAILING, finding("user_code"))
    said = {alert.name: outcome(alert, series) for alert in alerts}
    assert said["FlinkCheckpointsFailInARow"] == "This incident fires it at 1970-01-01 00:05:00 UTC."
    later = "if it goes on as at the end of its metrics, 1970-01-01 00:07:00 UTC."
    assert said["FlinkNoCompletedCheckpoint"] == f"This incident fires it at 1970-01-01 00:11:15 UTC {later}"
    told = "Not tested: the charts of this case hold no series of flink_jobmanager_job_numRestarts."
    assert said["FlinkJobRestarted"] == told
    calm = made(history(*(checkpoint(n, n * 60_000) for n in range(5)), until=5 * MINUTE))
    assert outcome(calm[0][0], calm[1]).startswith("The series of this case do not fire it")


def test_every_matcher_holds_the_job(tmp_path: Path) -> None:
    """Series of another job in the same trouble make nothing fire."""
    for symptom_class, rule in OWN:
        alerts, _ = made({}, finding(symptom_class, rule, vertex="Sink: orders-sink"))
        for alert in alerts:
            for metric in alert.needs:
                if "_job_" in metric:
                    matched = re.findall(re.escape(metric) + r'\{job_name="Orders"', alert.expr)
                    assert len(matched) == alert.expr.count(metric), alert.expr
    alerts, series = made(FAILING)
    (tmp_path / RULES_FILE).write_text(rules_file(alerts, "the test"))
    test = unit_test(alerts, series, "the test")
    assert test is not None
    (tmp_path / TEST_FILE).write_text(silent(test.replace('job_name="Orders"', 'job_name="Payments"')))
    assert promtool(tmp_path, "test", TEST_FILE) == ""


@pytest.mark.parametrize(("parallelism", "bound"), [(2, "1.5"), (3, "2"), (4, "2"), (64, "2"), (None, "2")])
def test_the_bound_of_skew_is_reachable_with_the_number_of_subtasks(parallelism: int | None, bound: str) -> None:
    """Of two subtasks the hottest has at most twice the mean: more than twice never comes."""
    skew = finding("data_skew", vertex="Window") | {"facts": {"parallelism": parallelism} if parallelism else {}}
    assert made({}, skew)[0][-1].expr.endswith(f">= {bound}")


OWN = [*((each, "some.rule") for each in (*OWN_ALERTS, "out_of_order_events") if each != "misconfiguration")]
OWN += [("misconfiguration", rule) for rule in OF_SETTINGS]


@pytest.mark.parametrize(("symptom_class", "rule"), OWN)
def test_prometheus_reads_the_alert_of_every_class(symptom_class: str, rule: str, tmp_path: Path) -> None:
    if shutil.which("promtool") is None:
        pytest.skip("no promtool found: install the package prometheus")
    alerts, _ = made({}, finding(symptom_class, rule, vertex='Map "x"\n{{y}}'))
    assert len(alerts) == (6 if symptom_class == "out_of_order_events" else 5)
    (tmp_path / RULES_FILE).write_text(rules_file(alerts, "a {{ name }}\n- of: yaml"))
    ran = subprocess.run(["promtool", "check", "rules", RULES_FILE], cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_every_alert_is_of_a_class_that_exists() -> None:
    assert set(OWN_ALERTS) <= set(symptoms())
    assert set(OF_SETTINGS) <= {rule.id for rule in shipped_rules()}


def test_without_any_series_there_is_no_test() -> None:
    assert unit_test(*made({}), "nothing") is None


def test_a_gap_holds_the_last_value_and_before_the_first_there_is_none() -> None:
    series = made(activity(6 * MINUTE, busy=[None, 0.5, None, 0.7, None, None]))[1]
    values = series.of("flink_taskmanager_job_task_busyTimeMsPerSecond")[0].values
    assert [values[minute * 4] for minute in range(6)] == [None, 500, 500, 700, 700, 700]


def test_names_become_the_label_values_of_the_reporter() -> None:
    assert label_value("Source: orders -> Map (1/2)") == "Source:_orders____Map__1_2_"


@pytest.mark.parametrize(("ms", "written"), [(15_000, "15s"), (90_000, "1m30s"), (300_000, "5m"), (61_000, "1m15s")])
def test_durations_are_whole_steps_as_prometheus_writes_them(ms: int, written: str) -> None:
    assert duration(ms) == written
