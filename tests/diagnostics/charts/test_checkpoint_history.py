from __future__ import annotations

from typing import Any

import pytest

from diagnostics.charting.chart import Theme
from diagnostics.charting.drawing import drawing_of
from diagnostics.charts.checkpoint_history import CHART
from tests.diagnostics.hand_made import JOB, MIDDLE, SINK, START, hand_made, line_of_jobs


def checkpoint(number: int, status: str = "COMPLETED", took_ms: float | None = 5000.0, **more: Any) -> dict[str, Any]:
    trigger_ms = START + number * 60_000
    return {
        "job_id": JOB,
        "checkpoint_id": number,
        "status": status,
        "is_savepoint": False,
        "trigger_ms": trigger_ms,
        "end_to_end_ms": took_ms,
        "checkpointed_bytes": 1_000_000.0 * number,
        "ts_ms": START + 600_000,
        **more,
    }


def part(number: int, vertex: str, subtask: int, took_ms: float | None, **phases: float) -> dict[str, Any]:
    known = {name: phases.get(name, 0.0) for name in ("start_delay_ms", "alignment_ms", "sync_ms", "async_ms")}
    return {
        "job_id": JOB,
        "checkpoint_id": number,
        "vertex_id": vertex,
        "subtask": subtask,
        "status": "completed" if took_ms is not None else "pending_or_failed",
        "ack_ms": START if took_ms is not None else None,
        "end_to_end_ms": took_ms,
        **(known if took_ms is not None else {}),
    }


def test_each_checkpoint_has_the_phases_of_its_slowest_subtask() -> None:
    evidence = hand_made(
        **line_of_jobs(),
        checkpoint=[checkpoint(1)],
        subtask_checkpoint=[
            part(1, MIDDLE, 0, 900.0, async_ms=800.0),
            part(1, MIDDLE, 1, 5000.0, start_delay_ms=4000.0, async_ms=1000.0),
            part(1, SINK, 0, 4000.0, alignment_ms=4000.0),
            part(1, SINK, 1, None),
        ],
        config_option=[{"scope": "job", "job_id": JOB, "key": "execution.checkpointing.timeout", "value": "30 s"}],
    )

    points = CHART.points(evidence)

    assert points is not None
    job = points["jobs"][0]
    assert (job["name"], job["timeout_ms"], job["left_out"]) == ("orders", 30_000.0, 0)
    drawn = job["checkpoints"][0]
    assert (drawn["vertex"], drawn["subtask"]) == ("enrich", 1)
    assert (drawn["start_delay_ms"], drawn["async_ms"], drawn["pending"]) == (4000.0, 1000.0, 1)


def test_without_a_checkpoint_there_is_no_chart() -> None:
    assert CHART.points(hand_made(**line_of_jobs())) is None


def drawn_points(*checkpoints: dict[str, Any], timeout_ms: float | None = 30_000.0) -> dict[str, Any]:
    job = {"job_id": JOB, "name": "orders", "timeout_ms": timeout_ms, "left_out": 0, "checkpoints": list(checkpoints)}
    return {"from_ms": START, "to_ms": START + 60_000, "jobs": [job]}


def told(number: int, status: str = "completed", took_ms: float | None = 5000.0, **more: Any) -> dict[str, Any]:
    return {
        "id": number,
        "status": status,
        "savepoint": False,
        "trigger_ms": START + number * 10_000,
        "end_to_end_ms": took_ms,
        "checkpointed_bytes": None,
        "state_bytes": None,
        "failure": None,
        **more,
    }


PHASES = {
    "vertex": "enrich",
    "subtask": 1,
    "subtask_ms": 5000.0,
    "start_delay_ms": 4000.0,
    "alignment_ms": 0.0,
    "sync_ms": 0.0,
    "async_ms": 1000.0,
    "pending": 0,
}


