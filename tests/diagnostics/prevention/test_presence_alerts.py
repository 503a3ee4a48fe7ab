"""Alerts on what is gone: a job that failed for good, its tasks, and TaskManagers; the real promtool agrees."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from diagnostics.prevention.alert import Alert
from diagnostics.prevention.alerts import alerts_for
from diagnostics.prevention.case_series import case_series
from diagnostics.prevention.promtool import continued, outcome
from diagnostics.prevention.series import CaseSeries
from tests.diagnostics.prevention.alert_evidence import (
    JOB_ID,
    MINUTE,
    activity,
    checkpoint,
    finding,
    fired,
    history,
    made,
    metrics,
    told_by_promtool,
    watched,
)

END = 8 * MINUTE
LOST = {"key": "task_manager_loss.all", "subject": {}, "facts": {"lost": 1, "registered_most": 2}}


def restarts(state: str, at: int, **facts: Any) -> dict[str, Any]:
    return {"key": "restarts", "subject": {"job": JOB_ID}, "facts": {"final_state": state, "final_ms": at, **facts}}


def failing_job(*signals: dict[str, Any]) -> tuple[dict[str, Alert], CaseSeries]:
    """A job whose tasks are held back up to minute 4, which is restarted from then on and fails for good at 7:30."""
    points = {
        **history(*(checkpoint(n, n * MINUTE) for n in range(4)), until=END),
        **activity(4 * MINUTE, back_pressured=[0.9] * 4),
        **metrics(
            MINUTE,
            watched("numRestarts", [None, 0, 0, 0, 3, 6, 9, 12]),
            watched("numRegisteredTaskManagers", [2, 2, 2, 2, 1, 1, 1, 1]),
            running=[1, 2, 3, 4, 0, 0, 0, None],
        ),
    }
    document = {"findings": [finding("network_partition")], "jobs": [{"job_id": JOB_ID, "name": "Orders"}]}
    made = {each.name: each for each in alerts_for(document, signals, JOB_ID)}
    return made, case_series(points, JOB_ID, "Orders", signals)


def test_a_job_that_failed_for_good_fires_what_watches_its_absence_and_nothing_that_needs_it_alive(
    tmp_path: Path,
) -> None:
    alerts, series = failing_job(restarts("FAILED", END - 30_000), LOST)

    assert fired(list(alerts.values()), continued(series)) == {
        "FlinkJobNotRunning": [6],
        "FlinkJobRestarted": [4],
        "FlinkTaskManagersMissing": [5],
    }
    assert outcome(alerts["FlinkBackPressure"], series).startswith("The series do not fire it: the job ended")
    told = told_by_promtool(tmp_path, list(alerts.values()), series)
    assert "the job ended within it" in told
    assert "stale" in told


def test_a_job_that_is_gone_keeps_firing_until_it_runs_again() -> None:
    alerts, series = failing_job(restarts("FAILED", END - 30_000))
    [holds] = alerts["FlinkJobNotRunning"].condition(continued(series)).values()

    assert holds[-1]


def test_tasks_that_did_not_run_after_the_last_restart_are_not_back_pressured_any_more() -> None:
    """The job is RESTARTING when the evidence ends: its own series go on, those of its tasks do not."""
    alerts, series = failing_job(restarts("RESTARTING", END - 30_000, tasks_run=False))

    assert "FlinkBackPressure" not in fired(list(alerts.values()), continued(series))
    assert not series.job_ended


def test_a_job_that_goes_on_running_holds_the_last_value_of_its_tasks() -> None:
    alerts, series = failing_job(restarts("RUNNING", 0))
    assert fired([alerts["FlinkBackPressure"]], series) == {"FlinkBackPressure": [5]}


@pytest.mark.parametrize("signal", [restarts("RUNNING", 0), LOST | {"facts": {"lost": 0, "registered_most": 2}}])
def test_a_case_that_lost_no_task_manager_exports_no_number_of_them(signal: dict[str, Any]) -> None:
    assert "FlinkTaskManagersMissing" not in failing_job(signal)[0]


def test_a_job_without_slots_because_task_managers_are_gone_exports_their_number() -> None:
    gone = LOST | {"facts": {"lost": 0, "gone": 1, "registered_most": 2}}
    slots = {"key": "slots", "subject": {"job": JOB_ID}, "facts": {"missing": 2}}

    assert "FlinkTaskManagersMissing" in failing_job(gone, slots)[0]
    assert "FlinkTaskManagersMissing" not in failing_job(gone, slots | {"facts": {"missing": 0}})[0]


def test_triggers_that_were_refused_count_as_flink_counts_them(tmp_path: Path) -> None:
    """No history holds a checkpoint that never began; the metric of failed checkpoints grows with each of them."""
    refused = watched("numberOfFailedCheckpoints", [None, 0, 0, 0, 2, 4, 6, 8, 10])
    points = {**history(*(checkpoint(n, n * MINUTE) for n in range(4)), until=END), **metrics(MINUTE, refused)}
    alerts, series = made(points)

    assert fired(alerts, series)["FlinkCheckpointsFailInARow"] == [5]
    told_by_promtool(tmp_path, alerts, series)


def test_a_count_of_restarts_that_does_not_vary_tests_the_alert_on_restarts() -> None:
    points = history(*(checkpoint(n, n * MINUTE) for n in range(4)), until=END)
    counted = metrics(MINUTE, watched("numRestarts", [0.0] * 8))
    alerts, series = made({**points, **counted}, finding("network_partition"))
    [restarted] = [each for each in alerts if each.name == "FlinkJobRestarted"]

    assert outcome(restarted, series).startswith("The series of this case do not fire it")
    assert outcome(restarted, made(points)[1]).startswith("Not tested")


def test_a_recovery_by_a_new_jobmanager_fires_although_no_restart_is_counted(tmp_path: Path) -> None:
    """Each new JobManager counts restarts from 0: the alert on restarts slept through four of them."""
    points = history(*(checkpoint(n, n * MINUTE) for n in range(8)), until=END)
    counted = metrics(MINUTE, watched("numRestarts", [0.0] * 8), running=[1, 2, 3, 4, 1, 2, 3, 4])
    alerts, series = made({**points, **counted}, finding("zookeeper_ha"))

    assert fired(alerts, series)["FlinkJobRecovered"] == [4]
    told_by_promtool(tmp_path, alerts, series)
    calm = metrics(MINUTE, watched("numRestarts", [0.0] * 8), running=[1, 2, 3, 4, 5, 6, 7, 8])
    assert "FlinkJobRecovered" not in fired(*made({**points, **calm}, finding("zookeeper_ha")))


def test_fewer_task_managers_that_are_enough_for_the_job_fire_nothing(tmp_path: Path) -> None:
    """Scaled down from two TaskManagers to one: the tasks run on. Lost: their metrics end, and it fires."""
    registered = watched("numRegisteredTaskManagers", [2, 2, 2, 1, 1, 1, 1, 1])
    document = {"findings": [], "jobs": [{"job_id": JOB_ID, "name": "Orders"}]}
    fires = {}
    for until, signals in ((8, [LOST]), (4, [LOST])):
        loads = watched("backPressuredTimeMsPerSecond", [0.0] * until + [None] * (8 - until), vertex="Sink")
        points = {**history(checkpoint(1, 0), until=END), **metrics(MINUTE, registered, loads)}
        alerts, series = alerts_for(document, signals, JOB_ID), case_series(points, JOB_ID, "Orders", signals)
        fires[until] = fired([each for each in alerts if each.name == "FlinkTaskManagersMissing"], series)
        told_by_promtool(tmp_path, alerts, series)

    assert fires == {8: {}, 4: {"FlinkTaskManagersMissing": [5]}}


def test_a_job_that_ends_by_itself_has_no_alert_on_its_absence() -> None:
    assert "FlinkJobNotRunning" not in failing_job(restarts("FINISHED", END))[0]


@pytest.mark.parametrize(("version", "warns"), [("1.20.5", False), ("1.14.6", True), (None, True)])
def test_only_a_version_that_may_lack_the_metric_is_warned_of_an_alert_that_always_fires(
    version: str | None, warns: bool
) -> None:
    overview = {"key": "job_overview", "subject": {"job": JOB_ID}, "facts": {"flink_version": version}}
    document = {"findings": [], "jobs": [{"job_id": JOB_ID, "name": "Orders"}]}
    told = next(each for each in alerts_for(document, [overview], JOB_ID) if each.name == "FlinkJobNotRunning")
    assert ("with an older one it always fires" in told.why) is warns


def test_task_managers_that_are_gone_at_the_end_stay_gone_in_the_test(tmp_path: Path) -> None:
    """Both ended within the last minute, before the alert has waited; earlier one came and went."""
    points = {
        **history(*(checkpoint(n, n * MINUTE) for n in range(4)), until=6 * MINUTE),
        **activity(4 * MINUTE, back_pressured=[0.1] * 4),
        **metrics(MINUTE // 2, watched("numRegisteredTaskManagers", [2, 2, 2, 2, 2, 2, 2, 2, 1, 2, 2, 0])),
    }
    document = {"findings": [finding("zookeeper_ha")], "jobs": [{"job_id": JOB_ID, "name": "Orders"}]}
    signals = [LOST, restarts("RESTARTING", 5 * MINUTE, tasks_run=False)]
    alerts = {each.name: each for each in alerts_for(document, signals, JOB_ID)}
    series = case_series(points, JOB_ID, "Orders", signals)

    assert "fires it at 1970-01-01 00:06:30 UTC" in outcome(alerts["FlinkTaskManagersMissing"], series)
    told_by_promtool(tmp_path, list(alerts.values()), series)
