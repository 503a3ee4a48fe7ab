"""Recordings of Java Flight Recorder, by the JVM's recorder or by async-profiler: stacks and garbage collections.

The JDK's own `jfr` reads them. Each distinct stack becomes one row per profile:
  cpu     samples of running threads (jdk.ExecutionSample)
  wall    a thread's whole time: samples while it ran, and blocking calls converted to samples; only threads whose
          time the recording mostly covers, because short calls are not recorded
  alloc   allocated bytes (one sample represents many)
  lock    milliseconds spent waiting to enter a monitor
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from diagnostics.errors import LimitExceeded, UnreadableInput
from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import say, to_say
from diagnostics.notation.file_range import Head, Range, local_file
from diagnostics.notation.flight_recording import MAGIC, Event, Recorded, plain_events, recorded, stack_events
from diagnostics.notation.garbage_collector import RECORDED_KINDS, collector_recorded
from diagnostics.notation.profiler_stack import sample_row, stack_batches

MOST_STACKS = 200_000
"""Distinct stacks of all profiles of one recording. Our choice: an hour of a TaskManager has some thousands."""
PERIOD_MS = 20.0
"""Time between two samples of a thread in the JDK's `profile` settings (the same in `default`); converts a blocking
call's duration to samples.
"""
LEAST_TOLD_RATIO = 0.5
"""Share of a thread's time that must be recorded for its profile to count as wall-clock time. Our choice."""

BLOCKING = frozenset(
    (
        *("SocketRead", "SocketWrite", "FileRead", "FileWrite", "FileForce"),
        *("ThreadPark", "ThreadSleep", "JavaMonitorEnter", "JavaMonitorWait"),
    )
)
ALLOCATIONS = {
    "ObjectAllocationSample": "weight",
    "ObjectAllocationInNewTLAB": "tlabSize",
    "ObjectAllocationOutsideTLAB": "allocationSize",
}
"""Event -> field with the allocated bytes that it represents."""
WITH_STACKS = ",".join(f"jdk.{name}" for name in ("ExecutionSample", *sorted(BLOCKING), *ALLOCATIONS))

MOST_SLOTS, LEAST_SLOT_MS, DAY_MS = 60, 1_000.0, 86_400_000
"""Samples are grouped by time slots, so that a part of the recording can be examined. Our choice."""

StackKey = tuple[str, str | None, tuple[str, ...], int]
"""Profile, thread, frames from the root, slot of time."""


def _recognise(head: Head) -> float:
    return 1.0 if head.content.startswith(MAGIC) else 0.0


def _read(part: Range) -> Iterator[Rows | Coverage]:
    with local_file(part) as path:
        yield from _read_file(path)


def _read_file(path: str) -> Iterator[Rows | Coverage]:
    try:
        about = recorded(path)
    except UnreadableInput as error:
        yield Coverage(warnings=(str(error),))
        return
    end_ms = about.start_ms + round(about.duration_ms)
    warnings: list[str] = []
    try:
        collections = plain_events(path, "jdk.GarbageCollection,jdk.GCHeapSummary")
    except LimitExceeded as error:
        collections = []
        warnings.append(str(error))
    offset_ms = _offset_ms(collections)
    stacks = _Stacks(about, offset_ms)
    for event in stack_events(path, WITH_STACKS):
        stacks.add(event)
    rows = [
        {**sample_row(thread, frames, weight), "profile": "collapsed", "mode": mode, "ts_ms": stacks.begin_of(slot)}
        for (mode, thread, frames, slot), weight in stacks.profiles()
    ]
    yield from stack_batches(rows)
    pauses = list(_collections(collections))
    yield Rows("gc_pause", pauses)
    if stacks.left_out:
        warnings.append(
            say(
                "more than {bound:,} distinct stacks: {left_out:,} events beyond them are not counted",
                bound=MOST_STACKS,
                left_out=stacks.left_out,
            )
        )
    yield Coverage(
        records=stacks.events + len(pauses),
        warnings=tuple(warnings),
        first_ts_ms=about.start_ms,
        last_ts_ms=end_ms,
        utc_offset_min=None if offset_ms is None else offset_ms // 60_000,
    )


def _offset_ms(events: list[Mapping[str, Any]]) -> int | None:
    """Offset of the recording's clock from UTC; None when no event states it."""
    for event in events:
        offset = datetime.fromisoformat(_to_microseconds(event["values"]["startTime"])).utcoffset()
        if offset is not None:
            return round(offset.total_seconds() * 1000)
    return None


