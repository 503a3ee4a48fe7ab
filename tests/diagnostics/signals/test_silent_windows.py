"""Windows by event time that never emit."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.signals import silent_windows
from tests.diagnostics.hand_made import (
    JOB,
    MIDDLE,
    SINK,
    SOURCE,
    START,
    hand_made,
    line_of_jobs,
    needs,
    only,
    signals_of_key,
)

WINDOW = "Window(TumblingEventTimeWindows(10000), EventTimeTrigger, Sum)"


def tables(name: str, vertex: str, watermark: float | None) -> dict[str, list[dict[str, Any]]]:
    rows = line_of_jobs()
    rows["vertex"] = [{**each, "name": name} if each["vertex_id"] == vertex else each for each in rows["vertex"]]
    about = {"job_id": JOB, "vertex_id": vertex, "vertex": name, "subtask": 0}
    counted = {"numRecordsIn": 50.0, "numRecordsOut": 0.0}
    rows["metric_sample"] = [
        {**about, "metric": metric, "ts_ms": START + second * 1000, "value": growth * second}
        for metric, growth in counted.items()
        for second in range(0, 121, 10)
    ]
    rows["metric_sample"] += [{**about, "metric": "currentInputWatermark", "ts_ms": START, "value": watermark}]
    return rows


@pytest.mark.parametrize(
    "name", [WINDOW, "GlobalWindowAggregate(groupBy=[id], window=[TUMBLE(time_col=[ts], size=[10 s])])"]
)
def test_a_window_by_event_time_without_a_watermark_is_silent(name: str) -> None:
    facts = only(silent_windows.measure(hand_made(**tables(name, MIDDLE, None))), "silent_windows").facts
    assert (facts["records_in"], facts["records_out"], facts["has_watermark"]) == (6_000, 0, False)
    assert facts["observed_ms"] == 120_000


def test_a_window_with_a_watermark_may_fire_later() -> None:
    evidence = hand_made(**tables(WINDOW, MIDDLE, float(START)))
    assert only(silent_windows.measure(evidence), "silent_windows").facts["has_watermark"] is True


@pytest.mark.parametrize(
    ("name", "vertex"),
    [
        ("Window(TumblingProcessingTimeWindows(10000), ProcessingTimeTrigger, Sum)", MIDDLE),
        ("WindowAggregate(window=[TUMBLE(time_col=[proctime], size=[10 s])])", MIDDLE),
        (f"{WINDOW} -> Sink: out", SINK),
        ("enrich", MIDDLE),
    ],
)
def test_other_tasks_are_no_windows_by_event_time_that_write_to_a_task(name: str, vertex: str) -> None:
    evidence = hand_made(**tables(name, vertex, None))
    assert not signals_of_key(silent_windows.measure(evidence), "silent_windows")


def test_without_metrics_nothing_is_measured() -> None:
    assert needs(silent_windows.measure(hand_made())) == {"silent_windows": "metric-scrapes"}


def of_sql(other: str) -> dict[str, list[dict[str, Any]]]:
    rows = tables("GlobalWindowAggregate[6]", MIDDLE, None)
    rows["vertex"] = [{**each, "name": other} if each["vertex_id"] == SOURCE else each for each in rows["vertex"]]
    return rows


def test_a_short_name_of_sql_is_by_event_time_where_the_job_assigns_watermarks() -> None:
    evidence = hand_made(**of_sql("Source: orders[1] -> WatermarkAssigner[2]"))
    assert only(silent_windows.measure(evidence), "silent_windows").facts["has_watermark"] is False
    assert not signals_of_key(silent_windows.measure(hand_made(**of_sql("Source: orders[1]"))), "silent_windows")


def test_the_readings_of_the_operator_suffice() -> None:
    rows = tables("Window -> Map", MIDDLE, None)
    rows["metric_sample"] = [{**each, "operator": WINDOW} for each in rows["metric_sample"]]
    facts = only(silent_windows.measure(hand_made(**rows)), "silent_windows").facts
    assert (facts["records_in"], facts["records_out"], facts["has_watermark"]) == (6_000, 0, False)
