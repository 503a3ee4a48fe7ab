from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from pyspark.sql import SparkSession

from diagnostics.evidence import TABLES, Evidence
from diagnostics.reconstruction.metric_slots import (
    FEW_SAMPLES,
    SAMPLES_OF_TASK,
    VaryingMetrics,
    growth,
    merged,
    slots_of,
    variations,
    varying_metrics,
)
from diagnostics.shared_folder import SharedFolder
from tests.diagnostics.hand_made import JOB, MIDDLE, SOURCE, START

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


def test_slots_of_a_series_that_begin_together_become_one() -> None:
    slots = slots_of(np.array([10, 0, 10, 10]), np.array([4.0, 1.0, 8.0, 5.0]))

    series, found = merged(np.array([1, 0, 1, 0]), slots)

    assert list(zip(series.tolist(), found.tolist(), strict=True)) == [
        (0, (0, 1.0, 1, 1.0)),
        (0, (10, 5.0, 1, 5.0)),
        (1, (10, 12.0, 2, 8.0)),
    ]


def test_moments_thousands_of_years_apart_stay_apart() -> None:
    begins = np.array([-(2**47), 2**47])

    series, found = merged(np.array([0, 2**20]), slots_of(begins, np.array([1.0, 2.0])))

    assert (series.tolist(), found["begin_ms"].tolist()) == ([0, 2**20], begins.tolist())


def test_a_series_varies_by_the_scatter_of_its_means_and_not_at_all_without_one() -> None:
    found = variations(np.array([0, 0, 2]), np.array([1.0, 3.0, 7.0]), 3)

    assert found.tolist() == pytest.approx([0.5, 0, 0])


TASK = {"scope": "task", "job_id": JOB, "vertex_id": MIDDLE, "vertex": "enrich", "metric": "numRecordsIn"}


def stored(
    spark: SparkSession, folder: Path, *parts: Sequence[Mapping[str, Any]], samples: int | None = None
) -> Evidence:
    """Metrics in files that Spark's workers read themselves.

    samples  how many rows they count as, to be taken for many
    """
    names = [f"part-{number}.parquet" for number in range(len(parts))]
    for name, rows in zip(names, parts, strict=True):
        whole = [{"file_id": 0, **row} for row in rows]
        schema = TABLES["metric_sample"].arrow_schema()
        parquet.write_table(pa.Table.from_pylist(whole, schema=schema), folder / name)
    written = {"metric_sample": [(SharedFolder.at(folder), name) for name in names]}
    return Evidence(spark, {}, {"metric_sample": samples or sum(map(len, parts))}, parts=written)


def counted(file_id: int, *values: float, **other: Any) -> list[dict[str, Any]]:
    """A counter, every ten seconds."""
    return [
        {**TASK, "subtask": file_id, "file_id": file_id, "ts_ms": START + 10 * SECOND * moment, "value": value, **other}
        for moment, value in enumerate(values)
    ]


def measured(evidence: Evidence, most: int = 10) -> VaryingMetrics:
    found = varying_metrics(evidence, 100, 10 * SECOND, most)
    assert found is not None
    return found


@pytest.mark.spark
def test_a_series_is_told_once_of_all_files_and_parts(spark: SparkSession, tmp_path: Path) -> None:
    (series,) = measured(stored(spark, tmp_path, counted(0, 0, 100, 300), counted(1, 0, 500, 1000))).series

    assert series.is_rate
    assert series.means == {1: 30.0, 2: 35.0}
    assert series.peaks == {1: 50.0, 2: 50.0}


@pytest.mark.spark
def test_many_samples_are_measured_as_few_are(spark: SparkSession, tmp_path: Path) -> None:
    gauges = [
        {**row, "metric": f"gauge{number}", "value": row["value"] + number}
        for number in range(20)
        for row in counted(2, 5, 7, 9)
    ]
    parts = counted(0, 0, 100, 400), [*counted(1, 0, 500, 900), *gauges]
    few = measured(stored(spark, tmp_path, *parts), most=5)
    many = measured(stored(spark, tmp_path, *parts, samples=max(FEW_SAMPLES, 2 * SAMPLES_OF_TASK) + 1), most=5)

    assert many == few
    assert few.left_out == 16


@pytest.mark.spark
def test_a_subtask_that_moves_stays_in_its_series_and_processes_have_their_own(
    spark: SparkSession, tmp_path: Path
) -> None:
    moving = [{**row, "task_manager": f"tm-{place}"} for place, row in enumerate(counted(0, 0, 100, 300))]
    process = {"metric": "Status.JVM.CPU.Load", "subtask": None, "vertex_id": None, "vertex": None}
    processes = [row for name in ("a", "b") for row in counted(0, 1, 2, 3, **process, task_manager=name)]

    found = measured(stored(spark, tmp_path, moving + processes)).series

    assert sorted((each.metric, each.task_manager) for each in found) == [
        ("Status.JVM.CPU.Load", "a"),
        ("Status.JVM.CPU.Load", "b"),
        ("numRecordsIn", None),
    ]


@pytest.mark.spark
def test_the_time_is_that_of_all_dated_samples_with_or_without_a_rate(spark: SparkSession, tmp_path: Path) -> None:
    alone = counted(0, 7, vertex_id=SOURCE, metric="numRecordsOut", ts_ms=START - 60 * SECOND)
    aggregates = counted(1, 7, aggregate="max", ts_ms=START - 90 * SECOND)

    found = measured(stored(spark, tmp_path, counted(0, 0, 100, 300), alone + aggregates))

    assert (found.from_ms, found.to_ms) == (START - 60 * SECOND, START + 20 * SECOND)
    assert [list(each.means) for each in found.series] == [[7, 8]]
