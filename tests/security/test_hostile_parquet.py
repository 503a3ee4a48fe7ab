"""Parquet files that expand to far more than their size: bounded memory and time, and honest columns are read."""

from __future__ import annotations

import io
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

from tests.security.bounded_reading import BoundedReader, Outcome

ROWS = 100_000
MOST_MIB = 400
MOST_SECONDS = 3
"""What such a file may take beyond what the process has. Our choice: a batch of 32 MiB takes 250 MiB on its way."""
TIME = 1_795_224_420_970


def written(columns: dict[str, pa.Array], folder: Path, **options: object) -> Path:
    target = io.BytesIO()
    parquet.write_table(pa.table(columns), target, compression="zstd", **options)
    path = folder / "events.parquet"
    path.write_bytes(target.getvalue())
    return path


def repeated(text: str, rows: int = ROWS) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), pa.array([text]))


def assert_bounded(outcome: Outcome) -> None:
    assert outcome.failure is None
    assert outcome.peak_mib < MOST_MIB
    assert outcome.seconds < MOST_SECONDS


def test_a_key_in_a_dictionary_is_not_multiplied(reader: BoundedReader, tmp_path: Path) -> None:
    path = written({"device_id": repeated("a" * 42_000), "event_time": pa.array([TIME] * ROWS)}, tmp_path)
    assert path.stat().st_size < 1_500
    outcome = reader.read(path)
    assert_bounded(outcome)
    assert outcome.rows == {"event": ROWS}


def test_texts_of_columns_that_nobody_needs_are_not_read(reader: BoundedReader, tmp_path: Path) -> None:
    columns = {"device_id": repeated("a", 20), "event_time": pa.array([TIME] * 20)}
    columns |= {f"note_{number}": repeated("n" * 500_000, 20) for number in range(100)}
    outcome = reader.read(written(columns, tmp_path))
    assert_bounded(outcome)
    assert outcome.rows == {"event": 20}


def test_a_time_in_a_dictionary_is_looked_at_once(reader: BoundedReader, tmp_path: Path) -> None:
    path = written({"device_id": repeated("a"), "event_time": repeated("2026-11-21T01:00:00Z")}, tmp_path)
    times = parquet.read_table(path)
    columns = {"device_id": times["device_id"], "event_time": times["event_time"], "arrived_at": repeated("9" * 42_000)}
    outcome = reader.read(written(columns, tmp_path))
    assert_bounded(outcome)
    assert outcome.rows == {"event": ROWS}


def test_a_run_of_one_event_is_no_hundred_million_events(reader: BoundedReader, tmp_path: Path) -> None:
    path = written({"device_id": repeated("a", 5_000_000), "event_time": repeated("2026-11-21", 5_000_000)}, tmp_path)
    outcome = reader.read(path)
    assert_bounded(outcome)
    assert "taken for a decompression bomb" in outcome.refusals[0]


def test_long_keys_without_a_dictionary_are_read_a_few_at_a_time(reader: BoundedReader, tmp_path: Path) -> None:
    keys = pa.array([f"{number}-" + "k" * 4_000 for number in range(20_000)])
    columns = {"device_id": keys, "event_time": pa.array([TIME] * 20_000)}
    outcome = reader.read(written(columns, tmp_path, use_dictionary=False))
    assert_bounded(outcome)
    assert outcome.rows == {"event": 20_000}


def test_a_label_in_a_dictionary_is_not_multiplied(reader: BoundedReader, tmp_path: Path) -> None:
    name = 'flink_taskmanager_job_task_busyTimeMsPerSecond{job_id="a",task_id="b",subtask_index="0",host="%s"}'
    columns = {"timestamp": pa.array([TIME] * ROWS), "value": pa.array([1.0] * ROWS)}
    outcome = reader.read(written({**columns, "metric": repeated(name % ("h" * 42_000))}, tmp_path))
    assert_bounded(outcome)
    assert "a label of 42,096 bytes" in outcome.refusals[0]


def test_a_name_of_a_column_that_is_no_utf_8_costs_its_file_only(reader: BoundedReader, tmp_path: Path) -> None:
    columns = {"device_id": pa.array(["a"]), "event_time": pa.array([TIME]), "extra_name": pa.array([1])}
    path = written(columns, tmp_path)
    path.write_bytes(path.read_bytes().replace(b"extra_name", b"extra\xff\xfe_am"))
    outcome = reader.read(path)
    assert_bounded(outcome)
    assert "damaged" in outcome.refusals[0]


def test_a_column_that_is_there_twice_costs_its_file_only(reader: BoundedReader, tmp_path: Path) -> None:
    table = pa.Table.from_arrays([pa.array(["a"]), pa.array(["b"]), pa.array([TIME])], ["key", "key", "event_time"])
    path = tmp_path / "events.parquet"
    parquet.write_table(table, path)
    outcome = reader.read(path)
    assert_bounded(outcome)
    assert "several columns named 'key'" in outcome.refusals[0]
