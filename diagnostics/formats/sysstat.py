"""Tables of the sysstat tools `iostat -xt`, `pidstat` and `mpstat`: CPU, disks and processes of a host over time.

iostat's first report is the mean since boot and is left out; the others' reports cover their interval.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from diagnostics.formats.format import Format, Sample
from diagnostics.language import to_say
from diagnostics.notation.file_range import Head, Range
from diagnostics.notation.header_time import header_time
from diagnostics.notation.host_row import MOST_LINE, MOST_ROWS, column_rows, lines_of
from diagnostics.notation.rest_document import text
from diagnostics.notation.tally import Tally, row_reader
from diagnostics.notation.text_lines import numbered_lines

KIB, MIB = 1024.0, 1024.0**2

SINCE_START = to_say("iostat's first report is the mean since the machine started and is left out")
ODD_DAY = to_say("its date does not tell the day from the month: times are left out; use S_TIME_FORMAT=ISO")

CPU: Mapping[str, tuple[str, float]] = {
    **dict.fromkeys(("%user", "%usr"), ("user_percent", 1.0)),
    **dict.fromkeys(("%system", "%sys"), ("system_percent", 1.0)),
    "%nice": ("nice_percent", 1.0),
    "%iowait": ("iowait_percent", 1.0),
    "%steal": ("steal_percent", 1.0),
    "%idle": ("idle_percent", 1.0),
}
DEVICE: Mapping[str, tuple[str, float]] = {
    "%util": ("busy_percent", 1.0),
    "await": ("await_ms", 1.0),
    "r_await": ("read_await_ms", 1.0),
    "w_await": ("write_await_ms", 1.0),
    **dict.fromkeys(("aqu-sz", "avgqu-sz"), ("waiting_requests", 1.0)),
    **dict.fromkeys(("rkB/s", "kB_read/s"), ("read_bytes_per_s", KIB)),
    **dict.fromkeys(("wkB/s", "kB_wrtn/s"), ("written_bytes_per_s", KIB)),
    **dict.fromkeys(("rMB/s", "MB_read/s"), ("read_bytes_per_s", MIB)),
    **dict.fromkeys(("wMB/s", "MB_wrtn/s"), ("written_bytes_per_s", MIB)),
}
PROCESS: Mapping[str, tuple[str, float]] = {
    "%CPU": ("cpu_percent", 1.0),
    "%wait": ("cpu_wait_percent", 1.0),
    "kB_rd/s": ("read_bytes_per_s", KIB),
    "kB_wr/s": ("written_bytes_per_s", KIB),
    "iodelay": ("io_delay_ticks", 1.0),
}
"""Column -> metric and the factor to its unit. Source: iostat(1), mpstat(1), pidstat(1)."""

_BANNER = re.compile(
    r"(?m)^Linux \S{1,120} \(([^()\s]{1,255})\)\s{1,9}(\d{1,4}[-/.]\d{1,2}[-/.]\d{2,4})"
    r"\s{1,9}_\S{1,20}_\s{1,9}\(\d{1,5} CPU"
)
_CLOCK = re.compile(r"(\d{1,2}:\d\d:\d\d)(?: ([AP]M))?\s{1,12}")
_MOMENT = re.compile(r"(\d{1,4}[-/.]\d{1,2}[-/.]\d{2,4}) (\d{1,2}:\d\d:\d\d)(?: ([AP]M))?$")
_TABLES = re.compile(r"(?m)^avg-cpu:  |^Device:? |(?:^|\s)(?:PID|CPU) .{0,200}%(?:usr|user|CPU|iowait)")


def _recognise(head: Head) -> float:
    return 0.95 if _BANNER.search(head.text) and _TABLES.search(head.text) else 0.0


def day_of(printed: str) -> str | None:
    """The day in ISO 8601; None when day and month are ambiguous.

    Without a locale, sysstat prints month/day/year with two digits for the year, so that order is the default. A
    four-digit year after slashes is American; after dots the day comes first.
    """
    one, two, three = re.split(r"[-/.]", printed)
    if len(one) == 4:
        year, month, day = one, two, three
    elif "." in printed or int(one) > 12:
        day, month, year = one, two, three
    elif len(three) == 4 or int(two) > 12 or one == two:
        month, day, year = one, two, three
    else:
        return None
    return f"{year if len(year) == 4 else '20' + year}-{int(month):02}-{int(day):02}"


def moment_of(day: str | None, clock: str, half: str | None) -> int | None:
    """Epoch ms of a day and a clock with or without AM and PM, read as UTC; None without a day or when invalid."""
    if day is None:
        return None
    pattern = "%Y-%m-%d %I:%M:%S %p" if half else "%Y-%m-%d %H:%M:%S"
    try:
        told = datetime.strptime(f"{day} {clock} {half or ''}".strip(), pattern).replace(tzinfo=UTC)
    except ValueError:
        return None
    return round(told.timestamp() * 1000)


@dataclass(slots=True)
class _Reading:
    """State of reading the file: host and day of its banner, current time and columns."""

    tally: Tally
    host: str | None = None
    day: str | None = None
    ts_ms: int | None = None
    columns: Sequence[str] = ()
    reports: int = 0
    with_cpu: bool = False

    def take(self, line: str, at: int) -> Iterator[dict[str, Any]]:
        """The rows of one line."""
        banner = _BANNER.match(line)
        moment = _MOMENT.match(line)
        stated = header_time(line)
        if banner:
            self.host, self.day = banner[1], day_of(banner[2])
            self.columns, self.reports, self.with_cpu, self.ts_ms = (), 0, False, None
            if self.day is None:
                self.tally.warn(ODD_DAY)
        elif stated is not None or moment:
            day = day_of(moment[1]) if moment else None
            self.ts_ms = stated if stated is not None or not moment else moment_of(day, moment[2], moment[3])
        elif not line.strip():
            self.columns = ()
        else:
            yield from self._row(line, at)

    def _row(self, line: str, at: int) -> Iterator[dict[str, Any]]:
        words, clock = line.split(), _CLOCK.match(line)
        if clock:
            words = line[clock.end() :].split()
        if words[0].startswith(("avg-cpu:", "Device")) or (clock and words[0] in ("UID", "PID", "CPU")):
            # A report of iostat begins with the CPU, or with devices under -d.
            self.with_cpu = self.with_cpu or words[0] == "avg-cpu:"
            self.reports += words[0] == "avg-cpu:" or (words[0].startswith("Device") and not self.with_cpu)
            self.columns = words
            if self.reports == 1:
                self.tally.warn(SINCE_START)
        elif words[0] == "Average:":
            self.columns = ()
        elif not self.columns:
            self.tally.odd(at, line)
        else:
            ts_ms = moment_of(self.day, clock[1], clock[2]) if clock else self.ts_ms
            self.tally.take_time(ts_ms)
            self.tally.records += 1
            if clock or self.reports > 1:
                yield from self._numbers(words, {"ts_ms": ts_ms, "host": self.host, **lines_of(at)})

    def _numbers(self, words: Sequence[str], place: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        columns = list(self.columns)
        if columns[0] == "avg-cpu:":
            yield from column_rows({**place, "part": "cpu"}, columns[1:], words, CPU)
        elif columns[0].startswith("Device"):
            yield from column_rows({**place, "part": "device", "name": text(words[0])}, columns, words, DEVICE)
        elif "PID" in columns and len(words) >= len(columns):
            number = columns.index("PID")
            name = text(f"{' '.join(words[len(columns) - 1 :])} {words[number]}")
            yield from column_rows({**place, "part": "process", "name": name}, columns, words, PROCESS)
        elif words[0] == "all":
            yield from column_rows({**place, "part": "cpu"}, columns, words, CPU)


def _rows(part: Range, tally: Tally) -> Iterator[dict[str, Any]]:
    reading = _Reading(tally)
    for at, line in numbered_lines(part, MOST_LINE):
        yield from reading.take(line, at)


_BANNER_LINE = "Linux 6.1.0-18-amd64 (worker-3) \t11/21/2026 \t_x86_64_\t(4 CPU)\n\n"
_IOSTAT = (
    _BANNER_LINE
    + """\
