"""Durations of a benchmark as bars: each query or test with its measures, such as before and after, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, Any

from diagnostics.aggregators import benchmark_results
from diagnostics.arithmetic.named_rows import named_rows
from diagnostics.charting.chart import Chart, Points, Theme
from diagnostics.charting.panel import DURATION_UNITS, Panel, axis_unit, escaped, shortened, stacked
from diagnostics.charting.theme import palette
from diagnostics.language import joined_sentences, say, say_counted, to_say
from diagnostics.wording.phrase import duration, percent

if TYPE_CHECKING:
    from diagnostics.evidence import Evidence

MOST_BENCHMARKS = 120
"""Benchmarks in the points, the first of the file. Our choice: the 99 queries of TPC-DS."""
MOST_MEASURES = 6
"""Our choice: more colours are hard to distinguish."""
MOST_RUNS = 50
"""Runs of one benchmark that are kept. Our choice: enough for a median with its noise."""
MOST_DRAWN = 40
"""Benchmarks that are drawn, the longest. Our choice: one screen."""
NAME_LENGTH = 24


def points(evidence: Evidence) -> Points | None:
    """The durations of each benchmark by measure.

    Reads   benchmark_result.
    Gives   {measures: [...], counted, benchmarks: [{name, runs: {measure: [ms]}}]}, in the order of the files.
    Empty   None without a benchmark.
    """
    runs: dict[str, dict[str, list[float]]] = {}
    measures: dict[str, None] = {}
    for row in named_rows(evidence.answer(benchmark_results.AGGREGATOR)):
        measures.setdefault(row.measure)
        runs.setdefault(row.benchmark, {}).setdefault(row.measure, []).append(row.duration_ms)
    if not runs:
        return None
    kept = list(measures)[:MOST_MEASURES]
    listed = [
        {"name": name, "runs": {measure: own[measure][:MOST_RUNS] for measure in kept if measure in own}}
        for name, own in list(runs.items())[:MOST_BENCHMARKS]
    ]
    return {"measures": kept, "counted": len(runs), "benchmarks": listed}


def figure(points: Points, theme: Theme) -> Mapping[str, Any]:
    """A group of bars for each benchmark, a colour for each measure."""
    colours = palette(theme)
    longest = sorted(points["benchmarks"], key=lambda each: -_longest(each))[:MOST_DRAWN]
    shown = [each for each in points["benchmarks"] if each in longest]
    divisor, unit = axis_unit(max(map(_longest, shown)), DURATION_UNITS, "ms")
    traces = [
        {
            "type": "bar",
            "name": escaped(shortened(measure, NAME_LENGTH)),
            "x": [escaped(shortened(each["name"], NAME_LENGTH)) for each in shown if measure in each["runs"]],
            "y": [median(each["runs"][measure]) / divisor for each in shown if measure in each["runs"]],
            "marker": {"color": colours.series[place % len(colours.series)]},
            "text": [_bar_text(each["runs"][measure]) for each in shown if measure in each["runs"]],
            "textposition": "none",
            "hovertemplate": "%{x}<br>%{text}<extra></extra>",
        }
        for place, measure in enumerate(points["measures"])
    ]
    left_out = points["counted"] - len(shown)
    title = say("Median duration") + (
        say(" · {left_out} shorter ones not drawn", left_out=left_out) if left_out else ""
    )
    axis = {"type": "category", "range": [-0.5, len(shown) - 0.5]}
    panel = Panel(title=title, unit=unit, traces=traces, x=axis, y={"rangemode": "tozero"})
    drawn = stacked([panel], theme, axis="own", x_title=say("Benchmark"), barmode="group")
    drawn["layout"]["legend"]["traceorder"] = "normal"
    return drawn


def _longest(benchmark: Mapping[str, Any]) -> float:
    return max(median(runs) for runs in benchmark["runs"].values()) if benchmark["runs"] else 0.0


def _bar_text(runs: list[float]) -> str:
    return duration(median(runs)) + (say(", median of {runs} runs", runs=len(runs)) if len(runs) > 1 else "")


def summary(points: Points) -> str:
    """The sum of each measure, and how it differs from the one before."""
    complete = [each for each in points["benchmarks"] if len(each["runs"]) == len(points["measures"])]
    count = points["counted"]
    text = say_counted("{count} benchmark.", "{count} benchmarks.", count)
    if not complete:
        return text
    sums = {name: sum(median(each["runs"][name]) for each in complete) for name in points["measures"]}
    totals = say(", ").join(f"{name} {duration(value)}" for name, value in sums.items())
    text = joined_sentences((text, say("In total: {totals}.", totals=totals)))
    for first, later in pairwise(sums):
        if sums[first] > 0:
            change = (sums[later] - sums[first]) / sums[first]
            compared = (
                to_say("{later} is {change} longer than {first}.")
                if change > 0
                else to_say("{later} is {change} shorter than {first}.")
            )
            text = joined_sentences((text, say(compared, later=later, change=percent(abs(change)), first=first)))
    return text


def table(points: Points) -> list[list[Any]]:
    """One row for each benchmark and measure."""
    rows: list[list[Any]] = [
        [say("Benchmark"), say("Measure"), say("Runs"), say("Median (ms)"), say("Shortest (ms)"), say("Longest (ms)")]
    ]
    for each in points["benchmarks"]:
        rows += [
            [each["name"], measure, len(runs), median(runs), min(runs), max(runs)]
            for measure, runs in each["runs"].items()
        ]
    return rows


CHART = Chart(
    id="benchmark-durations",
    title=to_say("Durations of a benchmark"),
    order=95,
    axis="own",
    missing=to_say("A CSV file with a column `query` and a column `duration_s` would fill this chart."),
    panels=(),  # results of a benchmark are no metric
    points=points,
    figure=figure,
    summary=summary,
    table=table,
)
