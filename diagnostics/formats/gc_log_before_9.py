"""GC logs of JDK 6 to 8 (`-Xloggc`, with or without `-XX:+PrintGCDetails`): Serial, Parallel, CMS, G1, Shenandoah.

A collection begins with its time and `[GC` or `[Full GC` and ends with `, 0.0087 secs]`, often on the same line. Other
lines (ages, the heap before it) may be in between, and G1 prints the heap some lines later. The time is its start.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.notation.file_range import Head, Range
from diagnostics.notation.process_name import process_of_name
from diagnostics.notation.tally import Tally, in_batches
from diagnostics.notation.text_lines import numbered_lines

MOST_LINE = 4_000
MOST_LINES_OF_ONE = 200
"""A collection without an end after this many lines was cut off. Our choice: G1 with all details prints about 60."""
LINES_LOOKED_AT = 300

COLLECTOR_FLAGS = {
    "+UseG1GC": "G1",
    "+UseConcMarkSweepGC": "CMS",
    "+UseParallelGC": "Parallel",
    "+UseParallelOldGC": "Parallel",
    "+UseSerialGC": "Serial",
    "+UseShenandoahGC": "Shenandoah",
}
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
SIZE_FLAGS = {"InitialHeapSize": "heap.initial", "MaxHeapSize": "heap.max", "G1HeapRegionSize": "heap.region"}

_STAMP = (
    r"(?:(?P<date>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.,]\d{3}[+-]\d{4}): ?)?"
    r"(?:(?P<uptime>\d{1,12}[.,]\d{3,4}): ?)?(?:#(?P<id>\d{1,18}): ?)?"
)
_BEGIN = re.compile(_STAMP + r"\[(?P<what>Full GC|GC)(?=[^a-z]|$)(?P<rest>.*)$")
_CONCURRENT = re.compile(
    _STAMP + r"\[(?:GC (?P<g1>concurrent-[a-z-]{3,40}-end)|(?P<cms>CMS-concurrent-[a-z-]{3,40}): \d{1,9}[.,]\d{1,9}/?)"
    r"[,:]? ?(?P<secs>\d{0,9}[.,]\d{1,9}) secs\]"
)
_SHENANDOAH = re.compile(
    _STAMP + r"\[(?P<phase>(?:Pause|Concurrent) [A-Za-z ()]{2,60}?)(?P<heap> \d[^,\]]{4,60})?, "
    r"(?P<ms>\d{1,9}[.,]\d{1,6}) ms\]"
)
"""Red Hat's Shenandoah for JDK 8: phases in milliseconds, each preceded by `, start]`."""
_END = re.compile(r"(?<!real=)(?<![\d.])(\d{1,6}[.,]\d{4,9}) secs\]")
_HEAP = re.compile(r"(\d{1,12})K->(\d{1,12})K\((\d{1,12})K\)")
_G1_HEAP = re.compile(
    r"Heap: (\d{1,12}(?:[.,]\d)?)([BKMG])\(\d{1,12}(?:[.,]\d)?[BKMG]\)"
    r"->(\d{1,12}(?:[.,]\d)?)([BKMG])\((\d{1,12}(?:[.,]\d)?)([BKMG])\)"
)
_SHORT_HEAP = re.compile(r" (\d{1,12})([KMG])->(\d{1,12})([KMG])\((\d{1,12})([KMG])\)")
_CAUSE = re.compile(r"\(([A-Z][A-Za-z0-9 ._]{2,60}(?:\(\))?)\)")
_SPACE = re.compile(
    r"\[(?:Metaspace|PSPermGen|PSOldGen|ParOldGen|PSYoungGen|CMS Perm|Perm|CMS|Tenured|DefNew|ParNew)\b[^\[\]]{0,200}\]"
)
_FLAG = re.compile(r"-XX:([+-]?[A-Za-z0-9]{3,60})(?:=(\d{1,18}))?")
_UNITS = {"B": 1.0, "K": 2.0**10, "M": 2.0**20, "G": 2.0**30}


