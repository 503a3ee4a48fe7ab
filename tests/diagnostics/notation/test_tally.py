"""The coverage that a reader reports of a file, and where it stops."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.notation.file_range import Range
from diagnostics.notation.tally import MOST_SHOWN, ROWS_AT_ONCE, SHOWN, Tally, row_reader

PART = Range(0, "a", "a", 0, 0, 0)


def rows(part: Range, tally: Tally) -> Iterator[dict[str, Any]]:
    for number in range(ROWS_AT_ONCE + 10):
        tally.records += 1
        yield {"line": number}
    tally.warn("the end was reached")


def test_rows_come_in_batches_and_the_tally_last() -> None:
    *batches, coverage = row_reader("log_record", rows)(PART)
    assert [len(batch.rows) for batch in batches if isinstance(batch, Rows)] == [ROWS_AT_ONCE, 10]
    assert coverage == Coverage(records=ROWS_AT_ONCE + 10, warnings=("the end was reached",))


def test_no_more_is_read_than_is_kept_and_that_is_said() -> None:
    *batches, coverage = row_reader("log_record", rows, most=ROWS_AT_ONCE + 5)(PART)
    assert [len(batch.rows) for batch in batches if isinstance(batch, Rows)] == [ROWS_AT_ONCE, 5]
    assert coverage == Coverage(records=ROWS_AT_ONCE + 5, warnings=("only the first 2,005 rows are kept",))


def test_a_tally_shows_the_first_odd_lines_the_span_of_times_and_each_warning_once() -> None:
    tally = Tally(role="taskmanager")
    for number in range(1, SHOWN + 3):
        tally.odd(number, "x" * 900)
        tally.warn("odd lines")
    for ts_ms in (None, 5, 3, None, 9, 4):
        tally.take_time(ts_ms)
    assert tally.coverage() == Coverage(
        not_understood=SHOWN + 2,
        samples=tuple((number, "x" * MOST_SHOWN) for number in range(1, SHOWN + 1)),
        warnings=("odd lines",),
        role="taskmanager",
        first_ts_ms=3,
        last_ts_ms=9,
    )
