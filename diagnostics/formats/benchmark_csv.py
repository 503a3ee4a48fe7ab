"""Results of a benchmark as delimited text: a name in each line, and durations in columns that state their unit."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from diagnostics.formats.format import Format, Sample
from diagnostics.language import to_say
from diagnostics.notation.csv_line import csv_fields
from diagnostics.notation.file_range import Head, Range
from diagnostics.notation.tally import Tally, row_reader
from diagnostics.notation.text_lines import numbered_lines

MOST_LINE = 4_000
MOST_COLUMNS = 100
MOST_ROWS = 20_000
"""Durations kept of one file. Our choice: two hundred runs of the 99 queries of TPC-DS."""
LONGEST_NAME = 120
LINES_LOOKED_AT = 20
SEPARATORS = "\t;,|"
UNIT_MS = {"us": 0.001, "ms": 1.0, "s": 1_000.0, "min": 60_000.0, "h": 3_600_000.0}
UNITS = {
    **dict.fromkeys(("us", "micros", "microseconds"), "us"),
    **dict.fromkeys(("ms", "msec", "millis", "milliseconds"), "ms"),
    **dict.fromkeys(("s", "sec", "secs", "seconds"), "s"),
    **dict.fromkeys(("min", "mins", "minutes"), "min"),
    **dict.fromkeys(("h", "hours"), "h"),
}
"""Unit as written -> the unit."""
NAMES = re.compile(
    r"(?:query|benchmark|test|case|scenario|workload|name|configuration|config|variant|run|job|label)s?"
    r"(?:[ _-]?(?:name|id|no|number))?"
)
"""Columns that name a line."""
_UNIT = re.compile(r"^(.{0,80}?)(?:^|[ _\-.(\[]{1,3})(" + "|".join(sorted(UNITS, key=len, reverse=True)) + r")[)\]]?$")
_NOT_A_DURATION = re.compile(
    r"(?i)(?:^|[ _])(?:at|time ?stamp|date|epoch|ts|start|end|event|ingest|arrival|created)(?:$|[ _])"
)
"""Names of columns with a moment, such as `event_time_ms`."""
_RATE = re.compile(r"(?i)(?:^|[ _/])(?:per|rate|throughput|events|records|rows|messages|requests|bytes|ops)(?:$|[ _/])")
"""Names of columns with a rate, such as `throughput_events_sec`."""


@dataclass(frozen=True, slots=True)
class _Layout:
    """Separator, places of the columns that name a line, and of the durations with their measure and factor to ms."""

    separator: str
    columns: int
    names: Sequence[int]
    durations: Sequence[tuple[int, str, float]]

    @classmethod
    def of(cls, line: str) -> _Layout | None:
        """The layout that the first line gives; None when it names no line or no duration."""
        separator = max(SEPARATORS, key=line.count)
        headings = [each.strip() for each in csv_fields(line, separator)]
        if not 2 <= len(headings) <= MOST_COLUMNS:
            return None
        names = [place for place, each in enumerate(headings) if NAMES.fullmatch(each.lower())]
        durations = [(place, *found) for place, each in enumerate(headings) if (found := _duration(each))]
        return cls(separator, len(headings), names, durations) if names and durations else None

    def results(self, line: str) -> list[dict[str, Any]]:
        """The row of each duration in a line; none for another number of columns."""
        cells = [each.strip() for each in csv_fields(line, self.separator)]
        if len(cells) != self.columns:
            return []
        name = " ".join(cells[place] for place in self.names if cells[place])[:LONGEST_NAME]
        values = [(place, measure, _number(cells[place]), factor) for place, measure, factor in self.durations]
        return [
            {"benchmark": name, "measure": measure, "place": place, "duration_ms": value * factor}
            for place, measure, value, factor in values
            if name and value is not None
        ]


def _duration(heading: str) -> tuple[str, float] | None:
    found = _UNIT.match(heading.lower())
    if found is None or _NOT_A_DURATION.search(heading) or _RATE.search(found[1]):
        return None
    return heading[: len(found[1])].strip(" _-.") or "duration", UNIT_MS[UNITS[found[2]]]


def _number(text: str) -> float | None:
    if len(text) > 30:
        return None
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and 0 <= value <= 1e12 else None


def _recognise(head: Head) -> float:
    lines = head.text.lstrip("\ufeff").split("\n", LINES_LOOKED_AT + 1)
    filled = [line for line in (lines if head.complete else lines[:-1]) if line.strip()][: LINES_LOOKED_AT + 1]
    layout = _Layout.of(filled[0]) if len(filled) > 1 and len(filled[0]) <= MOST_LINE else None
    if layout is None:
        return 0.0
    read = [line for line in filled[1:] if layout.results(line)]
    return 0.7 if len(read) >= 0.9 * len(filled[1:]) else 0.0


def _rows(part: Range, tally: Tally) -> Iterator[dict[str, Any]]:
    layout: _Layout | None = None
    for at, line in numbered_lines(part, MOST_LINE):
        if not line.strip():
            continue
        if layout is None:
            layout = _Layout.of(line.lstrip("\ufeff"))
            if layout is None:
                tally.odd(at, line)
                return
            continue
        results = layout.results(line)
        if not results:
            tally.odd(at, line)
        for row in results:
            tally.records += 1
            yield row | {"line": at, "last_line": at}


FORMAT = Format(
    id="benchmark-csv",
    title=to_say("Benchmark results (CSV)"),
    documentation="https://www.rfc-editor.org/rfc/rfc4180",
    tables=("benchmark_result",),
    recognise=_recognise,
    read=row_reader("benchmark_result", _rows, most=MOST_ROWS),
    samples=(
        Sample(
            name="tpcds.csv",
            text="query,duration_s\nq1,12.5\nq72,840\n",
            rows={
                "benchmark_result": [
                    {"benchmark": "q1", "measure": "duration", "duration_ms": 12_500.0, "line": 2, "last_line": 2},
                    {"benchmark": "q72", "measure": "duration", "duration_ms": 840_000.0, "line": 3},
                ]
            },
        ),
        Sample(
            name="before-after.tsv",
            text='Test Name\tbefore (ms)\tafter (ms)\trows\n"q1"\t900\t300.5\t7\nq2\t50\t\t8\n',
            rows={
                "benchmark_result": [
                    {"benchmark": "q1", "measure": "before", "duration_ms": 900.0, "line": 2},
                    {"benchmark": "q1", "measure": "after", "duration_ms": 300.5, "line": 2},
                    {"benchmark": "q2", "measure": "before", "duration_ms": 50.0, "line": 3},
                ]
            },
        ),
    ),
)