def test_phases_are_stacked_in_seconds_and_the_timeout_is_a_named_line() -> None:
    figure = CHART.figure(drawn_points(told(1, took_ms=20_000.0, **PHASES)), Theme("light"))

    bars = {trace["name"]: trace["y"] for trace in figure["data"] if trace["type"] == "bar"}
    assert bars == {"Start delay": [4.0], "Alignment": [0.0], "Sync": [0.0], "Async": [1.0]}
    shapes = figure["layout"]["shapes"]
    assert [(shape["type"], shape["y0"]) for shape in shapes] == [("rect", 30.0), ("line", 30.0)]
    assert "Checkpoint timeout 30 s" in [each["text"] for each in figure["layout"]["annotations"]]
    assert figure["layout"]["yaxis"]["title"]["text"] == "Duration (s)"


def test_a_timeout_far_above_is_named_and_does_not_flatten_the_bars() -> None:
    figure = CHART.figure(drawn_points(told(1, **PHASES), timeout_ms=600_000.0), Theme("dark"))

    assert figure["layout"]["shapes"] == []
    assert "timeout 10 min" in figure["layout"]["annotations"][0]["text"]


def test_failed_checkpoints_are_marked_with_their_reason_escaped() -> None:
    points = drawn_points(told(1), told(2, "expired", 30_000.0, failure="<b>expired</b> before completing"))

    figure = CHART.figure(points, Theme("light"))

    marks = next(trace for trace in figure["data"] if trace["name"].startswith("Failed"))
    assert marks["y"] == [30.0]
    assert "&lt;b&gt;expired" in marks["text"][0]
    assert CHART.summary(points).startswith("2 checkpoints: 1 completed and 1 expired.")


def test_a_checkpoint_in_progress_reaches_the_age_that_it_was_seen_at() -> None:
    """It had a stub of 32 ms, the time of its quickest subtask, as if nothing had run after the one before."""
    rows = [checkpoint(1), checkpoint(9, "IN_PROGRESS", 32.0, end_to_end_ms=32.0)]
    parts = [part(9, MIDDLE, 0, 32.0, async_ms=2.0), part(9, MIDDLE, 1, None)]
    points = CHART.points(hand_made(**line_of_jobs(), checkpoint=rows, subtask_checkpoint=parts))
    assert points is not None

    figure = CHART.figure(points, Theme("light"))
    bars = {trace["name"]: trace for trace in figure["data"] if trace["type"] == "bar"}

    under_way = bars["In progress, its age when last seen"]
    assert (under_way["x"], under_way["y"]) == ([START + 540_000], [60.0])
    assert all(START + 540_000 not in each["x"] for name, each in bars.items() if "phases" in name), "no stub beside it"
    assert "stroke-dasharray" in (drawing_of(figure, "Checkpoints") or ""), "in a report it has a broken edge"


def test_the_bar_of_an_expired_checkpoint_reaches_the_timeout_while_a_subtask_did_not_acknowledge() -> None:
    """The subtasks that did acknowledge took 5 s, as if the checkpoint had been done well below its timeout of 30 s."""
    phases = {**PHASES, "pending": 1}
    points = drawn_points(told(1, "expired", 30_000.0, **phases), told(2, "completed", 5_000.0, **phases))

    figure = CHART.figure(points, Theme("light"))

    waited = next(trace for trace in figure["data"] if trace["name"].startswith("Waited"))
    assert (waited["x"], waited["y"]) == ([START + 10_000], [25.0])
    bars = [trace["marker"]["color"] for trace in figure["data"] if trace["type"] == "bar"]
    assert bars.count(waited["marker"]["color"]) == 1, "its entry in the legend is its own"


def test_two_jobs_are_drawn_one_below_the_other() -> None:
    points = drawn_points(told(1))
    points["jobs"].append({**points["jobs"][0], "job_id": "b" * 32, "name": "clicks"})

    figure = CHART.figure(points, Theme("light"))

    assert {trace["xaxis"] for trace in figure["data"]} == {"x", "x2"}
    assert figure["layout"]["xaxis2"]["matches"] == "x"
    assert [row[0] for row in CHART.table(points)[1:]] == ["orders", "clicks"]


