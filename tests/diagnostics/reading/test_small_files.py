"""A task reads small files together: an unreadable one affects no other, and each has its own coverage."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa

from diagnostics.formats.flink_log import FORMAT as FLINK_LOG
from diagnostics.notation.file_range import Range
from diagnostics.reading.ranges import PlannedRange
from diagnostics.reading.task import COVERAGE, SMALL_FILE_BYTES, read_group
from diagnostics.reading.transport import unpack_tables
from diagnostics.storage.shared_folder import SharedFolder

SAMPLE = FLINK_LOG.samples[0].content
RECORDS = 3


def planned(number: int, content: bytes, folder: Path) -> PlannedRange:
    path = folder / str(number)
    path.write_bytes(content)
    return PlannedRange(Range(number, f"{number}.log", str(path), 0, len(content), len(content)), FLINK_LOG.id, 0)


def covered(ranges: list[PlannedRange], folder: Path) -> list[dict[str, Any]]:
    packed = list(read_group(ranges, SharedFolder.at(folder), 0))
    (table,) = unpack_tables(pa.Table.from_batches(packed))[COVERAGE]
    return sorted(table.to_pylist(), key=lambda row: int(row["file_id"]))


def test_each_of_many_small_files_is_covered_by_its_own_entry(tmp_path: Path) -> None:
    found = covered([planned(number, SAMPLE, tmp_path) for number in range(40)], tmp_path)

    assert [(each["file_id"], each["records"], each["role"]) for each in found] == [
        (number, RECORDS, "taskmanager") for number in range(40)
    ]


def test_a_large_file_among_small_ones_is_read_by_itself(tmp_path: Path) -> None:
    times = SMALL_FILE_BYTES // len(SAMPLE) + 1
    found = covered(
        [planned(number, SAMPLE * (times if number == 1 else 1), tmp_path) for number in range(3)], tmp_path
    )

    assert [each["records"] for each in found] == [RECORDS, RECORDS * times, RECORDS]


def test_a_file_that_is_gone_costs_itself_only(tmp_path: Path) -> None:
    ranges = [planned(number, SAMPLE, tmp_path) for number in range(3)]
    Path(ranges[1].part.path).unlink()
    found = covered(ranges, tmp_path)

    assert [each["records"] for each in found] == [RECORDS, 0, RECORDS]
    assert [bool(each["warnings"]) for each in found] == [False, True, False]
