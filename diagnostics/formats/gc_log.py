"""GC logs of the JVM's unified logging (JDK 9 and later): G1, Serial, Parallel, CMS, Shenandoah and ZGC.

Lines are `[decoration]...[tags] GC(n) what before->after(total) duration`. Only closing lines are read, because they
have the duration; their printed time is the end of the pause.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import to_say
from diagnostics.notation.file_range import HEAD_BYTES, Head, Range, open_file
from diagnostics.notation.garbage_collector import COLLECTOR_ANNOUNCED
from diagnostics.notation.gc_columns import usual_collections
from diagnostics.notation.process_name import process_of_name
from diagnostics.notation.tally import Tally
from diagnostics.notation.text_lines import line_arrays

MOST_LINE = 4_000
LINES_LOOKED_AT = 60
LEAST_SHARE = 0.5
EPOCH_MS_FROM = 1e11

MODES = frozenset(("Normal", "Mixed", "Prepare Mixed", "Concurrent Start", "Concurrent End", "Concurrent Mark"))
"""Brackets after `Pause Young` that are G1's mode, not the cause."""

INIT_FACTS = {
    "Version": "jvm.version",
    "CPUs": "cpu.count",
    "Memory": "memory.physical",
    "Heap Min Capacity": "heap.min",
    "Heap Initial Capacity": "heap.initial",
    "Heap Max Capacity": "heap.max",
    "Heap Region Size": "heap.region",
}
"""Lines of the tag `gc,init` (JDK 15 and later) that become facts; sizes in bytes."""

RESERVED = "heap.reserved"

_DECORATIONS = re.compile(r"(?:\[[^\[\]\n]{0,80}\]){1,10} ?")
_DECORATION = re.compile(r"\[([^\[\]]*)\]")
_ISO = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")
_ZONE = re.compile(rb"T\d\d:\d\d:\d\d(?:[.,]\d{1,9})?([+-])(\d\d):?(\d\d)\]")
_UPTIME = re.compile(r"(\d{1,15}(?:[.,]\d{1,9})?)(s|ms|ns)$")
_USING = re.compile(r"Using ([A-Z][A-Za-z0-9 ]{1,40})$")
_OLD_HEAP = re.compile(r"Heap address: .{1,60}, size: (\d{1,9}) MB")
_SIZE = re.compile(r"(\d{1,15}) ?([KMG]?)B?$")
_EVENT = re.compile(
    r"GC\((\d{1,18})\) (?:[YyOo]: )?((?:Pause|Concurrent|(?:Garbage|Major|Minor) Collection)\b.{0,200}?)"
    r"(?: (\d{1,12})([BKMG])(?:\(\d{1,3}%\))?->(\d{1,12})([BKMG])(?:\((\d{1,12})([BKMG])\)|\(\d{1,3}%\))?)?"
    r"(?: (\d{1,12}[.,]\d{1,6})(ms|s))?$"
)
_BRACKETS = re.compile(r"\(([^()]{1,100}(?:\(\))?)\)")
_UNITS = {"": 1, "B": 1, "K": 2**10, "M": 2**20, "G": 2**30}


def _recognise(head: Head) -> float:
    lines = [line.rstrip("\r") for line in head.text.split("\n", LINES_LOOKED_AT)[:LINES_LOOKED_AT]]
    told = [line for line in lines if line]
    decorated = [line for line in told if _DECORATIONS.match(line[:MOST_LINE])]
    if not decorated or len(decorated) < LEAST_SHARE * len(told):
        return 0.0
    messages = [line[found.end() :] for line in decorated if (found := _DECORATIONS.match(line[:MOST_LINE]))]
    if any(_EVENT.match(message[:MOST_LINE]) or _collector_of(message) for message in messages):
        return 0.95
    return 0.9 if any("[gc" in line[:200] for line in decorated) else 0.0


