"""Lag of the input events as a heat map over time: one row per class of lag, so that no mean hides outliers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from diagnostics.aggregators import event_span, lags_over_time
from diagnostics.arithmetic.lag_class import BOUNDS_MS
from diagnostics.arithmetic.time_slot import slot_ms
from diagnostics.charting.chart import Chart, Points, Theme
from diagnostics.charting.panel import Panel, stacked
from diagnostics.charting.theme import palette
from diagnostics.language import joined_sentences, say, to_say
from diagnostics.wording.phrase import duration, percent

if TYPE_CHECKING:
    from diagnostics.evidence import Evidence

MOST_SLOTS = 90
LEAST_SLOT_MS = 1_000


def points(evidence: Evidence) -> Points | None:
    """Number of events per lag class and time slot.

    Reads   event: those with both times. Lag is arrival minus event time; negative when a device's clock is ahead.
    Gives   {from_ms, to_ms, slot_ms, slots, first_class, counts: [[events by slot] by class], events}; the classes from
            the lowest to the highest that has events, class 0 below BOUNDS_MS[0].
    Empty   None without an event that has both times.
    """
    import numpy as np

    span = evidence.answer(event_span.AGGREGATOR)
    if span.from_ms is None or span.to_ms is None:
        return None
    width = slot_ms(span.from_ms, span.to_ms, MOST_SLOTS, LEAST_SLOT_MS)
    cells = evidence.answer(lags_over_time.AGGREGATOR)
    slots = np.maximum(cells["arrival_ms"].to_numpy() - span.from_ms, 0) // width
    classes = cells["class"].to_numpy()
    first, last = int(classes.min()), int(classes.max())
    counts = np.zeros((last - first + 1, int(slots.max()) + 1), np.int64)
    np.add.at(counts, (classes - first, slots), cells["events"].to_numpy())
    return {
        "from_ms": span.from_ms,
        "to_ms": span.to_ms,
        "slot_ms": width,
        "slots": counts.shape[1],
        "first_class": first,
        "counts": counts.tolist(),
        "events": span.timed,
    }


def figure(points: Points, theme: Theme) -> Mapping[str, Any]:
    """A heat map whose colour is the share of the slot's events; slots without events have no colour."""
    colours = palette(theme)
    width, counts = points["slot_ms"], points["counts"]
    sums = [sum(column) for column in zip(*counts, strict=True)]
    shares = [[count / whole if count else None for count, whole in zip(row, sums, strict=True)] for row in counts]
    names = _classes(points)
    shades = list(colours.load.values())
    heat_map = {
        "type": "heatmap",
        "x": [points["from_ms"] + slot * width + width / 2 for slot in range(points["slots"])],
        "y": names,
        "z": shares,
        "text": [
            [
                say("{count:,} of {whole:,} events", count=count, whole=whole)
                for count, whole in zip(row, sums, strict=True)
            ]
            for row in counts
        ],
        "hovertemplate": "<b>%{y}</b><br>%{x}<br>%{text}<extra></extra>",
        "zmin": 0,
        "zmax": max(share for row in shares for share in row if share is not None),
        # A single event among thousands must be visible: the lightest shade differs clearly from the page.
        "colorscale": [[0, shades[1]], [1, shades[2]]],
        "showscale": False,
        "showlegend": False,
        "xgap": 1,
        "ygap": 1,
        "hoverongaps": False,
    }
    panel = Panel(
        title=say("Share of the arrivals, each {width}", width=duration(width)),
        unit="",
        height=max(17 * len(names), 34),
        traces=[heat_map],
        y={
            "type": "category",
            "categoryorder": "array",
            "categoryarray": names,
            "showgrid": False,
            "tickmode": "linear",
            "rangemode": "normal",
            "automargin": True,
        },
        x={"showgrid": False},
    )
    return stacked([panel], theme, axis="time", x_title=say("Arrival (UTC)"))


def _classes(points: Points) -> list[str]:
    """Names of the rows, lowest lag first."""
    highest = points["first_class"] + len(points["counts"])
    return [_class_name(place) for place in range(points["first_class"], highest)]


def _class_name(place: int) -> str:
    if place == 0:
        return say("over {bounds} ahead", bounds=duration(-BOUNDS_MS[0]))
    if place == len(BOUNDS_MS):
        return say("over {bounds}", bounds=duration(BOUNDS_MS[-1]))
    low, high = list(pairwise(BOUNDS_MS))[place - 1]
    if low < 0:
        return (
            say("{high} to {low} ahead", high=duration(-high), low=duration(-low))
            if high
            else say("up to {low} ahead", low=duration(-low))
        )
    return (
        say("{low} to {high}", low=duration(low), high=duration(high))
        if low
        else say("under {high}", high=duration(high))
    )


def summary(points: Points) -> str:
    """Lag classes of the median, the 99th percentile and the maximum."""
    names = _classes(points)
    sums = [sum(row) for row in points["counts"]]
    text = say(
        "{events:,} events. Half of them arrive within the class “{median}” or earlier, 99 % within “{p99}”; the "
        "latest "
        "are “{latest}”.",
        events=points["events"],
        median=names[_class_of(sums, 0.5)],
        p99=names[_class_of(sums, 0.99)],
        latest=names[-1],
    )
    ahead = sum(count for place, count in enumerate(sums, points["first_class"]) if place < BOUNDS_MS.index(0) + 1)
    if ahead:
        text = joined_sentences(
            (text, say("{ahead} have a time ahead of their arrival.", ahead=percent(ahead / points["events"])))
        )
    return text


def _class_of(sums: Sequence[int], share: float) -> int:
    wanted, seen = math.ceil(share * sum(sums)), 0
    for place, count in enumerate(sums):
        seen += count
        if seen >= wanted:
            return place
    return len(sums) - 1


def table(points: Points) -> list[list[Any]]:
    """One row per slot and class with events."""
    header = [say("From (UTC, epoch ms)"), say("Lag"), say("Events")]
    rows = [
        [points["from_ms"] + slot * points["slot_ms"], name, row[slot]]
        for slot in range(points["slots"])
        for name, row in zip(_classes(points), points["counts"], strict=True)
        if row[slot]
    ]
    return [header, *rows]


CHART = Chart(
    id="event-lag",
    title=to_say("Lag of the events"),
    order=41,
    axis="time",
    missing=to_say(
        "A sample of the input events with event time and arrival time would fill this chart: JSON lines, CSV, "
        "Parquet "
        "or Avro, some thousand events."
    ),
    panels=(),  # single events are no metric
    points=points,
    figure=figure,
    summary=summary,
    table=table,
)
