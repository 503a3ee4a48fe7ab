"""The matrix of input and output pools: each combination has its cell and meaning."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.charting.chart import Theme
from diagnostics.charts.pool_matrix import CELLS, CHART, cell_of
from tests.diagnostics.hand_made import JOB, MIDDLE, SINK, SOURCE, START, hand_made, line_of_jobs


@pytest.mark.parametrize(
    ("in_use", "out_use", "upstream_out", "cell"),
    [
        (0.1, 0.2, 0.1, "free"),
        (None, 0.2, None, "free"),
        (0.1, 1.0, 0.1, "held"),
        (None, 1.12, None, "held"),
        (1.0, 0.1, 1.0, "origin"),
        (1.0, None, 0.8, "origin"),
        (1.0, 0.1, 0.3, "near"),
        (1.0, None, None, "near"),
        (0.8, 0.8, 1.0, "passes"),
        (1.0, 1.0, 0.0, "passes"),
    ],
)
def test_every_combination_of_pools_has_its_cell(
    in_use: float | None, out_use: float | None, upstream_out: float | None, cell: str
) -> None:
    assert cell_of(in_use, out_use, upstream_out) == cell
    assert CELLS[cell]


def test_the_time_that_others_wait_decides_only_where_no_pool_does() -> None:
    assert cell_of(1.0, 0.1, 0.3, is_awaited=True) == "awaited"
    assert cell_of(1.0, 0.1, 1.0, is_awaited=True) == "origin"
    assert cell_of(1.0, 1.0, 1.0, is_awaited=True) == "passes"
    assert cell_of(0.1, 0.1, 0.3, is_awaited=True) == "free"


def test_a_task_that_is_held_back_or_has_time_left_is_not_near_its_limit() -> None:
    assert cell_of(1.0, 0.1, 0.3, held=1.0, busy=0.04) == "pressed"
    assert cell_of(1.0, 0.1, 0.3, held=0.0, busy=0.3) == "unused"
    assert cell_of(1.0, 0.1, 0.3, held=0.1, busy=0.9) == "near"
    assert cell_of(1.0, 0.1, 1.0, held=0.0, busy=0.3) == "origin"


def pool(vertex: str, name: str, value: float) -> dict[str, Any]:
    return {
        "ts_ms": START,
        "metric": f"buffers.{name}PoolUsage",
        "scope": "task",
        "job_id": JOB,
        "vertex_id": vertex,
        "vertex": {SOURCE: "Source: orders", MIDDLE: "enrich", SINK: "Sink: documents"}[vertex],
        "subtask": 0,
        "value": value,
    }


def test_the_cells_of_the_case_are_highlighted_by_its_measured_values() -> None:
    samples = [
        pool(SOURCE, "in", 0.0),
        pool(SOURCE, "out", 1.0),
        pool(MIDDLE, "in", 1.0),
        pool(MIDDLE, "out", 1.0),
        pool(SINK, "in", 1.0),
        pool(SINK, "out", 0.0),
    ]
    points = CHART.points(hand_made(**line_of_jobs(), metric_sample=samples))

    assert points is not None
    assert {task["name"]: task["cell"] for task in points["jobs"][0]["tasks"]} == {
        "Source: orders": "held",
        "enrich": "passes",
        "Sink: documents": "origin",
    }
    shaded = [each for each in CHART.figure(points, Theme("light"))["layout"]["shapes"] if each["type"] == "rect"]
    assert len(shaded) == 3
    meaning = "input full, output has room, and a task above has a full output, so back pressure begins here."
    assert f"Sink: documents: {meaning}" in CHART.summary(points)


def load(vertex: str, back_pressured: float, busy: float) -> list[dict[str, Any]]:
    about = {"ts_ms": START, "job_id": JOB, "vertex_id": vertex}
    ratios = {"back_pressured_ratio": back_pressured, "busy_ratio": busy}
    return [{**about, **ratios, "subtask": subtask} for subtask in (0, 1)]


def test_a_task_that_others_wait_for_is_the_origin_although_their_pools_have_room() -> None:
    samples = [pool(SOURCE, "out", 0.5), pool(MIDDLE, "in", 0.4), pool(MIDDLE, "out", 0.5), pool(SINK, "in", 1.0)]
    waiting = [*load(SOURCE, 1.0, 0.0), *load(MIDDLE, 0.99, 0.01), *load(SINK, 0.0, 1.0)]
    quiet = [*load(SOURCE, 0.02, 0.1), *load(MIDDLE, 0.0, 0.1), *load(SINK, 0.0, 0.9)]

    told = {
        name: CHART.summary(CHART.points(hand_made(**line_of_jobs(), metric_sample=samples, back_pressure=rows)) or {})
        for name, rows in (("waiting", waiting), ("quiet", quiet))
    }

    assert "Sink: documents: input full, output has room, and the tasks above" in told["waiting"]
    assert "so back pressure begins here" in told["waiting"]
    assert "near its limit" not in told["waiting"]
    assert "near its limit" in told["quiet"]


def test_pools_with_room_have_no_matrix() -> None:
    samples = [pool(MIDDLE, "in", 0.3), pool(MIDDLE, "out", 0.2)]

    assert CHART.points(hand_made(**line_of_jobs(), metric_sample=samples)) is None


def test_pools_with_room_are_a_reason_and_not_a_request_for_more_evidence() -> None:
    read = [{"key": "buffer_pools", "facts": {"in_ratio": 0.1, "out_ratio": 0.25}}]
    assert CHART.why_empty(read) == "No buffer pool is usually full (at most 25 % in use)."
    assert CHART.why_empty([{"key": "buffer_pools", "needs": "vertex-metrics"}]) == CHART.read_missing
