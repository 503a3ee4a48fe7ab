from __future__ import annotations

import re
from typing import Any

from diagnostics.charting.chart import Theme
from diagnostics.charting.theme import palette
from diagnostics.charts.job_graph import CHART

LIGHT = Theme("light")


def vertex(name: str, *parents: str, depth: int = 0, origin: int = 0, **told: Any) -> dict[str, Any]:
    unknown = dict.fromkeys(("busy", "busy_peak", "held", "held_peak", "idle", "look_up_share", "lag_ms"))
    known = {"id": name.lower(), "name": name, "parallelism": 2, "depth": depth, "parents": list(parents)}
    rest = {"origin_moments": origin, "moments": 10, "named_look_up": False, "subtasks": []}
    return {**known, **unknown, **rest, **told}


def of(*vertices: dict[str, Any], chosen: str | None = None, edges_known: bool = True) -> dict[str, Any]:
    jobs = [{"job_id": "a", "name": "Orders", "edges_known": edges_known, "vertices": list(vertices)}]
    return {"jobs": jobs, **({"chosen": chosen} if chosen else {})}


SOURCE = vertex("Source", busy=0.1, held=0.7, held_peak=0.9, idle=0.2)
SINK = vertex(
    "Sink", "source", depth=1, origin=9, busy=0.97, held=0.0, idle=0.03, subtasks=[[0, "tm-1", 0.97, 0.0, 50.0, 0.0]]
)


def test_the_origin_of_back_pressure_is_marked_and_shown_first() -> None:
    points = of(SOURCE, SINK)

    assert [each.is_bad for each in CHART.choices(points)] == [False, True]
    assert CHART.figure(points, LIGHT)["layout"]["meta"]["chosen"] == "a:sink"
    assert CHART.summary(points).startswith("Back pressure begins in Sink. Sink: back pressure OK (0 %), busy 97 %")


def test_a_task_that_is_quiet_while_others_wait_for_it_is_no_origin() -> None:
    points = of(SOURCE, {**SINK, "busy": 0.09, "origin_busy": 0.09})

    assert [each.is_bad for each in CHART.choices(points)] == [False, False]
    assert "Back pressure begins" not in CHART.summary(points)
    assert "back pressure begins here" not in CHART.summary(points)


def test_a_chosen_task_comes_first_in_the_table_and_is_reported_in_the_summary() -> None:
    points = of(SOURCE, SINK, chosen="a:source")

    assert CHART.table(points)[1][:2] == ["Orders", "Source"]
    assert "Source: back pressure HIGH (70 %)" in CHART.summary(points)


def test_tasks_stand_in_the_order_of_the_flow_and_each_edge_is_an_arrow() -> None:
    figure = CHART.figure(of(SOURCE, SINK), LIGHT)

    spots: dict[str, list[float]] = {}
    for task, at in zip(figure["data"][0]["customdata"], figure["data"][0]["x"], strict=True):
        spots.setdefault(task, []).append(at)
    assert max(spots["a:source"]) < min(spots["a:sink"])
    assert sum(1 for shape in figure["layout"]["shapes"] if shape["type"] == "path") == 1


def test_busy_back_pressured_and_idle_are_three_shares_of_one_bar() -> None:
    shapes = CHART.figure(of(SOURCE), LIGHT)["layout"]["shapes"]

    bars = [each for each in shapes if each["type"] == "rect" and each["y1"] - each["y0"] == 7]
    widths = [each["x1"] - each["x0"] for each in bars]
    assert [round(width / sum(widths), 2) for width in widths] == [0.1, 0.7, 0.2]
    assert len({each["fillcolor"] for each in bars}) == 3


def test_a_little_back_pressure_has_the_colour_of_ok() -> None:
    """4.4 % lies below the 10 % that Flink calls OK: its part of the bar is not red."""
    bands = palette(LIGHT).bands
    fills = {
        held: {
            each.get("fillcolor")
            for each in CHART.figure(of(vertex("A", held=held, idle=0.2)), LIGHT)["layout"]["shapes"]
        }
        for held in (0.044, 0.3, 0.7)
    }
    assert [{band for band in bands if bands[band] in found} for found in fills.values()] == [{"OK"}, {"LOW"}, {"HIGH"}]


def test_what_was_not_measured_is_neither_idle_nor_ok() -> None:
    points = of(vertex("Source"), edges_known=False)

    assert "Source: not measured" in CHART.summary(points)
    assert "The files do not tell how the tasks are connected." in CHART.summary(points)
    texts = [each["text"] for each in CHART.figure(points, LIGHT)["layout"]["annotations"]]
    assert "not measured" in texts


def test_names_from_files_cannot_bring_markup() -> None:
    figure = CHART.figure(of(vertex("<img src=x>")), LIGHT)

    assert "<img" not in str([figure["data"][0]["text"], figure["layout"]["annotations"]])


def test_the_origin_of_low_back_pressure_is_named_without_alarm() -> None:
    points = of({**SOURCE, "held": 0.3}, SINK)

    assert [each.is_bad for each in CHART.choices(points)] == [False, False]
    assert "Back pressure begins in Sink." in CHART.summary(points)


def test_on_a_phone_the_tasks_are_one_below_the_other_within_its_width() -> None:
    far = vertex("Audit", "source", depth=2)
    figure = CHART.figure({**of(SOURCE, SINK, far), "narrow": True}, LIGHT)

    spots = dict(zip(figure["data"][0]["customdata"], figure["data"][0]["y"], strict=True))
    assert spots["a:source"] < spots["a:sink"] < spots["a:audit"]
    assert figure["layout"]["meta"]["least_width"] <= 340
    boxes = [each for each in figure["layout"]["shapes"] if each["type"] == "rect"]
    straight, beside = [each["path"] for each in figure["layout"]["shapes"] if each["type"] == "path"]
    edge = max(each["x1"] for each in boxes)
    assert f"{edge + 24:.0f}," in beside, "it passes the task between, at its side"
    assert f"{edge + 24:.0f}," not in straight


def test_the_chosen_task_does_not_have_the_frame_of_trouble() -> None:
    colours = palette(LIGHT)
    frames = {
        each["line"]["color"]
        for each in CHART.figure(of(SOURCE, chosen="a:source"), LIGHT)["layout"]["shapes"]
        if each["type"] == "rect" and each["line"]["width"] > 1
    }
    assert frames == {colours.calm}


def test_what_was_not_measured_has_a_key_of_another_form() -> None:
    [key] = [each["text"] for each in CHART.figure(of(SOURCE), LIGHT)["layout"]["annotations"] if "■" in each["text"]]

    assert key.count("■") == 4
    assert re.search("□</span> not measured", key)