@dataclass(slots=True)
class _Collection:
    """A collection whose end may still follow."""

    line: int
    stamp: Mapping[str, str | None]
    what: str
    text: str
    last_line: int
    seconds: float | None = None
    heap: tuple[float, float, float] | None = None

    def take(self, text: str, number: int) -> None:
        """Read one line of this collection: its duration and its heap, as far as the line has them."""
        self.last_line = number
        if self.seconds is None and " secs]" in text and (ends := _END.findall(text)):
            self.seconds = _number(ends[-1])
        if self.heap is None and "->" in text:
            self.heap = _heap_of(text)

    def row(self, collector: str | None) -> dict[str, Any]:
        """The row of the table `gc_pause`."""
        before, after, total = self.heap or (None, None, None)
        cause = next((found for found in _CAUSE.findall(self.text[:200]) if found not in ("STW",)), None)
        return {
            **_times(self.stamp),
            "collector": collector,
            "kind": _kind(self.what, self.text),
            "cause": cause,
            "pause_ms": None if self.seconds is None else round(self.seconds * 1000, 6),
            "before_bytes": before,
            "after_bytes": after,
            "total_bytes": total,
            "line": self.line,
            "last_line": self.last_line,
        }


def _recognise(head: Head) -> float:
    lines = head.text.split("\n", LINES_LOOKED_AT)[:LINES_LOOKED_AT]
    begun = sum(bool(_BEGIN.match(line[:MOST_LINE])) for line in lines)
    stamped = any(_is_stamped(line) for line in lines)
    flags = any(line.startswith("CommandLine flags: -XX:") for line in lines)
    return 0.95 if begun and (stamped or flags) else 0.9 if flags or begun >= 2 else 0.0


def _is_stamped(line: str) -> bool:
    found = _BEGIN.match(line[:MOST_LINE])
    return bool(found and (found["date"] or found["uptime"]))


def _read(part: Range) -> Iterator[Rows | Coverage]:
    tally = Tally(process_of_name(part.name))
    facts: dict[str, dict[str, Any]] = {}
    yield from in_batches("gc_pause", _rows(part, tally, facts), tally)
    yield Rows("config_option", list(facts.values()))


