"""The traces of a figure as SVG: bars, lines, markers and heat maps."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from diagnostics.charting.drawn_axis import DrawnAxis
from diagnostics.charting.drawn_text import LETTER, drawn_text

DRAWN = frozenset({"bar", "heatmap", "scatter"})
Trace = Mapping[str, Any]
Ends = Mapping[tuple[int, str], Sequence[float]]
"""Place of a trace of bars and letter of the axis of their lengths -> where each of them ends."""
BAR = 0.9
"""Part of its place that a bar takes whose width is not stated. Our choice."""
DASHES = {"dash": "6 4", "dot": "2 3", "dashdot": "6 3 2 3", "longdash": "9 4"}


def bar_ends(traces: Sequence[Trace], barmode: str) -> Ends:
    """Where bars end: stacked ones upon those before them on the same axes."""
    heights: dict[tuple[Any, ...], float] = defaultdict(float)
    ends: dict[tuple[int, str], list[float]] = {}
    for number, trace in enumerate(traces):
        if trace["type"] != "bar":
            continue
        along, upon = _letters(trace)
        of_trace = ends.setdefault((number, along), [])
        bases = trace.get("base", [0.0] * len(trace[along]))
        for value, place, base in zip(trace[along], trace[upon], bases, strict=True):
            key = (trace.get("xaxis", "x"), trace.get("yaxis", "y"), place)
            begin = heights[key] if barmode == "stack" and "base" not in trace else base
            heights[key] = begin + (value or 0.0)
            of_trace.append(heights[key])
    return ends


def _letters(trace: Trace) -> tuple[str, str]:
    """The letters of the axis of the lengths of bars, and of that on which they stand."""
    return ("x", "y") if trace.get("orientation") == "h" else ("y", "x")


def drawn_traces(traces: Sequence[Trace], axes: Mapping[str, DrawnAxis], ends: Ends) -> Iterator[str]:
    """Every trace, those behind first."""
    bars = [number for number, trace in enumerate(traces) if trace["type"] == "bar"]
    for number, trace in enumerate(traces):
        across, upright = axes[trace.get("xaxis", "x")], axes[trace.get("yaxis", "y")]
        if trace["type"] == "heatmap":
            yield from _cells(trace, across, upright)
        elif trace["type"] == "bar":
            beside = [other for other in bars if traces[other].get("yaxis") == trace.get("yaxis")]
            yield from _bars(trace, ends[number, _letters(trace)[0]], (across, upright), _slot(traces, number, beside))
        else:
            yield from _line(trace, across, upright)
            yield from _markers(trace, across, upright)


def _slot(traces: Sequence[Trace], number: int, beside: Sequence[int]) -> tuple[int, int]:
    """Which of how many bars side by side a trace is: all one where another trace stands upon the same places."""
    stated = any("width" in traces[other] or traces[other].get("orientation") == "h" for other in beside)
    return (0, 1) if stated else (list(beside).index(number), len(beside))


def _bars(
    trace: Trace, ends: Sequence[float], axes: tuple[DrawnAxis, DrawnAxis], slot: tuple[int, int]
) -> Iterator[str]:
    along, upon = _letters(trace)
    length, ground = (axes[0], axes[1]) if along == "x" else (axes[1], axes[0])
    width = trace.get("width", BAR)
    colours = trace["marker"].get("color")
    texts = trace.get("text") if trace.get("textposition") in ("auto", "outside") and along == "x" else None
    for place, (value, where, end) in enumerate(zip(trace[along], trace[upon], ends, strict=True)):
        middle = ground.number(where)
        if not value or middle is None:
            continue
        part = (width[place] if isinstance(width, (list, tuple)) else width) / slot[1]
        middle += (slot[0] - (slot[1] - 1) / 2) * part
        one, other = sorted((ground.within(middle - part / 2), ground.within(middle + part / 2)))
        begin, finish = sorted((length.within(end - value), length.within(end)))
        breadth = max(other - one, 1.0)
        box = (begin, one, finish - begin, breadth) if along == "x" else (one, begin, breadth, finish - begin)
        look = _fill(trace["marker"], colours[place] if isinstance(colours, list) else colours)
        yield _rectangle(box, f'{look} opacity="{trace.get("opacity", 1)}"')
        if texts:
            width = len(texts[place]) * 11 * LETTER
            is_outside = finish + width + 4 < length.end
            spot = (finish + 4 if is_outside else finish - 4, one + breadth / 2 + 4)
            yield drawn_text(
                texts[place], spot, "start" if is_outside else "end", 11, None if is_outside else "#ffffff"
            )


def _fill(marker: Mapping[str, Any], colour: str | None) -> str:
    """The attributes of a bar: what is hatched on the page has a broken edge here."""
    pattern = marker.get("pattern")
    if pattern:
        return f'fill="{colour}" stroke="{pattern["fgcolor"]}" stroke-width="1.2" stroke-dasharray="3 2"'
    return f'fill="{colour}"'


def _rectangle(box: tuple[float, float, float, float], look: str) -> str:
    return f'<rect x="{box[0]:.1f}" y="{box[1]:.1f}" width="{box[2]:.1f}" height="{box[3]:.1f}" {look}/>'


def _cells(trace: Trace, across: DrawnAxis, upright: DrawnAxis) -> Iterator[str]:
    """A heat map; neighbours of one colour are one rectangle."""
    xs = [across.number(x) or 0.0 for x in trace["x"]]
    half = (xs[1] - xs[0]) / 2 if len(xs) > 1 else 0.5
    for name, row in zip(trace["y"], trace["z"], strict=True):
        middle = upright.number(name)
        if middle is None:
            continue
        top, bottom = sorted((upright.at(middle - 0.5), upright.at(middle + 0.5)))
        cells = [(x, _shade(trace, value)) for x, value in zip(xs, row, strict=True)]
        for colour, run in itertools.groupby(cells, key=lambda cell: cell[1]):
            places = [x for x, _ in run]
            if colour:
                left, right = across.within(places[0] - half), across.within(places[-1] + half)
                yield _rectangle((left, top + 0.5, max(right - left, 1.0), bottom - top - 1), f'fill="{colour}"')


def _shade(trace: Trace, value: float | None) -> str | None:
    """The colour of a value, in bands or between two colours; None without a value."""
    if value is None:
        return None
    share = (value - trace["zmin"]) / ((trace["zmax"] - trace["zmin"]) or 1.0)
    for (low, one), (high, other) in itertools.pairwise(trace["colorscale"]):
        if share <= high:
            return one if one == other else _between(one, other, (share - low) / ((high - low) or 1.0))
    return str(trace["colorscale"][-1][1])


def _between(one: str, other: str, share: float) -> str:
    parts = [(int(one[at : at + 2], 16), int(other[at : at + 2], 16)) for at in (1, 3, 5)]
    return "#" + "".join(f"{round(low + (high - low) * share):02x}" for low, high in parts)


def _spots(trace: Trace, across: DrawnAxis, upright: DrawnAxis) -> list[tuple[float, float] | None]:
    """The pixels of a trace's values; None for a gap."""
    numbers = [(across.number(x), upright.number(y)) for x, y in zip(trace["x"], trace["y"], strict=True)]
    return [None if x is None or y is None else (across.within(x), upright.within(y)) for x, y in numbers]


