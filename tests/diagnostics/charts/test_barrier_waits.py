"""Back pressure against the wait of barriers: one dot for each checkpoint, the correlation and the lag."""

from __future__ import annotations

from typing import Any

from diagnostics.charting.chart import Theme
from diagnostics.charts.barrier_waits import CHART
from tests.diagnostics.hand_made import JOB, MIDDLE, SINK, SOURCE, START, hand_made, line_of_jobs

MINUTE = 60_000
SHARES = (0.05, 0.9, 0.2, 0.7, 0.4, 0.95, 0.1, 0.6, 0.3, 0.8)
"""Back-pressured share of the source in each minute; barriers wait ten seconds for each tenth of it."""


def held(vertex: str, ts_ms: int, ratio: float) -> dict[str, Any]:
    return {"ts_ms": ts_ms, "job_id": JOB, "vertex_id": vertex, "subtask": 0, "back_pressured_ratio": ratio}


def part(number: int, vertex: str, trigger_ms: int, start_delay_ms: float) -> dict[str, Any]:
    return {
        "job_id": JOB,
        "checkpoint_id": number,
        "vertex_id": vertex,
        "subtask": 0,
        "ack_ms": round(trigger_ms + start_delay_ms + 100),
        "end_to_end_ms": start_delay_ms + 100.0,
        "start_delay_ms": start_delay_ms,
        "alignment_ms": 5.0,
    }


def evidence(later_ms: int = 0, shares: tuple[float, ...] = SHARES) -> Any:
    """A checkpoint each minute; around it, or `later_ms` later, the source is held back as SHARES says, else not."""
    loads, parts = [], []
    for place, share in enumerate(shares):
        trigger = START + place * MINUTE
        for step in range(-30_000, 30_000, 10_000):
            near = -10_000 <= step - later_ms <= 10_000
            loads.append(held(SOURCE, trigger + step, share if near else 0.2 + place % 3 / 50))
        parts += [part(place + 1, SOURCE, trigger, 0.0), part(place + 1, MIDDLE, trigger, share * 10_000)]
    return hand_made(**line_of_jobs(), back_pressure=loads, subtask_checkpoint=parts)


def test_barriers_that_wait_with_the_back_pressure_upstream_correlate_with_it() -> None:
    points = CHART.points(evidence())

    assert points is not None
    (job,) = points["jobs"]
    assert [(row[0], row[1], row[4], row[5]) for row in job["checkpoints"]][:2] == [
        (0.05, 500.0, 1, "enrich"),
        (0.9, 9000.0, 2, "enrich"),
    ]
    summary = CHART.summary(points)
    assert "Over 10 checkpoints barriers wait longer when the tasks upstream are back-pressured" in summary
    assert "r = 1.00 for the start delay" in summary
    assert "(no lag)" in summary
    assert "r = 1.00 (10 checkpoints)" in CHART.figure(points, Theme("light"))["layout"]["annotations"][0]["text"]


def test_back_pressure_that_comes_earlier_is_a_lag() -> None:
    points = CHART.points(evidence(later_ms=-20_000))

    assert points is not None
    assert points["jobs"][0]["lag_ms"] == 10_000
    assert "The start delay agrees best with the back pressure 10 s earlier (r = 1.00)." in CHART.summary(points)


def test_few_checkpoints_are_shown_without_a_correlation() -> None:
    points = CHART.points(evidence(shares=SHARES[:4]))

    assert points is not None
    assert CHART.summary(points) == (
        "4 checkpoints are shown; a correlation needs 8 checkpoints whose back pressure and waits vary."
    )


def test_waits_that_do_not_follow_back_pressure_are_not_said_to() -> None:
    parts = [part(n + 1, SINK, START + n * MINUTE, 100.0 + 37 * (n * n % 7)) for n in range(9)]
    loads = [held(MIDDLE, START + n * MINUTE, 0.2 + 0.1 * (n % 3)) for n in range(9)]
    points = CHART.points(hand_made(**line_of_jobs(), back_pressure=loads, subtask_checkpoint=parts))

    assert points is not None
    assert CHART.summary(points) == (
        "In these 9 checkpoints the wait of barriers does not depend clearly on the back pressure upstream."
    )
    assert "r =" not in CHART.figure(points, Theme("light"))["layout"]["annotations"][0]["text"]


def test_one_long_wait_under_back_pressure_is_no_correlation() -> None:
    """A single barrier waits, while the source is held back once: r is 1, and nothing is left without it."""
    parts = [part(n + 1, SINK, START + n * MINUTE, 20_000.0 if n == 8 else 10.0 + n % 3) for n in range(11)]
    loads = [held(MIDDLE, START + n * MINUTE, 1.0 if n == 8 else 0.01 * (n % 2)) for n in range(11)]
    points = CHART.points(hand_made(**line_of_jobs(), back_pressure=loads, subtask_checkpoint=parts))

    assert points is not None
    assert "does not depend clearly" in CHART.summary(points)


def test_a_job_without_back_pressure_has_no_correlation() -> None:
    points = CHART.points(evidence(shares=(0.0,) * 9))

    assert points is not None
    assert CHART.summary(points) == "No task upstream of a barrier was back-pressured in these 9 checkpoints."


def test_gauges_show_a_checkpoint_where_their_value_changes() -> None:
    """Start delays of 1 s, 2 s and so on, each sampled twice: the first value is of an unknown checkpoint."""
    samples = [
        {
            "ts_ms": START + place * 30_000 + again * 10_000,
            "metric": "checkpointStartDelayNanos",
            "scope": "task",
            "job_id": JOB,
            "vertex_id": MIDDLE,
            "vertex": "enrich",
            "subtask": 0,
            "value": (place + 1) * 1e9,
        }
        for place in range(5)
        for again in range(2)
    ]
    loads = [held(SOURCE, START + place * 10_000, 0.5) for place in range(20)]
    points = CHART.points(hand_made(**line_of_jobs(), back_pressure=loads, metric_sample=samples))

    assert points is not None
    assert [(row[1], row[4]) for row in points["jobs"][0]["checkpoints"]] == [
        (2000.0, None),
        (3000.0, None),
        (4000.0, None),
        (5000.0, None),
    ]


def test_there_is_no_chart_without_back_pressure_samples() -> None:
    assert CHART.points(hand_made(**line_of_jobs(), subtask_checkpoint=[part(1, MIDDLE, START, 10.0)])) is None
