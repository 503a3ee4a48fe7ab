"""Output of `vmstat 1`, best with `-t`: CPU, run queue, memory and swapping of a host.

The first row of each run is the mean since boot and is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from diagnostics.formats.format import Format, Sample
from diagnostics.language import to_say
from diagnostics.notation.file_range import Head, Range
from diagnostics.notation.header_time import header_time
from diagnostics.notation.host_row import MOST_LINE, MOST_ROWS, column_rows, lines_of
from diagnostics.notation.tally import Tally, row_reader
from diagnostics.notation.text_lines import numbered_lines

SINCE_START = to_say("the first row of each run is the mean since the machine started and is left out")
KIB = 1024.0

METRICS: Mapping[str, Mapping[str, tuple[str, float]]] = {
    "cpu": {
        "r": ("runnable", 1.0),
        "b": ("blocked", 1.0),
        "us": ("user_percent", 1.0),
        "sy": ("system_percent", 1.0),
        "id": ("idle_percent", 1.0),
        "wa": ("iowait_percent", 1.0),
        "st": ("steal_percent", 1.0),
    },
    "memory": {
        "swpd": ("swap_used_bytes", KIB),
        "free": ("free_bytes", KIB),
        "si": ("swapped_in_bytes_per_s", KIB),
        "so": ("swapped_out_bytes_per_s", KIB),
    },
}
"""Part -> column -> metric and the factor to its unit. Source: vmstat(8), in its usual unit of 1,024 bytes."""

_COLUMNS = re.compile(r"(?m)^\s{0,8}r\s{1,8}b\s{1,12}swpd\s{1,20}free\s.{1,120}\bus\s{1,8}sy\s{1,8}id\b")
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*$")


def _recognise(head: Head) -> float:
    return 0.95 if _COLUMNS.search(head.text) else 0.0


def _rows(part: Range, tally: Tally) -> Iterator[dict[str, Any]]:
    columns: list[str] = []
    stated: int | None = None
    is_first = True
    for at, line in numbered_lines(part, MOST_LINE):
        moment = header_time(line)
        if moment is not None:
            stated, is_first = moment, True
        elif _COLUMNS.match(line):
            columns = line.split()
        elif not line or "---" in line:
            continue
        elif not columns or not line.split()[0].isdigit():
            tally.odd(at, line)
        elif is_first:
            tally.records += 1
            tally.warn(SINCE_START)
            is_first = False
        else:
            tally.records += 1
            printed = _MOMENT.search(line)
            ts_ms = header_time(printed[1]) if printed else stated
            tally.take_time(ts_ms)
            for name, metrics in METRICS.items():
                place = {"ts_ms": ts_ms, "part": name, **lines_of(at)}
                yield from column_rows(place, columns, line.split(), metrics)


FORMAT = Format(
    id="vmstat",
    title=to_say("CPU, memory and swapping of a host (vmstat)"),
    documentation="https://man7.org/linux/man-pages/man8/vmstat.8.html",
    tables=("host_sample",),
    recognise=_recognise,
    read=row_reader("host_sample", _rows, most=MOST_ROWS),
    samples=(
        Sample(
            name="host/vmstat.txt",
            text="procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- ----timestamp----\n"
            " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st                 UTC\n"
            " 2  0      0 731204  20224 8123456    0    0    11    42  101  203  4  1 95  0  0 2026-11-21 01:00:00\n"
            " 1  7    512 701204  20224 8123500    0    3     0 51200 3101 5203  5  3 22 61  9 2026-11-21 01:00:01\n",
            rows={
                "host_sample": [
                    {"part": "cpu", "metric": "runnable", "value": 1.0, "ts_ms": 1795222801000, "line": 4},
                    {"metric": "blocked", "value": 7.0},
                    {"metric": "user_percent", "value": 5.0},
                    {"metric": "system_percent", "value": 3.0},
                    {"metric": "idle_percent", "value": 22.0},
                    {"metric": "iowait_percent", "value": 61.0},
                    {"metric": "steal_percent", "value": 9.0},
                    {"part": "memory", "metric": "swap_used_bytes", "value": 524288.0},
                    {"metric": "free_bytes", "value": 718032896.0},
                    {"metric": "swapped_in_bytes_per_s", "value": 0.0},
                    {"metric": "swapped_out_bytes_per_s", "value": 3072.0},
                ]
            },
        ),
    ),
)
