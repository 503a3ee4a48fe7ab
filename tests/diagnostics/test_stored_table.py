"""How records lie in the files of their table."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from pyarrow import parquet

from diagnostics.format import Rows
from diagnostics.reading import stored_table
from diagnostics.reading.stored_table import TableWriter
from diagnostics.shared_folder import SharedFolder

if TYPE_CHECKING:
    from pathlib import Path

RECORDS: list[dict[str, Any]] = [
    {"message": "nothing", "level": "INFO"},
    {"message": "Closing TaskExecutor connection a", "level": "WARN"},
    {"message": "b", "event": "task.state", "level": "INFO"},
    {"message": "nothing", "level": "DEBUG"},
    {"message": "c", "event": "jm.ckpt.complete", "level": "INFO"},
] * 3


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_table, "FEW_RECORDS", 10)


def written(folder: Path, records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The records as their file holds them."""
    with TableWriter(SharedFolder.at(folder), 0) as writer:
        writer.add(Rows("log_record", records), 0, 0, None)
    rows: list[dict[str, Any]] = parquet.read_table(folder / "log_record").to_pylist()
    return rows


def test_many_records_lie_by_what_they_tell_and_those_that_tell_nothing_come_last(tmp_path: Path) -> None:
    rows = written(tmp_path, [{**each, "line": line} for line, each in enumerate(RECORDS, 1)])
    told = [(row["event"], row["kinds"], row["level"]) for row in rows]
    blocks = [told[0], *(after for before, after in pairwise(told) if after != before)]
    assert blocks == [
        ("jm.ckpt.complete", None, "INFO"),
        ("task.state", None, "INFO"),
        (None, "closed", "WARN"),
        (None, None, "DEBUG"),
        (None, None, "INFO"),
    ]


def test_a_record_keeps_its_own_line(tmp_path: Path) -> None:
    rows = written(tmp_path, [{**each, "line": line} for line, each in enumerate(RECORDS, 1)])
    assert {row["line"]: row["message"] for row in rows} == {
        line: each["message"] for line, each in enumerate(RECORDS, 1)
    }


@pytest.mark.parametrize("lines", [[None] * 15, [1] * 15, [*range(15, 0, -1)]], ids=["none", "one", "backwards"])
def test_records_whose_lines_do_not_tell_their_order_keep_it(tmp_path: Path, lines: list[int | None]) -> None:
    records = [{**each, "line": line} for line, each in zip(lines, RECORDS, strict=True)]
    assert [row["message"] for row in written(tmp_path, records)] == [each["message"] for each in RECORDS]


def test_few_records_stay_as_they_were_read(tmp_path: Path) -> None:
    records = [{**each, "line": line} for line, each in enumerate(RECORDS[:10], 1)]
    assert [row["line"] for row in written(tmp_path, records)] == list(range(1, 11))