def _rows(part: Range, tally: Tally, facts: dict[str, dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for row in _collections(part, tally.role, facts):
        tally.records += 1
        tally.take_time(row["ts_ms"])
        yield row


def _collections(part: Range, process: str | None, facts: dict[str, dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Collections with a known duration; adds facts about the JVM to `facts`.

    Most lines of a collection are details, so a required word is searched before matching a pattern.
    """
    collector: str | None = None
    begun: _Collection | None = None
    for number, text in numbered_lines(part, MOST_LINE):
        collector = collector or next((name for word, name in COLLECTOR_WORDS if word in text), None)
        if text.startswith(("CommandLine flags:", "Java HotSpot", "OpenJDK")):
            facts |= {key: _fact(key, value, process, number) for key, value in _facts(text)}
            collector = facts["gc.collector"]["value"] if "gc.collector" in facts else collector
        elif "concurrent-" in text and (match := _CONCURRENT.search(text)):
            yield from _ended(begun, collector)
            begun = None
            yield _concurrent(match, collector, number)
        elif " ms]" in text and (match := _SHENANDOAH.match(text)):
            collector = collector or "Shenandoah"
            yield _phase(match, collector, number)
        elif "GC" in text and (match := _BEGIN.match(text)):
            yield from _ended(begun, collector)
            begun = _Collection(number, match.groupdict(), match["what"], match["rest"], number)
            begun.take(text, number)
        elif begun:
            begun.take(text, number)
            if number - begun.line > MOST_LINES_OF_ONE:
                yield from _ended(begun, collector)
                begun = None
    yield from _ended(begun, collector)
    if collector and "gc.collector" not in facts:
        facts["gc.collector"] = _fact("gc.collector", collector, process, 1)


def _ended(begun: _Collection | None, collector: str | None) -> Iterator[dict[str, Any]]:
    if begun is not None and begun.seconds is not None:
        yield begun.row(collector)


def _concurrent(match: re.Match[str], collector: str | None, number: int) -> dict[str, Any]:
    return {
        **_times(match.groupdict()),
        "collector": collector,
        "kind": "concurrent",
        "cause": None,
        "pause_ms": round(_number(match["secs"]) * 1000, 6),
        "line": number,
        "last_line": number,
    }


def _phase(match: re.Match[str], collector: str | None, number: int) -> dict[str, Any]:
    """One phase of Shenandoah; its full and degenerated pauses are whole collections."""
    phase = match["phase"]
    kind = "full" if phase.startswith(("Pause Full", "Pause Degenerated")) else "cleanup"
    before, after, total = _heap_of(match["heap"] or "") or (None, None, None)
    return {
        **_times(match.groupdict()),
        "collector": collector,
        "kind": "concurrent" if phase.startswith("Concurrent") else "remark" if "Mark" in phase else kind,
        "cause": None,
        "pause_ms": _number(match["ms"]),
        "before_bytes": before,
        "after_bytes": after,
        "total_bytes": total,
        "line": number,
        "last_line": number,
    }


def _times(stamp: Mapping[str, str | None]) -> dict[str, Any]:
    date, uptime, number = stamp["date"], stamp["uptime"], stamp["id"]
    return {
        "ts_ms": _epoch_ms(date.replace(",", ".")) if date else None,
        "uptime_ms": round(_number(uptime) * 1000, 3) if uptime else None,
        "gc_id": int(number) if number else None,
    }


def _epoch_ms(date: str) -> int | None:
    try:
        return round(datetime.fromisoformat(date).timestamp() * 1000)
    except ValueError:
        return None


def _kind(what: str, text: str) -> str:
    if what == "Full GC":
        return "full"
    if "(mixed)" in text:
        return "mixed"
    if "CMS-initial-mark" in text or "CMS-remark" in text or text.startswith((" remark", " Rescan")):
        return "remark"
    return "cleanup" if text.startswith(" cleanup") else "young"


def _heap_of(text: str) -> tuple[float, float, float] | None:
    """Bytes used before, used after and committed, of the whole heap and not of one space."""
    if found := _G1_HEAP.search(text):
        values = found.groups()
        sizes = [_number(values[place]) * _UNITS[values[place + 1]] for place in (0, 2, 4)]
        return sizes[0], sizes[1], sizes[2]
    whole = _SPACE.sub("", _SPACE.sub("", text))
    if plain := _HEAP.findall(whole):
        before, after, total = plain[-1]
        return float(before) * 2**10, float(after) * 2**10, float(total) * 2**10
    if short := _SHORT_HEAP.search(whole):
        values = short.groups()
        return tuple(float(values[place]) * _UNITS[values[place + 1]] for place in (0, 2, 4))  # type: ignore[return-value]
    return None


def _number(digits: str) -> float:
    return float(digits.replace(",", "."))


def _facts(text: str) -> Iterator[tuple[str, str]]:
    if not text.startswith("CommandLine flags:"):
        yield "jvm.version", text[:200]
        return
    for flag, value in _FLAG.findall(text):
        if flag in COLLECTOR_FLAGS:
            yield "gc.collector", COLLECTOR_FLAGS[flag]
        elif flag in SIZE_FLAGS and value:
            yield SIZE_FLAGS[flag], value


def _fact(key: str, value: str, process: str | None, number: int) -> dict[str, Any]:
    return {"scope": "jvm", "process": process, "key": key, "value": value, "line": number, "last_line": number}


FORMAT = Format(
    id="gc-log-before-9",
    title="JVM GC log (JDK 6 to 8)",
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
