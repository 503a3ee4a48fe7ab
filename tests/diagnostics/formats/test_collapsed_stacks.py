"""Collapsed stacks are taken apart as columns, and give what each line gives by itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats import collapsed_stacks
from diagnostics.notation.file_range import Range
from diagnostics.notation.stack_frame import MOST_FRAMES
from diagnostics.reading.row_batch import row_batch

STACKS = (
    b"Sink: risk-sink (1/2)#0;java.lang.Thread.run;org.apache.flink.runtime.taskmanager.Task.run 124",
    b"OutputFlusher for enrich (1/4)#0;java.lang.Thread.run;java.lang.Thread.sleep 7",
    b"[enrich (2/4)#3 tid=71];java/lang/Thread.run_[j];com/acme/Lookup.lambda$get$0_[i] 12  \r",
    b"start_thread;JavaThread::run();com/acme/Lookup.get_[j] 3",
    b"single 5",
    b"a;b; 12",
    b"a;b  99",
    b"bad\xff\xe2\x82;\xe2\x82;b 4",
    "é;ü ١٢".encode(),
    b"t (1/2)#0;" + b";".join(b"f%d" % number for number in range(MOST_FRAMES + 9)) + b" 3",
)
NONE = (b"no weight here", b" 12", b"a;b 1234567890123456789", b"a;b 12x", b"a" * collapsed_stacks.MOST_LINE + b";b 4")


def read(path: Path, lines: tuple[bytes, ...], start: int = 0) -> tuple[list[dict[str, Any]], Coverage]:
    path.write_bytes(b"\n".join(lines))
    size = path.stat().st_size
    rows: list[dict[str, Any]] = []
    coverage = Coverage()
    for each in collapsed_stacks.FORMAT.read(Range(0, path.name, str(path), start, size, size, {})):
        if isinstance(each, Rows):
            rows += row_batch(each, 0, 0, None)[0].to_pylist()
        else:
            coverage = each
    return rows, coverage


@pytest.mark.parametrize("line", STACKS, ids=range(len(STACKS)))
def test_a_line_among_others_gives_what_it_gives_by_itself(tmp_path: Path, line: bytes) -> None:
    rows, _ = read(tmp_path / "wall.collapsed", (STACKS[0], line, STACKS[1]))
    (row,) = (each for each in rows if each["line"] == 2)
    expected = collapsed_stacks._stack(line)
    assert expected
    assert {name: row[name] for name in expected} == expected
    assert (row["mode"], row["last_line"], len(rows)) == ("wall", 2, 3)


def test_lines_that_are_no_stacks_are_counted(tmp_path: Path) -> None:
    rows, coverage = read(tmp_path / "wall.collapsed", (*NONE, b"", STACKS[0]))
    assert [row["line"] for row in rows] == [7]
    assert (coverage.records, coverage.not_understood, coverage.samples[0][0]) == (1, 5, 1)


def test_a_range_has_the_mode_of_the_whole_file(tmp_path: Path) -> None:
    waiting, working = b"a;java.lang.Object.wait 9", b"a;b.C.run 1"
    rows, _ = read(tmp_path / "stacks.txt", (waiting, working), len(waiting) + 1)
    assert [(row["mode"], row["frames"]) for row in rows] == [("wall", ["b.C.run"])]
