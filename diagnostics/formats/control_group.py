"""Files of a control group, once or repeatedly: CPU throttling, bytes read and written, memory limits reached.

`cpu.stat`, `io.stat` and `memory.events` of version 2; `cpu.stat`, `blkio.throttle.io_service_bytes` and
`memory.oom_control` of version 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from diagnostics.formats.format import Format, Sample
from diagnostics.language import to_say
from diagnostics.notation.file_range import Head, Range
from diagnostics.notation.header_time import header_time
from diagnostics.notation.host_row import MOST_LINE, MOST_ROWS, lines_of
from diagnostics.notation.rest_document import text
from diagnostics.notation.tally import Tally, row_reader
from diagnostics.notation.text_lines import numbered_lines

COUNTERS: Mapping[str, tuple[str, float]] = {
    "nr_periods": ("periods", 1.0),
    "nr_throttled": ("throttled_periods", 1.0),
    "throttled_usec": ("throttled_ms", 0.001),
    "throttled_time": ("throttled_ms", 0.000001),
    "usage_usec": ("used_ms", 0.001),
    "max": ("memory_limit_hits", 1.0),
    "oom_kill": ("oom_kills", 1.0),
}
"""Counter of version 2 or 1 -> metric and the factor to its unit; all count from the group's start.
Source: Linux, Documentation/admin-guide/cgroup-v2.rst (cpu.stat, memory.events) and scheduler/sched-bwc.rst."""

DEVICE_COUNTERS: Mapping[str, str] = {
    "rbytes": "read_bytes",
    "Read": "read_bytes",
    "wbytes": "written_bytes",
    "Write": "written_bytes",
}
"""Counter of a device in `io.stat` or `blkio.throttle.io_service_bytes` -> metric.
Source: Linux, Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/blkio-controller.rst."""

_COUNTER = re.compile(r"([a-z_]{3,40}(?:\.[a-z_]{1,40})?) (\d{1,20})$")
_OF_DEVICE = re.compile(r"(\d{1,4}:\d{1,7}) (Read|Write|Sync|Async|Discard|Total) (\d{1,20})$")
_IO = re.compile(r"(\d{1,4}:\d{1,7})((?: [a-z.]{2,20}=\d{1,20}){2,20})$")
_TOTAL = re.compile(r"Total \d{1,20}$")
_REQUESTS = re.compile(r"io_serviced")
"""Of the files of version 1 with this layout the ones that count requests, not bytes."""
_READ = re.compile(r"cpu\.stat|io\.stat|memory\.events|memory\.oom_control|blkio\.\S{0,40}io_service_bytes\S{0,20}")
_PATH = re.compile(
    r"(?:==> )?((?:/[\w./:@\\-]{0,400}/)?)((?:blkio|cpu|cpuacct|io|memory|pids|cgroup)\.[a-z._]{2,60})(?: <==|:)?$"
)

KNOWN = (
    frozenset(("nr_periods", "nr_throttled")),
    frozenset(("max", "oom", "oom_kill")),
    frozenset(("under_oom", "oom_kill")),
)
"""Counters that only such a file has together."""


def _recognise(head: Head) -> float:
    lines = [line.strip() for line in head.text.splitlines()[:2_000]]
    names = {found[1] for line in lines if (found := _COUNTER.match(line))}
    if any(known <= names for known in KNOWN):
        return 0.95
    devices = sum(1 for line in lines if _OF_DEVICE.match(line) or _IO.match(line))
    return 0.95 if devices and not _REQUESTS.search(head.name) else 0.0


def _rows(part: Range, tally: Tally) -> Iterator[dict[str, Any]]:
    """Rows of one file; a path above the counters names the group, a time above them is their time."""
    place: dict[str, Any] = {"ts_ms": None, "part": "control group", "name": None}
    group, is_read = None, True
    for at, whole_line in numbered_lines(part, MOST_LINE):
        line = whole_line.strip()
        moment, path = header_time(line), _PATH.match(line)
        if moment is not None:
            place["ts_ms"] = moment
            tally.take_time(moment)
        elif path:
            group, is_read = text(path[1].rstrip("/")) or None, bool(_READ.fullmatch(path[2]))
        elif line and is_read:
            known = [*_values(line)]
            tally.records += bool(known)
            for device, metric, value in known:
                name = " ".join(each for each in (group, device) if each) or None
                yield {**place, "name": name, "metric": metric, "value": value, **lines_of(at)}
            if not (known or _COUNTER.match(line) or _OF_DEVICE.match(line) or _TOTAL.match(line)):
                tally.odd(at, line)


def _values(line: str) -> Iterator[tuple[str | None, str, float]]:
    """Device (none for the whole group), metric and value of each counter of a line that is measured."""
    counter, of_device, whole = _COUNTER.match(line), _OF_DEVICE.match(line), _IO.match(line)
    if counter and counter[1] in COUNTERS:
        metric, factor = COUNTERS[counter[1]]
        yield None, metric, int(counter[2]) * factor
    elif of_device and of_device[2] in DEVICE_COUNTERS:
        yield of_device[1], DEVICE_COUNTERS[of_device[2]], float(of_device[3])
    elif whole:
        for name, _, value in (each.partition("=") for each in whole[2].split()):
            if name in DEVICE_COUNTERS:
                yield whole[1], DEVICE_COUNTERS[name], float(value)


FORMAT = Format(
    id="cgroup-cpu",
    title=to_say("Control group (cpu.stat, io.stat, blkio, memory.events)"),
    documentation="https://docs.kernel.org/admin-guide/cgroup-v2.html#cpu-interface-files",
    tables=("host_sample",),
    recognise=_recognise,
    read=row_reader("host_sample", _rows, most=MOST_ROWS),
    samples=(
        Sample(
            name="host/cpu.stat.txt",
            text="2026-11-21T01:00:00Z\n"
            "usage_usec 98765432\n"
            "user_usec 88765432\n"
            "system_usec 10000000\n"
            "nr_periods 5000\n"
            "nr_throttled 3100\n"
            "throttled_usec 412000000\n",
            rows={
                "host_sample": [
                    {"part": "control group", "metric": "used_ms", "value": 98765.432, "ts_ms": 1795222800000},
                    {"metric": "periods", "value": 5000.0, "line": 5},
                    {"metric": "throttled_periods", "value": 3100.0, "line": 6},
                    {"metric": "throttled_ms", "value": 412000.0, "line": 7},
                ]
            },
        ),
        Sample(
            name="host/blkio.throttle.io_service_bytes",
            text="# 2026-11-21T00:47:29Z\n"
            "7:0 Read 4096\n"
            "7:0 Write 14565376\n"
            "7:0 Sync 14565376\n"
            "7:0 Async 0\n"
            "7:0 Discard 0\n"
            "7:0 Total 14569472\n"
            "Total 14569472\n",
            rows={
                "host_sample": [
                    {"part": "control group", "name": "7:0", "metric": "read_bytes", "value": 4096.0, "line": 2},
                    {"name": "7:0", "metric": "written_bytes", "value": 14565376.0, "ts_ms": 1795222049000, "line": 3},
                ]
            },
        ),
        Sample(
            name="host/cgroup-of-pod.txt",
            text="==> /sys/fs/cgroup/kubepods.slice/io.stat <==\n"
            "8:16 rbytes=1459200 wbytes=314773504 rios=192 wios=353 dbytes=0 dios=0\n"
            "==> /sys/fs/cgroup/kubepods.slice/memory.events <==\n"
            "low 0\n"
            "high 0\n"
            "max 7120\n"
            "oom 2\n"
            "oom_kill 2\n"
            "==> /sys/fs/cgroup/kubepods.slice/cpu.max <==\n"
            "max 100000\n",
            rows={
                "host_sample": [
                    {"name": "/sys/fs/cgroup/kubepods.slice 8:16", "metric": "read_bytes", "value": 1459200.0},
                    {"metric": "written_bytes", "value": 314773504.0, "line": 2},
                    {"name": "/sys/fs/cgroup/kubepods.slice", "metric": "memory_limit_hits", "value": 7120.0},
                    {"metric": "oom_kills", "value": 2.0, "line": 8},
                ]
            },
        ),
    ),
)
