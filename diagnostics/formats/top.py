"""Output of `top -b`, also with `-H`, once or repeatedly: CPU, memory, and processes or threads.

The clock in top's first line has no date; rows have a time when a script printed one above.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from diagnostics.formats.format import Format, Sample
from diagnostics.language import to_say
from diagnostics.notation.file_range import Head, Range
from diagnostics.notation.header_time import header_time
from diagnostics.notation.host_row import MOST_LINE, MOST_ROWS, lines_of, number
from diagnostics.notation.rest_document import text
from diagnostics.notation.tally import Tally, row_reader
from diagnostics.notation.text_lines import numbered_lines

_FIRST = re.compile(r"(?m)^top - \d\d:\d\d:\d\d up .{1,200}load average: (\d{1,5}[.,]\d\d)")
_CPU = re.compile(r"(?m)^%?Cpu\(s\)\s?:\s{0,4}(.{1,200})$")
_SHARE = re.compile(r"(\d{1,3}[.,]\d)%?\s?(us|sy|ni|id|wa|hi|si|st)\b")
_MEMORY = re.compile(r"^(KiB|MiB|GiB) (Mem|Swap)\s?: ")
_AMOUNT = re.compile(r"(\d{1,15}(?:[.,]\d{1,3})?)\+?\s(total|used|avail Mem)\b")

CPU: Mapping[str, str] = {
    "us": "user_percent",
    "sy": "system_percent",
    "ni": "nice_percent",
    "id": "idle_percent",
    "wa": "iowait_percent",
    "st": "steal_percent",
}
"""CPU states in percent of all cores. Source: top(1), CPU states."""
IDLE_AT_START = "idle_at_start_percent"
"""The idle share on the first screen of a run: of the milliseconds in which top itself and what called it run, so that
it says nothing of the host. Source: top(1), which measures from one screen to the next.
"""
MEMORY: Mapping[tuple[str, str], str] = {
    ("Mem", "total"): "total_bytes",
    ("Swap", "avail Mem"): "available_bytes",
    ("Swap", "used"): "swap_used_bytes",
}
"""Line and word -> metric; available memory is on the swap line."""
BYTES = {"KiB": 1024.0, "MiB": 1024.0**2, "GiB": 1024.0**3}


def _recognise(head: Head) -> float:
    return 0.95 if _FIRST.search(head.text) and _CPU.search(head.text) else 0.0


def _rows(part: Range, tally: Tally) -> Iterator[dict[str, Any]]:
    place: dict[str, Any] = {"ts_ms": None}
    columns: list[str] = []
    kind, screens = "process", 0
    for at, line in numbered_lines(part, MOST_LINE):
        moment, first = header_time(line), _FIRST.match(line)
        if moment is not None:
            place, screens = {"ts_ms": moment}, 0
            tally.take_time(moment)
        elif first:
            tally.records += 1
            screens += 1
            columns = []
            yield place | _number("cpu", "load_1min", first[1]) | lines_of(at)
        elif line.startswith(("Threads:", "Tasks:")):
            kind = "thread" if line.startswith("Threads:") else "process"
        elif "%CPU" in line.split() and "PID" in line.split():
            columns = line.split()
        elif columns and line:
            found = _process(kind, columns, line)
            if found:
                yield place | found | lines_of(at)
            elif found is None:
                tally.odd(at, line)
        else:
            for each in _summary(line):
                is_of_start = screens <= 1 and each["metric"] == CPU["id"]
                yield place | each | ({"metric": IDLE_AT_START} if is_of_start else {}) | lines_of(at)


def _number(part: str, metric: str, printed: str, factor: float = 1.0) -> dict[str, Any]:
    value = number(printed)
    return {"part": part, "metric": metric, "value": None if value is None else value * factor}


def _summary(line: str) -> Iterator[dict[str, Any]]:
    cpu, memory = _CPU.match(line), _MEMORY.match(line)
    if cpu:
        for share in _SHARE.finditer(cpu[1]):
            if share[2] in CPU:
                yield _number("cpu", CPU[share[2]], share[1])
    elif memory:
        for amount in _AMOUNT.finditer(line):
            if (memory[2], amount[2]) in MEMORY:
                yield _number("memory", MEMORY[memory[2], amount[2]], amount[1], BYTES[memory[1]])


def _process(kind: str, columns: list[str], line: str) -> dict[str, Any] | None:
    """CPU of one process or thread; an empty row for an idle one, None for other lines."""
    values = line.split(None, len(columns) - 1)
    if len(values) < len(columns):
        return None
    row = dict(zip(columns, values, strict=True))
    share = number(row["%CPU"])
    if share is None or not row["PID"].isdigit():
        return None
    if share == 0:
        return {}
    name = text(f"{row.get('COMMAND', '').strip()} {row['PID']}".strip())
    return {"part": kind, "name": name, "metric": "cpu_percent", "value": share}


FORMAT = Format(
    id="top",
    title=to_say("CPU, memory and processes of a host (top)"),
    documentation="https://man7.org/linux/man-pages/man1/top.1.html",
    tables=("host_sample",),
    recognise=_recognise,
    read=row_reader("host_sample", _rows, most=MOST_ROWS),
    samples=(
        Sample(
            name="host/top-threads.txt",
            text="# 2026-11-21T01:31:50Z\n"
            "top - 01:31:49 up  1:29,  0 user,  load average: 12.32, 11.88, 16.70\n"
            "Threads: 129 total,   2 running, 127 sleeping,   0 stopped,   0 zombie\n"
            "%Cpu(s):100.0 us,  0.0 sy,  0.0 ni,  0.0 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st \n"
            "MiB Mem :  24105.5 total,   2979.8 free,   5251.2 used,  16275.2 buff/cache     \n"
            "MiB Swap:      0.0 total,      0.0 free,      0.0 used.  18854.5 avail Mem \n"
            "\n"
            "  PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND\n"
            "14202 root      20   0 1524208 335776  23856 S  12.5   1.4   0:01.29 C2 CompilerThre\n"
            "14126 root      20   0 1331060 244280  23784 S   0.0   1.0   0:01.53 java\n",
            rows={
                "host_sample": [
                    {"part": "cpu", "metric": "load_1min", "value": 12.32, "ts_ms": 1795224710000, "line": 2},
                    {"part": "cpu", "metric": "user_percent", "value": 100.0, "line": 4},
                    {"metric": "system_percent", "value": 0.0},
                    {"metric": "nice_percent", "value": 0.0},
                    {"metric": "idle_at_start_percent", "value": 0.0},
                    {"metric": "iowait_percent", "value": 0.0},
                    {"metric": "steal_percent", "value": 0.0},
                    {"part": "memory", "metric": "total_bytes", "value": 24105.5 * 1048576, "line": 5},
                    {"part": "memory", "metric": "swap_used_bytes", "value": 0.0, "line": 6},
                    {"part": "memory", "metric": "available_bytes", "value": 18854.5 * 1048576},
                    {"part": "thread", "name": "C2 CompilerThre 14202", "metric": "cpu_percent", "value": 12.5},
                ]
            },
        ),
    ),
)
