"""Layout of charts: stacked panels, a shared time axis, thresholds as labelled lines.

A figure is plain JSON values of Plotly's schema, so drawing stored points needs neither Spark nor Plotly in Python.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from diagnostics.charting.chart import Axis, Points, Theme
from diagnostics.charting.theme import Palette, palette
from diagnostics.language import say

Trace = Mapping[str, Any]

TOP, BOTTOM, LEGEND_ROW, TITLE_ROW, TICK_ROW, LEFT, RIGHT = 8, 58, 26, 30, 20, 58, 14
"""Pixels around the panels. Our choice, for a font size of 12."""

MARK_ROW = 14
"""Pixels between a time axis and its labels, for the signs of findings (static/css/charts.css), which would hide what
is drawn above the axis; a legend is moved down by as many, since labels with the date have two rows. Our choice."""

UNMEASURED_LABELS = {"ticklabeloverflow": "allow"}
"""Otherwise Plotly measures each tick label in the browser, a layout of the page per drawing, to hide those outside of
the picture, which has room for them.
"""


@dataclass(frozen=True, slots=True)
class Threshold:
    """A line across the panel, in the panel's own unit: a bound, or with `is_alarm` false a value for comparison.

    The area beyond a bound is shaded. A bound is labelled on the left, because values tend to cross it late.
    """

    value: float
    name: str
    is_alarm: bool = True


@dataclass(frozen=True, slots=True)
class Panel:
    """One plot of a figure.

    title       above it on the left; shortened when it does not fit
    unit        unit of the y axis
    height      of the plot area, pixels
    traces      Plotly traces without their axes
    thresholds  labelled lines
    y, x        further entries of the axes, in Plotly's words
    """

    title: str
    unit: str
    traces: Sequence[Trace]
    height: int = 190
    thresholds: Sequence[Threshold] = ()
    y: Mapping[str, Any] = field(default_factory=dict)
    x: Mapping[str, Any] = field(default_factory=dict)


def job_title(job: Mapping[str, Any], points: Points) -> str:
    """The end of a panel's title that names its job; empty when the points have only one job."""
    return f" · {job['name'] or job['job_id']}" if len(points["jobs"]) > 1 else ""


def single_line(course: Sequence[Sequence[float | None]], name: str, colour: str, hover: str) -> Trace:
    """A line over time that the title of its panel names, so that the legend has no entry for it.

    course  [epoch ms, value] in the order of time; the line has a gap where the value is None
    """
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "showlegend": False,
        "x": [ts_ms for ts_ms, _ in course],
        "y": [value for _, value in course],
        "line": {"color": colour, "width": 1.5},
        "hovertemplate": f"{hover}<br>%{{x}}<extra></extra>",
    }


def with_gaps(course: Sequence[Sequence[float]], most_ms: int) -> list[tuple[float, float | None]]:
    """A course over time, without a value between two samples that are further apart: no line joins these two.

    course   [epoch ms, value] in the order of time
    most_ms  longest time between two samples that a line joins
    """
    drawn: list[tuple[float, float | None]] = []
    for ts_ms, value in course:
        if drawn and ts_ms - drawn[-1][0] > most_ms:
            drawn.append((drawn[-1][0] + 1, None))
        drawn.append((ts_ms, value))
    return drawn


