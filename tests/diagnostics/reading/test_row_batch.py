"""Rows become batches of their table; values that no column can hold are unknown and counted."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest

from diagnostics.evidence.rows import Rows
from diagnostics.reading.clock import FileClock
from diagnostics.reading.row_batch import row_batch

LAST_MS = 253_402_300_799_000


def test_a_row_with_a_column_that_its_table_lacks_names_both() -> None:
    with pytest.raises(TypeError, match="table job has no column colour"):
        row_batch(Rows("job", [{"job_id": "a", "colour": "red"}]), 0, 0, None)


def test_moments_are_moved_with_their_files_clock_and_nothing_else_is() -> None:
    given = Rows("checkpoint", [{"ts_ms": 5_000, "trigger_ms": 4_000, "failure_ms": None, "end_to_end_ms": 1_000.0}])
    row = row_batch(given, 0, 0, FileClock("UTC", -3_000))[0].to_pylist()[0]
    assert (row["ts_ms"], row["trigger_ms"], row["failure_ms"], row["end_to_end_ms"]) == (2_000, 1_000, None, 1_000.0)


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 10**400])
def test_a_number_that_is_too_large_costs_neither_its_row_nor_the_others(number: int) -> None:
    batch, beyond = row_batch(Rows("subtask", [{"subtask": number, "host": "a"}, {"subtask": 3}]), 0, 0, None)
    assert [(row["subtask"], row["host"]) for row in batch.to_pylist()] == [(None, "a"), (3, None)]
    assert beyond == 1


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 10**400, 1e308, -1e31])
def test_a_value_that_no_process_measures_is_unknown(value: float) -> None:
    batch, beyond = row_batch(Rows("metric_sample", [{"metric": "m", "value": value}]), 0, 0, None)
    assert batch.column("value").to_pylist() == [None]
    assert beyond == 1


@pytest.mark.parametrize("clock", [None, FileClock("Europe/Berlin", -3_000)])
@pytest.mark.parametrize("moment", [-(2**63), -62_135_596_800_001, LAST_MS + 1, 2**63 - 1])
def test_a_time_that_no_calendar_has_is_unknown(moment: int, clock: FileClock | None) -> None:
    given = pa.RecordBatch.from_pydict({"ts_ms": pa.array([moment, 1_795_224_420_970]), "message": ["far", "near"]})
    batch, beyond = row_batch(Rows("log_record", batch=given), 0, 0, clock)
    first, second = batch.column("ts_ms").to_pylist()
    assert first is None
    assert second is not None
    assert beyond == 1


def test_the_first_and_the_last_year_of_the_calendar_are_times() -> None:
    given = Rows("log_record", [{"ts_ms": -62_135_596_800_000}, {"ts_ms": LAST_MS}])
    assert row_batch(given, 0, 0, None)[1] == 0
    assert row_batch(given, 0, 0, FileClock(None, 3_600_000))[1] == 1
    assert row_batch(given, 0, 0, FileClock("Europe/Berlin"))[1] == 1


@pytest.mark.parametrize("value", [0.0, -1.5, 2.0**63, -(2.0**63), 1e-300, 1e30])
def test_a_large_a_small_and_a_negative_value_are_measurements(value: float) -> None:
    batch, beyond = row_batch(Rows("metric_sample", [{"metric": "m", "value": value}]), 0, 0, None)
    assert (batch.column("value").to_pylist(), beyond) == ([value], 0)


def test_half_a_surrogate_pair_is_replaced_in_texts_and_in_lists_of_them() -> None:
    batch, beyond = row_batch(Rows("stack_sample", [{"thread": "a\ud800", "frames": ["x.y", "\udfff"]}]), 0, 0, None)
    row = batch.to_pylist()[0]
    assert (row["thread"], row["frames"], beyond) == ("a?", ["x.y", "?"], 0)


def test_what_is_unknown_anyway_is_not_counted() -> None:
    batch, beyond = row_batch(Rows("metric_sample", [{"metric": "m", "value": None, "ts_ms": None}]), 0, 4, None)
    assert (batch.num_rows, beyond) == (1, 0)
