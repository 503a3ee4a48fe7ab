"""Reads a Java Flight Recorder recording with the JDK's own `jfr print`."""

from __future__ import annotations

import json
import re
import struct
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from diagnostics.errors import LimitExceeded, SparkUnavailable, UnreadableInput
from diagnostics.language import say
from diagnostics.spark.java import ClassArchive, java_home

MAGIC = b"FLR\x00"
HEADER_BYTES = 68
MOST_SECONDS = 300
"""Time limit of the tool for one recording. Our choice: it prints about 3 MB of events per second."""
MOST_FRAMES = 500
HEAP = "512m"
SMALL_BYTES = 8 * 2**20
"""Up to this size the tool ends before the second JIT compiler pays off. Measured on a recording of 0.7 MB, processor
time of the tool: 1.0 instead of 2.1 s.
"""
MOST_JSON_BYTES = 64 * 1024 * 1024

_FIELD = re.compile(r"  (\w{1,60}) = (.*)")
_FRAME = re.compile(r"    ([^\s(]{1,2000})\(.*")
_CLOCK = re.compile(r"(\d\d):(\d\d):(\d\d)\.(\d{3})\b")
_DURATION = re.compile(r"(\d{1,15}(?:\.\d{1,9})?) (ns|us|ms|s|m|h|d)\b")
_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,9})?) (bytes|kB|MB|GB|TB)\b")
_DURATION_MS = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3, "m": 6e4, "h": 3.6e6, "d": 8.64e7}
_SIZE_BYTES = {"bytes": 1, "kB": 2**10, "MB": 2**20, "GB": 2**30, "TB": 2**40}


@dataclass(slots=True)
class Event:
    """One event: its type without `jdk.`, its printed fields, and its stack, leaf first."""

    type: str
    fields: dict[str, str] = field(default_factory=dict)
    frames: list[str] = field(default_factory=list)

    @property
    def thread(self) -> str | None:
        """The name of the event's thread."""
        told = self.fields.get("sampledThread") or self.fields.get("eventThread")
        return told[1:].partition('" (')[0] if told and told.startswith('"') else None

    @property
    def clock_ms(self) -> int | None:
        """Milliseconds of the day at the event's start, in the recording's zone; Java 17's tool prints neither date nor
        zone.
        """
        found = _CLOCK.match(self.fields.get("startTime", ""))
        return ((int(found[1]) * 60 + int(found[2])) * 60 + int(found[3])) * 1000 + int(found[4]) if found else None

    @property
    def duration_ms(self) -> float | None:
        """The event's duration, which the tool prints with three digits."""
        found = _DURATION.match(self.fields.get("duration", ""))
        return float(found[1]) * _DURATION_MS[found[2]] if found else None

    def size(self, name: str) -> float | None:
        """A field as a number of bytes."""
        found = _SIZE.match(self.fields.get(name, ""))
        return float(found[1]) * _SIZE_BYTES[found[2]] if found else None


@dataclass(frozen=True, slots=True)
class Recorded:
    """Start and duration of a recording. Source: the headers of its chunks (JDK, `jfrChunkWriter.cpp`)."""

    start_ms: int
    duration_ms: float


