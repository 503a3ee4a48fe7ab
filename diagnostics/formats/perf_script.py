"""Samples of Linux perf as `perf script` prints them: a head line for each sample, its frames below, leaf first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from diagnostics.format import Coverage, Format, Head, Range, Rows, Sample, open_range
from diagnostics.notation.profiler_stack import mapped_symbol, sample_row

MOST_LINE = 16_384
MOST_DEPTH = 2_000
ROWS_AT_ONCE = 2_000
CPU_EVENTS = ("cycles", "cpu-cycles", "cpu-clock", "task-clock", "instructions")
"""Events that tick while a thread runs. Source: perf-list(1)."""

_HEAD = re.compile(
    r"(\S.{0,200}?) {1,40}\d{1,10}(?:/\d{1,10})? {1,40}(?:\[\d{1,5}\] {1,40})?(?:\S{4,6} {1,40})?\d{1,12}\.\d{3,9}:"
    r" {1,40}(?:\d{1,18} {1,40})?"
    r"([\w:./-]{1,100}?):(?: .{0,400})?$"
)
_FRAME = re.compile(r"\s{1,40}[0-9a-f]{1,16} (.{1,4000}) \(([^()]{0,1000}(?:\([^()]{0,200}\))?)\)$")
_OFFSET = re.compile(r"\+0x[0-9a-f]{1,16}$")


def _recognise(head: Head) -> float:
    lines = [line.rstrip("\r") for line in head.text.split("\n")[:400] if line.strip() and not line.startswith("#")]
    heads = sum(_HEAD.match(line[:MOST_LINE]) is not None for line in lines)
    frames = sum(_FRAME.match(line[:MOST_LINE]) is not None for line in lines)
    # The last line may be cut.
    return 0.9 if heads and frames and heads + frames >= 0.9 * (len(lines) - 1) else 0.0


def _read(part: Range) -> Iterator[Rows | Coverage]:
    """A row for each sample; weight 1, since the period that perf prints is the event's, not the time's."""
    rows: list[dict[str, Any]] = []
    sample: _Sample | None = None
    records = odd = 0
    examples: list[tuple[int, str]] = []
    with open_range(part) as opened:
        for number, raw in enumerate(opened, 1):
            line = raw[:MOST_LINE].decode("utf-8", "replace").rstrip()
            frame, head = _FRAME.match(line), None
            if frame and sample is not None:
                sample.add(frame, number)
                continue
            if not frame:
                head = _HEAD.match(line)
            if head or not line:
                records += _close(sample, rows)
                sample = _Sample(head, number) if head else None
            elif not line.startswith("#"):
                odd += 1
                if len(examples) < 3:
                    examples.append((number, line[:200]))
            if len(rows) >= ROWS_AT_ONCE:
                yield Rows("stack_sample", rows)
                rows = []
    records += _close(sample, rows)
    yield Rows("stack_sample", rows)
    yield Coverage(records=records, not_understood=odd, samples=tuple(examples))


class _Sample:
    """A sample that is being read: its thread, and its frames leaf first."""

    def __init__(self, head: re.Match[str], line: int) -> None:
        self.thread, self.event = head.group(1).strip(), head.group(2).strip(":")
        self.line = self.last_line = line
        self.frames: list[str] = []

    def add(self, frame: re.Match[str], line: int) -> None:
        self.last_line = line
        if len(self.frames) < MOST_DEPTH:
            self.frames.append(_name(frame.group(1), frame.group(2)))


def _close(sample: _Sample | None, rows: list[dict[str, Any]]) -> bool:
    """Samples without frames are no stacks."""
    if sample is None or not sample.frames:
        return False
    mode = "cpu" if sample.event.partition(":")[0].removesuffix("/") in CPU_EVENTS else "unknown"
    place = {"profile": "collapsed", "mode": mode, "line": sample.line, "last_line": sample.last_line}
    rows.append({**sample_row(sample.thread, sample.frames[::-1], 1.0), **place})
    return True


def _name(symbol: str, module: str) -> str:
    """A frame as other profilers print it; unknown ones have the name of their file."""
    symbol = _OFFSET.sub("", symbol)
    if symbol == "[unknown]":
        return f"[{module.rpartition('/')[2]}]" if module not in ("[unknown]", "") else symbol
    return mapped_symbol(symbol)


FORMAT = Format(
    id="perf-script",
    title="Samples of Linux perf",
    documentation="https://man7.org/linux/man-pages/man1/perf-script.1.html",
    tables=("stack_sample",),
    recognise=_recognise,
    read=_read,
    samples=(
        Sample(
            name="perf.txt",
            text="# captured on: Sat Nov 21 01:31:43 2026\n#\n"
            "Map (2/4)#0  3773/3801 [001] 184694.229089:   10101010 cycles:u: \n"
            "\tffffffff8173186d system_call_fastpath+0x1f ([kernel.kallsyms])\n"
            "\t    7f26cab4c0b0 [unknown] (/lib/libc-2.19.so)\n"
            "\t    7f26cab4c0b1 Lcom/acme/Lookup;::get (/tmp/perf-3773.map)\n"
            "\n"
            "java 3773 184694.229097: page-faults: \n"
            "\t    7f26cab4c0b1 java.lang.Thread.run (/tmp/perf-3773.map)\n",
            rows={
                "stack_sample": [
                    {
                        "thread": "Map (2/4)#0",
                        "vertex": "Map",
                        "subtask": 1,
                        "mode": "cpu",
                        "frames": ["com.acme.Lookup.get", "[libc-2.19.so]", "system_call_fastpath"],
                        "weight": 1.0,
                        "line": 3,
                        "last_line": 6,
                    },
                    {"thread": "java", "mode": "unknown", "frames": ["java.lang.Thread.run"], "line": 8},
                ]
            },
        ),
    ),
)
