"""Watermarks that lag, run ahead, stand still, or are held back."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.signals import jobs_without_watermarks, watermarks
from tests.diagnostics.hand_made import JOB, SINK, SOURCE, START, hand_made, line_of_jobs, needs, only, signals_of_key


def gauge(
    vertex: str, subtask: int, values: list[float | None], metric: str = "currentInputWatermark"
) -> list[dict[str, Any]]:
    return [
        {
            "metric": metric,
            "job_id": JOB,
            "vertex_id": vertex,
            "operator": "timestamps" if metric == "currentOutputWatermark" else None,
            "subtask": subtask,
            "ts_ms": START + moment * 5_000,
            "value": value,
        }
        for moment, value in enumerate(values)
    ]


def lagging(lags: list[float]) -> list[float | None]:
    return [START + moment * 5_000 - lag for moment, lag in enumerate(lags)]


def test_a_watermark_from_the_future_is_ahead_of_the_wall_clock() -> None:
    rows = gauge(SINK, 0, lagging([7_000.0] * 10 + [-30_000.0] * 10))
    (signal,) = signals_of_key(watermarks.measure(hand_made(metric_sample=rows)), "watermarks")
    facts = signal.facts
    assert (facts["lag_first_ms"], facts["lag_last_ms"], facts["ahead_ms"]) == (7_000, -30_000, 30_000)
    assert (facts["ahead_from_ms"], facts["ahead_ratio"]) == (START + 50_000, 0.5)
    assert facts["first_in_graph"] is True


def test_a_subtask_without_watermark_blocks_downstream_tasks() -> None:
    steady = lagging([5_000.0] * 10)
    rows = [
        *gauge(SOURCE, 0, steady, "currentOutputWatermark"),
        *gauge(SOURCE, 1, [None] * 10, "currentOutputWatermark"),
        *gauge(SINK, 0, [None] * 10),
    ]
    (signal,) = signals_of_key(watermarks.measure(hand_made(**line_of_jobs(), metric_sample=rows)), "watermarks")
    assert signal.subject.vertex_id == SOURCE
    assert (signal.facts["without_watermark"], signal.facts["blocks_downstream"]) == ([1], True)


def passing(subtask: int, per_step: float, moments: int = 20) -> list[dict[str, Any]]:
    place = {"metric": "numRecordsIn", "job_id": JOB, "vertex_id": SINK, "subtask": subtask}
    return [{**place, "ts_ms": START + each * 5_000, "value": each * per_step} for each in range(moments)]


def test_records_after_the_highest_watermark_show_that_the_source_has_not_ended() -> None:
    highest = float(2**63 - 1)
    rows = gauge(SINK, 0, [*lagging([7_000.0] * 10), *[highest] * 10]) + passing(0, 500.0)
    (signal,) = signals_of_key(watermarks.measure(hand_made(metric_sample=rows)), "watermarks")
    assert (signal.facts["maximum_from_ms"], signal.facts["maximum_records"]) == (START + 50_000, 4_500)


def test_a_task_whose_inputs_ended_before_the_first_sample_lacks_no_watermark() -> None:
    highest = float(2**63 - 1)
    rows = [*gauge(SINK, 0, [highest] * 10), *gauge(SINK, 1, [highest] * 10), *passing(0, 0.0)]
    (signal,) = signals_of_key(watermarks.measure(hand_made(metric_sample=rows)), "watermarks")
    assert signal.facts["without_watermark_count"] == 0
    assert "blocks_downstream" not in signal.facts


def test_a_subtask_that_ended_beside_one_that_goes_on_passes_no_records() -> None:
    highest = float(2**63 - 1)
    rows = gauge(SINK, 0, [*lagging([7_000.0] * 10), *[highest] * 10]) + gauge(SINK, 1, lagging([7_000.0] * 20))
    (signal,) = signals_of_key(
        watermarks.measure(hand_made(metric_sample=[*rows, *passing(0, 0.0), *passing(1, 500.0)])), "watermarks"
    )
    assert signal.facts["maximum_records"] == 0


def test_batches_are_no_standstill_and_a_stop_is_one_only_while_records_flow() -> None:
    batches: list[float | None] = [float(START + moment // 3 * 15_000) for moment in range(40)]
    stopped: list[float | None] = [float(START + min(moment, 10) * 5_000) for moment in range(40)]
    records = [
        {
            "metric": "numRecordsIn",
            "job_id": JOB,
            "vertex_id": SINK,
            "subtask": 0,
            "ts_ms": START + moment * 5_000,
            "value": moment * 100.0,
        }
        for moment in range(40)
    ]
    rows = [*gauge(SOURCE, 0, batches), *gauge(SINK, 0, stopped), *records]
    found = signals_of_key(watermarks.measure(hand_made(metric_sample=rows)), "watermarks")
    stalled = {signal.subject.vertex_id: signal.facts for signal in found}
    assert stalled[SOURCE]["stalled"] is False
    assert stalled[SINK]["stalled"] is True
    assert (stalled[SINK]["stalled_ms"], stalled[SINK]["stalled_records"]) == ((39 - 10) * 5_000, (39 - 10) * 100)


def test_a_job_without_event_time_has_no_watermark_to_judge() -> None:
    rows = gauge(SINK, 0, [None] * 5)
    assert needs(watermarks.measure(hand_made(metric_sample=rows))) == {"watermarks": "metric-scrapes"}
    assert needs(watermarks.measure(hand_made())) == {"watermarks": "metric-scrapes"}


def test_gauges_that_never_had_a_watermark_were_read() -> None:
    """Flink reports Long.MIN, which is no time: that is an answer, and not the same as no file with metrics."""
    found = only(jobs_without_watermarks.measure(hand_made(metric_sample=gauge(SINK, 0, [None] * 5))), "watermarks.job")

    assert (found.subject.job, found.facts) == (JOB, {"gauges": 1, "only_watermarks": True})
    assert not signals_of_key(
        jobs_without_watermarks.measure(hand_made(metric_sample=gauge(SINK, 0, [1.0] * 5))), "watermarks.job"
    )


def test_a_job_without_watermarks_beside_one_that_has_them_was_read_too() -> None:
    other = [row | {"job_id": "b" * 32} for row in gauge(SINK, 0, [1.0] * 5)]
    rows = gauge(SINK, 0, [None] * 5) + other
    found = only(jobs_without_watermarks.measure(hand_made(metric_sample=rows)), "watermarks.job")
    assert (found.subject.job, found.facts) == (JOB, {"gauges": 1, "only_watermarks": True})


def test_an_operator_that_waits_for_its_first_watermark_counts_where_its_task_shows_none() -> None:
    """People paste the operators' gauges alone; one that has a watermark is not blocked."""
    source = [
        *gauge(SOURCE, 0, lagging([5_000.0] * 10), "currentOutputWatermark"),
        *gauge(SOURCE, 1, [None] * 10, "currentOutputWatermark"),
    ]

    def blocks(below: list[float | None]) -> object:
        window = [{**row, "operator": "window"} for row in gauge(SINK, 0, below)]
        found = signals_of_key(watermarks.measure(hand_made(metric_sample=[*source, *window])), "watermarks")
        return next(each.facts.get("blocks_downstream") for each in found if each.subject.vertex_id == SOURCE)

    assert blocks([None] * 10) is True
    assert blocks(lagging([9_000.0] * 10)) is False


