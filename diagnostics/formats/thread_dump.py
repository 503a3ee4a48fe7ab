"""Thread dumps of a JVM: `jstack`, `jcmd Thread.print`, `jcmd Thread.dump_to_file`, `kill -3`; several in one file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import to_say
from diagnostics.notation.file_range import Head, Range
from diagnostics.notation.tally import Tally, in_batches
from diagnostics.notation.task_name import task_of_thread
from diagnostics.notation.text_lines import numbered_lines
from diagnostics.notation.thread_stack import ATTRIBUTES, STATE_LINE, STATES, ThreadStack, dumped_threads

MOST_LINE = 4_000
MOST_TIMES = 50_000
"""Times of threads kept of a range. Our choice: a hundred dumps of a process with five hundred threads."""
_COLLECTOR = re.compile(r"(?:GC Thread|G1 |ParGC|ZWorker|ZDirector|Z[A-Z]\w{2,20}|Shenandoah|Concurrent Mark)")
"""Threads that collect garbage: parallel workers, G1, ZGC and Shenandoah. Source: HotSpot's names of threads."""

_TITLE = re.compile(r"^Full thread dump ", re.MULTILINE)
_THREAD = re.compile(r'^"[^"\n]{0,2000}" (?:#|\[|Id=|id=|daemon|prio=|os_prio=)', re.MULTILINE)
_STATE = re.compile(r"^\s{1,20}java\.lang\.Thread\.State: [A-Z_]+", re.MULTILINE)
_FRAME = r"[ \t]{0,20}at [\w$@/-]{1,200}\.[\w$.@/<>-]{1,400}(?:\(|\r?$)"
_PIECE = re.compile(
    rf'^(?:"[^"\n]{{0,2000}}" *{ATTRIBUTES}(?:in )?{STATES}|[ \t]{{0,20}}{STATE_LINE})[^\n]{{0,300}}\n{_FRAME}',
    re.MULTILINE,
)
"""A thread that was copied out of a dump: its header with its state, or its state alone, above its frames."""
_TRACE = re.compile(rf"^{_FRAME}", re.MULTILINE)
_TO_FILE = re.compile(
    r'\d{1,10}\r?\n\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S{0,12}\r?\n[\w.+-]{1,100}\r?\n\s{0,4}\n#\d{1,19} "'
)
"""Process id, time and version above the first thread. Source: JDK 21, jdk.internal.vm.ThreadDumper."""


def _recognise(head: Head) -> float:
    if _TO_FILE.match(head.text):
        return 0.95
    if (piece := _PIECE.search(head.text)) and (trace := _TRACE.search(head.text)):
        if _TITLE.search(head.text):
            return 0.95
        if trace.start() > piece.start():  # else the frames above it are an exception's
            return 0.6
    if not _THREAD.search(head.text):
        return 0.95 if _TITLE.search(head.text) and "JNI global ref" in head.text else 0.0
    if _TITLE.search(head.text):
        return 0.95
    return 0.6 if _STATE.search(head.text) else 0.0


def _read(part: Range) -> Iterator[Rows | Coverage]:
    tally = Tally()
    times: list[dict[str, Any]] = []
    yield from in_batches("stack_sample", _rows(part, tally, times), tally)
    if times:
        yield Rows("thread_time", times)


