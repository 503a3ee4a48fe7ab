"""Samples of Linux perf from `perf script`: a header line per sample, its frames below, leaf first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from diagnostics.formats.format import Format, Sample
from diagnostics.language import to_say
from diagnostics.notation.file_range import Head, Range
from diagnostics.notation.profiler_stack import mapped_symbol, sample_row
from diagnostics.notation.tally import Tally, row_reader
from diagnostics.notation.text_lines import numbered_lines

MOST_LINE = 16_384
MOST_DEPTH = 2_000
LEAST_SHARE = 0.9
"""Minimum share of lines that are headers or frames. Our choice."""
CPU_EVENTS = ("cycles", "cpu-cycles", "cpu-clock", "task-clock", "instructions")
"""Events that count the time a thread runs. Source: perf-list(1)."""

_HEAD = re.compile(
    r"(\S.{0,200}?) {1,40}\d{1,10}(?:/\d{1,10})? {1,40}(?:\[\d{1,5}\] {1,40})?(?:\S{4,6} {1,40})?\d{1,12}\.\d{3,9}:"
    r" {1,40}(?:\d{1,18} {1,40})?"
    r"([\w:./-]{1,100}?):(?: .{0,400})?$"
)
_FRAME = re.compile(r"\s{1,40}[0-9a-f]{1,16} (.{1,4000}) \(([^()]{0,1000}(?:\([^()]{0,200}\))?)\)$")
_OFFSET = re.compile(r"\+0x[0-9a-f]{1,16}$")


def _recognise(head: Head) -> float:
    lines = [line.rstrip("\r") for line in head.text.split("\n")[:400] if line.strip() and not line.startswith("#")]
    # The last line may be incomplete.
    most_others = len(lines) - LEAST_SHARE * (len(lines) - 1)
    heads = frames = others = 0
    for line in lines:
        if _FRAME.match(line[:MOST_LINE]):
            frames += 1
        elif _HEAD.match(line[:MOST_LINE]):
            heads += 1
        else:
            others += 1
            if others > most_others:
                return 0.0
    return 0.9 if heads and frames else 0.0


def _rows(part: Range, tally: Tally) -> Iterator[dict[str, Any]]:
    """Stacks of the samples; samples without frames are skipped."""
    for sample in _samples(part, tally):
        if sample.frames:
            tally.records += 1
            yield sample.row()


def _samples(part: Range, tally: Tally) -> Iterator[_Sample]:
    sample: _Sample | None = None
    for number, line in numbered_lines(part, MOST_LINE):
        frame = _FRAME.match(line)
        head = None if frame else _HEAD.match(line)
        if frame and sample:
            sample.add(frame, number)
        elif head or not line:
            if sample:
                yield sample
            sample = _Sample(head, number) if head else None
        elif not line.startswith("#"):
            tally.odd(number, line)
    if sample:
        yield sample


class _Sample:
    """A sample being read: its thread, and its frames leaf first."""

    def __init__(self, head: re.Match[str], line: int) -> None:
        self.thread, self.event = head.group(1).strip(), head.group(2).strip(":")
        self.line = self.last_line = line
        self.frames: list[str] = []

    def add(self, frame: re.Match[str], line: int) -> None:
        self.last_line = line
        if len(self.frames) < MOST_DEPTH:
            self.frames.append(_name(frame.group(1), frame.group(2)))

    def row(self) -> dict[str, Any]:
        """The row of the sample, with weight 1: perf's period counts events, not time."""
        mode = "cpu" if self.event.partition(":")[0].removesuffix("/") in CPU_EVENTS else "unknown"
        place = {"profile": "collapsed", "mode": mode, "line": self.line, "last_line": self.last_line}
        return {**sample_row(self.thread, self.frames[::-1], 1.0), **place}


def _name(symbol: str, module: str) -> str:
    """A frame as other profilers print it; an unknown function is named by its module."""
    symbol = _OFFSET.sub("", symbol)
    if symbol == "[unknown]":
        return f"[{module.rpartition('/')[2]}]" if module not in ("[unknown]", "") else symbol
    return mapped_symbol(symbol)


FORMAT = Format(
    id="perf-script",
    title=to_say("Samples of Linux perf"),
    documentation="https://man7.org/linux/man-pages/man1/perf-script.1.html",
    tables=("stack_sample",),
    recognise=_recognise,
    read=row_reader("stack_sample", _rows),
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
