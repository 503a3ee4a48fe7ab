"""Collapsed stacks of a profiler: one line for each distinct stack, frames joined by `;`, then a blank and a count."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from diagnostics.format import Coverage, Format, Head, Range, Rows, Sample, open_range
from diagnostics.notation.profiler_stack import JAVA_FRAME, mode_of, sample_row, thread_of

MOST_LINE = 262_144
ROWS_AT_ONCE = 2_000
LINES_LOOKED_AT = 200
LEAST_SHARE = 0.9

_STACK = re.compile(r"[^;\s][^;\n]*(?:;[^;\n]+)* \d{1,18}$")


def _recognise(head: Head) -> float:
    lines = [line.rstrip("\r") for line in head.text.split("\n", LINES_LOOKED_AT)[:LINES_LOOKED_AT]]
    if not head.complete and len(lines) < LINES_LOOKED_AT:
        lines.pop()
    told = [line for line in lines if line.strip()]
    stacks = [line for line in told if _STACK.match(line)]
    deep = [line for line in stacks if ";" in line]
    if not deep or len(stacks) < LEAST_SHARE * len(told):
        return 0.0
    java = sum(JAVA_FRAME.match(line.rpartition(" ")[0].rpartition(";")[2]) is not None for line in deep)
    return 0.9 if java else 0.5


def _read(part: Range) -> Iterator[Rows | Coverage]:
    mode = _mode(part)
    rows: list[dict[str, Any]] = []
    records = odd = 0
    examples: list[tuple[int, str]] = []
    with open_range(part) as opened:
        for number, line in enumerate(opened, 1):
            row = _stack(line) if len(line) <= MOST_LINE else None
            if row is None:
                if line.strip():
                    odd += 1
                    if len(examples) < 3:
                        examples.append((number, line[:200].decode("utf-8", "replace").strip()))
                continue
            rows.append({**row, "profile": "collapsed", "mode": mode, "line": number, "last_line": number})
            if len(rows) >= ROWS_AT_ONCE:
                records += len(rows)
                yield Rows("stack_sample", rows)
                rows = []
    yield Rows("stack_sample", rows)
    yield Coverage(records=records + len(rows), not_understood=odd, samples=tuple(examples))


def _stack(line: bytes) -> dict[str, Any] | None:
    stack, _, weight = line.decode("utf-8", "replace").rstrip().rpartition(" ")
    if not stack or not weight.isdecimal() or len(weight) > 18:
        return None
    frames = stack.split(";")
    thread = thread_of(frames[0]) if len(frames) > 1 else None
    return sample_row(thread, frames[1 if thread else 0 :], float(weight))


def _mode(part: Range) -> str:
    with open_range(part) as opened:
        shown = [
            _stack(line) for _, line in zip(range(LINES_LOOKED_AT), opened, strict=False) if len(line) <= MOST_LINE
        ]
    return mode_of(part.name, [row for row in shown if row])


FORMAT = Format(
    id="collapsed-stacks",
    title="Collapsed stacks of a profiler",
    documentation="https://github.com/brendangregg/FlameGraph#2-fold-stacks",
    tables=("stack_sample",),
    recognise=_recognise,
    read=_read,
    samples=(
        Sample(
            name="profile/taskmanager-0-wall.collapsed",
            text="Sink: risk-sink (1/2)#0;java.lang.Thread.run;org.apache.flink.runtime.taskmanager.Task.run 124\n"
            "OutputFlusher for enrich (1/4)#0;java.lang.Thread.run;java.lang.Thread.sleep 7\n",
            rows={
                "stack_sample": [
                    {
                        "profile": "collapsed",
                        "mode": "wall",
                        "thread": "Sink: risk-sink (1/2)#0",
                        "vertex": "Sink: risk-sink",
                        "subtask": 0,
                        "frames": ["java.lang.Thread.run", "org.apache.flink.runtime.taskmanager.Task.run"],
                        "weight": 124.0,
                        "line": 1,
                    },
                    {"thread": "OutputFlusher for enrich (1/4)#0", "vertex": None, "weight": 7.0, "line": 2},
                ]
            },
        ),
        Sample(
            name="stacks.txt",
            text="[enrich (2/4)#3 tid=71];java/lang/Thread.run_[j];com/acme/Lookup.lambda$get$0_[i] 12\n"
            "start_thread;JavaThread::run();com/acme/Lookup.get_[j] 3\n",
            rows={
                "stack_sample": [
                    {
                        "mode": "unknown",
                        "thread": "enrich (2/4)#3",
                        "vertex": "enrich",
                        "subtask": 1,
                        "frames": ["java.lang.Thread.run", "com.acme.Lookup.lambda$get$0"],
                    },
                    {
                        "thread": None,
                        "frames": ["start_thread", "JavaThread::run", "com.acme.Lookup.get"],
                        "weight": 3.0,
                    },
                ]
            },
        ),
    ),
)
