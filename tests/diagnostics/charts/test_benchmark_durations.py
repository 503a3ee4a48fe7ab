"""A table of benchmark results is recognised by its content and drawn as bars, before and after side by side."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.charting.chart import Theme
from diagnostics.charts.benchmark_durations import CHART
from diagnostics.formats.benchmark_csv import FORMAT
from diagnostics.proof.benchmarks import benchmark_effects
from diagnostics.proof.words import change_in_words
from tests.diagnostics.formats.reading_aids import head_of
from tests.diagnostics.hand_made import hand_made


def result(benchmark: str, measure: str, duration_ms: float, line: int, place: int = 1) -> dict[str, Any]:
    row = {"benchmark": benchmark, "measure": measure, "place": place, "duration_ms": duration_ms}
    return row | {"line": line, "last_line": line}


def test_two_rows_are_two_bars_s004() -> None:
    rows = [result("before", "duration", 120_000.0, 2), result("after", "duration", 30_000.0, 3)]
    points = CHART.points(hand_made(benchmark_result=rows))
    assert points is not None

    (bars,) = CHART.figure(points, Theme("light"))["data"]

    assert (bars["x"], bars["y"]) == (["before", "after"], [2.0, 0.5])
    assert CHART.table(points)[1:] == [
        ["before", "duration", 1, 120_000.0, 120_000.0, 120_000.0],
        ["after", "duration", 1, 30_000.0, 30_000.0, 30_000.0],
    ]


def test_before_and_after_in_columns_are_two_colours_and_their_difference_is_stated() -> None:
    rows = [
        result(name, measure, value, line, place)
        for line, (name, before, after) in enumerate((("q1", 900.0, 300.0), ("q2", 100.0, 100.0)), 2)
        for place, (measure, value) in enumerate((("before", before), ("after", after)), 1)
    ]
    points = CHART.points(hand_made(benchmark_result=rows))
    assert points is not None

    figure = CHART.figure(points, Theme("dark"))
    assert [bars["name"] for bars in figure["data"]] == ["before", "after"]
    assert figure["layout"]["barmode"] == "group"
    assert (
        CHART.summary(points) == "2 benchmarks. In total: before 1 s, after 400 ms. after is 60 % shorter than before."
    )


def test_without_a_benchmark_there_is_no_chart() -> None:
    assert CHART.points(hand_made()) is None


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("query,duration_s\nq1,1\nq2,2\n", True),
        ("Query Name;Elapsed (ms)\nq1;1\n", True),
        ("device_id,event_time_ms,name\na,1795224420970,b\n", False),
        ("query,duration\nq1,1\n", False),
        ("query,duration_s\nq1,fast\nq2,slow\n", False),
        ("host,busy_s\na,1\n", False),
    ],
)
def test_it_is_recognised_by_a_name_and_a_duration_with_its_unit(text: str, is_one: bool) -> None:
    assert (FORMAT.recognise(head_of(text)) > 0) is is_one


def run_points(*runs: float) -> dict[str, Any]:
    return {"measures": ["duration"], "counted": 1, "benchmarks": [{"name": "q1", "runs": {"duration": list(runs)}}]}


def test_runs_of_two_snapshots_are_compared_with_their_noise() -> None:
    before, after = (
        run_points(*(10_000.0 + 50 * n for n in range(8))),
        run_points(*(2_800.0 + 20 * n for n in range(8))),
    )

    (effect,) = benchmark_effects(before, after)

    assert effect.judgement == "better"
    assert "72 %" in change_in_words(effect)


def test_a_single_run_has_no_known_noise() -> None:
    (effect,) = benchmark_effects(run_points(10_000.0), run_points(2_800.0))
    assert effect.judgement == "cannot tell"
