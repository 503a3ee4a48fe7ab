"""`cpu.stat` of a control group, once or repeatedly: how often the group's CPU limit throttled it."""

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
}
"""Counter of version 2 or 1 -> metric and the factor to its unit; all count from the group's start.
Source: Linux, Documentation/admin-guide/cgroup-v2.rst and scheduler/sched-bwc.rst."""

_COUNTER = re.compile(r"([a-z_]{4,40}(?:\.[a-z_]{1,40})?) (\d{1,20})$")
_PATH = re.compile(r"(?:==> )?(/?[\w./:@\\-]{0,400}cpu\.stat)(?: <==|:)?$")


def _recognise(head: Head) -> float:
    names = {found[1] for line in head.text.splitlines()[:2_000] if (found := _COUNTER.match(line.rstrip()))}
    return 0.95 if {"nr_periods", "nr_throttled"} <= names else 0.0


def _rows(part: Range, tally: Tally) -> Iterator[dict[str, Any]]:
    """Rows of one file; a path above the counters names the group, a time above them is their time."""
    place: dict[str, Any] = {"ts_ms": None, "part": "control group", "name": None}
    for at, whole_line in numbered_lines(part, MOST_LINE):
        line = whole_line.lstrip()
        moment, path, counter = header_time(line), _PATH.match(line), _COUNTER.match(line)
        if moment is not None:
            place["ts_ms"] = moment
            tally.take_time(moment)
        elif path:
            place["name"] = text(path[1].removesuffix("cpu.stat").rstrip("/"))
        elif counter and counter[1] in COUNTERS:
            metric, factor = COUNTERS[counter[1]]
            tally.records += 1
            yield {**place, "metric": metric, "value": int(counter[2]) * factor, **lines_of(at)}
        elif line and not counter:
            tally.odd(at, line)


FORMAT = Format(
    id="cgroup-cpu",
    title=to_say("CPU of a control group (cpu.stat)"),
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
    ),
)