def _read(part: Range) -> Iterator[Rows | Coverage]:
    tally = Tally(process_of_name(part.name))
    facts = _facts_of_first(_first_lines(part), tally.role) if part.start == 0 else []
    collector = _collector(part)
    for first, lines in line_arrays(part, MOST_LINE):
        collections = _collections(lines, collector)
        if collections.num_rows:
            tally.records += collections.num_rows
            for end in pc.min_max(collections["ts_ms"]).as_py().values():
                tally.take_time(end)
            if tally.utc_offset_min is None:
                tally.utc_offset_min = _zone_of_first(collections, lines)
            numbers = pc.add(collections["line"], first)
            placed = collections.set_column(collections.schema.get_field_index("line"), "line", numbers)
            yield Rows("gc_pause", batch=placed.append_column("last_line", numbers).combine_chunks().to_batches()[0])
    yield tally.coverage()
    yield Rows("config_option", _without_reserved(facts))


def _collections(lines: pa.LargeBinaryArray, collector: str | None) -> pa.Table:
    """The collections in some lines, with their line numbers."""
    usual, others = usual_collections(lines, _description)
    collections = usual.append_column("collector", pa.repeat(pa.scalar(collector, pa.string()), usual.num_rows))
    rows = [{**row, "line": place} for place in others if (row := _event(lines[place].as_py(), collector))]
    if not rows:
        return collections
    return pa.concat_tables([collections, pa.Table.from_pylist(rows, collections.schema)]).sort_by("line")


def _description(what: str, tags: str) -> tuple[str, str | None] | None:
    """Kind and cause of a pause or a concurrent phase; None for a phase within another."""
    is_pause = what.startswith("Pause")
    if not is_pause and tags != "gc":
        return None
    return _kind(what) if is_pause else "concurrent", _cause(what)


def _zone_of_first(collections: pa.Table, lines: pa.LargeBinaryArray) -> int | None:
    """Time zone offset of the first collection that has one."""
    dated = collections["line"].filter(collections["ts_ms"].is_valid()).to_pylist()
    zones = (_utc_offset_min(lines[place].as_py()) for place in dated)
    return next((zone for zone in zones if zone is not None), None)


def _facts_of_first(lines: Sequence[bytes], process: str | None) -> list[dict[str, Any]]:
    """Facts about the JVM in the first lines of a file."""
    stating = ((number, line) for number, line in enumerate(lines, 1) if b"GC(" not in line)
    return [fact for number, line in stating for fact in _facts(line, process, number)]


def _split(line: bytes) -> tuple[list[str], str] | None:
    text = line[:MOST_LINE].decode("utf-8", "replace").rstrip()
    found = _DECORATIONS.match(text)
    return (_DECORATION.findall(found.group()), text[found.end() :]) if found else None


def _event(line: bytes, collector: str | None) -> dict[str, Any] | None:
    parts = _split(line)
    match = _EVENT.match(parts[1]) if parts else None
    if parts is None or match is None:
        return None
    what, duration, unit = match.group(2), match.group(9), match.group(10)
    is_pause = what.startswith("Pause")
    is_cycle = what.endswith("Collection") or "Collection (" in what
    length_ms = float(duration.replace(",", ".")) * (1000 if unit == "s" else 1) if duration else None
    if length_ms is None and not (is_cycle and match.group(3)):
        return None
    if not is_pause and not is_cycle and _tags(parts[0]) not in ("gc", None):
        return None
    ts_ms, uptime_ms = _times(parts[0])
    return {
        "ts_ms": ts_ms,
        "uptime_ms": uptime_ms,
        "gc_id": int(match.group(1)),
        "collector": collector,
        "kind": _kind(what) if is_pause else "concurrent",
        "cause": _cause(what),
        "pause_ms": length_ms,
        "before_bytes": _bytes(match.group(3), match.group(4)),
        "after_bytes": _bytes(match.group(5), match.group(6)),
        "total_bytes": _bytes(match.group(7), match.group(8)),
    }