def recorded(path: str) -> Recorded:
    """Start and duration from the headers of the chunks. Raises UnreadableInput when the file ends inside one."""
    size = Path(path).stat().st_size
    start = end = None
    place = 0
    with open(path, "rb") as opened:
        while place < size:
            opened.seek(place)
            header = opened.read(HEADER_BYTES)
            if len(header) < HEADER_BYTES or not header.startswith(MAGIC):
                raise UnreadableInput(say("the recording ends in the middle, or is damaged"))
            chunk, _, _, begun_ns, lasted_ns = struct.unpack(">qqqqq", header[8:48])
            if not HEADER_BYTES < chunk <= size - place:
                raise UnreadableInput(
                    say("the recording was not finished: stop it with `jcmd <pid> JFR.dump`, or its end is missing")
                )
            start = begun_ns if start is None else min(start, begun_ns)
            end = max(end or 0, begun_ns + lasted_ns)
            place += chunk
    if start is None or end is None:
        raise UnreadableInput(say("the recording is empty"))
    return Recorded(start // 1_000_000, (end - start) / 1e6)


def stack_events(path: str, types: str) -> Iterator[Event]:
    """The events of the types (comma-separated) with a stack, in the tool's order."""
    event: Event | None = None
    with _printed(path, ["--stack-depth", str(MOST_FRAMES), "--events", types]) as lines:
        for line in lines:
            if event is None:
                name, brace, _ = line.partition(" {")
                if brace:
                    event = Event(name.removeprefix("jdk."))
            elif line == "}":
                yield event
                event = None
            elif frame := _FRAME.match(line):
                event.frames.append(frame[1])
            elif told := _FIELD.match(line):
                event.fields[told[1]] = told[2]


def plain_events(path: str, types: str) -> list[Mapping[str, Any]]:
    """The events of the types with exact values, from JSON. Raises LimitExceeded when there are too many."""
    size, kept = 0, []
    with _printed(path, ["--json", "--events", types]) as lines:
        for line in lines:
            size += len(line)
            if size > MOST_JSON_BYTES:
                raise LimitExceeded(
                    say(
                        "more than {most_json:,} bytes of {types} in the recording",
                        most_json=MOST_JSON_BYTES,
                        types=types,
                    )
                )
            kept.append(line)
    events: list[Mapping[str, Any]] = json.loads("\n".join(kept))["recording"]["events"]
    return events


@contextmanager
def _with_its_suffix(path: str) -> Iterator[str]:
    """A link that ends with `.jfr`, without which the tool refuses a recording; stored uploads have no suffix."""
    with tempfile.TemporaryDirectory() as folder:
        link = Path(folder) / "recording.jfr"
        link.symlink_to(Path(path).resolve())
        yield str(link)


@contextmanager
def _printed(path: str, options: list[str]) -> Iterator[Iterator[str]]:
    """The lines that `jfr print` writes. Raises UnreadableInput when the tool is missing, fails or takes too long."""
    try:
        tool = java_home() / "bin" / "jfr"
    except SparkUnavailable as error:
        raise UnreadableInput(str(error)) from None
    if not tool.exists():
        raise UnreadableInput(say("{tool} is missing: this Java cannot read recordings; a JDK can", tool=tool))
    timeout = ["timeout", "--kill-after=5", str(MOST_SECONDS)]
    virtual_machine = [f"-Xmx{HEAP}", "-Duser.timezone=UTC", "-XX:+UseSerialGC", *ClassArchive().use_base()]
    if Path(path).stat().st_size <= SMALL_BYTES:
        virtual_machine.append("-XX:TieredStopAtLevel=1")
    command = [*timeout, str(tool), *(f"-J{each}" for each in virtual_machine), "print", *options]
    with (
        tempfile.TemporaryFile() as said,
        _with_its_suffix(path) as recording,
        subprocess.Popen(  # noqa: S603 - a fixed command, the path is ours
            [*command, recording], stdout=subprocess.PIPE, stderr=said, text=True, encoding="utf-8", errors="replace"
        ) as running,
    ):
        assert running.stdout is not None
        try:
            yield (line.rstrip("\n") for line in running.stdout)
        finally:
            running.stdout.close()
            running.terminate()
            status = running.wait()
        if status > 0:
            said.seek(0)
            reason = " ".join(said.read(2000).decode("utf-8", "replace").split())[:300]
            slow = (
                say("it took longer than {most_seconds} s", most_seconds=MOST_SECONDS)
                if status in (124, 137)
                else reason or f"exit {status}"
            )
            raise UnreadableInput(say("`jfr print` could not read the recording: {slow}", slow=slow))
