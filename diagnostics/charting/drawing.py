"""A figure as SVG, for files that open without a chart library: the part of Plotly's schema that our charts use."""

from __future__ import annotations

import html
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from diagnostics.charting.drawn_axis import DrawnAxis, drawn_axis
from diagnostics.charting.drawn_text import LETTER, drawn_text
from diagnostics.charting.drawn_traces import DRAWN, Ends, bar_ends, drawn_traces, key_of_trace

WIDTH = 820.0
ROW, KEY = 18, 22
"""Pixels of a row of the legend, and of a key with its distance to the name."""
Axes = Mapping[str, DrawnAxis]


@dataclass(frozen=True, slots=True)
class _Frame:
    """Pixels of a drawing: its width, and the left and upper edge and the height of its panels."""

    width: float
    left: float
    top: float
    inner: float


def drawing_of(figure: Mapping[str, Any], title: str) -> str | None:
    """The SVG of a figure; its text is escaped. None for a trace of a kind that is not drawn here, such as an icicle.

    title  read to people who cannot see it
    """
    traces, layout = figure["data"], figure["layout"]
    if any(trace["type"] not in DRAWN for trace in traces):
        return None
    frame = _frame(layout)
    names = _legend_rows(traces, frame)
    bottom = 44 if any(axis.get("visible", True) for name, axis in layout.items() if name.startswith("xaxis")) else 4
    height = frame.top + frame.inner + bottom + ROW * len(names)
    ends = bar_ends(traces, layout.get("barmode", "stack"))
    axes = _axes(traces, layout, ends, frame)
    font = layout["font"]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {frame.width:.0f} {height:.0f}" role="img" '
        f'aria-label="{html.escape(title)}" font-family="{html.escape(font["family"])}" font-size="11" '
        f'fill="{font["color"]}">',
        *_grids(axes),
        *(_shape(each, axes) for each in layout.get("shapes", ()) if each.get("layer") == "below"),
        *drawn_traces(traces, axes, ends),
        *(_shape(each, axes) for each in layout.get("shapes", ()) if each.get("layer") != "below"),
        *(_annotation(each, axes, frame) for each in layout.get("annotations", ())),
        *_legend(names, frame.left, frame.top + frame.inner + bottom),
        "</svg>",
    ]
    return "".join(parts)


def _frame(layout: Mapping[str, Any]) -> _Frame:
    """Wide enough for the boxes of a graph, and on the left for the names of rows."""
    rows = [name for axis in layout.values() if isinstance(axis, dict) for name in axis.get("categoryarray", ())]
    left = max([layout["margin"]["l"], *(len(str(name)) * 11 * LETTER + 12 for name in rows)])
    margin = layout["margin"]
    width = max(WIDTH, layout.get("meta", {}).get("least_width", 0) + margin["l"] + margin["r"])
    return _Frame(width, left, margin["t"], layout["height"] - margin["t"] - margin["b"])


def _axes(
    traces: Sequence[Mapping[str, Any]], layout: Mapping[str, Any], ends: Ends, frame: _Frame
) -> dict[str, DrawnAxis]:
    """Every axis by its name in traces, `x` or `y2`; axes of dates share their ends."""
    values: dict[str, list[Any]] = defaultdict(list)
    for number, trace in enumerate(traces):
        for letter in ("x", "y"):
            values[trace.get(f"{letter}axis", letter)] += [*trace.get(letter, ()), *ends.get((number, letter), ())]
    dates = [
        value
        for name, axis in layout.items()
        if name.startswith("xaxis") and axis.get("type") == "date"
        for value in values[name.replace("axis", "")]
    ]
    axes = {}
    for name, settings in layout.items():
        if not name.startswith(("xaxis", "yaxis")):
            continue
        key = name.replace("axis", "")
        if key.startswith("x"):
            of = dates if settings.get("type") == "date" else values[key]
            axes[key] = drawn_axis(settings, of, (frame.left, frame.width - layout["margin"]["r"]))
        else:
            low, high = settings.get("domain", (0, 1))
            pixels = (frame.top + frame.inner * (1 - low), frame.top + frame.inner * (1 - high))
            axes[key] = drawn_axis(settings, values[key], pixels)
    return axes


def _grids(axes: Axes) -> Iterator[str]:
    """Lines and labels of every axis."""
    for name, upright in axes.items():
        if not name.startswith("y") or not upright.settings.get("visible", True):
            continue
        across = axes[upright.settings.get("anchor", "x")]
        grid, font = upright.settings.get("gridcolor", "#888"), upright.settings.get("tickfont", {})
        colour = font.get("color", "#888")
        for value, label in upright.ticks():
            y = upright.at(value)
            if upright.settings.get("showgrid", True):
                yield _line((across.start, y), (across.end, y), grid, 1)
            yield drawn_text(label, (across.start - 6, y + 4), "end", 11, colour)
        title = upright.settings.get("title", {}).get("text")
        if title:
            yield drawn_text(title, (across.start - 6, upright.end - 4), "end", 11, colour)
        yield _line((across.start, upright.start), (across.end, upright.start), grid, 1)
        if across.settings.get("showticklabels", True):
            for value, label in across.ticks():
                yield drawn_text(label, (across.at(value), upright.start + 15), "middle", 11, colour)
        if title := across.settings.get("title", {}).get("text"):
            yield drawn_text(title, ((across.start + across.end) / 2, upright.start + 32), "middle", 11, colour)