def _utc_offset_min(line: bytes) -> int | None:
    """Time zone offset of a line in minutes; None for a line with the uptime only."""
    found = _ZONE.search(line[:80])
    return (int(found[2]) * 60 + int(found[3])) * (1 if found[1] == b"+" else -1) if found else None


def _tags(decorations: list[str]) -> str | None:
    """The tags, which are the last decoration; None without tags."""
    last = decorations[-1].strip()
    return last if last and not last[0].isdigit() and last not in ("info", "debug", "trace", "warning") else None


def _times(decorations: list[str]) -> tuple[int | None, float | None]:
    ts_ms: int | None = None
    uptime_ms: float | None = None
    for decoration in decorations:
        if _ISO.match(decoration):
            try:
                ts_ms = round(datetime.fromisoformat(decoration.strip()).timestamp() * 1000)
            except ValueError:
                continue
        elif found := _UPTIME.match(decoration.strip()):
            value = float(found.group(1).replace(",", ".")) * {"s": 1000.0, "ms": 1.0, "ns": 1e-6}[found.group(2)]
            if found.group(2) == "ms" and value >= EPOCH_MS_FROM:
                ts_ms = ts_ms or round(value)
            elif uptime_ms is None:
                uptime_ms = value
    return ts_ms, uptime_ms


def _kind(what: str) -> str:
    if what.startswith(("Pause Full", "Pause Degenerated")):
        return "full"
    if "(Mixed)" in what or what.startswith("Pause Mixed"):
        return "mixed"
    if what.startswith("Pause Young") or (what.startswith("Pause Initial Mark (") and "G1" in what):
        return "young"
    return "remark" if "Mark" in what or "Remark" in what else "cleanup"


def _cause(what: str) -> str | None:
    causes = [bracket for bracket in _BRACKETS.findall(what) if bracket not in MODES]
    return ", ".join(causes[:3]) or None


def _bytes(digits: str | None, unit: str | None) -> float | None:
    return float(int(digits) * _UNITS[unit or ""]) if digits else None


def _collector_of(message: str) -> str | None:
    found = _USING.match(message.rstrip())
    return COLLECTOR_ANNOUNCED.get(found.group(1)) if found else None


def _first_lines(part: Range) -> list[bytes]:
    """The lines at the beginning of the file, regardless of where its first range ends."""
    with open_file(part) as opened:
        return opened.read(HEAD_BYTES).splitlines()[:LINES_LOOKED_AT]


def _collector(part: Range) -> str | None:
    """The collector that the beginning of the file names; rotated files may not name it."""
    with open_file(part) as opened:
        for line in opened.read(HEAD_BYTES).splitlines():
            parts = _split(line)
            collector = _collector_of(parts[1]) if parts else None
            if collector:
                return collector
            if b"(G1 " in line:
                return "G1"
    return None


def _facts(line: bytes, process: str | None, number: int) -> Iterator[dict[str, Any]]:
    parts = _split(line)
    if parts is None:
        return
    ts_ms, _ = _times(parts[0])
    for key, value in _fact(parts[1]):
        row = {"ts_ms": ts_ms, "scope": "jvm", "process": process, "key": key, "value": value}
        yield {**row, "line": number, "last_line": number}