def _line(trace: Trace, across: DrawnAxis, upright: DrawnAxis) -> Iterator[str]:
    if "lines" not in trace.get("mode", "lines"):
        return
    path, before = "", None
    for spot in _spots(trace, across, upright):
        if spot is None:
            before = None
            continue
        if before is None:
            path += f"M{spot[0]:.1f} {spot[1]:.1f}"
        elif trace["line"].get("shape") == "hv":
            path += f"H{spot[0]:.1f}V{spot[1]:.1f}"
        elif trace["line"].get("shape") == "vh":
            path += f"V{spot[1]:.1f}H{spot[0]:.1f}"
        else:
            path += f"L{spot[0]:.1f} {spot[1]:.1f}"
        before = spot
    if path:
        yield f'<path d="{path}" fill="none" {_stroke(trace["line"])}/>'


def _stroke(line: Mapping[str, Any]) -> str:
    dash = DASHES.get(line.get("dash", ""), "")
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return f'stroke="{line["color"]}" stroke-width="{line.get("width", 1.5)}"{dashes}'


def _markers(trace: Trace, across: DrawnAxis, upright: DrawnAxis) -> Iterator[str]:
    marker = trace.get("marker")
    if "markers" not in trace.get("mode", "lines") or marker is None or marker.get("opacity") == 0:
        return
    for place, spot in enumerate(_spots(trace, across, upright)):
        if spot is not None:
            yield _mark(marker, spot, place, trace)


def _mark(marker: Mapping[str, Any], spot: tuple[float, float], place: int, trace: Trace) -> str:
    x, y = spot
    colour = marker.get("color") or trace.get("line", {}).get("color")
    colour = colour[place % len(colour)] if isinstance(colour, (list, tuple)) else colour
    symbol = marker.get("symbol", "circle")
    symbol = symbol[place % len(symbol)] if isinstance(symbol, (list, tuple)) else symbol
    size = marker.get("size", 6)
    half = (size[place % len(size)] if isinstance(size, (list, tuple)) else size) / 2
    if symbol.startswith("square"):
        return _rectangle((x - half, y - half, 2 * half, 2 * half), f'fill="{colour}"{_edge(marker)}')
    if symbol == "x":
        path = f"M{x - half:.1f} {y - half:.1f}l{size} {size}m0 -{size}l-{size} {size}"
        return f'<path d="{path}" stroke="{colour}" stroke-width="3"/>'
    if symbol == "line-ew":
        return f'<path d="M{x - half:.1f} {y:.1f}h{2 * half}" stroke="{colour}" stroke-width="2"/>'
    if symbol.startswith(("diamond", "triangle")):
        path = f"M{x:.1f} {y - half:.1f}l{half} {half}l-{half} {half}l-{half} -{half}z"
        return f'<path d="{path}" fill="{colour}"/>'
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{half}" fill="{colour}"/>'


def _edge(marker: Mapping[str, Any]) -> str:
    line = marker.get("line") or {}
    return (
        f' stroke="{line["color"]}" stroke-width="{line["width"]}"' if line.get("color") and line.get("width") else ""
    )


def key_of_trace(trace: Trace) -> str:
    """The key of a trace in the legend, in a field of 14 to 12 pixels."""
    marker = trace.get("marker") or {}
    colour = marker.get("color")
    if isinstance(colour, (list, tuple)):
        colour = colour[0] if colour else None
    if trace["type"] == "bar":
        return _rectangle((1, 1, 10, 10), _fill(marker, colour))
    if "lines" in trace.get("mode", "lines"):
        return f'<path d="M0 6h14" {_stroke(trace["line"])}/>'
    return _mark({**marker, "size": 9}, (6, 6), 0, trace)