def test_every_task_names_the_only_one_that_creates_its_watermark() -> None:
    """A command that asks for the watermarks of the source has its id, whatever task the finding is about."""
    steady = lagging([5_000.0] * 10)
    rows = [*gauge(SOURCE, 0, steady, "currentOutputWatermark"), *gauge(SINK, 0, steady)]
    found = signals_of_key(watermarks.measure(hand_made(**line_of_jobs(), metric_sample=rows)), "watermarks")
    assert {each.subject.vertex_id: each.facts["created_in"] for each in found} == {SOURCE: SOURCE, SINK: SOURCE}


def test_counters_of_operators_count_where_none_of_the_task_is_read() -> None:
    rows = gauge(SOURCE, 0, [START - 2_700_000.0] * 20, "currentOutputWatermark")
    rows += [{**each, "vertex_id": SOURCE, "operator": "read"} for each in passing(0, 500.0)]
    (signal,) = signals_of_key(watermarks.measure(hand_made(metric_sample=rows)), "watermarks")
    assert (signal.facts["stalled"], signal.facts["stalled_records"]) == (True, 9_500)


def test_a_subtask_with_hardly_any_records_has_a_small_share() -> None:
    rows = gauge(SINK, 0, [START - 600_000.0] * 20) + gauge(SINK, 1, lagging([5_000.0] * 20))
    rows += passing(0, 1.0) + passing(1, 199.0)
    (signal,) = signals_of_key(watermarks.measure(hand_made(metric_sample=rows)), "watermarks")
    assert (signal.facts["slowest_subtask"], signal.facts["slowest_idle"]) == (0, False)
    assert signal.facts["slowest_share_ratio"] == 0.01


def test_a_watermark_that_is_ahead_by_whole_hours_shows_a_time_zone() -> None:
    rows = gauge(SINK, 0, lagging([-8 * 3_600_000.0 + 5_000] * 20))
    (signal,) = signals_of_key(watermarks.measure(hand_made(metric_sample=rows)), "watermarks")
    assert signal.facts["ahead_hours"] == 8
    rows = gauge(SINK, 0, lagging([-1_500_000.0] * 20))
    (signal,) = signals_of_key(watermarks.measure(hand_made(metric_sample=rows)), "watermarks")
    assert "ahead_hours" not in signal.facts


def test_the_bounds_that_beam_writes_are_those_of_flink() -> None:
    rows = [
        *gauge(SOURCE, 0, [-9223372036854775.0] * 10, "currentOutputWatermark"),
        *gauge(SOURCE, 1, [*lagging([5_000.0] * 5), *[9223372036854775.0] * 5], "currentOutputWatermark"),
    ]
    (signal,) = signals_of_key(watermarks.measure(hand_made(metric_sample=rows)), "watermarks")
    assert signal.facts["without_watermark"] == [0]
    assert signal.facts["maximum_from_ms"] == START + 25_000


