"""GC logs of JDK 6 to 8 (`-Xloggc`, with or without `-XX:+PrintGCDetails`): Serial, Parallel, CMS, G1, Shenandoah.

A collection begins with its time and `[GC` or `[Full GC` and ends with `, 0.0087 secs]`, often on the same line. Other
lines (ages, the heap before it) may be in between, and G1 prints the heap some lines later. The time is its start.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import to_say
from diagnostics.notation.constant_text import Offsets
from diagnostics.notation.file_range import Head, Range
from diagnostics.notation.garbage_collector import COLLECTOR_OF_FLAG
from diagnostics.notation.gc_columns_before_9 import STATING, stated_collections
from diagnostics.notation.gc_lines_before_9 import (
    BEGIN,
    CONCURRENT,
    MOST_LINES_OF_ONE,
    SHENANDOAH,
    Collection,
    concurrent_row,
    phase_row,
)
from diagnostics.notation.process_name import process_of_name
from diagnostics.notation.tally import Tally
from diagnostics.notation.text_lines import MOST_CHARACTER_BYTES, line_arrays

MOST_LINE = 4_000
LINES_LOOKED_AT = 300

COLLECTOR_WORDS = (
    ("[PSYoungGen", "Parallel"),
    ("[ParNew", "CMS"),
    ("CMS", "CMS"),
    ("GC pause", "G1"),
    ("[Eden:", "G1"),
    ("GC concurrent-", "G1"),
    ("[DefNew", "Serial"),
    ("[Tenured", "Serial"),
)
"""Names of spaces that a collection prints -> the collector."""
_SETTINGS = "CommandLine flags:", "Java HotSpot", "OpenJDK"
"""Beginnings of lines that state settings of the JVM."""
_COLLECTOR = "|".join(re.escape(word) for word, _ in COLLECTOR_WORDS)
_NAMING = rf"^(?:{'|'.join(_SETTINGS)})|{_COLLECTOR}"
SIZE_FLAGS = {"InitialHeapSize": "heap.initial", "MaxHeapSize": "heap.max", "G1HeapRegionSize": "heap.region"}

_FLAG = re.compile(r"-XX:([+-]?[A-Za-z0-9]{3,60})(?:=(\d{1,18}))?")
_COLUMNS = pa.schema(
    {
        "ts_ms": pa.int64(),
        "uptime_ms": pa.float64(),
        "gc_id": pa.int64(),
        **dict.fromkeys(("collector", "kind", "cause"), pa.string()),
        **dict.fromkeys(("pause_ms", "before_bytes", "after_bytes", "total_bytes"), pa.float64()),
        **dict.fromkeys(("line", "last_line"), pa.int64()),
    }
)


def _recognise(head: Head) -> float:
    lines = head.text.split("\n", LINES_LOOKED_AT)[:LINES_LOOKED_AT]
    begun = sum(bool(BEGIN.match(line[:MOST_LINE])) for line in lines)
    stamped = any(_is_stamped(line) for line in lines)
    flags = any(line.startswith("CommandLine flags: -XX:") for line in lines)
    return 0.95 if begun and (stamped or flags) else 0.9 if flags or begun >= 2 else 0.0


def _is_stamped(line: str) -> bool:
    found = BEGIN.match(line[:MOST_LINE])
    return bool(found and (found["date"] or found["uptime"]))


def _read(part: Range) -> Iterator[Rows | Coverage]:
    log = _Log(process_of_name(part.name))
    tally = Tally(log.process)
    after = 1
    for first, lines in line_arrays(part, MOST_LINE * MOST_CHARACTER_BYTES):
        yield from _rows(log.collections(first, lines), tally)
        after = first + len(lines)
    yield from _rows(pa.Table.from_pylist(log.end_before(after), _COLUMNS), tally)
    yield tally.coverage()
    yield Rows("config_option", log.facts_with_collector())


def _rows(collections: pa.Table, tally: Tally) -> Iterator[Rows]:
    if collections.num_rows:
        tally.records += collections.num_rows
        for end in pc.min_max(collections["ts_ms"]).as_py().values():
            tally.take_time(end)
        yield Rows("gc_pause", batch=collections.combine_chunks().to_batches()[0])


class _Log:
    """What the lines so far have stated: settings, the collector, and a collection whose end may still follow.

    Most lines of a collection are details: of those that do not match STATING only the number counts.
    """

    def __init__(self, process: str | None) -> None:
        self.process = process
        self._facts: dict[str, dict[str, Any]] = {}
        self._collector: str | None = None
        self._begun: Collection | None = None
        self._apart = 0

    def collections(self, first: int, lines: pa.LargeBinaryArray) -> pa.Table:
        """The collections that end in these lines; `first` is the number of the first line."""
        settled = self._settled_from(lines)
        before = _lines_with(f"{STATING}|{_NAMING}", lines.slice(0, settled))
        stated = _lines_with(STATING, lines.slice(settled)) + settled
        table, taken = stated_collections(lines.take(pa.array(stated)), stated)
        begins_run = set(stated[taken & ~np.append(False, taken[:-1])].tolist())
        chosen = np.union1d(np.append(before, stated[~taken]), np.array(list(begins_run), np.int64))
        rows: list[dict[str, Any]] = []
        for place, line in zip(chosen.tolist(), lines.take(pa.array(chosen)).to_pylist(), strict=True):
            rows += self.end_before(first + place) if place in begins_run else self._take(first + place, _text(line))
        columns = {name: table[name] for name in table.column_names}
        columns |= {name: pc.add(table[name], first) for name in ("line", "last_line")}
        columns["collector"] = pa.repeat(pa.scalar(self._collector, pa.string()), table.num_rows)
        found = pa.table({name: columns[name] for name in _COLUMNS.names}).cast(_COLUMNS)
        return pa.concat_tables([found, pa.Table.from_pylist(rows, _COLUMNS)]).sort_by("line")

    def _settled_from(self, lines: pa.LargeBinaryArray) -> int:
        """Index of the first line from which on the collector stays the same."""
        stated = _lines_with(f"^(?:{'|'.join(_SETTINGS)})", lines)
        settled = int(stated[-1]) + 1 if len(stated) else 0
        named = _lines_with(_COLLECTOR, lines.slice(settled)) if self._collector is None else stated[:0]
        return settled + int(named[0]) + 1 if len(named) else settled

    def end_before(self, number: int) -> list[dict[str, Any]]:
        """The collection that has begun, with the lines before this one, as a row; none when it has no duration."""
        self._extend_to(number - 1)
        begun, self._begun = self._begun, None
        return [] if begun is None or begun.seconds is None else [begun.row(self._collector)]

    def _extend_to(self, number: int) -> None:
        """Let the collection that has begun have the lines up to this one."""
        if self._begun and number != self._apart:
            self._begun.last_line = max(self._begun.last_line, min(number, self._begun.line + MOST_LINES_OF_ONE + 1))

    def _leave_out(self, number: int) -> None:
        """Let this line, the next one, not belong to the collection that has begun."""
        self._extend_to(number - 1)
        self._apart = number

    def _take(self, number: int, text: str) -> list[dict[str, Any]]:
        """Read one line; gives the collections that end with it or before it."""
        if self._begun and number - 1 - self._begun.line > MOST_LINES_OF_ONE:
            return [*self.end_before(number), *self._take(number, text)]
        self._collector = self._collector or next((name for word, name in COLLECTOR_WORDS if word in text), None)
        if text.startswith(_SETTINGS):
            self._leave_out(number)
            self._facts |= {key: _fact(key, value, self.process, number) for key, value in _facts(text)}
            collector = self._facts.get("gc.collector")
            self._collector = collector["value"] if collector else self._collector
        elif "concurrent-" in text and (match := CONCURRENT.search(text)):
            return [*self.end_before(number), concurrent_row(match, self._collector, number)]
        elif " ms]" in text and (match := SHENANDOAH.match(text)):
            self._leave_out(number)
            self._collector = self._collector or "Shenandoah"
            return [phase_row(match, self._collector, number)]
        elif "GC" in text and (match := BEGIN.match(text)):
            ended = self.end_before(number)
            self._begun = Collection(number, match.groupdict(), match["what"], match["rest"], number)
            self._begun.take(text, number)
            return ended
        elif self._begun:
            self._begun.take(text, number)
        return []

    def facts_with_collector(self) -> list[dict[str, Any]]:
        """The facts about the JVM, at the end of the file."""
        if self._collector and "gc.collector" not in self._facts:
            self._facts["gc.collector"] = _fact("gc.collector", self._collector, self.process, 1)
        return list(self._facts.values())


def _lines_with(pattern: str, lines: pa.LargeBinaryArray) -> Offsets:
    """Indexes of the lines that match the pattern anywhere, ascending."""
    return np.flatnonzero(pc.match_substring_regex(lines, pattern).to_numpy(zero_copy_only=False))


def _text(line: bytes) -> str:
    return line.decode("utf-8", "replace").removesuffix("\n")[:MOST_LINE].rstrip()


def _facts(text: str) -> Iterator[tuple[str, str]]:
    if not text.startswith("CommandLine flags:"):
        yield "jvm.version", text[:200]
        return
    for flag, value in _FLAG.findall(text):
        collector = COLLECTOR_OF_FLAG.get(flag.removeprefix("+"))
        if collector and flag.startswith("+"):
            yield "gc.collector", collector
        elif flag in SIZE_FLAGS and value:
            yield SIZE_FLAGS[flag], value


def _fact(key: str, value: str, process: str | None, number: int) -> dict[str, Any]:
    return {"scope": "jvm", "process": process, "key": key, "value": value, "line": number, "last_line": number}


FORMAT = Format(
    id="gc-log-before-9",
    title=to_say("JVM GC log (JDK 6 to 8)"),
    documentation="https://docs.oracle.com/javase/8/docs/technotes/guides/vm/gctuning/",
    tables=("gc_pause", "config_option"),
    recognise=_recognise,
    read=_read,
    samples=(
        Sample(
            name="gc-taskmanager.log",
            text="OpenJDK 64-Bit Server VM (25.342-b07) for linux-amd64 JRE (1.8.0_342-b07)\n"
            "CommandLine flags: -XX:InitialHeapSize=33554432 -XX:MaxHeapSize=536870912 -XX:+UseG1GC\n"
            "2022-08-01T17:17:33.375+0000: 0.163: #0: [GC pause (G1 Evacuation Pause) (young), 0.0087570 secs]\n"
            "   [Parallel Time: 5.2 ms, GC Workers: 2]\n"
            "   [Eden: 7168.0K(7168.0K)->0.0B(4096.0K) Survivors: 0.0B->1024.0K "
            "Heap: 7168.0K(32768.0K)->6664.5K(32768.0K)]\n"
            " [Times: user=0.01 sys=0.00, real=0.01 secs]\n"
            "2022-08-01T17:17:34.000+0000: 0.788: #1: [GC concurrent-mark-end, 0.0500000 secs]\n",
            rows={
                "gc_pause": [
                    {
                        "ts_ms": 1659374253375,
                        "uptime_ms": 163.0,
                        "gc_id": 0,
                        "collector": "G1",
                        "kind": "young",
                        "cause": "G1 Evacuation Pause",
                        "pause_ms": 8.757,
                        "before_bytes": 7168.0 * 2**10,
                        "after_bytes": 6664.5 * 2**10,
                        "total_bytes": 32768.0 * 2**10,
                        "line": 3,
                    },
                    {"kind": "concurrent", "pause_ms": 50.0, "gc_id": 1, "line": 7},
                ],
                "config_option": [
                    {"key": "jvm.version", "process": "taskmanager", "line": 1},
                    {"key": "heap.initial", "value": "33554432", "line": 2},
                    {"key": "heap.max", "value": "536870912"},
                    {"key": "gc.collector", "value": "G1"},
                ],
            },
        ),
        Sample(
            name="gc.log.0",
            text="2022-07-26T21:00:40.750+0800: 3.117: [GC (Allocation Failure) "
            "[PSYoungGen: 7077888K->222570K(8257536K)] 7077888K->222586K(9306112K), "
            "0.5437135 secs] [Times: user=1.92 sys=0.20, real=0.55 secs] \n"
            "2022-07-26T21:00:45.231+0800: 7.599: [Full GC (Ergonomics) [PSYoungGen: 98289K->0K(8257536K)] "
            "[ParOldGen: 32K->98112K(1048576K)] 98321K->98112K(9306112K), [Metaspace: 16471K->16471K(1064960K)], "
            "0.6492397 secs] [Times: user=1.52 sys=0.17, real=0.65 secs] \n",
            rows={
                "gc_pause": [
                    {"kind": "young", "cause": "Allocation Failure", "pause_ms": 543.7135, "ts_ms": 1658840440750},
                    {
                        "kind": "full",
                        "cause": "Ergonomics",
                        "collector": "Parallel",
                        "before_bytes": 98321.0 * 2**10,
                        "after_bytes": 98112.0 * 2**10,
                        "total_bytes": 9306112.0 * 2**10,
                        "pause_ms": 649.2397,
                    },
                ],
                "config_option": [{"key": "gc.collector", "value": "Parallel", "process": None}],
            },
        ),
        Sample(
            name="gc-jobmanager.log",
            text="11.425: [GC 11.425: [ParNew: 34944K->3456K(39296K), 0.0123000 secs] 34944K->4000K(126720K), "
            "0.0124000 secs]\n"
            "12.000: [GC [1 CMS-initial-mark: 73765K(95616K)] 85022K(138624K), 0.0002081 secs]\n"
            "12.100: [CMS-concurrent-mark: 0.010/0.012 secs]\n",
            rows={
                "gc_pause": [
                    {"kind": "young", "uptime_ms": 11425.0, "pause_ms": 12.4, "after_bytes": 4000.0 * 2**10},
                    {"kind": "remark", "pause_ms": 0.2081, "before_bytes": None},
                    {"kind": "concurrent", "pause_ms": 12.0},
                ],
                "config_option": [{"key": "gc.collector", "value": "CMS", "process": "jobmanager"}],
            },
        ),
    ),
)
