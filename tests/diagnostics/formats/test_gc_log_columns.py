"""Usual lines of a GC log are taken apart as columns, and give what each of them gives by itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats import gc_log
from diagnostics.notation.file_range import Range

PAUSE = "Pause Young (Normal) (G1 Evacuation Pause) 9M->3M(184M) 3.243ms"
USUAL = (
    f"[2026-11-21T00:52:35.866+0000][0.600s][info][gc      ] GC(0) {PAUSE}",
    f"[2026-11-21T00:52:35.866+0530][info][gc] GC(7) {PAUSE}  ",
    "[0.600s][info][gc] GC(2) Pause Full (System.gc()) 9M->3M(184M) 3.243ms",
    "[0.600s][info][gc] GC(3) Concurrent Mark Cycle 10.1ms",
    "[0.600s][info][gc,phases] GC(3) Pause Mark Start 0.1ms",
)
ODD = (
    f"[2026-11-21T00:52:35,866+0000][0,600s][info][gc] GC(1) {PAUSE.replace('.', ',')}",
    f"[2026-02-30T00:52:35.866+0000][0.600s][info][gc] GC(6) {PAUSE}",
    f"[1795222355866ms][info][gc] GC(9) {PAUSE}",
    "[1.2s][info][gc] GC(5) Minor Collection (Allocation Rate) 10620M(5%)->8800M(4%) 0.123s",
    f"[0.600s][info][gc] GC(13) Pause Full ({'é' * 30}) 9M->3M(184M) 3.243ms",
)
NONE = (
    "[0.600s][info][gc,marking] GC(3) Concurrent Mark From Roots 10.1ms",
    "[0.597s][info][gc,start] GC(0) Pause Young (Normal) (G1 Evacuation Pause)",
    "[0.600s][info][gc,cpu] GC(3) User=0.01s Sys=0.00s Real=0.00s",
    f"[0.600s][info][gc] GC(99999999999999999999) {PAUSE}",
    f"[0.600s][info][gc] GC(14) {PAUSE} and more",
)


def read(path: Path, lines: tuple[str, ...]) -> tuple[list[dict[str, Any]], Coverage]:
    path.write_text("\n".join(lines), encoding="utf-8")
    size = path.stat().st_size
    rows: list[dict[str, Any]] = []
    coverage = Coverage()
    for each in gc_log.FORMAT.read(Range(0, path.name, str(path), 0, size, size, {})):
        if isinstance(each, Rows):
            rows += each.batch.to_pylist() if each.batch is not None else []
        else:
            coverage = each
    return rows, coverage


@pytest.mark.parametrize("line", USUAL + ODD)
def test_a_line_among_others_gives_what_it_gives_by_itself(tmp_path: Path, line: str) -> None:
    (row,), _ = read(tmp_path / "gc.log", ("[0.002s][info][gc] Using G1", line))
    expected = gc_log._event(line.encode(), "G1")
    assert row == {**(expected or {}), "line": 2, "last_line": 2}


def test_lines_of_all_kinds_stand_in_their_order(tmp_path: Path) -> None:
    rows, coverage = read(tmp_path / "gc.log", (*USUAL, *ODD, *NONE, *USUAL))
    assert [row["line"] for row in rows] == [*range(1, 11), *range(16, 21)]
    assert (coverage.records, coverage.utc_offset_min) == (15, 0)


def test_a_log_without_collections_has_none(tmp_path: Path) -> None:
    rows, coverage = read(tmp_path / "gc.log", NONE)
    assert (rows, coverage.records) == ([], 0)
