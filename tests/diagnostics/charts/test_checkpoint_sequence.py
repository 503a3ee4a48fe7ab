"""A failed checkpoint as a sequence of messages between the JobManager and the tasks."""

from __future__ import annotations

from typing import Any

from diagnostics.charting.chart import Theme
from diagnostics.charts.checkpoint_sequence import CHART
from tests.diagnostics.hand_made import JOB, MIDDLE, SOURCE, START, hand_made, line_of_jobs


def expired(number: int = 7) -> dict[str, Any]:
    return {
        "job_id": JOB,
        "checkpoint_id": number,
        "status": "FAILED",
        "trigger_ms": START,
        "failure_ms": START + 30_000,
        "end_to_end_ms": 30_000.0,
        "failure_message": "Checkpoint expired before completing.",
    }


def part(vertex: str, subtask: int, ends_ms: float | None = None, **columns: Any) -> dict[str, Any]:
    ack = {} if ends_ms is None else {"ack_ms": START + round(ends_ms), "end_to_end_ms": ends_ms}
    return {"job_id": JOB, "checkpoint_id": 7, "vertex_id": vertex, "subtask": subtask, **ack, **columns}


def details() -> list[dict[str, Any]]:
    return [
        part(SOURCE, 0, 100.0, start_delay_ms=20.0),
        part(SOURCE, 1, 250.0, start_delay_ms=30.0, alignment_ms=0.0),
        part(MIDDLE, 0, 9_000.0, start_delay_ms=4_000.0, alignment_ms=3_000.0),
        part(MIDDLE, 1),
    ]


def test_the_sequence_of_an_expired_checkpoint_names_the_subtask_that_never_acknowledged() -> None:
    points = CHART.points(hand_made(**line_of_jobs(), checkpoint=[expired()], subtask_checkpoint=details()))

    assert points is not None
    assert [tuple(row[1:5]) for row in CHART.table(points)[1:]] == [
        (30.0, "Source: orders", "Source: orders", "first barrier"),
        (250.0, "Source: orders", "JobManager", "acknowledged"),
        (4000.0, "enrich", "enrich", "first barrier"),
        (7000.0, "enrich", "enrich", "aligned"),
        (9000.0, "enrich", "JobManager", "acknowledged"),
        (30_000.0, "enrich", "enrich", "no acknowledgement"),
        (30_000.0, "JobManager", "JobManager", "expired"),
    ]
    assert CHART.summary(points) == (
        "Checkpoint 7 ended as expired after 30 s: not acknowledged by subtask 1 of enrich."
    )
    figure = CHART.figure(points, Theme("light"))
    assert figure["layout"]["yaxis"]["categoryarray"] == ["enrich", "Source: orders", "JobManager"]
    names = [trace["name"] for trace in figure["data"]]
    assert names == ["Acknowledged", "Triggered", "First barrier", "All barriers", "Never acknowledged", "Expired"]


def test_the_chosen_checkpoint_is_drawn() -> None:
    rows = [expired(7), {**expired(8), "trigger_ms": START + 60_000, "failure_ms": START + 90_000}]
    later = [{**each, "checkpoint_id": 8} for each in details()]
    points = CHART.points(hand_made(**line_of_jobs(), checkpoint=rows, subtask_checkpoint=[*details(), *later]))

    assert points is not None
    assert CHART.summary(points).startswith("Checkpoint 8")
    assert CHART.summary({**points, "chosen": f"{JOB}:7"}).startswith("Checkpoint 7")
    assert [each.key for each in CHART.choices(points)] == [f"{JOB}:7", f"{JOB}:8"]


def test_a_checkpoint_of_which_no_subtask_is_known_has_no_sequence() -> None:
    assert CHART.points(hand_made(**line_of_jobs(), checkpoint=[expired()])) is None


def test_completed_checkpoints_have_no_sequence() -> None:
    done = {**expired(), "status": "COMPLETED", "failure_message": None, "latest_ack_ms": START + 9_000}

    assert CHART.points(hand_made(**line_of_jobs(), checkpoint=[done], subtask_checkpoint=details()[:3])) is None
