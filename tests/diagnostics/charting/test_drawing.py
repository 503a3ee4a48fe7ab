"""Figures as SVG: each kind of trace that charts beside a verdict use, and nothing that is markup of somebody else."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import Counter
from typing import Any

import pytest

from diagnostics.charting.chart import Theme
from diagnostics.charting.drawing import drawing_of
from diagnostics.charting.panel import Panel, Threshold, stacked

LIGHT = Theme("light")
START = 1_700_000_000_000


def drawn(*traces: dict[str, Any], axis: Any = "time", barmode: str = "stack", **panel: Any) -> ET.Element:
    figure = stacked([Panel(title="Title", unit="s", traces=traces, **panel)], LIGHT, axis=axis, barmode=barmode)
    return ET.fromstring(drawing_of(figure, "Title") or "")


def parts(drawing: ET.Element) -> Counter[str]:
    return Counter(each.tag.rpartition("}")[2] for each in drawing.iter())


def texts(drawing: ET.Element) -> list[str]:
    return ["".join(each.itertext()) for each in drawing.iter() if each.tag.endswith("text")]


def boxes(drawing: ET.Element, colour: str) -> list[dict[str, float]]:
    found = [each.attrib for each in drawing.iter() if each.tag.endswith("rect") and each.attrib.get("fill") == colour]
    return [{name: float(each[name]) for name in ("x", "y", "width", "height")} for each in found if "height" in each]


def bar(colour: str, *heights: float, **other: Any) -> dict[str, Any]:
    times = [START + 60_000 * place for place in range(len(heights))]
    return {"type": "bar", "name": colour, "x": times, "y": list(heights), "marker": {"color": colour}, **other}


def test_stacked_bars_begin_where_those_below_end() -> None:
    drawing = drawn(bar("#111111", 2, 4, width=30_000), bar("#222222", 1, 0, width=30_000))

    low, _ = boxes(drawing, "#111111")[:2]
    [high, *_] = boxes(drawing, "#222222")
    assert high["y"] + high["height"] == pytest.approx(low["y"], abs=0.2)
    assert low["height"] == pytest.approx(2 * high["height"], abs=0.3)


def test_grouped_bars_are_side_by_side() -> None:
    one = {**bar("#111111", 2), "x": ["0"]}
    other = {**bar("#222222", 2), "x": ["0"]}
    drawing = drawn(one, other, axis="own", barmode="group", x={"type": "category", "range": [-0.5, 5.5]})

    [left, *_], [right, *_] = boxes(drawing, "#111111"), boxes(drawing, "#222222")
    assert left["x"] + left["width"] == pytest.approx(right["x"], abs=0.2)


def test_a_line_has_gaps_and_time_has_labels() -> None:
    times = [START + 60_000 * place for place in range(5)]
    line = {"type": "scatter", "mode": "lines", "name": "heap", "x": times, "y": [1, 2, None, 4, 5]}
    drawing = drawn({**line, "line": {"color": "#123456", "width": 2}})

    [path] = [
        each.attrib["d"] for each in drawing.iter() if each.attrib.get("stroke") == "#123456" and "d" in each.attrib
    ][:1]
    assert path.count("M") == 2
    assert "22:14:00" in texts(drawing)
    assert {"Title", "heap", "Time (UTC)"} <= set(texts(drawing))


def test_neighbours_of_one_colour_in_a_heat_map_are_one_rectangle() -> None:
    heat = {
        "type": "heatmap",
        "x": [START + 1000 * place for place in range(6)],
        "y": ["0"],
        "z": [[0.05, 0.05, None, 0.9, 0.9, 0.9]],
        "zmin": 0,
        "zmax": 1,
        "colorscale": [[0, "#aaaaaa"], [0.5, "#aaaaaa"], [0.5, "#bbbbbb"], [1, "#bbbbbb"]],
    }
    drawing = drawn(heat, y={"type": "category", "categoryarray": ["0"]})

    assert (len(boxes(drawing, "#aaaaaa")), len(boxes(drawing, "#bbbbbb"))) == (1, 1)


def test_bounds_are_drawn_with_their_names() -> None:
    drawing = drawn(bar("#111111", 2, 4, width=30_000), thresholds=[Threshold(3, "Timeout 3 s")])

    assert "Timeout 3 s" in texts(drawing)
    assert any(each.attrib.get("stroke-dasharray") for each in drawing.iter())


def test_text_from_files_is_no_markup() -> None:
    hostile = "<script>alert(1)</script> & co"
    drawing = drawn({**bar("#111111", 1), "name": hostile}, bar("#222222", 1))

    assert hostile in texts(drawing)
    assert "script" not in parts(drawing)


def test_what_is_not_drawn_here_has_no_drawing() -> None:
    assert drawing_of(stacked([Panel("", "", [{"type": "icicle"}])], LIGHT, axis="own"), "Flames") is None
