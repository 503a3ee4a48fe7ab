"""Small files that are read together give what each of them gives alone, with its own lines, role and warnings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats import FORMATS
from diagnostics.formats.flink_log import FORMAT as FLINK_LOG
from diagnostics.formats.format import Format
from diagnostics.log_scan.selection import CONTEXT
from diagnostics.notation.file_range import Range
from diagnostics.reading.log_selection import log_selection
from tests.diagnostics.formats.log_lines import COORDINATOR, JOB

SEVERAL = [one for one in FORMATS.values() if one.read_several is not None]

SAMPLE = FLINK_LOG.samples[0].content
TASK = "org.apache.flink.runtime.taskmanager.Task"
FILES = {
    "a TaskManager": SAMPLE,
    "a JobManager": f"2026-11-21 10:00:00,000 INFO  {COORDINATOR} [] - Triggering checkpoint 1 for {JOB}.\n".encode(),
    "no end of the last line": SAMPLE.rstrip(b"\n"),
    "lines before the first record": b"\n\nException in thread main\n\tat a.B.c(B.java:1)\n" + SAMPLE,
    "no record at all": b"Exception in thread main\n\tat a.B.c(B.java:1)\nPicked up JAVA_TOOL_OPTIONS\n",
    "blank lines": b"\n\n",
    "empty": b"",
    "the same without records": b"Picked up JAVA_TOOL_OPTIONS\n",
    "a zone": f"2026-11-21T10:00:00.000+02:00 INFO {TASK} - one\n2026-11-21T10:00:00.000+02:00 INFO x - y\n".encode(),
    "an ambiguous zone": f"2026-11-21 10:00:00.000 CST INFO {TASK} - one\n".encode(),
    "a clock": b"10:00:00.000 [main] INFO  a.B - one\n10:00:01.000 [main] WARN  a.B - two\n",
    "JSON": b'{"@timestamp":"2026-11-21T10:00:00.000Z","level":"WARN","logger_name":"a.B","message":"one"}\n',
    "out of order": b"2026-11-21 10:00:20,000 INFO  a.B [] - one\n2026-11-21 10:00:00,000 INFO  a.B [] - two\n",
    "settings": b"2026-11-21 10:00:00,000 INFO  a.B [] - JVM Options:\n"
    b"2026-11-21 10:00:00,000 INFO  a.B [] -     -Xmx448m\n",
    "indented": b"2026-11-21 10:00:00,000 INFO  a.B [] -     -Xmx999m\n",
}


def written(files: Sequence[bytes], folder: Path, *, is_lean: bool) -> list[Range]:
    ranges = []
    for number, content in enumerate(files):
        path = folder / str(number)
        path.write_bytes(content)
        context = {CONTEXT: log_selection()} if is_lean else {}
        ranges.append(Range(number, f"app-2026-11-21-{number}.log", str(path), 0, len(content), len(content), context))
    return ranges


def comparable(given: Rows | Coverage) -> Any:
    if isinstance(given, Coverage):
        return given
    rows = list(given.rows) if given.batch is None else given.batch.to_pylist()
    return given.table, [{name: value for name, value in row.items() if value is not None} for row in rows]


def assert_alike(one: Format, ranges: Sequence[Range]) -> None:
    assert one.read_several is not None
    together: list[list[Any]] = [[] for _ in ranges]
    for place, given in one.read_several(ranges):
        together[place].append(comparable(given))

    for part, found in zip(ranges, together, strict=True):
        assert found == [comparable(given) for given in one.read(part)], part.name


@pytest.mark.parametrize("is_lean", [True, False], ids=["asked records", "all records"])
def test_files_of_all_kinds_together_are_what_they_are_alone(is_lean: bool, tmp_path: Path) -> None:
    assert_alike(FLINK_LOG, written(list(FILES.values()), tmp_path, is_lean=is_lean))


@pytest.mark.parametrize("first", FILES.values(), ids=FILES.keys())
def test_text_before_a_file_does_not_change_its_result(first: bytes, tmp_path: Path) -> None:
    for number, second in enumerate(FILES.values()):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert_alike(FLINK_LOG, written([first, second], folder, is_lean=True))


@pytest.mark.parametrize("one", SEVERAL, ids=[each.id for each in SEVERAL])
def test_samples_together_are_what_they_are_alone(one: Format, tmp_path: Path) -> None:
    samples = [sample.content for sample in one.samples]
    assert_alike(one, written([*samples, *samples], tmp_path, is_lean=True))


def test_no_files_give_nothing(tmp_path: Path) -> None:
    assert FLINK_LOG.read_several is not None
    assert list(FLINK_LOG.read_several([])) == []
