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
        ("Window(TumblingEventTimeWindows(10000), CountTrigger, Sum) -> Sink: out", SINK),
        ("enrich", MIDDLE),
    ],
)
def test_other_tasks_may_emit_without_a_watermark(name: str, vertex: str) -> None:
    evidence = hand_made(**tables(name, vertex, None))
    assert not signals_of_key(silent_windows.measure(evidence), "silent_windows")


def test_without_metrics_nothing_is_measured() -> None:
    assert needs(silent_windows.measure(hand_made())) == {"silent_windows": "metric-scrapes"}


def test_what_a_window_emits_to_the_sink_of_its_own_task_is_not_counted() -> None:
    evidence = hand_made(**tables(f"{WINDOW} -> Sink: out", SINK, None))
    facts = only(silent_windows.measure(evidence), "silent_windows").facts
    assert (facts["records_in"], facts["has_watermark"], "records_out" in facts) == (6_000, False, False)


def test_one_answer_about_the_job_tells_what_a_window_has_read() -> None:
    rows = tables(WINDOW, MIDDLE, None)
    gauges = [each for each in rows["metric_sample"] if each["metric"] == "currentInputWatermark"]
    about = {"job_id": JOB, "vertex_id": MIDDLE, "ts_ms": START + 300_000, "aggregate": "sum"}
    counts = {"numRecordsIn": 9_000.0, "numRecordsOut": 0.0}
    gauges += [{**about, "metric": metric, "value": count} for metric, count in counts.items()]
    facts = only(silent_windows.measure(hand_made(**{**rows, "metric_sample": gauges})), "silent_windows").facts
    assert (facts["records_in"], facts["records_out"], facts["observed_ms"]) == (9_000, 0, 300_000)


@pytest.mark.parametrize("name", ["GlobalWindowAggregate[6]", "WindowJoin[3]", "TemporalJoin[4]", "WindowRank_7_"])
def test_sql_has_these_operators_by_event_time_only(name: str) -> None:
    assert only(silent_windows.measure(hand_made(**tables(name, MIDDLE, None))), "silent_windows").facts["is_sql"]


def of_sql(other: str) -> dict[str, list[dict[str, Any]]]:
    rows = tables("WindowAggregate[6]", MIDDLE, None)
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


@pytest.mark.parametrize(
    ("name", "size_ms", "ended"),
    [
        (WINDOW, 10_000, 6.0),
        ("GlobalWindowAggregate(groupBy=[id], window=[TUMBLE(time_col=[ts], size=[1 min])])", 60_000, 1.0),
        ("Window_EventTimeSessionWindows_10000___EventTimeTrigger__Sum_", None, None),
    ],
)
def test_the_way_of_the_watermark_is_compared_with_the_size_in_the_name(
    name: str, size_ms: int | None, ended: float | None
) -> None:
    rows = tables(name, MIDDLE, float(START))
    gauge = rows["metric_sample"][-1]
    rows["metric_sample"].append({**gauge, "ts_ms": START + 120_000, "value": START + 60_000.0})
    facts = only(silent_windows.measure(hand_made(**rows)), "silent_windows").facts
    assert (facts["advanced_ms"], facts.get("size_ms"), facts.get("ended")) == (60_000, size_ms, ended)


def test_a_subtask_without_a_watermark_leaves_the_way_unknown() -> None:
    rows = tables(WINDOW, MIDDLE, float(START))
    rows["metric_sample"].append({**rows["metric_sample"][-1], "subtask": 1, "value": None})
    assert "advanced_ms" not in only(silent_windows.measure(hand_made(**rows)), "silent_windows").facts
