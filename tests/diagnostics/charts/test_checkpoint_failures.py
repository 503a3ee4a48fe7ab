"""Failed checkpoints by class over time, beside the load."""

from __future__ import annotations

from typing import Any

from diagnostics.charting.chart import Theme
from diagnostics.charts.checkpoint_failures import CHART
from tests.diagnostics.hand_made import JOB, SOURCE, START, hand_made, line_of_jobs


def record(second: float, event: str, message: str, reason: str) -> dict[str, Any]:
    return {
        "ts_ms": START + round(second * 1000),
        "event": event,
        "message": message,
        "process": "jobmanager",
        "job_id": JOB,
        "reason": reason,
    }


def failed(number: int, second: float, message: str) -> dict[str, Any]:
    return {
        "job_id": JOB,
        "checkpoint_id": number,
        "status": "FAILED",
        "trigger_ms": START + round(second * 1000) - 5_000,
        "failure_ms": START + round(second * 1000),
        "end_to_end_ms": 5_000.0,
        "failure_message": message,
    }


DECLINED = "Checkpoint was declined (tasks not ready)"
EXPIRED = "Checkpoint expired before completing."


def seven() -> list[dict[str, Any]]:
    """Five declines under load and two expired checkpoints without."""
    return [
        *(failed(number, 60 + number * 10, DECLINED) for number in range(1, 6)),
        *(failed(number, 100 + number * 10, EXPIRED) for number in range(6, 8)),
    ]


def loads() -> list[dict[str, Any]]:
    return [
        {
            "ts_ms": START + second * 1000,
            "job_id": JOB,
            "vertex_id": SOURCE,
            "subtask": 0,
            "back_pressured_ratio": 0.9 if 60 <= second <= 120 else 0.0,
        }
        for second in range(0, 200, 10)
    ]


def test_seven_failures_are_counted_by_class_and_held_against_the_load() -> None:
    """The load is high in 7 of 20 moments."""
    points = CHART.points(hand_made(**line_of_jobs(), checkpoint=seven(), back_pressure=loads()))

    assert points is not None
    (job,) = points["jobs"]
    assert job["counts"] == {"tasks not ready": 5, "expired": 2}
    assert CHART.summary(points) == (
        "By class: tasks not ready (5) and expired (2). 5 of these 7 came while a subtask was back-pressured more than "
        "half of the time, which was so in 35 % of all intervals of 10 s."
    )
    figure = CHART.figure(points, Theme("light"))
    bars = {trace["name"]: sum(trace["y"]) for trace in figure["data"] if trace["type"] == "bar"}
    assert bars == {"tasks not ready": 5, "expired": 2}
    assert figure["data"][-1]["name"] == "Back pressure"


def test_the_load_has_a_gap_where_nothing_was_measured_and_counts_have_whole_labels() -> None:
    """Samples every 10 s, none while the job restarts: no line joins the last one before with the first one after."""
    measured = [each for each in loads() if not 100 <= (each["ts_ms"] - START) / 1000 < 160]
    points = CHART.points(hand_made(**line_of_jobs(), checkpoint=seven(), back_pressure=measured))

    assert points is not None
    figure = CHART.figure(points, Theme("light"))
    course = list(zip(figure["data"][-1]["x"], figure["data"][-1]["y"], strict=True))
    assert [(ts_ms - START) // 1000 for ts_ms, share in course if share is None] == [90]
    assert figure["layout"]["yaxis"]["dtick"] == 1


def test_failures_that_never_came_under_load_are_stated_in_words() -> None:
    idle = [{**each, "back_pressured_ratio": 0.0} for each in loads()]
    points = CHART.points(hand_made(**line_of_jobs(), checkpoint=seven(), back_pressure=idle))

    assert points is not None
    assert CHART.summary(points).endswith(
        "None of them came while a subtask was back-pressured more than half of the time."
    )


def test_every_failure_is_in_the_table_with_the_load_of_its_moment() -> None:
    points = CHART.points(hand_made(**line_of_jobs(), checkpoint=seven(), back_pressure=loads()))

    assert points is not None
    rows = CHART.table(points)[1:]
    assert [(row[2], row[3]) for row in rows] == [("tasks not ready", 0.9)] * 5 + [("expired", 0.0)] * 2


def test_failures_without_a_known_load_are_not_held_against_it() -> None:
    points = CHART.points(hand_made(**line_of_jobs(), checkpoint=seven()))

    assert points is not None
    assert CHART.summary(points) == "By class: tasks not ready (5) and expired (2)."
    (job,) = points["jobs"]
    counted = CHART.summary({**points, "jobs": [{**job, "completed": 8}]})
    assert counted == (
        "Of 15 triggers that ended, 8 completed a checkpoint; "
        "the other 7 by class: tasks not ready (5) and expired (2)."
    )


def test_triggers_that_came_too_early_are_a_class_of_their_own() -> None:
    reason = "The maximum number of queued checkpoint requests exceeded"
    log = [record(second, "jm.ckpt.preflight_failed", "Failed", reason) for second in (1.0, 6.0, 9.0)]
    points = CHART.points(hand_made(log_record=log))

    assert points is not None
    assert points["jobs"][0]["counts"] == {"trigger: came too early": 3}


def test_each_refused_trigger_is_drawn_at_its_time() -> None:
    reason = "Checkpoint triggering task enrich (1/2) is not being executed at the moment. Aborting checkpoint."
    log = [record(second, "jm.ckpt.preflight_failed", "Failed", reason) for second in (1.0, 31.0, 61.0, 66.0, 91.0)]
    points = CHART.points(hand_made(log_record=log))

    assert points is not None
    assert [(ts_ms - START) // 1000 for _, ts_ms, *_ in CHART.table(points)[1:]] == [1, 31, 61, 66, 91]
    figure = CHART.figure(points, Theme("light"))
    bars = [sum(trace["y"]) for trace in figure["data"] if trace["type"] == "bar"]
    assert bars == [sum(points["jobs"][0]["counts"].values())] == [5]


def test_one_refused_trigger_comes_with_every_start_and_is_not_drawn() -> None:
    reason = "Checkpoint triggering task enrich (1/2) is not being executed at the moment. Aborting checkpoint."

    assert CHART.points(hand_made(log_record=[record(1.0, "jm.ckpt.preflight_failed", "Failed", reason)])) is None


def test_a_job_whose_checkpoints_complete_has_no_chart() -> None:
    done = {
        "job_id": JOB,
        "checkpoint_id": 1,
        "status": "COMPLETED",
        "trigger_ms": START,
        "latest_ack_ms": START + 100,
        "end_to_end_ms": 100.0,
    }
    assert CHART.points(hand_made(**line_of_jobs(), checkpoint=[done])) is None
