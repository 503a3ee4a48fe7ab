from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from diagnostics.aggregators import counter_samples
from diagnostics.evidence import Evidence
from diagnostics.reading.reduction import reduce_tables
from diagnostics.reconstruction.metrics.metric_slots import VaryingMetrics, growth, variations, varying_metrics
from tests.diagnostics.hand_made import JOB, MIDDLE, SOURCE, START, hand_made
from tests.diagnostics.many_samples import many_samples

SECOND = 1_000


def rates(*samples: tuple[int, int, float]) -> list[tuple[int, float]]:
    """Of samples (series, second, value): which of them have a rate, and which."""
    series, seconds, values = (np.array(column) for column in zip(*samples, strict=True))
    places, found = growth(series, seconds * SECOND, values.astype(float))
    return sorted(zip(places.tolist(), found.tolist(), strict=True))


def test_a_counters_rate_is_its_growth_since_the_sample_before_in_time() -> None:
    assert rates((0, 20, 900.0), (0, 0, 100.0), (0, 10, 400.0)) == [(0, 50.0), (2, 30.0)]


def test_counters_of_two_subtasks_are_not_held_against_each_other() -> None:
    assert rates((0, 0, 100.0), (1, 5, 900.0), (0, 10, 200.0), (1, 15, 950.0)) == [(2, 10.0), (3, 5.0)]


def test_no_rate_is_known_of_a_counter_that_begins_again() -> None:
    assert rates((0, 0, 100.0), (0, 10, 3.0), (0, 20, 13.0)) == [(2, 1.0)]


def test_no_rate_is_known_where_no_time_has_passed() -> None:
    assert rates((0, 0, 100.0), (0, 0, 200.0)) == []


def test_a_series_varies_by_the_scatter_of_its_means_and_not_at_all_without_one() -> None:
    found = variations(np.array([0, 0, 2]), np.array([1.0, 3.0, 7.0]), 3)

    assert found.tolist() == pytest.approx([0.5, 0, 0])


TASK = {"scope": "task", "job_id": JOB, "vertex_id": MIDDLE, "vertex": "enrich", "metric": "numRecordsIn"}


def counted(file_id: int, *values: float, **other: Any) -> list[dict[str, Any]]:
    """A counter, every ten seconds."""
    return [
        {**TASK, "subtask": file_id, "file_id": file_id, "ts_ms": START + 10 * SECOND * moment, "value": value, **other}
        for moment, value in enumerate(values)
    ]


def measured(*parts: Sequence[Mapping[str, Any]], most: int = 10) -> VaryingMetrics:
    evidence = hand_made(metric_sample=[row for part in parts for row in part])
    found = varying_metrics(evidence, 100, 10 * SECOND, most)
    assert found is not None
    return found


def test_a_series_is_reported_once_of_all_files_and_parts() -> None:
    (series,) = measured(counted(0, 0, 100, 300), counted(1, 0, 500, 1000)).series

    assert series.is_rate
    assert series.means == {1: 30.0, 2: 35.0}
    assert series.peaks == {1: 50.0, 2: 50.0}


def test_those_that_vary_least_are_left_out() -> None:
    gauges = [
        {**row, "metric": f"gauge{number:02}", "value": row["value"] + number}
        for number in range(20)
        for row in counted(2, 5, 7, 9)
    ]

    found = measured(gauges, most=5)

    assert [each.metric for each in found.series] == [f"gauge{number:02}" for number in range(5)]
    assert found.left_out == 15


def test_slots_of_too_many_samples_are_whole_ones_of_those_that_were_kept() -> None:
    moments = 20_000
    seconds = np.arange(moments)
    subtasks = [{**TASK, "subtask": subtask} for subtask in range(1 + counter_samples.MOST_SAMPLES // moments)]
    counters = many_samples(subtasks, START + SECOND * seconds, 1.0 * seconds**2)
    gauge = many_samples([{**TASK, "subtask": 0, "metric": "load"}], START + SECOND * seconds, seconds % 1_000 / 1.0)

    samples = pa.concat_tables([gauge, counters])
    evidence = Evidence({"metric_sample": samples.num_rows}, states=reduce_tables({"metric_sample": samples}))
    found = varying_metrics(evidence, 100, SECOND, 10)

    assert found is not None
    assert (found.from_ms % 2_048, found.slot_ms % 2_048, found.slot_ms // 2_048) == (0, 0, 98)
    by_metric = {each.metric: each for each in found.series}
    assert by_metric["numRecordsIn"].peaks[99] == pytest.approx(2 * moments, rel=0.01)
    assert max(by_metric["load"].peaks.values()) == 999.0


def test_a_subtask_that_moves_stays_in_its_series_and_processes_have_their_own() -> None:
    moving = [{**row, "task_manager": f"tm-{place}"} for place, row in enumerate(counted(0, 0, 100, 300))]
    process = {"metric": "Status.JVM.CPU.Load", "subtask": None, "vertex_id": None, "vertex": None}
    processes = [row for name in ("a", "b") for row in counted(0, 1, 2, 3, **process, task_manager=name)]

    found = measured(moving + processes).series

    assert sorted((each.metric, each.task_manager) for each in found) == [
        ("Status.JVM.CPU.Load", "a"),
        ("Status.JVM.CPU.Load", "b"),
        ("numRecordsIn", None),
    ]


def test_the_time_is_that_of_all_dated_samples_with_or_without_a_rate() -> None:
    alone = counted(0, 7, vertex_id=SOURCE, metric="numRecordsOut", ts_ms=START - 60 * SECOND)
    aggregates = counted(1, 7, aggregate="max", ts_ms=START - 90 * SECOND)

    found = measured(counted(0, 0, 100, 300), alone + aggregates)

    assert (found.from_ms, found.to_ms) == (START - 60 * SECOND, START + 20 * SECOND)
    assert [list(each.means) for each in found.series] == [[7, 8]]