def test_gauges_alone_without_a_watermark_are_told_apart_from_those_of_a_whole_recording() -> None:
    alone = only(jobs_without_watermarks.measure(hand_made(metric_sample=gauge(SINK, 0, [None]))), "watermarks.job")
    assert (alone.facts["gauges"], alone.facts["only_watermarks"]) == (1, True)
    whole = hand_made(metric_sample=gauge(SINK, 0, [None]) + passing(0, 500.0))
    assert "only_watermarks" not in only(jobs_without_watermarks.measure(whole), "watermarks.job").facts


@pytest.mark.parametrize(("emitted", "named"), [(0.0, "Source: kafka"), (5.0, None)])
def test_a_reader_without_records_is_named_where_what_is_behind_it_emits_nothing(
    emitted: float, named: str | None
) -> None:
    rows = [{**each, "operator": "Source: kafka"} for each in gauge(SOURCE, 1, [None], "currentOutputWatermark")]
    for name, subtask, value in (("Source: kafka", 1, 0.0), ("TumblingEventTimeWindows", 0, emitted)):
        rows += [
            {**each, "metric": "numRecordsOut", "operator": name, "value": value} for each in passing(subtask, 0.0)
        ]
    facts = only(jobs_without_watermarks.measure(hand_made(metric_sample=rows)), "watermarks.job").facts
    assert facts.get("idle_reader") == named


@pytest.mark.parametrize(
    ("below", "first", "named"),
    [
        ("TumblingEventTimeWindows", 500.0, "Source: kafka"),
        ("TumblingEventTimeWindows", 0.0, None),
        ("enrich", 500.0, None),
    ],
)
def test_a_reader_without_records_beside_one_that_reads_is_named_where_a_window_waits(
    below: str, first: float, named: str | None
) -> None:
    """A job by processing time has no watermark either: it needs an operator that waits for one."""
    rows = [{**each, "operator": below} for each in gauge(SINK, 0, [None])]
    for subtask, growth in ((0, first), (1, 0.0)):
        counted = passing(subtask, growth)
        rows += [{**each, "metric": "numRecordsOut", "operator": "Source: kafka"} for each in counted]
    operators = gauge(SOURCE, 0, [None], "currentOutputWatermark")
    rows += [{**each, "operator": "map"} for each in operators]
    facts = only(jobs_without_watermarks.measure(hand_made(metric_sample=rows)), "watermarks.job").facts
    assert facts.get("idle_reader") == named


@pytest.mark.parametrize(("growth", "named"), [(5.0, "WatermarkAssigner[2]"), (0.0, None)])
def test_an_assigner_that_reads_and_gives_no_watermark_is_named_where_a_window_waits(
    growth: float, named: str | None
) -> None:
    rows = [{**each, "operator": "GlobalWindowAggregate[6]"} for each in gauge(SINK, 0, [None])]
    rows += [
        {**each, "operator": "WatermarkAssigner[2]"} for each in gauge(SOURCE, 0, [None], "currentOutputWatermark")
    ]
    rows += [{**each, "operator": "WatermarkAssigner[2]", "metric": "numRecordsIn"} for each in passing(0, growth)]
    facts = only(jobs_without_watermarks.measure(hand_made(metric_sample=rows)), "watermarks.job").facts
    assert facts.get("assigner") == named


@pytest.mark.parametrize(
    ("task", "operator", "named"),
    [
        ("latest -> big -> Sink: store", "big", None),
        ("Filter -> Sink: store", "Filter", None),
        ("big -> Sink: store", "big", "big"),
    ],
)
def test_a_filter_waits_for_no_watermark(task: str, operator: str, named: str | None) -> None:
    rows = gauge(task, 0, [None])
    for metric, growth in (("numRecordsIn", 500.0), ("numRecordsOut", 0.0)):
        counted = [{**each, "value": (each["value"] or 0) * growth / 500.0} for each in passing(0, 500.0)]
        rows += [{**each, "metric": metric, "operator": operator, "vertex": task} for each in counted]
    facts = only(jobs_without_watermarks.measure(hand_made(metric_sample=rows)), "watermarks.job").facts
    assert facts.get("silent_operator") == named


def test_the_operator_that_reads_and_emits_nothing_is_named_where_no_task_has_a_watermark() -> None:
    rows = gauge(SINK, 0, [None])
    for name in ("order-totals", "Sink: documents"):
        for metric, growth in (("numRecordsIn", 500.0), ("numRecordsOut", 0.0)):
            rows += [
                {**each, "metric": metric, "operator": name, "value": (each["value"] or 0) * growth / 500.0}
                for each in passing(0, 500.0)
            ]
    facts = only(jobs_without_watermarks.measure(hand_made(metric_sample=rows)), "watermarks.job").facts
    assert facts["silent_operator"] == "order-totals"
