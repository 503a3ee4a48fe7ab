"""Logs of Flink's processes in the layouts that Flink ships, from 1.9 to 2.3, also through docker and kubectl.

A record begins with a time stamp; the lines behind it (a stack trace, a message of several lines) belong to it. Times
have no zone in these layouts and are read as UTC. Known messages (`diagnostics/vocabulary/log_events`) become the
record's `event` with the numbers that they state.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diagnostics.format import Coverage, Format, Head, Range, Rows, Sample
from diagnostics.log_scan.kafka_client import SCOPES, client_options
from diagnostics.log_scan.layout import recognised_lines
from diagnostics.log_scan.matching import match_events
from diagnostics.log_scan.prefixes import cleaner_for
from diagnostics.log_scan.process import LOGGED_PROCESSES, options_of, role_of, version_of
from diagnostics.log_scan.stretch import Stretch, read_stretch
from diagnostics.notation.stack_trace import StackTrace, stack_trace

MOST_CLIENT_OPTIONS = 1_000
"""Different settings of Kafka clients that are taken from a range; each subtask has its own transactional.id."""

MOST_SAMPLES = 5
"""Lines not understood that are shown. Our choice."""

TRACE_COLUMNS = tuple(StackTrace.__slots__)

_TRACE_MARKS = (b"\tat ", b"    at ", b"Caused by: ", b"Exception", b"Error")

_FAILURE_CAUSE = "with failure cause: "
"""From 1.13 to 1.16 a TaskManager prints the exception of a failed task behind this, in the same line."""

_START_UP = ("Loading configuration property: ", "Maximum heap size: ", "JVM Options:", "Program Arguments:")

_FLINK = ("org.apache.flink", "o.a.f.", "flink-")

_BARE = (
    "java.lang.OutOfMemoryError",
    "Terminating due to java.lang.OutOfMemoryError",
    "Aborting due to java.lang.OutOfMemoryError",
    "# A fatal error has been detected by the Java Runtime Environment",
    "# There is insufficient memory for the Java Runtime Environment",
    "Exception in thread ",
    "Exception: java.lang.OutOfMemoryError thrown from the UncaughtExceptionHandler",
    "Job has been submitted with JobID ",
    "SLF4J: ",
    "WARNING: An illegal reflective access operation",
    "WARNING: System::setSecurityManager has been called by org.apache.flink",
    "Picked up JAVA_TOOL_OPTIONS",
)
"""How lines begin that a Flink process prints to `.out` without any layout."""

MOST_BARE_LINES = 400
"""Lines of a file without time stamps that are looked at. Our choice."""


def _recognise(head: Head) -> float:
    content = cleaner_for(head.content)(head.content)
    levelled, timed = recognised_lines(content)
    is_flink = any(mark in head.text for mark in _FLINK)
    if timed:
        share = levelled / timed
        if share < 0.5:
            return 0.0
        return 0.97 if is_flink else 0.5
    is_output = any(line.startswith(_BARE) for line in head.text.splitlines()[:MOST_BARE_LINES])
    return 0.6 if is_output else 0.0


def _read(part: Range) -> Iterator[Rows | Coverage]:
    stretch, layout = read_stretch(part)
    heads = stretch.heads
    count = len(heads.line)
    if not count:
        yield Coverage()
        return
    role = role_of(heads.logger)
    columns: dict[str, pa.Array] = {
        "ts_ms": heads.ts_ms,
        "level": heads.level,
        "logger": heads.logger,
        "thread": heads.thread,
        "message": pc.utf8_trim_whitespace(heads.message),
        "process": pa.repeat(pa.scalar(role if role in LOGGED_PROCESSES else None, pa.string()), count),
        "line": pa.array(heads.line + 1),
        "last_line": pa.array(stretch.last_lines + 1),
        **match_events(stretch.buffer, heads.start, stretch.head_ends, heads.message, heads.logger, stretch.text),
        **_traces(stretch, layout.style is None),
    }
    yield Rows("log_record", batch=pa.RecordBatch.from_pydict(columns))
    options = list(_options(stretch, role))
    if options:
        yield Rows("config_option", options)
    lost = np.flatnonzero(~heads.understood) if layout.style else np.empty(0, np.int64)
    times = pc.min_max(heads.ts_ms).as_py()
    yield Coverage(
        records=count,
        not_understood=len(lost),
        samples=tuple(
            (int(heads.line[each]) + 1, (heads.message[each].as_py() or "")[:200])
            for each in lost[:MOST_SAMPLES].tolist()
        ),
        role=role,
        flink_version=version_of(stretch.buffer),
        first_ts_ms=times["min"],
        last_ts_ms=times["max"],
    )


def _traces(stretch: Stretch, bare: bool) -> dict[str, pa.Array]:
    """The columns of stack traces, for the records that have one; in a file without layout the head line counts too."""
    has_more = np.flatnonzero(stretch.last_lines > stretch.heads.line)
    if bare:
        has_more = np.arange(len(stretch.heads.line))
    found: dict[int, StackTrace] = {}
    for record in has_more.tolist():
        behind = stretch.continuation(record)
        if bare or not stretch.heads.understood[record]:
            behind = stretch.text(record).encode()
        elif behind.startswith((b"\tat ", b"    at ")):
            head = (stretch.heads.message[record].as_py() or "").rpartition(_FAILURE_CAUSE)[2]
            behind = head.encode() + b"\n" + behind
        if any(mark in behind for mark in _TRACE_MARKS):
            trace = _trace(behind)
            if trace:
                found[record] = trace
    if not found:
        return {}
    place = np.full(len(stretch.heads.line), -1, np.int64)
    place[np.fromiter(found, np.int64, len(found))] = np.arange(len(found))
    at = pa.array(place, mask=place < 0)
    return {
        name: pa.array([getattr(trace, name) for trace in found.values()], pa.string()).take(at)
        for name in TRACE_COLUMNS
    }


@lru_cache(maxsize=4_096)
def _trace(lines: bytes) -> StackTrace | None:
    return stack_trace(lines.decode("utf-8", "replace").split("\n"))


def _options(stretch: Stretch, role: str | None) -> Iterator[dict[str, Any]]:
    """Settings and JVM options that the start-up messages state."""
    heads = stretch.heads
    starting = pc.match_substring_regex(heads.message, rf"^(?:INFO  \[\] - )? *(?:{'|'.join(_START_UP)}|    )")
    places = np.flatnonzero(starting.fill_null(False).to_numpy(zero_copy_only=False))
    messages = heads.message.take(pa.array(places)).to_pylist()
    for row in options_of(messages, places.tolist(), role):
        record = row.pop("record")
        line = int(heads.line[record]) + 1
        yield row | {"ts_ms": heads.ts_ms[record].as_py(), "line": line, "last_line": line}
    yield from _client_options(stretch)


def _client_options(stretch: Stretch) -> Iterator[dict[str, Any]]:
    """Settings that Kafka clients state when they start, each different one once."""
    heads = stretch.heads
    starting = pc.match_substring_regex(heads.message, rf"^(?:{'|'.join(SCOPES)})").fill_null(False)
    known: set[tuple[str, str, str]] = set()
    for record in np.flatnonzero(starting.to_numpy(zero_copy_only=False)).tolist():
        place = {"ts_ms": heads.ts_ms[record].as_py(), "line": int(heads.line[record]) + 1}
        place["last_line"] = int(stretch.last_lines[record]) + 1
        for row in client_options(heads.message[record].as_py(), stretch.continuation(record)):
            told = (row["scope"], row["key"], row["value"])
            if told not in known and len(known) < MOST_CLIENT_OPTIONS:
                known.add(told)
                yield row | place


_BANNER = "Starting TaskManager (Version: 1.20.5, Scala: 2.12, Rev:0980485, Date:2026-06-08T09:21:06+02:00)"

_FAILED = "Map -> Sink: out (2/4)#0 (a3b1c2d4e5f60718293a4b5c6d7e8f90_0a448493b4782967b150582570326227_1_0)"
_FAILED += " switched from RUNNING to FAILED with failure cause:"

_RUNNER = "org.apache.flink.runtime.taskexecutor.TaskManagerRunner      []"

SAMPLES = (
    Sample(
        name="flink-root-taskexecutor-0-vm.log",
        text=f"""\
