"""A selection leaves out records, and nothing else: what remains reads as before, and the others are counted."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.flink_log import FORMAT
from diagnostics.log_scan.selection import CONTEXT, RecordSelection
from diagnostics.notation.file_range import Range

TASK = "org.apache.flink.runtime.taskmanager.Task                    "
COORDINATOR = "org.apache.flink.runtime.checkpoint.CheckpointCoordinator    "
RUNNER = "org.apache.flink.runtime.taskexecutor.TaskManagerRunner      "
LONG = "com.acme.a.logger.whose.name.is.longer.than.the.sixty.characters.of.the.Layout"
JOB = "0" * 31 + "a"

LOG = f"""\
2026-11-21 01:00:00,000 INFO  {RUNNER} [] -  Starting TaskManager (Version: 1.20.5, Scala: 2.12, Rev:0, Date:2026)
2026-11-21 01:00:00,001 INFO  {RUNNER} [] -  JVM Options:
2026-11-21 01:00:00,001 INFO  {RUNNER} [] -     -Xmx536870912
2026-11-21 01:00:00,002 INFO  {TASK} [] - a line that says nothing
2026-11-21 01:00:00,700 DEBUG {LONG} [] - another one
2026-11-21 01:00:01,000 INFO  {COORDINATOR} [] - Triggering checkpoint 7 @ 1795222801000 for job {JOB}.
2026-11-21 01:00:01,500 WARN  {TASK} [] - a warning
2026-11-21 01:00:01,600 INFO  {TASK} [] - of several
lines
2026-11-21T02:00:02.000+0100 INFO  {TASK} [] - with a zone
2026-11-21 01:00:02,000 INFO  {TASK} [] - a line with a mark in it
2026-11-21 00:59:01,000 INFO  {TASK} [] - back in time
2026-11-21 01:00:03,000 INFO  {TASK} [] - the last
"""

EMPTY = RecordSelection(frozenset(), frozenset())


def read(path: Path, selection: RecordSelection | None, text: str = LOG) -> tuple[list[dict[str, Any]], Any, Coverage]:
    """The log records, the counts of others, and the coverage."""
    path.write_text(text)
    size = path.stat().st_size
    context = {CONTEXT: selection} if selection else {}
    records, counts, coverage = [], [], None
    for given in FORMAT.read(Range(0, path.name, str(path), 0, size, size, context)):
        if isinstance(given, Coverage):
            coverage = given
        elif isinstance(given, Rows) and given.batch is not None:
            {"log_record": records, "log_count": counts}[given.table].extend(given.batch.to_pylist())
    assert coverage is not None
    return records, counts, coverage


def test_records_that_show_something_by_themselves_are_rows_whatever_is_selected(tmp_path: Path) -> None:
    records, counts, _ = read(tmp_path / "log", EMPTY)
    assert [row["line"] for row in records] == [1, 2, 3, 7, 8, 10]
    assert sum(row["records"] for row in counts) == 6


def test_selected_events_and_texts_are_rows(tmp_path: Path) -> None:
    selection = RecordSelection(frozenset(["jm.ckpt.trigger", "jm.ckpt.trigger.v110"]), frozenset(["with a mark"]))
    records, counts, _ = read(tmp_path / "log", selection)
    assert {6, 11} <= {row["line"] for row in records}
    assert sum(row["records"] for row in counts) == 4


def test_what_is_selected_reads_as_if_all_were(tmp_path: Path) -> None:
    whole, none_counted, _ = read(tmp_path / "log", None)
    some, _, _ = read(tmp_path / "log", EMPTY)
    assert none_counted == []
    of_line = {row["line"]: row for row in whole}
    for row in some:
        known = {
            name: value for name, value in of_line[row["line"]].items() if value is not None and name != "continuation"
        }
        assert {name: value for name, value in row.items() if value is not None} == known


def test_all_records_are_counted_once_at_their_second_and_level(tmp_path: Path) -> None:
    whole, _, _ = read(tmp_path / "log", None)
    some, counts, _ = read(tmp_path / "log", EMPTY)
    expected = Counter((row["ts_ms"] // 1000, row["level"]) for row in whole)
    found = Counter((row["ts_ms"] // 1000, row["level"]) for row in some)
    for row in counts:
        found[row["first_ms"] // 1000, row["level"]] += row["records"]
        assert row["first_ms"] // 1000 == row["last_ms"] // 1000
    assert found == expected


def test_the_coverage_is_that_of_all_records(tmp_path: Path) -> None:
    _, _, whole = read(tmp_path / "log", None)
    _, _, some = read(tmp_path / "log", EMPTY)
    assert some == whole
    assert (whole.records, whole.earlier, whole.earlier_line, whole.flink_version) == (12, 1, 12, "1.20.5")


@pytest.mark.parametrize("text", ["", "no layout at all\n", f"2026-11-21 01:00:00,002 INFO  {TASK} [] - one\n"])
def test_short_files_have_the_same_coverage(tmp_path: Path, text: str) -> None:
    assert read(tmp_path / "log", EMPTY, text)[2] == read(tmp_path / "log", None, text)[2]