def count_axis(highest: int) -> Mapping[str, Any]:
    """A y axis for counts: its labels are whole numbers."""
    return {"dtick": max(1, -(-highest // 4)), "nticks": None, "tickmode": "linear"}


def row_axis(names: Sequence[str]) -> Mapping[str, Any]:
    """A y axis with a row per name, the first on top, that labels every row."""
    return {
        "type": "category",
        "categoryorder": "array",
        "categoryarray": names[::-1],
        "automargin": True,
        "nticks": None,
        "tickmode": "linear",
        "rangemode": "normal",
        "ticks": "outside",
        "ticklen": 4,
        "tickcolor": "rgba(0,0,0,0)",  # names keep a distance from the bars
    }


def stacked(
    panels: Sequence[Panel], theme: Theme, *, axis: Axis, x_title: str | None = None, barmode: str = "stack"
) -> dict[str, Any]:
    """The figure of some panels, the first on top. With the axis `time` they share the x axis.

    x_title  title of the last x axis; None is the time
    """
    colours = palette(theme)
    x_title = say("Time (UTC)") if x_title is None else x_title
    legend_rows = 1 if any(trace.get("showlegend", True) for panel in panels for trace in panel.traces) else 0
    between = TITLE_ROW + (TICK_ROW if axis == "own" else 0)
    inner = sum(panel.height for panel in panels) + TITLE_ROW + between * (len(panels) - 1)
    below = BOTTOM + (MARK_ROW if axis == "time" and legend_rows else 0)
    bottom = below + legend_rows * LEGEND_ROW
    layout: dict[str, Any] = {
        "height": TOP + inner + bottom,
        "margin": {"l": LEFT, "r": RIGHT, "t": TOP, "b": bottom},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"family": "system-ui, sans-serif", "size": 12, "color": colours.text},
        "hoverlabel": {"align": "left", "namelength": -1},
        "legend": {
            "orientation": "h",
            "x": 0,
            "xanchor": "left",
            "y": -(below - 4) / max(inner, 1),
            "yanchor": "top",
            "font": {"size": 11},
        },
        "bargap": 0.05,
        "barmode": barmode,
        "shapes": [],
        "annotations": [],
    }
    data: list[dict[str, Any]] = []
    top = 0
    for index, panel in enumerate(panels):
        suffix = "" if index == 0 else str(index + 1)
        top += between if index else TITLE_ROW
        domain = [1 - (top + panel.height) / inner, 1 - top / inner]
        top += panel.height
        data += [{**trace, "xaxis": f"x{suffix}", "yaxis": f"y{suffix}"} for trace in panel.traces]
        last = index == len(panels) - 1
        layout[f"xaxis{suffix}"] = _x_axis(panel, colours, axis, suffix, x_title if last else "")
        if axis == "time" and not last:
            layout[f"xaxis{suffix}"]["showticklabels"] = False
        elif axis == "time":
            layout[f"xaxis{suffix}"] |= {"ticks": "outside", "ticklen": MARK_ROW, "tickcolor": "rgba(0,0,0,0)"}
        layout[f"yaxis{suffix}"] = _y_axis(panel, colours, suffix, domain)
        layout["annotations"].append(_title(panel, domain))
        for threshold in panel.thresholds:
            layout["shapes"] += _beyond(threshold, panel, colours, suffix)
            layout["shapes"].append(_line(threshold, colours, suffix))
            layout["annotations"].append(_line_name(threshold, colours, suffix))
    return {"data": data, "layout": layout}


def _x_axis(panel: Panel, colours: Palette, axis: Axis, suffix: str, title: str) -> dict[str, Any]:
    shared = {"type": "date", **({"matches": "x"} if suffix else {})} if axis == "time" else {}
    return {
        **shared,
        "anchor": f"y{suffix}",
        "title": {"text": title, "font": {"size": 11, "color": colours.muted}, "standoff": 6},
        "gridcolor": colours.grid,
        "linecolor": colours.grid,
        "zeroline": False,
        "ticks": "",
        "tickfont": {"size": 11, "color": colours.muted},
        **UNMEASURED_LABELS,
        **panel.x,
    }


def _y_axis(panel: Panel, colours: Palette, suffix: str, domain: list[float]) -> dict[str, Any]:
    return {
        "domain": domain,
        "anchor": f"x{suffix}",
        "title": {"text": panel.unit, "font": {"size": 11, "color": colours.muted}, "standoff": 6},
        "gridcolor": colours.grid,
        "zerolinecolor": colours.grid,
        "tickfont": {"size": 11, "color": colours.muted},
        "rangemode": "tozero",
        "nticks": 5,
        "ticks": "",
        "fixedrange": True,
        **UNMEASURED_LABELS,
        **panel.y,
    }


def _title(panel: Panel, domain: list[float]) -> dict[str, Any]:
    return {
        "text": escaped(panel.title),
        "xref": "paper",
        "yref": "paper",
        "x": 0,
        "y": domain[1],
        "xanchor": "left",
        "yanchor": "bottom",
        "yshift": 5,
        "showarrow": False,
        "font": {"size": 12},
        "align": "left",
    }


def _line(threshold: Threshold, colours: Palette, suffix: str) -> dict[str, Any]:
    return {
        "type": "line",
        "xref": f"x{suffix} domain",
        "yref": f"y{suffix}",
        "x0": 0,
        "x1": 1,
        "y0": threshold.value,
        "y1": threshold.value,
        "line": {"color": _tone(threshold, colours), "width": 1.5, "dash": "dash"},
    }


def _beyond(threshold: Threshold, panel: Panel, colours: Palette, suffix: str) -> list[dict[str, Any]]:
    """The shaded area beyond a bound, in a panel with a fixed axis range."""
    if not threshold.is_alarm or "range" not in panel.y or panel.y["range"][1] <= threshold.value:
        return []
    return [
        {
            "type": "rect",
            "layer": "below",
            "xref": f"x{suffix} domain",
            "yref": f"y{suffix}",
            "x0": 0,
            "x1": 1,
            "y0": threshold.value,
            "y1": panel.y["range"][1],
            "fillcolor": colours.alarm,
            "opacity": 0.08,
            "line": {"width": 0},
        }
    ]


def _line_name(threshold: Threshold, colours: Palette, suffix: str) -> dict[str, Any]:
    return {
        "text": escaped(threshold.name),
        "xref": f"x{suffix} domain",
        "yref": f"y{suffix}",
        "x": 0 if threshold.is_alarm else 1,
        "y": threshold.value,
        "xanchor": "left" if threshold.is_alarm else "right",
        "yanchor": "bottom",
        "showarrow": False,
        "font": {"size": 11, "color": _tone(threshold, colours)},
        "bgcolor": colours.surface,
        "borderpad": 1,
    }


def _tone(threshold: Threshold, colours: Palette) -> str:
    return colours.alarm if threshold.is_alarm else colours.text


def escaped(text: str) -> str:
    """Text from files, escaped for Plotly, which interprets a few HTML tags and, in tooltips, `%{name}`."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("%{", "% {")


def shortened(text: str, most: int = 64) -> str:
    """A name cut in the middle, so that both ends of an operator chain stay readable."""
    if len(text) <= most:
        return text
    tail = most // 2 - 1
    return f"{text[: most - tail - 1]}…{text[-tail:]}"


DURATION_UNITS = ((86_400_000.0, "d"), (3_600_000.0, "h"), (60_000.0, "min"), (1000.0, "s"))
MEMORY_UNITS = ((1024.0**3, "GiB"), (1024.0**2, "MiB"), (1024.0, "KiB"))
SIZE_UNITS = ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"))


def axis_unit(largest: float, units: Sequence[tuple[float, str]], smallest: str) -> tuple[float, str]:
    """The divisor and name of the largest unit in which the largest value is at least 2."""
    return next(((size, name) for size, name in units if abs(largest) >= 2 * size), (1.0, smallest))
