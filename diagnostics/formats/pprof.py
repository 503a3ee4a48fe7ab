"""Profiles in pprof's format, from Pyroscope, Parca or converters of JFR (already decompressed).

Each distinct stack is a row for one of the profile's value types: CPU time is preferred, then wall-clock time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any

from diagnostics.errors import LimitExceeded, UnreadableInput
from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import say, to_say
from diagnostics.notation.file_range import Head, Range, open_file
from diagnostics.notation.profiler_stack import FrameAllowance, mode_of, sample_row, stack_batches, thread_of
from diagnostics.notation.protobuf import LENGTH, VARINT, fields, numbers, signed
from diagnostics.notation.rest_document import text
from diagnostics.notation.stack_frame import MOST_FRAMES

MOST_BYTES = 256 * 1024 * 1024
"""Our choice: a profile is held in memory several times its size; an hour of a JVM has a few MB."""
MOST_STACKS = 200_000
MOST_NAME = 2_000

SAMPLE_TYPE, SAMPLE, MAPPING, LOCATION, FUNCTION, STRING, TIME = 1, 2, 3, 4, 5, 6, 9
"""Fields of `Profile`. Source: github.com/google/pprof, proto/profile.proto."""
TOP_LEVEL = {1: LENGTH, 2: LENGTH, 3: LENGTH, 4: LENGTH, 5: LENGTH, 6: LENGTH, 7: VARINT, 8: VARINT, 9: VARINT}
TOP_LEVEL |= {10: VARINT, 11: LENGTH, 12: VARINT, 13: (LENGTH), 14: VARINT, 15: VARINT}
MODES = (
    ("cpu", "cpu"),
    ("itimer", "cpu"),
    ("wall", "wall"),
    ("alloc", "alloc"),
    ("lock", "lock"),
    ("contention", "lock"),
)
"""Words in a value type's name -> mode, in order of preference."""
NANOSECONDS_OF = {"nanoseconds": 1.0, "microseconds": 1e3, "milliseconds": 1e6, "seconds": 1e9}
PERIOD_NS = 1e7
"""Time values become samples of 10 ms, so that profiles are comparable. Our choice: the period of most samplers."""
THREAD_LABELS = ("thread", "thread_name", "thread name", "threadName")

Stack = tuple[int, ...]


@dataclass(slots=True)
class _Profile:
    strings: list[str] = field(default_factory=list)
    kinds: list[tuple[int, int]] = field(default_factory=list)
    functions: dict[int, int] = field(default_factory=dict)
    locations: dict[int, Stack] = field(default_factory=dict)
    samples: list[memoryview] = field(default_factory=list)
    time_ns: int = 0


def _recognise(head: Head) -> float:
    """Whether the head consists of a profile's fields, from the first one on."""
    seen = {SAMPLE_TYPE: 0, SAMPLE: 0}
    try:
        for number, kind, _, part in fields(memoryview(head.content)):
            if TOP_LEVEL.get(number) != kind and not (number == 13 and kind == VARINT):
                return 0.0
            if number == SAMPLE_TYPE and not all(inner == VARINT and one in (1, 2) for one, inner, *_ in fields(part)):
                return 0.0
            if number == SAMPLE and not all(one in (1, 2, 3) for one, *_ in fields(part)):
                return 0.0
            if number in seen:
                seen[number] += 1
    except UnreadableInput:
        if head.complete:
            return 0.0
    return 0.8 if all(seen.values()) else 0.0


def _read(part: Range) -> Iterator[Rows | Coverage]:
    if part.size > MOST_BYTES:
        raise LimitExceeded(
            say("a profile of {size:,} bytes; at most {bound:,} are read", size=part.size, bound=MOST_BYTES)
        )
    with open_file(part) as opened:
        profile = _parsed(memoryview(opened.read()))
    value, mode, scale = _chosen(profile)
    weights: dict[tuple[str | None, Stack], float] = {}
    allowance = FrameAllowance()
    records = odd = 0
    for sample in profile.samples:
        stack, values, thread = _sample(sample, profile)
        weight = values[value] * scale if value < len(values) else 0.0
        key = (thread, stack)
        is_new = key not in weights
        if weight <= 0 or not stack or (is_new and (len(weights) >= MOST_STACKS or not allowance.take(len(stack)))):
            odd += bool(weight > 0)
            continue
        weights[key] = weights.get(key, 0.0) + weight
        records += 1
    ts_ms = profile.time_ns // 1_000_000 or None
    rows = [_row(thread, stack, weight, profile, ts_ms) for (thread, stack), weight in weights.items()]
    mode = mode or mode_of(part.name, rows)
    yield from stack_batches({**row, "mode": mode} for row in rows)
    warnings: list[str] = []
    allowance.report(warnings.append)
    yield Coverage(records=records, not_understood=odd, warnings=tuple(warnings), first_ts_ms=ts_ms, last_ts_ms=ts_ms)


