"""Buffer pools of each task, and the upstream output pool."""

from __future__ import annotations

from typing import Any

from diagnostics.signals import buffer_pools
from tests.diagnostics.hand_made import JOB, MIDDLE, SINK, SOURCE, START, hand_made, line_of_jobs, needs, signals_of_key


def pool(vertex: str, metric: str, *values: float, subtask: int = 0) -> list[dict[str, Any]]:
    about = {"job_id": JOB, "vertex_id": vertex, "subtask": subtask, "metric": metric}
    return [{**about, "value": value, "ts_ms": START + place * 5000} for place, value in enumerate(values)]


def test_a_full_input_is_shown_with_the_output_upstream() -> None:
    rows = [
        *pool(MIDDLE, "buffers.outPoolUsage", 1.0, 1.0, 0.2),
        *pool(SINK, "buffers.inPoolUsage", 0.1, 0.2, 0.1),
        *pool(SINK, "buffers.inPoolUsage", 0.9, 1.0, 1.0, subtask=1),
        *pool(SINK, "Shuffle.Netty.Input.Buffers.inputFloatingBuffersUsage", 1.0, subtask=1),
    ]
    measured = buffer_pools.measure(hand_made(**line_of_jobs(), metric_sample=rows))
    facts = {each.subject.vertex_id: each.facts for each in signals_of_key(measured, "buffer_pools")}[SINK]
    assert (facts["in_ratio"], facts["fullest_subtask"], facts["floating_ratio"]) == (1.0, 1, 1.0)
    assert (facts["upstream_out_ratio"], facts["upstream_vertex"]) == (1.0, "enrich")


def test_a_pool_that_filled_and_emptied_again_has_an_onset_and_an_end() -> None:
    rows = pool(SINK, "buffers.inPoolUsage", *[0.0] * 4, *[1.0] * 14, *[0.0] * 9)
    (found,) = signals_of_key(buffer_pools.measure(hand_made(**line_of_jobs(), metric_sample=rows)), "buffer_pools")
    assert (found.facts["onset_ms"], found.facts["onset_at_start"]) == (START + 20_000, False)
    assert found.facts["ended_ms"] == START + 90_000
    assert found.facts["last_ratio"] == 0.0


def test_the_pools_of_a_task_are_those_of_one_subtask_since_its_pool_is_full() -> None:
    """Medians over empty and full, and a maximum for each pool over all subtasks, would be nobody's pools."""
    filled = [0.25] * 20 + [0.94] + [1.0] * 12
    rows = [
        *pool(MIDDLE, "buffers.outPoolUsage", *filled, subtask=2),
        *pool(MIDDLE, "buffers.inPoolUsage", *[0.1] * 20, *[0.5] * 13, subtask=2),
        *pool(MIDDLE, "buffers.inPoolUsage", *[0.1] * 20, *[0.9] * 13, subtask=3),
    ]
    (found,) = signals_of_key(buffer_pools.measure(hand_made(**line_of_jobs(), metric_sample=rows)), "buffer_pools")
    facts = found.facts
    assert (facts["fullest_subtask"], facts["out_ratio"], facts["in_ratio"]) == (2, 1.0, 0.5)
    assert facts["onset_ms"] == facts["full_since_ms"] == START + 100_000


def test_pools_that_were_full_for_a_time_are_described_by_that_time() -> None:
    """Full for 65 s of 160: the median over all says that there was always room."""
    rows = pool(MIDDLE, "buffers.inPoolUsage", *[0.1] * 10, *[0.95] * 13, *[0.0] * 10)
    (found,) = signals_of_key(buffer_pools.measure(hand_made(**line_of_jobs(), metric_sample=rows)), "buffer_pools")
    assert (found.facts["full_since_ms"], found.facts["full_until_ms"]) == (START + 50_000, START + 115_000)
    assert (found.facts["in_ratio"], found.facts["ended_ms"]) == (0.95, START + 115_000)


def test_a_look_of_rest_says_nothing_beside_a_gauge_that_was_scraped_all_the_time() -> None:
    scraped = [{**row, "vertex": "Sink:_documents"} for row in pool(SINK, "buffers.inPoolUsage", *[0.2] * 20)]
    looked = [{**row, "ts_ms": START + 47_000} for row in pool(SINK, "buffers.inPoolUsage", 1.0)]
    measured = buffer_pools.measure(hand_made(**line_of_jobs(), metric_sample=scraped + looked))
    (found,) = signals_of_key(measured, "buffer_pools")
    assert found.facts["in_ratio"] == 0.2
    assert "onset_ms" not in found.facts


def test_only_a_task_without_others_below_it_has_no_output_pool() -> None:
    rows = [*pool(MIDDLE, "buffers.outPoolUsage", 0.0), *pool(SINK, "buffers.outPoolUsage", 0.0)]
    measured = buffer_pools.measure(hand_made(**line_of_jobs(), metric_sample=rows))
    sinks = {each.subject.vertex_id: each.facts["is_sink"] for each in signals_of_key(measured, "buffer_pools")}
    assert sinks == {MIDDLE: False, SINK: True}


def test_the_empty_input_pool_that_flink_reports_for_a_source_is_none() -> None:
    rows = [*pool(SOURCE, "buffers.outPoolUsage", 1.12), *pool(SOURCE, "buffers.inPoolUsage", 0.0)]
    (found,) = signals_of_key(buffer_pools.measure(hand_made(**line_of_jobs(), metric_sample=rows)), "buffer_pools")
    assert (found.facts["out_ratio"], found.facts.get("in_ratio")) == (1.12, None)


def test_quantiles_and_aggregates_of_a_pool_are_none_of_its_readings() -> None:
    rows = pool(SINK, "inPoolUsage", 0.2, 0.3, 0.4)
    summed_up = [{**row, "value": 1.0, **kind} for row in rows for kind in ({"quantile": 0.99}, {"aggregate": "max"})]
    (found,) = signals_of_key(
        buffer_pools.measure(hand_made(**line_of_jobs(), metric_sample=rows + summed_up)), "buffer_pools"
    )
    assert found.facts["in_ratio"] == 0.3


def test_without_such_metrics_nothing_is_measured() -> None:
    other = [{"metric": "numRecordsIn", "value": 1.0, "ts_ms": START, "vertex_id": SINK, "job_id": JOB}]
    assert needs(buffer_pools.measure(hand_made(metric_sample=other))) == {"buffer_pools": "vertex-metrics"}
