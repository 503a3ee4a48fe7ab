"""What the job graph shows of a task: the level of the time in which the job was ill."""

from __future__ import annotations

from typing import Any

from diagnostics.evidence import Evidence
from diagnostics.reconstruction.load.tasks import job_tasks, least_idle
from tests.diagnostics.hand_made import JOB, SOURCE, START, hand_made, line_of_jobs


def looks(seconds: range, held: float, busy: float = 0.1) -> list[dict[str, Any]]:
    return [
        {
            "ts_ms": START + second * 1000,
            "job_id": JOB,
            "vertex_id": SOURCE,
            "subtask": subtask,
            "busy_ratio": busy,
            "back_pressured_ratio": held * (1 - subtask / 10),
        }
        for second in seconds
        for subtask in (0, 1)
    ]


def source_of(evidence: Evidence) -> tuple[dict[str, Any], dict[str, Any]]:
    (job,) = job_tasks(evidence)
    return job, next(each for each in job["vertices"] if each["id"] == SOURCE)


def test_a_task_is_as_idle_as_the_subtask_that_rests_least() -> None:
    assert least_idle({0: 1.0, 1: 0.05}, {0: 0.0, 1: 0.0}) == 0.0


def test_ratios_are_those_of_the_time_in_which_back_pressure_was_high() -> None:
    """Of the longest such time: a burst before it has another level."""
    rows = [*looks(range(0, 20, 10), 0.6), *looks(range(20, 100, 10), 0.0), *looks(range(100, 160, 10), 0.8)]
    job, source = source_of(hand_made(**line_of_jobs(), back_pressure=rows))

    assert job["pressed_ms"] == [START + 90_000, START + 150_000]
    assert (source["held"], source["busy"], source["idle"]) == (0.8, 0.1, 0.1)


def test_ratios_are_means_over_the_whole_time_where_no_back_pressure_lasted() -> None:
    rows = [*looks(range(0, 90, 10), 0.0), *looks(range(90, 100, 10), 0.8)]
    job, source = source_of(hand_made(**line_of_jobs(), back_pressure=rows))

    assert job["pressed_ms"] is None
    assert source["held"] == 0.08


def test_a_job_that_does_not_run_has_no_watermark_lag() -> None:
    for state, lag in (("RUNNING", 5_000), ("RESTARTING", None), ("FAILED", None)):
        tables = line_of_jobs()
        tables["job"] = [{**each, "state": state, "ts_ms": START + 60_000} for each in tables["job"]]
        sample = {"job_id": JOB, "vertex_id": SOURCE, "subtask": 0, "metric": "currentInputWatermark"}
        rows = [{**sample, "ts_ms": START + 5_000, "value": float(START)}]
        _, source = source_of(hand_made(**tables, metric_sample=rows))
        assert source["lag_ms"] == lag


def test_the_lag_at_the_end_is_no_single_sample_between_two_advances() -> None:
    """It lags 5 s in each sample but the last, in which the watermark has just advanced."""
    sample = {"job_id": JOB, "vertex_id": SOURCE, "subtask": 0, "metric": "currentInputWatermark"}
    moments = [START + second * 1000 for second in range(0, 200, 5)]
    rows = [
        {**sample, "ts_ms": each, "value": float(each - (5_000 if each < moments[-1] else 1_000))} for each in moments
    ]
    _, source = source_of(hand_made(**line_of_jobs(), metric_sample=rows))
    assert source["lag_ms"] == 5_000
