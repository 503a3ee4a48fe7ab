from __future__ import annotations

from typing import Any

from diagnostics.charting.chart import Theme
from diagnostics.charts.checkpoint_gantt import CHART

LIGHT = Theme("light")


def subtask(number: int, took: float | None = None, *, vertex: str = "Window", **phases: float) -> dict[str, Any]:
    names = ("start_delay_ms", "alignment_ms", "sync_ms", "async_ms")
    told = {name: phases.get(name) for name in names}
    rest = {"acknowledged": took is not None, "end_to_end_ms": took, "bytes": None, "unaligned": False}
    return {"vertex": vertex, "subtask": number, **told, **rest}


def checkpoint(number: int, status: str = "completed", *rows: dict[str, Any]) -> dict[str, Any]:
    acknowledged = sum(1 for row in rows if row["acknowledged"])
    counts = {"subtasks": len(rows), "acknowledged": acknowledged, "left_out": 0}
    told = {"savepoint": False, "end_to_end_ms": None, "rows": list(rows)}
    return {"job_id": "a", "job": "Orders", "id": number, "status": status, **counts, **told}


def of(*checkpoints: dict[str, Any], chosen: str | None = None) -> dict[str, Any]:
    jobs = [{"job_id": "a", "name": "Orders", "checkpoints": list(checkpoints)}]
    return {"jobs": jobs, **({"chosen": chosen} if chosen else {})}


SLOW = checkpoint(7, "completed", subtask(1, 9000.0, async_ms=8000.0, sync_ms=500.0), subtask(0, 100.0))
BROKEN = checkpoint(6, "expired", subtask(2), subtask(0, 50.0))


def test_the_latest_failed_checkpoint_is_shown_until_another_is_chosen() -> None:
    assert CHART.figure(of(SLOW, BROKEN), LIGHT)["layout"]["meta"] == {"chosen": "a:6"}
    assert CHART.figure(of(SLOW, BROKEN, chosen="a:7"), LIGHT)["layout"]["meta"] == {"chosen": "a:7"}
    assert [(each.key, each.is_bad) for each in CHART.choices(of(SLOW, BROKEN))] == [("a:6", True), ("a:7", False)]


def test_the_first_row_is_on_top_and_time_without_a_phase_is_drawn() -> None:
    figure = CHART.figure(of(SLOW), LIGHT)

    assert figure["layout"]["yaxis"]["categoryarray"] == ["Window · 0", "Window · 1"]
    bars = {trace["name"]: trace["x"][0] for trace in figure["data"]}
    assert bars == {"Start delay": 0, "Alignment": 0, "Sync": 0.5, "Async": 8.0, "Not in the phases": 0.5}


def test_a_subtask_that_never_acknowledged_is_marked_and_named() -> None:
    marks = [trace for trace in CHART.figure(of(BROKEN), LIGHT)["data"] if trace["name"] == "Never acknowledged"]

    assert dict(zip(marks[0]["y"], marks[0]["x"], strict=True)) == {"Window · 2": 50.0, "Window · 0": 0.0}
    assert "Never acknowledged: subtask 2 of Window." in CHART.summary(of(BROKEN))


def test_the_timeout_is_a_line_where_the_checkpoint_met_it() -> None:
    """Of a checkpoint that expired after 5 s one subtask acknowledged in time and one at 9 s."""
    late = {**SLOW, "status": "expired", "timeout_ms": 5_000.0, "late": 1}
    layout = CHART.figure(of(late), LIGHT)["layout"]

    assert [(shape["x0"], shape["x1"]) for shape in layout["shapes"]] == [(5.0, 5.0)]
    assert "Checkpoint timeout 5 s" in [each["text"] for each in layout["annotations"]]
    assert "1 of them acknowledged after the timeout of 5 s." in CHART.summary(of(late))
    assert not CHART.figure(of({**SLOW, "timeout_ms": 60_000.0, "late": 0}), LIGHT)["layout"]["shapes"]


def test_the_summary_says_which_phase_took_the_time() -> None:
    assert CHART.summary(of(SLOW)).endswith(
        "The slowest to acknowledge was subtask 1 of Window with 9 s, 8 s of it async."
    )


def test_the_chosen_checkpoint_comes_first_in_the_table() -> None:
    rows = CHART.table(of(SLOW, BROKEN, chosen="a:7"))

    assert [row[1] for row in rows[1:]] == [7, 7, 6, 6]
    assert rows[3][5] == "never"
