"""Maps printed by bpftrace: stacks with counts, histograms, counts and sums, once or per interval.

Stacks become a profile. A histogram becomes its count and quantiles, each quantile the upper end of its class; the
map's name holds the measure and its unit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import say, to_say
from diagnostics.notation.file_range import Head, Range
from diagnostics.notation.header_time import header_time
from diagnostics.notation.host_row import MOST_LINE, lines_of
from diagnostics.notation.profiler_stack import mapped_symbol, mode_of, sample_row
from diagnostics.notation.rest_document import text
from diagnostics.notation.tally import Tally
from diagnostics.notation.text_lines import numbered_lines

QUANTILES = (0.5, 0.9, 0.99)
MOST_ROWS = 200_000
MOST_DEPTH = 2_000
MOST_CLASSES = 1_000
UNITS = {"": 1.0, "K": 1024.0, "M": 1024.0**2, "G": 1024.0**3, "T": 1024.0**4, "P": 1024.0**5, "E": 1024.0**6}

_ATTACHED = re.compile(r"(?m)^Attach(?:ing|ed) \d{1,6} probes?(?:\.\.\.)?\s*$")
_MAP = re.compile(r"(?m)^@(\w{0,100})(?:\[(.{0,1000}?)\])?:(?: (.{0,400}))?$")
_STACK_BEGIN = re.compile(r"^@(\w{0,100})\[(.{0,400})$")
_STACK_END = re.compile(r"^(?:, ?(.{0,400}?))?\]: (\d{1,18})$")
_CLASS = re.compile(
    r"^(?:[\[(](-?\d{1,18}|\.\.\.)([KMGTPE]?), (-?\d{1,18}|\.\.\.)([KMGTPE]?)[\])]|\[(-?\d{1,18})([KMGTPE]?)\])"
    r"\s{1,30}(\d{1,18}) \|[@ ]{0,120}\|$"
)
_NUMBER = re.compile(r"-?\d{1,18}$")
_STATISTICS = re.compile(r"count (\d{1,18}), average (-?\d{1,18}), total -?\d{1,18}$")
_OFFSET = re.compile(r"\+(?:0x[0-9a-f]{1,16}|\d{1,12})(?: \([^()]{0,400}\))?$")


@dataclass(slots=True)
class _Histogram:
    """Classes of one map with one key: their upper ends (None when open) and counts."""

    name: str
    key: str | None
    line: int
    classes: list[tuple[float | None, int]] = field(default_factory=list)

    def rows(self) -> Iterator[dict[str, Any]]:
        total = sum(count for _, count in self.classes)
        if not total:
            return
        place = {"part": "probe", "name": self.key, "line": self.line, "last_line": self.line + len(self.classes)}
        yield {**place, "metric": f"{self.name} count", "value": float(total)}
        for quantile in QUANTILES:
            seen = 0
            for end, count in self.classes:
                seen += count
                if seen >= quantile * total:
                    yield {**place, "metric": self.name, "quantile": quantile, "value": end}
                    break


@dataclass(slots=True)
class _Stack:
    """A stack that is a map's key, in the printed order, leaf first."""

    first: str | None
    line: int
    frames: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Reading:
    """State of reading the file."""

    numbers: list[dict[str, Any]] = field(default_factory=list)
    stacks: list[dict[str, Any]] = field(default_factory=list)
    histogram: _Histogram | None = None
    stack: _Stack | None = None
    ts_ms: int | None = None
    tally: Tally = field(default_factory=Tally)

    @property
    def is_full(self) -> bool:
        """Whether the limit of rows is reached."""
        return len(self.numbers) + len(self.stacks) >= MOST_ROWS

    def take(self, line: str, at: int) -> None:
        if self.stack is not None:
            self._in_stack(self.stack, line, at)
            return
        map_entry, begun, of_class, moment = (
            _MAP.match(line),
            _STACK_BEGIN.match(line),
            _CLASS.match(line),
            header_time(line),
        )
        if of_class and self.histogram is not None:
            if len(self.histogram.classes) < MOST_CLASSES:
                self.histogram.classes.append((_upper_end(of_class), int(of_class[7])))
            return
        self._close_histogram()
        if moment is not None:
            self.ts_ms = moment
            self.tally.take_time(moment)
        elif map_entry:
            self._map(f"@{map_entry[1]}", text(map_entry[2]), (map_entry[3] or "").strip(), at)
        elif begun and line.rstrip().endswith(("[", ",")):
            self.stack = _Stack(text(begun[2].strip(" ,")), at)
        elif line.strip() and not _ATTACHED.match(line):
            self.tally.odd(at, line)

    def _map(self, name: str, key: str | None, value: str, at: int) -> None:
        statistics = _STATISTICS.match(value)
        place = {"ts_ms": self.ts_ms, "part": "probe", "name": key, **lines_of(at)}
        if not value:
            self.histogram = _Histogram(name, key, at)
            self.tally.records += 1
        elif _NUMBER.match(value):
            self.numbers.append({**place, "metric": name, "value": float(value)})
            self.tally.records += 1
        elif statistics:
            self.numbers.append({**place, "metric": f"{name} count", "value": float(statistics[1])})
            self.numbers.append({**place, "metric": f"{name} average", "value": float(statistics[2])})
            self.tally.records += 1
        else:
            self.tally.odd(at, value)

    def _in_stack(self, stack: _Stack, line: str, at: int) -> None:
        end = _STACK_END.match(line.strip())
        if end:
            frames = [each for each in stack.frames if each]
            thread = text(end[1]) or stack.first
            if frames:
                row = sample_row(thread, frames[::-1], float(end[2]))
                self.stacks.append(
                    {**row, "ts_ms": self.ts_ms, "profile": "collapsed", "line": stack.line, "last_line": at}
                )
                self.tally.records += 1
            self.stack = None
        elif line.startswith("@"):
            self.tally.odd(at, line)
            self.stack = None
        elif len(stack.frames) < MOST_DEPTH:
            # A user stack may follow the kernel stack after a line with only a comma.
            stack.frames.append(
                mapped_symbol(_OFFSET.sub("", line.strip().removeprefix(", "))) if line.strip(" ,") else ""
            )

    def _close_histogram(self) -> None:
        if self.histogram is not None:
            self.numbers += [{"ts_ms": self.ts_ms, **row} for row in self.histogram.rows()]
            self.histogram = None

    def close(self) -> None:
        self._close_histogram()