def _parsed(content: memoryview) -> _Profile:
    profile = _Profile()
    for number, _, value, part in fields(content):
        if number == SAMPLE_TYPE:
            by_number = {inner: one for inner, _, one, _ in fields(part)}
            profile.kinds.append((by_number.get(1, 0), by_number.get(2, 0)))
        elif number == SAMPLE:
            profile.samples.append(part)
        elif number == LOCATION:
            location, lines = 0, []
            for inner, _, one, line in fields(part):
                if inner == 1:
                    location = one
                elif inner == 4:
                    lines.append({name: told for name, _, told, _ in fields(line)}.get(1, 0))
            # The first line is the innermost inlined function.
            profile.locations[location] = tuple(lines)
        elif number == FUNCTION:
            by_number = {inner: one for inner, _, one, _ in fields(part)}
            profile.functions[by_number.get(1, 0)] = by_number.get(2, 0)
        elif number == STRING:
            profile.strings.append(bytes(part[:MOST_NAME]).decode("utf-8", "replace"))
        elif number == TIME:
            profile.time_ns = signed(value)
    return profile


def _chosen(profile: _Profile) -> tuple[int, str | None, float]:
    """Index of the value to read, its mode, and the factor that converts it to samples."""
    names = [(_string(profile, kind).lower(), _string(profile, unit).lower()) for kind, unit in profile.kinds]
    for word, mode in MODES:
        fitting = [place for place, (name, _) in enumerate(names) if word in name]
        if fitting:
            place = fitting[-1]
            is_time = mode in ("cpu", "wall") and names[place][1] in NANOSECONDS_OF
            return place, mode, NANOSECONDS_OF[names[place][1]] / PERIOD_NS if is_time else 1.0
    return 0, None, 1.0


def _sample(sample: memoryview, profile: _Profile) -> tuple[Stack, list[int], str | None]:
    """A sample's functions, root first, its values, and its thread if labelled."""
    locations: list[int] = []
    values: list[int] = []
    thread = None
    for number, kind, value, part in fields(sample):
        if number == 1:
            locations += numbers(kind, value, part)
        elif number == 2:
            values += map(signed, numbers(kind, value, part))
        elif number == 3:
            label = {inner: one for inner, _, one, _ in fields(part)}
            if _string(profile, label.get(1, 0)) in THREAD_LABELS:
                thread = _string(profile, label.get(2, 0)) or None
    leaf_first = chain.from_iterable(profile.locations.get(each, ()) for each in locations)
    return tuple(islice(leaf_first, MOST_FRAMES))[::-1], values, thread


def _row(
    thread: str | None, stack: Sequence[int], weight: float, profile: _Profile, ts_ms: int | None
) -> dict[str, Any]:
    frames = [_string(profile, profile.functions.get(each, 0)) or "?" for each in stack]
    if thread is None and len(frames) > 1:
        thread = thread_of(frames[0])
        frames = frames[1:] if thread else frames
    return {**sample_row(text(thread), frames, weight), "profile": "collapsed", "ts_ms": ts_ms}


def _string(profile: _Profile, place: int) -> str:
    return profile.strings[place] if place < len(profile.strings) else ""


FORMAT = Format(
    id="pprof",
    title=to_say("pprof profile"),
    documentation="https://github.com/google/pprof/blob/main/proto/README.md",
    tables=("stack_sample",),
    recognise=_recognise,
    read=_read,
    binary=True,
    samples=(
        Sample(
            # Two samples of CPU time in nanoseconds: Thread.run > Lookup.get 30 ms, Thread.run alone 10 ms.
            name="taskmanager.pprof",
            text=b"\n\x04\x08\x01\x10\x02"
            b"\x12\x0b\n\x02\x02\x01\x12\x05\x80\x87\xa7\x0e\x00"
            b"\x12\x09\n\x01\x01\x12\x04\x80\xad\xe2\x04"
            b'"\x06\x08\x01"\x02\x08\x01"\x06\x08\x02"\x02\x08\x02'
            b"*\x04\x08\x01\x10\x03*\x04\x08\x02\x10\x04"
            b"2\x002\x03cpu2\x0bnanoseconds2\x14java.lang.Thread.run2\x13com.acme.Lookup.get",
            rows={
                "stack_sample": [
                    {"mode": "cpu", "frames": ["java.lang.Thread.run", "com.acme.Lookup.get"], "weight": 3.0},
                    {"thread": None, "frames": ["java.lang.Thread.run"], "weight": 1.0},
                ]
            },
        ),
    ),
)
