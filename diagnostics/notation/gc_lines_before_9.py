"""Reads the lines of a collection in a GC log of JDK 6 to 8, one by one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

MOST_LINES_OF_ONE = 200
"""A collection without an end after this many lines was cut off. Our choice: G1 with all details prints about 60."""

_STAMP = (
    r"(?:(?P<date>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.,]\d{3}[+-]\d{4}): ?)?"
    r"(?:(?P<uptime>\d{1,12}[.,]\d{3,4}): ?)?(?:#(?P<id>\d{1,18}): ?)?"
)
BEGIN = re.compile(_STAMP + r"\[(?P<what>Full GC|GC)(?=[^a-z]|$)(?P<rest>.*)$")
CONCURRENT = re.compile(
    _STAMP + r"\[(?:GC (?P<g1>concurrent-[a-z-]{3,40}-end)|(?P<cms>CMS-concurrent-[a-z-]{3,40}): \d{1,9}[.,]\d{1,9}/?)"
    r"[,:]? ?(?P<secs>\d{0,9}[.,]\d{1,9}) secs\]"
)
SHENANDOAH = re.compile(
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
_UNITS = {"B": 1.0, "K": 2.0**10, "M": 2.0**20, "G": 2.0**30}


@dataclass(slots=True)
class Collection:
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


def concurrent_row(match: re.Match[str], collector: str | None, number: int) -> dict[str, Any]:
    return {
        **_times(match.groupdict()),
        "collector": collector,
        "kind": "concurrent",
        "cause": None,
        "pause_ms": round(_number(match["secs"]) * 1000, 6),
        "line": number,
        "last_line": number,
    }


def phase_row(match: re.Match[str], collector: str | None, number: int) -> dict[str, Any]:
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