11/21/2026 01:00:00 AM
avg-cpu:  %user   %nice %system %iowait  %steal   %idle
           3.10    0.00    1.00    0.20    0.00   95.70

Device            r/s     rkB/s   r_await     w/s     wkB/s   w_await  aqu-sz  %util
sdb              0.10      1.20      0.40    5.00     90.00      2.10    0.02   1.20


11/21/2026 01:00:05 AM
avg-cpu:  %user   %nice %system %iowait  %steal   %idle
           5.00    0.00    4.00   61.00    0.00   30.00

Device            r/s     rkB/s   r_await     w/s     wkB/s   w_await  aqu-sz  %util
sdb              0.00      0.00      0.00   80.00  20480.00    412.50   35.00  99.90
"""
)
_PIDSTAT = (
    _BANNER_LINE
    + """\
01:00:01 AM   UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command
01:00:02 AM  1000      3773   88.00    7.00    0.00   31.00   95.00     2  java
Average:     1000      3773   88.00    7.00    0.00   31.00   95.00     -  java
"""
)

FORMAT = Format(
    id="sysstat",
    title=to_say("CPU, disks and processes of a host (iostat, pidstat, mpstat)"),
    documentation="https://sysstat.github.io/documentation.html",
    tables=("host_sample",),
    recognise=_recognise,
    read=row_reader("host_sample", _rows, most=MOST_ROWS),
    samples=(
        Sample(
            name="host/iostat.txt",
            text=_IOSTAT,
            rows={
                "host_sample": [
                    {"part": "cpu", "metric": "user_percent", "value": 5.0, "host": "worker-3", "line": 13},
                    {"metric": "nice_percent", "value": 0.0, "ts_ms": 1795222805000},
                    {"metric": "system_percent", "value": 4.0},
                    {"metric": "iowait_percent", "value": 61.0},
                    {"metric": "steal_percent", "value": 0.0},
                    {"metric": "idle_percent", "value": 30.0},
                    {"part": "device", "name": "sdb", "metric": "read_bytes_per_s", "value": 0.0, "line": 16},
                    {"metric": "read_await_ms", "value": 0.0},
                    {"metric": "written_bytes_per_s", "value": 20971520.0},
                    {"metric": "write_await_ms", "value": 412.5},
                    {"metric": "waiting_requests", "value": 35.0},
                    {"metric": "busy_percent", "value": 99.9, "host": "worker-3"},
                ]
            },
        ),
        Sample(
            name="host/pidstat.txt",
            text=_PIDSTAT,
            rows={
                "host_sample": [
                    {"part": "process", "name": "java 3773", "metric": "cpu_wait_percent", "value": 31.0, "line": 4},
                    {"metric": "cpu_percent", "value": 95.0, "ts_ms": 1795222802000},
                ]
            },
        ),
    ),
)