@pytest.mark.parametrize(("count", "shape"), [(100, "bar"), (101, "scatter")])
def test_more_than_a_hundred_sizes_are_one_line(count: int, shape: str) -> None:
    several = [told(number, checkpointed_bytes=1000.0) for number in range(count)]

    sizes = CHART.figure(drawn_points(*several), Theme("light"))["data"][-1]

    assert sizes["type"] == shape


def test_the_line_of_sizes_goes_forward_in_time() -> None:
    several = [told(number, checkpointed_bytes=1000.0) for number in reversed(range(101))]

    sizes = CHART.figure(drawn_points(*several), Theme("light"))["data"][-1]

    assert sizes["x"] == sorted(sizes["x"])


def test_a_bar_without_phases_has_no_mark_at_its_end() -> None:
    figure = CHART.figure(drawn_points(told(1)), Theme("light"))

    assert [trace["type"] for trace in figure["data"]] == ["bar"]


def test_the_table_has_flinks_columns_in_flinks_order() -> None:
    header, row = CHART.table(drawn_points(told(1, acknowledged=3, subtasks=4)))

    assert [name.partition(" (")[0] for name in header[1:10]] == [
        "ID",
        "Status",
        "Acknowledged",
        "Trigger time",
        "Latest acknowledgement",
        "End to end duration",
        "Checkpointed data size",
        "Processed in-flight data",
        "Persisted in-flight data",
    ]
    assert row[3] == "3/4"


def test_a_savepoint_carries_the_disk_of_flinks_page_and_is_left_out_of_the_count() -> None:
    points = drawn_points(told(1), told(2, savepoint=True))

    header, _, savepoint = CHART.table(points)
    assert savepoint[header.index("Kind")] == "🖫 savepoint"
    assert CHART.summary(points).startswith("1 checkpoint, ")
    assert "1 savepoint is not counted." in CHART.summary(points)
    marked = next(trace for trace in CHART.figure(points, Theme("light"))["data"] if trace["name"].startswith("Savep"))
    assert marked["x"] == [points["jobs"][0]["checkpoints"][1]["trigger_ms"]]


def test_the_timeout_is_drawn_where_only_expired_checkpoints_show_it() -> None:
    expired = {"failure_message": "Checkpoint expired before completing.", "end_to_end_ms": 60_012.0}
    rows = [checkpoint(1), checkpoint(2, "FAILED", **expired), checkpoint(3, "FAILED", **expired)]
    points = CHART.points(hand_made(**line_of_jobs(), checkpoint=rows))
    assert points is not None
    assert points["jobs"][0]["timeout_ms"] == 60_000.0


@pytest.mark.parametrize(("async_ms", "is_known"), [(4800.0, False), (20_000.0, True)])
def test_phases_of_a_checkpoint_under_way_are_not_those_of_its_slowest_subtask(async_ms: float, is_known: bool) -> None:
    rows = [part(1, MIDDLE, 0, async_ms + 100, async_ms=async_ms, sync_ms=100.0), part(1, MIDDLE, 1, None)]
    evidence = hand_made(**line_of_jobs(), checkpoint=[checkpoint(1, took_ms=21_200.0)], subtask_checkpoint=rows)

    summary = CHART.summary(CHART.points(evidence) or {})

    assert ("in its slowest subtask" in summary) is is_known
    assert ("took 21.2 s; the known phases of its subtasks add up to only 4.9 s." in summary) is not is_known


def test_triggers_that_flink_counts_as_failed_are_reconciled_with_the_checkpoints() -> None:
    """Flink's page says one failure more than there are failed checkpoints; a reader compares the two."""
    points = drawn_points(told(1), told(2))
    points["jobs"][0]["refused"] = 1

    assert CHART.summary(points).startswith(
        "2 checkpoints, none failed or expired. Flink also counts 1 trigger as failed that was refused before a "
        "checkpoint began."
    )