2026-11-21 01:31:39,647 INFO  {_RUNNER} -  {_BANNER}
2026-11-21 01:31:39,648 INFO  {_RUNNER} -  Maximum heap size: 448 MiBytes
2026-11-21 01:32:07,101 WARN  org.apache.flink.runtime.taskmanager.Task                    [] - {_FAILED}
java.lang.RuntimeException: cannot write
\tat com.acme.Writer.write(Writer.java:17) ~[job.jar:?]
\tat java.base/java.lang.Thread.run(Thread.java:840) [?:?]
Caused by: java.io.IOException: No space left on device
\tat java.base/java.io.FileOutputStream.writeBytes(Native Method) ~[?:?]
\t... 2 more
""",
        rows={
            "log_record": (
                {"ts_ms": 1_795_224_699_647, "level": "INFO", "process": "taskmanager", "line": 1, "last_line": 1},
                {"message": "Maximum heap size: 448 MiBytes", "line": 2, "last_line": 2},
                {
                    "event": "task.failed.tm",
                    "level": "WARN",
                    "logger": "org.apache.flink.runtime.taskmanager.Task",
                    "vertex": "Map -> Sink: out",
                    "subtask": 1,
                    "attempt": 0,
                    "state_from": "RUNNING",
                    "state_to": "FAILED",
                    "exception_class": "java.lang.RuntimeException",
                    "root_cause_class": "java.io.IOException",
                    "root_cause_message": "No space left on device",
                    "user_frame": "com.acme.Writer.write",
                    "line": 3,
                    "last_line": 9,
                },
            ),
            "config_option": ({"scope": "jvm", "process": "taskmanager", "key": "heap.max", "value": "469762048"},),
        },
    ),
)

FORMAT = Format(
    id="flink-log",
    title="Flink log",
    documentation="https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/advanced/logging/",
    tables=("log_record", "config_option"),
    recognise=_recognise,
    read=_read,
    samples=SAMPLES,
    splittable=True,
)