def _rows(part: Range, tally: Tally, times: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Rows of the threads with frames; the JVM's own threads have none, and times all the same."""
    for ts_ms, thread in dumped_threads(numbered_lines(part, MOST_LINE)):
        tally.records += 1
        tally.take_time(ts_ms)
        place = {"line": thread.first_line, "last_line": thread.last_line}
        if thread.cpu_ms is not None and len(times) < MOST_TIMES:
            times.append({"ts_ms": ts_ms, **_time(thread), **place})
        if thread.frames:
            yield {"ts_ms": ts_ms, **thread.as_row(), **place}


def _time(thread: ThreadStack) -> dict[str, Any]:
    """The columns of `thread_time`."""
    task = task_of_thread(thread.thread)
    return {
        "kind": "task" if task else "gc" if _COLLECTOR.match(thread.thread) else "other",
        "thread": thread.thread,
        "vertex": task.vertex if task else None,
        "subtask": task.subtask if task else None,
        "parallelism": task.parallelism if task else None,
        "cpu_ms": thread.cpu_ms,
        "elapsed_ms": thread.elapsed_ms,
    }


FORMAT = Format(
    id="thread-dump",
    title=to_say("JVM thread dump"),
    documentation="https://docs.oracle.com/en/java/javase/17/docs/specs/man/jstack.html",
    tables=("stack_sample", "thread_time"),
    recognise=_recognise,
    read=_read,
    samples=(
        Sample(
            name="profile/jstack-taskmanager-0-1.txt",
            text="2026-11-21 01:33:25\n"
            "Full thread dump OpenJDK 64-Bit Server VM (17.0.15+6-Debian-1deb12u1 mixed mode, sharing):\n"
            "\n"
            '"Legacy Source Thread - Source: orders (1/2)#0" #93 prio=5 os_prio=0 cpu=2.3ms elapsed=9.5s '
            "tid=0x000055681993f390 nid=0x3a63 waiting on condition  [0x00007f7758cfd000]\n"
            "   java.lang.Thread.State: TIMED_WAITING (sleeping)\n"
            "\tat java.lang.Thread.sleep(java.base@17.0.15/Native Method)\n"
            "\t- locked <0x00000000e13f7e00> (a java.lang.Object)\n"
            "\tat com.acme.risk.OrderRiskJob$Orders.run(OrderRiskJob.java:88)\n"
            "\n"
            '"VM Thread" os_prio=0 cpu=88.23ms elapsed=105.99s tid=0x00005568174a7a30 nid=0x3772 runnable\n'
            "\n"
            "2026-11-21 01:33:30\n"
            "Full thread dump OpenJDK 64-Bit Server VM (17.0.15+6-Debian-1deb12u1 mixed mode, sharing):\n"
            "\n"
            '"main" #1 prio=5 os_prio=0 tid=0x00007f92b01aa000 nid=0x2a43 runnable\n'
            "   java.lang.Thread.State: RUNNABLE\n"
            "\tat com.acme.Main.main(Main.java:1)\n",
            rows={
                "stack_sample": [
                    {
                        "ts_ms": 1795224805000,
                        "profile": "thread-dump",
                        "mode": "dump",
                        "vertex": "Source: orders",
                        "subtask": 0,
                        "thread": "Legacy Source Thread - Source: orders (1/2)#0",
                        "state": "TIMED_WAITING",
                        "frames": ["com.acme.risk.OrderRiskJob$Orders.run", "java.lang.Thread.sleep"],
                        "weight": 1.0,
                        "line": 4,
                        "last_line": 8,
                    },
                    {"ts_ms": 1795224810000, "thread": "main", "state": "RUNNABLE", "vertex": None, "line": 15},
                ],
                "thread_time": [
                    {
                        "ts_ms": 1795224805000,
                        "kind": "task",
                        "vertex": "Source: orders",
                        "subtask": 0,
                        "parallelism": 2,
                        "cpu_ms": 2.3,
                        "elapsed_ms": 9500.0,
                        "line": 4,
                    },
                    {"kind": "other", "thread": "VM Thread", "cpu_ms": 88.23, "elapsed_ms": 105990.0, "line": 10},
                ],
            },
        ),
        Sample(
            name="pasted.txt",
            text='"Window(CustomWindow) (1/1)" RUNNABLE\n'
            "\tat com.acme.Sessions.merge\n"
            '"sender" #12 daemon prio=5 TIMED_WAITING (sleeping)\n'
            "\tat java.lang.Thread.sleep(Native Method)\n"
            "\n"
            "   java.lang.Thread.State: RUNNABLE\n"
            "\tat com.acme.Parser.parse\n"
            "\tat com.acme.Reader.read(Reader.java:7)\n",
            rows={
                "stack_sample": [
                    {
                        "ts_ms": None,
                        "thread": "Window(CustomWindow) (1/1)",
                        "vertex": "Window(CustomWindow)",
                        "subtask": 0,
                        "state": "RUNNABLE",
                        "frames": ["com.acme.Sessions.merge"],
                        "line": 1,
                        "last_line": 2,
                    },
                    {"thread": "sender", "state": "TIMED_WAITING", "frames": ["java.lang.Thread.sleep"], "line": 3},
                    {
                        "thread": "unnamed thread at line 6",
                        "vertex": None,
                        "state": "RUNNABLE",
                        "frames": ["com.acme.Reader.read", "com.acme.Parser.parse"],
                        "line": 6,
                        "last_line": 8,
                    },
                ]
            },
        ),
        Sample(
            name="jcmd-Thread.dump_to_file.txt",
            text="4711\n2026-11-21T01:33:25.500Z\n21.0.2+13-LTS\n\n"
            '#1 "main"\n'
            "      java.base/java.lang.Thread.sleep0(Native Method)\n"
            "      com.acme.Main.main(Main.java:1)\n\n"
            '#22 "" virtual\n'
            "      com.acme.Enrichment.lambda$ask$0(Enrichment.java:30)\n",
            rows={
                "stack_sample": [
                    {
                        "ts_ms": 1795224805500,
                        "thread": "main",
                        "state": None,
                        "frames": ["com.acme.Main.main", "java.lang.Thread.sleep0"],
                        "line": 5,
                        "last_line": 7,
                    },
                    {
                        "ts_ms": 1795224805500,
                        "thread": "",
                        "frames": ["com.acme.Enrichment.lambda$ask$0"],
                        "line": 9,
                    },
                ]
            },
        ),
    ),
)
