"""Readings of the metrics of connectors that suffice by themselves."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.notation.metric_name import from_prometheus, from_rest
from diagnostics.signals import alarming_readings
from tests.diagnostics.hand_made import START, hand_made, signals_of_key

MIB = 2**20


def kinds(key: str, values: dict[str, float]) -> list[Any]:
    place = {"ts_ms": START, "operator": "Sink: lake", "subtask": 0}
    rows = [{**place, "metric": metric, "value": value} for metric, value in values.items()]
    named = f"alarming_readings.{key}"
    return [
        each.facts["kind"]
        for each in signals_of_key(alarming_readings.measure(named, hand_made(metric_sample=rows)), named)
    ]


@pytest.mark.parametrize(
    ("key", "values", "kind"),
    [
        ("misconfiguration", {"totalFilteredRows": 12.0}, "rows-filtered-by-a-load"),
        ("misconfiguration", {"totalFlushFilteredRows": 1.0}, "rows-filtered-by-a-load"),
        ("misconfiguration", {"numOfDroppedRecords": 500.0}, "batches-dropped"),
        ("misconfiguration", {"numIgnoredSchemaChangeEvents": 3.0}, "schema-changes-left-out"),
        ("early_warning", {"elapsedSecondsSinceLastSuccessfulCommit": 7200.0}, "no-commit-of-a-lake-table"),
        (
            "early_warning",
            {"committedDataFilesByteCount": 2_000.0 * MIB, "committedDataFilesCount": 2_000.0},
            "small-files-of-a-lake-table",
        ),
        ("slow_sink", {"maxLevel0FileCount": 40.0}, "compaction-of-a-lake-table-behind"),
        ("early_warning", {"lastCommitAttempts": 9.0}, "commits-tried-again"),
        ("early_warning", {"cache.numLoadFailures": 2.0}, "dimension-not-loaded"),
        ("early_warning", {"numAcksFailed": 40.0}, "acknowledgements-fail"),
        ("early_warning", {"millisBehindLatest": 7_200_000.0}, "shard-far-behind"),
        ("early_warning", {"numFailLoads": 40.0}, "loads-tried-again"),
    ],
)
def test_a_reading_of_a_connector_counts(key: str, values: dict[str, float], kind: str) -> None:
    assert kinds(key, values) == [kind]


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("misconfiguration", {"totalFilteredRows": 0.0, "numOfDroppedRecords": 0.0}),
        ("early_warning", {"elapsedSecondsSinceLastSuccessfulCommit": 60.0, "millisBehindLatest": 900.0}),
        ("early_warning", {"committedDataFilesByteCount": 20.0 * MIB, "committedDataFilesCount": 20.0}),
        (
            "early_warning",
            {"committedDataFilesByteCount": 256_000.0 * MIB, "committedDataFilesCount": 2_000.0},
        ),
        ("slow_sink", {"maxLevel0FileCount": 5.0}),
        ("early_warning", {"lastCommitAttempts": 1.0, "cache.numLoadFailures": 0.0, "numFailLoads": 2.0}),
    ],
)
def test_a_connector_that_does_well_is_not_named(key: str, values: dict[str, float]) -> None:
    assert kinds(key, values) == []


@pytest.mark.parametrize(
    ("series", "metric"),
    [
        ("db_t_totalFlushFilteredRows", "totalFlushFilteredRows"),
        ("IcebergFilesCommitter_table_committedDataFilesCount", "committedDataFilesCount"),
        ("paimon_table_partition_bucket_compaction_maxLevel0FileCount", "maxLevel0FileCount"),
        ("my_numRecordsIn", "my_numRecordsIn"),
    ],
)
def test_the_metric_of_a_connector_is_the_last_part_of_its_name(series: str, metric: str) -> None:
    name = from_prometheus(f"flink_taskmanager_job_task_operator_{series}")
    assert name is not None
    assert name.metric == metric


def test_a_metric_of_a_connector_is_known_in_rest_answers() -> None:
    name = from_rest("0.IcebergFilesCommitter.IcebergFilesCommitter.table.db.t.committedDataFilesCount", "task")
    assert (name.metric, name.operator, name.subtask) == ("committedDataFilesCount", "IcebergFilesCommitter", 0)