def _line(one: tuple[float, float], other: tuple[float, float], colour: str, width: float, dash: str = "") -> str:
    dashes = {"dash": ' stroke-dasharray="6 4"', "dot": ' stroke-dasharray="2 3"'}.get(dash, "")
    return (
        f'<path d="M{one[0]:.1f} {one[1]:.1f}L{other[0]:.1f} {other[1]:.1f}" fill="none" '
        f'stroke="{colour}" stroke-width="{width}"{dashes}/>'
    )


def _shape(shape: Mapping[str, Any], axes: Axes) -> str:
    across, upright = _pixels(shape.get("xref", "x"), axes), _pixels(shape.get("yref", "y"), axes)
    line = shape["line"]
    if shape["type"] == "line":
        one, other = (across(shape["x0"]), upright(shape["y0"])), (across(shape["x1"]), upright(shape["y1"]))
        return _line(one, other, line["color"], line["width"], line.get("dash", ""))
    if shape["type"] == "path":
        path = re.sub(
            r"(-?[\d.]+),(-?[\d.]+)",
            lambda spot: f"{across(float(spot[1])):.1f},{upright(float(spot[2])):.1f}",
            shape["path"],
        )
        return f'<path d="{path}" fill="none" stroke="{line["color"]}" stroke-width="{line["width"]}"/>'
    left, right = sorted((across(shape["x0"]), across(shape["x1"])))
    top, bottom = sorted((upright(shape["y0"]), upright(shape["y1"])))
    edge = f' stroke="{line["color"]}" stroke-width="{line["width"]}"' if line.get("width") else ""
    return (
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" height="{bottom - top:.1f}" '
        f'fill="{shape.get("fillcolor", "none")}" fill-opacity="{shape.get("opacity", 1)}"{edge}/>'
    )


def _pixels(reference: str, axes: Axes) -> Any:
    """From a coordinate of a shape to pixels: of an axis, or with ` domain` of its length from 0 to 1."""
    name, _, domain = reference.partition(" ")
    axis = axes[name]
    if domain:
        return lambda share: axis.start + float(share) * (axis.end - axis.start)
    return lambda value: axis.at(axis.number(value) or 0.0)


def _annotation(note: Mapping[str, Any], axes: Axes, frame: _Frame) -> str:
    if note.get("xref") == "paper":
        x = frame.left + note["x"] * (frame.width - frame.left)
        y = frame.top + frame.inner * (1 - note["y"])
    else:
        x = _pixels(note.get("xref", "x"), axes)(note["x"])
        y = _pixels(note.get("yref", "y"), axes)(note["y"])
    x, y = x + note.get("xshift", 0), y - note.get("yshift", 0)
    size = note["font"]["size"]
    y += {"bottom": -3, "top": size}.get(note.get("yanchor", "middle"), size * 0.36)
    anchor = {"left": "start", "right": "end"}.get(note.get("xanchor", "center"), "middle")
    x += {"start": 3, "end": -3}.get(anchor, 0) if "bgcolor" in note else 0
    return drawn_text(note["text"], (x, y), anchor, size, note["font"].get("color"), note.get("bgcolor"))


def _legend_rows(traces: Sequence[Mapping[str, Any]], frame: _Frame) -> list[list[tuple[str, str]]]:
    """Key and name of every entry, in rows that the width holds."""
    entries = [
        (key_of_trace(trace), str(trace["name"]))
        for trace in traces
        if trace.get("showlegend", True) and trace.get("name")
    ]
    rows: list[list[tuple[str, str]]] = []
    used = frame.width
    for entry in dict.fromkeys(entries):
        width = KEY + len(entry[1]) * 11 * LETTER + 16
        if used + width > frame.width - frame.left:
            rows.append([])
            used = 0.0
        rows[-1].append(entry)
        used += width
    return rows


def _legend(rows: Sequence[Sequence[tuple[str, str]]], left: float, top: float) -> Iterator[str]:
    for number, row in enumerate(rows):
        x, y = left, top + ROW * number
        for key, name in row:
            yield f'<g transform="translate({x:.1f} {y:.1f})">{key}</g>'
            yield drawn_text(name, (x + KEY - 4, y + 10), "start", 11, None)
            x += KEY + len(name) * 11 * LETTER + 16