def _upper_end(found: re.Match[str]) -> float | None:
    number, unit = (found[3], found[4]) if found[3] else (found[5], found[6])
    return None if number == "..." else float(number) * UNITS[unit]


def _recognise(head: Head) -> float:
    if not head.text.startswith("@") and "\n@" not in head.text:
        return 0.0
    lines = head.text.splitlines()[:2_000]
    maps = sum(1 for line in lines if _MAP.match(line) or (_STACK_BEGIN.match(line) and line.endswith("[")))
    classes = sum(1 for line in lines if _CLASS.match(line))
    if _ATTACHED.search(head.text) and (maps or classes):
        return 0.95
    return 0.9 if maps and classes else 0.0


def _read(part: Range) -> Iterator[Rows | Coverage]:
    reading = _Reading()
    for at, line in numbered_lines(part, MOST_LINE):
        reading.take(line, at)
        if reading.is_full:
            reading.tally.warn(say("only the first {bound:,} numbers and stacks are kept", bound=MOST_ROWS))
            break
    reading.close()
    mode = mode_of(part.name, reading.stacks)
    yield Rows("host_sample", reading.numbers)
    yield Rows("stack_sample", [{**row, "mode": mode} for row in reading.stacks])
    yield reading.tally.coverage()


FORMAT = Format(
    id="bpftrace",
    title=to_say("Maps of bpftrace: histograms, counts, stacks"),
    documentation="https://github.com/bpftrace/bpftrace/blob/master/man/adoc/bpftrace.adoc",
    tables=("host_sample", "stack_sample"),
    recognise=_recognise,
    read=_read,
    samples=(
        Sample(
            name="host/fsync.bt.txt",
            text="Attaching 3 probes...\n"
            "\n"
            "@usecs[java]: \n"
            "[256, 512)            10 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
            "[1K, 2K)               9 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@      |\n"
            "[1M, 2M)               1 |@@@@@                                               |\n"
            "\n"
            "@retransmits[10.0.0.12, 6122]: 37\n",
            rows={
                "host_sample": [
                    {
                        "part": "probe",
                        "name": "java",
                        "metric": "@usecs count",
                        "value": 20.0,
                        "line": 3,
                        "last_line": 6,
                    },
                    {"metric": "@usecs", "quantile": 0.5, "value": 512.0},
                    {"metric": "@usecs", "quantile": 0.9, "value": 2048.0},
                    {"metric": "@usecs", "quantile": 0.99, "value": 2097152.0},
                    {"name": "10.0.0.12, 6122", "metric": "@retransmits", "value": 37.0, "line": 8},
                ]
            },
        ),
        Sample(
            name="profile/cpu.bt.txt",
            text="Attaching 1 probe...\n"
            "@[\n"
            "    Lcom/acme/Lookup;::get+120\n"
            "    java.lang.Thread.run+12\n"
            ", Map (2/4)#0]: 41\n",
            rows={
                "stack_sample": [
                    {
                        "thread": "Map (2/4)#0",
                        "vertex": "Map",
                        "subtask": 1,
                        "mode": "cpu",
                        "frames": ["java.lang.Thread.run", "com.acme.Lookup.get"],
                        "weight": 41.0,
                        "line": 2,
                        "last_line": 5,
                    }
                ]
            },
        ),
    ),
)
