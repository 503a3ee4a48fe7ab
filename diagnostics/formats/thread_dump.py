"""Thread dumps of a JVM: `jstack`, `jcmd Thread.print`, `kill -3`; several dumps in one file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from diagnostics.format import Coverage, Format, Head, Range, Rows, Sample
from diagnostics.notation.thread_stack import ThreadStack, take_line, thread_header

MOST_LINE = 4_000
ROWS_AT_ONCE = 2_000

_TITLE = re.compile(r"^Full thread dump ", re.MULTILINE)
_THREAD = re.compile(r'^"[^"\n]{0,2000}" (?:#|\[|Id=|id=|daemon|prio=|os_prio=)', re.MULTILINE)
_STATE = re.compile(r"^\s{1,20}java\.lang\.Thread\.State: [A-Z_]+", re.MULTILINE)
_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$")


def _recognise(head: Head) -> float:
    if not _THREAD.search(head.text):
        return 0.95 if _TITLE.search(head.text) and "JNI global ref" in head.text else 0.0
    if _TITLE.search(head.text):
        return 0.95
    return 0.6 if _STATE.search(head.text) else 0.0


def _read(part: Range) -> Iterator[Rows | Coverage]:
    """The time above a dump has no zone; it is taken as UTC."""
    rows: list[dict[str, Any]] = []
    threads = dumps = 0
    ts_ms = written_ms = first_ms = None
    thread: ThreadStack | None = None
    with open(part.path, encoding="utf-8-sig", errors="replace", newline="\n") as opened:
        for number, whole_line in enumerate(opened, 1):
            line = whole_line[:MOST_LINE].rstrip("\r\n")
            begun = thread_header(line, number)
            if begun is not None or line.startswith("Full thread dump "):
                _close(thread, ts_ms, rows)
                thread = begun
                threads += begun is not None
            elif thread is not None:
                take_line(thread, line, number)
            if line.startswith("Full thread dump "):
                dumps += 1
                ts_ms, written_ms = written_ms, None
                first_ms = first_ms or ts_ms
            elif _TIME.match(line):
                written_ms = _epoch_ms(line)
            if len(rows) >= ROWS_AT_ONCE:
                yield Rows("stack_sample", rows)
                rows = []
    _close(thread, ts_ms, rows)
    yield Rows("stack_sample", rows)
    yield Coverage(records=threads, first_ts_ms=first_ms, last_ts_ms=ts_ms)


def _epoch_ms(line: str) -> int | None:
    try:
        return round(datetime.fromisoformat(line).replace(tzinfo=UTC).timestamp() * 1000)
    except ValueError:
        return None


def _close(thread: ThreadStack | None, ts_ms: int | None, rows: list[dict[str, Any]]) -> None:
    """Threads without frames (the JVM's own) are no stack samples."""
    if thread is not None and thread.frames:
        place = {"line": thread.first_line, "last_line": thread.last_line}
        rows.append({"ts_ms": ts_ms, **thread.as_row(), **place})


FORMAT = Format(
    id="thread-dump",
    title="JVM thread dump",
    documentation="https://docs.oracle.com/en/java/javase/17/docs/specs/man/jstack.html",
    tables=("stack_sample",),
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
                ]
            },
        ),
    ),
)