class _Stacks:
    """Weights of distinct stacks: `cpu` and `blocked` in samples, `alloc` in bytes, `lock` in ms.

    With more than MOST_STACKS stacks by time slot, or an unknown time zone, stacks are kept for the whole recording.
    """

    def __init__(self, about: Recorded, offset_ms: int | None) -> None:
        self._about = about
        self._clock_start_ms = about.start_ms + (offset_ms or 0)
        slot_ms = max(about.duration_ms / MOST_SLOTS, LEAST_SLOT_MS)
        self._slot_ms: float | None = slot_ms if offset_ms is not None and about.duration_ms < DAY_MS else None
        self._weights: dict[StackKey, float] = {}
        self.events = self.left_out = 0

    def add(self, event: Event) -> None:
        """Count an event; an event without a stack is ignored."""
        if not event.frames:
            return
        self.events += 1
        if event.type == "ExecutionSample":
            waits = event.fields.get("state", "").strip('"') == "STATE_SLEEPING"
            self._count("blocked" if waits else "cpu", event, 1.0)
        elif event.type in ALLOCATIONS:
            self._count("alloc", event, event.size(ALLOCATIONS[event.type]))
        elif event.type in BLOCKING:
            length = event.duration_ms
            self._count("blocked", event, None if length is None else length / PERIOD_MS)
            if event.type == "JavaMonitorEnter":
                self._count("lock", event, length)

    def begin_of(self, slot: int) -> int:
        """Epoch ms at which a slot of time begins."""
        return self._about.start_ms + round(slot * (self._slot_ms or 0.0))

    def _slot(self, event: Event) -> int:
        if self._slot_ms is None or event.clock_ms is None:
            return 0
        passed = (event.clock_ms - self._clock_start_ms) % DAY_MS
        # Only rounding puts a sample before the beginning or after the end.
        return min(int(passed / self._slot_ms), MOST_SLOTS - 1) if passed <= self._about.duration_ms else 0

    def _forget_time(self) -> None:
        whole: dict[StackKey, float] = {}
        for (mode, thread, frames, _), weight in self._weights.items():
            key = (mode, thread, frames, 0)
            whole[key] = whole.get(key, 0.0) + weight
        self._weights, self._slot_ms = whole, None

    def _count(self, mode: str, event: Event, weight: float | None) -> None:
        frames = tuple(event.frames[::-1])
        key = (mode, event.thread, frames, self._slot(event))
        if key not in self._weights and len(self._weights) >= MOST_STACKS and self._slot_ms is not None:
            self._forget_time()
            key = (mode, event.thread, frames, 0)
        if not weight or (key not in self._weights and len(self._weights) >= MOST_STACKS):
            self.left_out += bool(weight)
            return
        self._weights[key] = self._weights.get(key, 0.0) + weight

    def profiles(self) -> Iterator[tuple[StackKey, float]]:
        """The stacks of every profile in the order of recording, those of the wall-clock profile last."""
        told: dict[str | None, float] = defaultdict(float)
        for (mode, thread, _, _), weight in self._weights.items():
            told[thread] += weight * PERIOD_MS if mode in ("cpu", "blocked") else 0.0
        known = {thread for thread, ms in told.items() if ms >= LEAST_TOLD_RATIO * self._about.duration_ms}
        wall: dict[StackKey, float] = {}
        for (mode, thread, frames, slot), weight in self._weights.items():
            if mode != "blocked":
                yield (mode, thread, frames, slot), weight
            if mode in ("cpu", "blocked") and thread in known:
                key = ("wall", thread, frames, slot)
                wall[key] = wall.get(key, 0.0) + weight
        yield from wall.items()


def _collections(events: list[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """One row per collection, with the heap before and after it."""
    heap: dict[int, dict[str, Any]] = defaultdict(dict)
    for event in events:
        values = event["values"]
        if event["type"] == "jdk.GCHeapSummary":
            before = values.get("when") == "Before GC"
            heap[values["gcId"]]["before_bytes" if before else "after_bytes"] = values.get("heapUsed")
            heap[values["gcId"]]["total_bytes"] = (values.get("heapSpace") or {}).get("committedSize")
    for event in events:
        values = event["values"]
        if event["type"] != "jdk.GarbageCollection":
            continue
        name = values.get("name") or ""
        kind = RECORDED_KINDS.get(name)
        yield {
            "ts_ms": round(datetime.fromisoformat(_to_microseconds(values["startTime"])).timestamp() * 1000),
            "gc_id": values.get("gcId"),
            "collector": collector_recorded(name),
            "kind": kind,
            "cause": values.get("cause"),
            "pause_ms": _milliseconds(values.get("duration" if kind == "concurrent" else "sumOfPauses")),
            **heap[values["gcId"]],
        }


def _to_microseconds(moment: str) -> str:
    """`2026-11-21T01:15:58.570123456Z` with microseconds, which Python can parse."""
    head, dot, rest = moment.partition(".")
    digits = rest[: len(rest) - len(rest.lstrip("0123456789"))]
    return f"{head}{dot}{digits[:6]}{rest[len(digits) :]}"


def _milliseconds(duration: Any) -> float | None:
    """`PT0.009518S`, `PT1M2.5S`: an ISO 8601 duration below a day."""
    if not isinstance(duration, str) or not duration.startswith("PT"):
        return None
    total, number = 0.0, ""
    for letter in duration[2:]:
        if letter in "HMS":
            total += float(number) * {"H": 3.6e6, "M": 6e4, "S": 1e3}[letter]
            number = ""
        else:
            number += letter
    return total


FORMAT = Format(
    id="flight-recording",
    title=to_say("Java Flight Recorder recording"),
    documentation="https://docs.oracle.com/en/java/javase/17/docs/specs/man/jfr.html",
    tables=("stack_sample", "gc_pause"),
    recognise=_recognise,
    certainty=1.0,
    read=_read,
    binary=True,
    samples=(
        # A real recording is too large for this file: this one is cut after its header.
        Sample(
            name="taskmanager.jfr",
            text=MAGIC + b"\x00\x02\x00\x01" + b"\x00" * 60,
            rows={},
        ),
    ),
)
