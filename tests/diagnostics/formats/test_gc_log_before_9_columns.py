"""Usual lines of a GC log before JDK 9 are read as columns, and give what each of them gives by itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from diagnostics.evidence.rows import Coverage
from diagnostics.formats import FORMATS
from diagnostics.notation import text_lines
from diagnostics.notation.file_range import Range
from diagnostics.notation.gc_columns_before_9 import STATING, stated_collections

OLD = FORMATS["gc-log-before-9"]
TIMES = "[Times: user=1.92 sys=0.20, real=0.55 secs] "
DETAILS = "   [Eden: 7168.0K(7168.0K)->0.0B(4096.0K) Survivors: 0.0B->1024.0K Heap: 7168.0K(32.0M)->6664.5K(32.0M)]"
USUAL = (
    "2022-07-26T21:00:40.750+0800: 3.117: [GC (Allocation Failure) [PSYoungGen: 7077K->222K(8257K)] 7077K->222K(9306K)"
    f", 0.5437135 secs] {TIMES}",
    "2022-07-26T21:00:45.231+0800: 7.599: [Full GC (Ergonomics) [PSYoungGen: 98K->0K(82K)] [ParOldGen: 32K->98K(10K)] "
    f"98K->98K(93K), [Metaspace: 164K->164K(106K)], 0.6492397 secs] {TIMES}",
    "11.425: [GC 11.425: [ParNew: 34944K->3456K(39296K), 0.0123000 secs] 34944K->4000K(126720K), 0.0124000 secs]",
    "2022-07-26T21:00:46.000-0330: 8.0001: [Full GC (System.gc()) 8.000: [Tenured: 1K->2K(3K), 0.0100 secs] 4K->5K(6K)"
    ", [Metaspace: 7K->7K(8K)], 0.123456789 secs]",
    "12.000: [GC 65536K->10240K(102400K), 0.0100000 secs]",
    "12.500: [GC (Allocation Failure)  40960K->20480K(65536K), 0.2500000 secs]\r",
    "2022-07-26T21:00:46.100+0800: 9.000: [GC (Allocation Failure) 2022-07-26T21:00:46.100+0800: 9.000: [ParNew: "
    "34944K->3456K(39296K), 0.0123000 secs] 34944K->4000K(126720K), 0.0124000 secs]",
    f"#7: [GC pause (G1 Evacuation Pause) (mixed), 0.0087570 secs]\n   [Other: 3.4 ms]\n{DETAILS}\n {TIMES}",
    f"13.500: [Full GC (Allocation Failure)  181M->181M(184M), 0.7000000 secs]\n{DETAILS}, [Metaspace: 3K->3K(10K)]",
    "13.600: [GC pause (young) 24M->4M(256M), 0.0074000 secs]",
    f"14.000: [CMS-concurrent-mark: 0.010/0.012 secs] {TIMES}",
    "14.100: #8: [GC concurrent-mark-end, 0.0500000 secs]",
)
OTHERS = (
    "2022-02-30T21:00:40.750+0800: 3.117: [GC (Allocation Failure) 7K->2K(9K), 0.5437135 secs]",
    "13.000: [GC (STW) 7K->2K(9K), 0.5437135 secs]",
    "13.500: [GC pause (G1 Evacuation Pause) (young), 0.0087570 secs]",
    "   [Eden: 7168.0K(7168.0K)->0.0B(4096.0K) Survivors: 0.0B->1024.0K Heap: 7168.0K(32768.0K)->6664.5K(32768.0K)]",
    f" {TIMES}",
    "14.000: [CMS-concurrent-mark-start]",
    "14.000: [GC concurrent-mark-start]",
    "14.500: [Pause Init Mark (process weakrefs), 3.341 ms]",
    "15.000: [GC (Allocation Failure) 15.000: [ParNew",
    "- age   1:     524288 bytes,     524288 total",
    ": 34944K->3456K(39296K), 0.0123000 secs] 34944K->4096K(126720K), 0.0124000 secs]",
    "OpenJDK 64-Bit Server VM (25.342-b07) for linux-amd64 JRE (1.8.0_342-b07)",
    "CommandLine flags: -XX:MaxHeapSize=536870912 -XX:+UseParallelGC",
)


def read(path: Path, lines: tuple[str, ...]) -> tuple[list[dict[str, Any]], list[dict[str, Any]], Coverage]:
    """Collections, settings and coverage of a log of these lines."""
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="")
    size = path.stat().st_size
    collections: list[dict[str, Any]] = []
    settings: list[dict[str, Any]] = []
    coverage = Coverage()
    for each in OLD.read(Range(0, path.name, str(path), 0, size, size, {})):
        if isinstance(each, Coverage):
            coverage = each
        elif each.table == "gc_pause":
            collections += each.batch.to_pylist() if each.batch is not None else []
        else:
            settings += list(each.rows)
    return collections, settings, coverage


def by_column(lines: tuple[str, ...], folder: Path) -> int:
    """How many collections are read by column when another one follows them."""
    path = folder / "lines"
    path.write_text("\n".join([*lines, "20.000: [GC\n"]), encoding="utf-8", newline="")
    size = path.stat().st_size
    arrays = text_lines.line_arrays(Range(0, path.name, str(path), 0, size, size, {}), 10_000)
    count = 0
    for _, array in arrays:
        stated = np.flatnonzero(pc.match_substring_regex(array, STATING).to_numpy(zero_copy_only=False))
        count += stated_collections(array.take(pa.array(stated)), stated)[0].num_rows
    return count


@pytest.mark.parametrize("line", USUAL)
def test_a_line_among_others_gives_what_it_gives_by_itself(line: str, tmp_path: Path) -> None:
    assert by_column((line,), tmp_path) == 1
    (alone,), _, _ = read(tmp_path / "gc.log", (line,))
    among, _, _ = read(tmp_path / "gc.log", (line, *USUAL))
    assert among[0] == {**alone, "collector": among[0]["collector"]}


def test_other_lines_are_not_read_by_column(tmp_path: Path) -> None:
    assert by_column(tuple(line for line in OTHERS[1:] if "pause (G1" not in line), tmp_path) == 0


@pytest.mark.parametrize("block_bytes", [1, 200, 700, 2_000])
@pytest.mark.parametrize("turn", range(len(OTHERS)))
def test_lines_give_the_same_however_they_are_put_into_blocks(
    turn: int, block_bytes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = (*USUAL[:3], *OTHERS[turn:], *USUAL, *OTHERS[:turn], *USUAL[2:])
    whole = read(tmp_path / "gc.log", lines)
    monkeypatch.setattr(text_lines, "ARRAY_BYTES", block_bytes)
    blocks = read(tmp_path / "gc.log", lines)
    assert sorted(map(repr, blocks[0])) == sorted(map(repr, whole[0]))
    assert blocks[1:] == whole[1:]
    assert len(whole[0]) >= 2 * len(USUAL)