def _without_reserved(facts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Facts with the reserved address space as the largest heap only when no line states it (JDK 9 to 14)."""
    if any(fact["key"] == "heap.max" for fact in facts):
        return [fact for fact in facts if fact["key"] != RESERVED]
    return [{**fact, "key": "heap.max"} if fact["key"] == RESERVED else fact for fact in facts]


def _fact(message: str) -> Iterator[tuple[str, str]]:
    collector = _collector_of(message)
    if collector:
        yield "gc.collector", collector
    name, _, value = message.partition(": ")
    if name in INIT_FACTS:
        size = _SIZE.match(value)
        yield INIT_FACTS[name], str(int(size.group(1)) * _UNITS[size.group(2)]) if size else value
    old = _OLD_HEAP.search(message)
    if old:
        yield RESERVED, str(int(old.group(1)) * _UNITS["M"])


FORMAT = Format(
    id="gc-log",
    title=to_say("JVM GC log (unified logging)"),
    documentation="https://docs.oracle.com/en/java/javase/17/docs/specs/man/java.html#enable-logging-with-the-jvm-unified-logging-framework",
    tables=("gc_pause", "config_option"),
    recognise=_recognise,
    read=_read,
    splittable=True,
    samples=(
        Sample(
            name="gc/gc-taskmanager-0.log",
            text="[2026-11-21T00:52:35.268+0000][0.002s][info][gc] Using G1\n"
            "[2026-11-21T00:52:35.269+0000][0.003s][info][gc,init] Heap Max Capacity: 184M\n"
            "[2026-11-21T00:52:35.863+0000][0.597s][info][gc,start] GC(0) Pause Young (Normal) (G1 Evacuation Pause)\n"
            "[2026-11-21T00:52:35.866+0000][0.600s][info][gc,heap     ] GC(0) Eden regions: 9->0(7)\n"
            "[2026-11-21T00:52:35.866+0000][0.600s][info][gc      ] GC(0) Pause Young (Normal) (G1 Evacuation Pause) "
            "9M->3M(184M) 3.243ms\n"
            "[2026-11-21T00:54:34.700+0000][119.432s][info][gc         ] GC(80) Pause Full (G1 Compaction Pause) "
            "182M->181M(184M) 700.000ms\n"
            "[2026-11-21T00:54:35.700+0000][120.432s][info][gc         ] GC(81) Concurrent Mark Cycle 1000.000ms\n",
            rows={
                "gc_pause": [
                    {
                        "ts_ms": 1795222355866,
                        "uptime_ms": 600.0,
                        "gc_id": 0,
                        "collector": "G1",
                        "kind": "young",
                        "cause": "G1 Evacuation Pause",
                        "pause_ms": 3.243,
                        "before_bytes": 9.0 * 2**20,
                        "after_bytes": 3.0 * 2**20,
                        "total_bytes": 184.0 * 2**20,
                        "line": 5,
                    },
                    {"ts_ms": 1795222474700, "kind": "full", "cause": "G1 Compaction Pause", "pause_ms": 700.0},
                    {"gc_id": 81, "kind": "concurrent", "cause": None, "pause_ms": 1000.0, "before_bytes": None},
                ],
                "config_option": [
                    {"scope": "jvm", "process": "taskmanager", "key": "gc.collector", "value": "G1", "line": 1},
                    {"key": "heap.max", "value": "192937984", "line": 2},
                ],
            },
        ),
        Sample(
            name="gc.log",
            text="[0.995s][info][gc] Using The Z Garbage Collector\n"
            "[1.205s][info][gc,start] GC(0) Garbage Collection (Metadata GC Threshold)\n"
            "[1.206s][info][gc,phases] GC(0) Pause Mark Start 1.279ms\n"
            "[1.211s][info][gc,phases] GC(0) Concurrent Mark 5.216ms\n"
            "[1.221s][info][gc       ] GC(0) Garbage Collection (Metadata GC Threshold) 10620M(5%)->8800M(4%)\n",
            rows={
                "gc_pause": [
                    {"ts_ms": None, "collector": "ZGC", "kind": "remark", "pause_ms": 1.279, "uptime_ms": 1206.0},
                    {
                        "kind": "concurrent",
                        "cause": "Metadata GC Threshold",
                        "pause_ms": None,
                        "before_bytes": 10620.0 * 2**20,
                        "after_bytes": 8800.0 * 2**20,
                        "total_bytes": None,
                    },
                ],
                "config_option": [{"key": "gc.collector", "value": "ZGC", "process": None}],
            },
        ),
    ),
)
