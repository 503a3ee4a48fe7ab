"""Collapsed stacks of a profiler: one line for each distinct stack, frames joined by `;`, then a space and a count."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import to_say
from diagnostics.notation.file_range import Head, Range
from diagnostics.notation.profiler_stack import JAVA_FRAME, mode_of, sample_row, thread_of
from diagnostics.notation.stack_columns import collapsed_stacks
from diagnostics.notation.tally import MOST_SHOWN, Tally
from diagnostics.notation.text_lines import line_arrays, raw_lines

MOST_LINE = 262_144
LINES_LOOKED_AT = 200
LEAST_SHARE = 0.9

_STACK = re.compile(r"[^;\s][^;\n]*(?:;[^;\n]+)* \d{1,18}$")


def _recognise(head: Head) -> float:
    if head.starts_as_json:
        return 0.0
    lines = [line.rstrip("\r") for line in head.text.split("\n", LINES_LOOKED_AT)[:LINES_LOOKED_AT]]
    if not head.complete and len(lines) < LINES_LOOKED_AT:
        lines.pop()
    told = [line for line in lines if line.strip()]
    most_others = (1 - LEAST_SHARE) * len(told)
    deep: list[str] = []
    others = 0
    for line in told:
        if not _STACK.match(line):
            others += 1
            if others > most_others:
                return 0.0
        elif ";" in line:
            deep.append(line)
    if not deep:
        return 0.0
    java = sum(JAVA_FRAME.match(line.rpartition(" ")[0].rpartition(";")[2]) is not None for line in deep)
    return 0.9 if java else 0.5


def _read(part: Range) -> Iterator[Rows | Coverage]:
    tally, mode = Tally(), _mode(part)
    for first, lines in line_arrays(part, MOST_LINE + 1):
        stacks, others = collapsed_stacks(lines, MOST_LINE)
        profile = {"profile": "collapsed", "mode": mode}
        rows = []
        for place in others:
            line = lines[place].as_py()
            row, number = _stack(line), first + place
            if row is not None:
                rows.append({**row, **profile, "line": number, "last_line": number})
            elif line.strip():
                tally.odd(number, line[:MOST_SHOWN].decode("utf-8", "replace").strip())
        tally.records += stacks.num_rows + len(rows)
        if stacks.num_rows:
            numbers = pc.add(stacks["line"], first)
            columns = {name: pa.repeat(value, stacks.num_rows) for name, value in profile.items()}
            places = {"line": numbers, "last_line": numbers}
            whole = {name: stacks[name] for name in stacks.column_names} | columns | places
            yield Rows("stack_sample", batch=pa.table(whole).combine_chunks().to_batches()[0])
        yield Rows("stack_sample", rows)
    yield tally.coverage()


def _mode(part: Range) -> str:
    """The profile's mode, from the file's name or first lines, so that all ranges of the file agree."""
    head = islice(raw_lines(replace(part, start=0), MOST_LINE + 1), LINES_LOOKED_AT)
    return mode_of(part.name, [row for line in head if (row := _stack(line)) is not None])


def _stack(line: bytes) -> dict[str, Any] | None:
    """The row of a line; None when the line is no stack."""
    line = line.removesuffix(b"\n")
    if len(line) > MOST_LINE:
        return None
    stack, _, weight = line.decode("utf-8", "replace").rstrip().rpartition(" ")
    if not stack or not weight.isdecimal() or len(weight) > 18:
        return None
    frames = stack.split(";")
    thread = thread_of(frames[0]) if len(frames) > 1 else None
    return sample_row(thread, frames[1 if thread else 0 :], float(weight))


FORMAT = Format(
    id="collapsed-stacks",
    title=to_say("Collapsed stacks of a profiler"),
    documentation="https://github.com/brendangregg/FlameGraph#2-fold-stacks",
    tables=("stack_sample",),
    recognise=_recognise,
    read=_read,
    splittable=True,
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
