"""Logs of Flink's processes in the layouts that Flink ships, 1.9 to 2.3, also through docker and kubectl.

A record begins with a time stamp; the lines after it (a stack trace, a message of several lines) belong to it. Times
have no zone in these layouts and are read as UTC. Known messages (`diagnostics/vocabulary/log_events`) become the
record's `event`, with the numbers that they state.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import to_say
from diagnostics.log_scan.changed_traces import has_headed_traces
from diagnostics.log_scan.layout import recognised_lines
from diagnostics.log_scan.prefixes import cleaner_for
from diagnostics.log_scan.record_rows import TABLES, rows_of, rows_of_parts
from diagnostics.log_scan.stretch import read_stretch, read_stretches
from diagnostics.notation.exception_name import BARE
from diagnostics.notation.file_range import Head, Range

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
"""Beginnings of lines that a Flink process prints to `.out` without a layout."""

_TRACED = re.compile(
    r"(?m)^\s{1,20}at org\.apache\.flink\.[\w.$<>]{1,400}\("
    r"|^(?:Caused by: )?org\.apache\.flink\.[\w.$]{1,400}(?:Exception|Error)(?::|$)"
)
"""A frame or an exception of Flink, as in a client's output, whatever surrounds it."""

_PASTED = re.compile(
    r"\s{0,20}(?:[\d:., TZ+-]{10,40}\n\s{0,20})?"
    r"(?:\[ERROR\] [^\n]{0,200}Reason:\s{1,20})?(?:: |Caused by: )?"
    r"(?:(?:[A-Za-z_]\w{0,100}\.){1,20}[\w$]{0,200}(?:Exception|Error)(?::|\r?\n|$)"
    rf"|{BARE}(?:: [^\n]{{0,400}})?\r?\n\s{{0,20}}(?:at [\w$<][^\s(]{{0,400}}\(|Caused by: ))"
)
"""A copied text that begins with an exception or the cause of one, optionally below its time as Flink's web page shows
it, or below the line with which the SQL client reports it; without its package where frames or a cause are below.
"""

_ANSWERED = re.compile(
    r"(?m)^(?:\[ERROR\] Could not execute SQL statement\. Reason:|Caused by: |: |py4j\.protocol\.Py4JJavaError)"
    r"[^\n]{0,400}\n?\s{0,20}(?:: )?(?:[A-Za-z_]\w{0,100}\.){1,20}[\w$]{0,200}(?:Exception|Error)(?::|\r?\n|$)"
)
"""An exception in the output of a SQL client or of a Python program."""

_KILLED = "Memory cgroup out of memory: Kill"
"""The kernel's message about a process that exceeded its container's memory. Source: Flink's own log statements."""

MOST_PASTED_TIMES = 20
"""Lines with a time and no level in a copied trace: one for each exception of the web page's history. Our choice."""

MOST_BARE_LINES = 400
"""Lines of a file without time stamps that are examined. Our choice."""


def _recognise(head: Head) -> float:
    content = cleaner_for(head.content)(head.content)
    levelled, timed = recognised_lines(content)
    is_flink = any(mark in head.text for mark in _FLINK)
    if timed and levelled / timed >= 0.5:
        return 0.97 if is_flink else 0.5
    if timed > MOST_PASTED_TIMES:
        return 0.0
    text = content.decode("utf-8", "replace") if has_headed_traces(head.content) else head.text
    if not timed and any(line.startswith(_BARE) for line in text.splitlines()[:MOST_BARE_LINES]):
        return 0.6
    is_traced = not timed and "org.apache.flink." in text and _TRACED.search(text)
    is_copied = _PASTED.match(text) or (not timed and _ANSWERED.search(text))
    return 0.4 if is_traced or _KILLED in head.text or is_copied else 0.0


def _read(part: Range) -> Iterator[Rows | Coverage]:
    stretch, layout = read_stretch(part)
    yield from rows_of(stretch, layout)


def _read_several(files: Sequence[Range]) -> Iterator[tuple[int, Rows | Coverage]]:
    for places, stretch, layout in read_stretches(files):
        for number, found in rows_of_parts(stretch, layout):
            yield places[number], found


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
            "config_option": (
                {"scope": "environment", "key": "process.entrypoint", "value": "TaskManager", "line": 1},
                {"scope": "jvm", "process": "taskmanager", "key": "heap.max", "value": "469762048"},
            ),
        },
    ),
)

FORMAT = Format(
    id="flink-log",
    title=to_say("Flink log"),
    documentation="https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/advanced/logging/",
    tables=TABLES,
    recognise=_recognise,
    certainty=0.97,
    read=_read,
    read_several=_read_several,
    is_log=True,
    samples=SAMPLES,
    splittable=True,
)
