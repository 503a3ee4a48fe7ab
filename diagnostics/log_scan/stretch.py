"""A stretch of a log: the records whose head line begins in one byte range of a file, each with all its lines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from diagnostics.format import Range, open_range
from diagnostics.log_scan.layout import MESSAGE_BYTES, Heads, Layout, head_lines, layout_of, parse_heads
from diagnostics.log_scan.prefixes import Cleaner, cleaner_for
from diagnostics.log_scan.slices import Offsets, slices

SAMPLE_BYTES = 65_536
"""The beginning of a file that decides on its layout."""

TAIL_BYTES = 262_144
MOST_TAIL_BYTES = 8 * 1024 * 1024
"""How far behind the end of a range its last record is followed. A trace of a StackOverflowError has 80 KB."""

_CONTINUES = (b"\t", b" ", b"Caused by:", b"Suppressed:", b"...", b"}", b")")


@dataclass(frozen=True, slots=True)
class Stretch:
    """The cleaned text of some whole records.

    buffer      the text; it starts with the range's first line
    heads       the records' head lines
    last_lines  index of the last line of each record
    ends        offset behind the last line of each record
    head_ends   offset of the end of each head line
    starts      offset of each line
    """

    buffer: bytes
    heads: Heads
    last_lines: Offsets
    ends: Offsets
    head_ends: Offsets
    starts: Offsets

    def text(self, record: int, most: int = 65_536) -> str:
        """The whole text of a record, its beginning if it is long."""
        start = int(self.heads.start[record])
        return self.buffer[start : min(int(self.ends[record]), start + most)].decode("utf-8", "replace")

    def continuation(self, record: int, most: int = 262_144) -> bytes:
        """The lines of a record behind its head line."""
        start = int(self.head_ends[record]) + 1
        return self.buffer[start : min(int(self.ends[record]), start + most)]


def read_stretch(part: Range) -> tuple[Stretch, Layout]:
    """The records of a range. A range that begins inside a record leaves that to the range before."""
    with open(part.path, "rb") as opened:
        sample = opened.read(SAMPLE_BYTES)
    cleaner = cleaner_for(sample)
    layout = layout_of(cleaner(sample))
    with open_range(part) as opened:
        owned = cleaner(opened.read(part.end - part.start))
        tail = b"" if part.end >= part.size else _tail(opened.read, cleaner, layout)
    return _stretch(owned, tail, layout, first=part.start == 0), layout


def _tail(read: Callable[[int], bytes], cleaner: Cleaner, layout: Layout) -> bytes:
    """The lines behind a range that belong to its last record: all before the next head line."""
    tail = b""
    while len(tail) < MOST_TAIL_BYTES:
        more = read(TAIL_BYTES)
        tail = cleaner(tail + more)
        starts, _ = line_bounds(tail)
        found = head_lines(tail, starts, layout)
        if len(found):
            return tail[: int(starts[found[0]])]
        if len(more) < TAIL_BYTES:
            return tail
    return tail[: tail.rfind(b"\n") + 1]


def line_bounds(buffer: bytes) -> tuple[Offsets, Offsets]:
    """Offsets of the start and the end (without line end) of every line."""
    breaks = np.flatnonzero(np.frombuffer(buffer, np.uint8) == 10)
    starts = np.concatenate([[0], breaks + 1])
    ends = np.concatenate([breaks, [len(buffer)]])
    if len(buffer) == 0 or starts[-1] >= len(buffer):
        starts, ends = starts[:-1], ends[:-1]
    return starts.astype(np.int64), ends.astype(np.int64)


def _stretch(owned: bytes, tail: bytes, layout: Layout, *, first: bool) -> Stretch:
    buffer = owned + tail
    starts, ends = line_bounds(buffer)
    lines = head_lines(buffer, starts, layout)
    if tail:
        lines = lines[starts[lines] < len(owned)]
    loose = _loose_heads(buffer, starts, ends, int(lines[0]) if len(lines) else len(starts)) if first else []
    heads = parse_heads(buffer, lines, starts, ends, layout)
    if loose:
        heads = _with_loose(heads, np.array(loose, np.int64), buffer, starts, ends)
    following = np.append(heads.line[1:], len(starts))
    last = following - 1 if len(heads.line) else following[:0]
    return Stretch(buffer, heads, last, ends[last], ends[heads.line], starts)


def _loose_heads(buffer: bytes, starts: Offsets, ends: Offsets, before: int) -> list[int]:
    """Lines that stand without a time before the first record and are not the continuation of another line."""
    found: list[int] = []
    for line in range(before):
        text = buffer[starts[line] : min(ends[line], starts[line] + 64)]
        if text.strip() and (not found or not text.startswith(_CONTINUES)):
            found.append(line)
    return found


def _with_loose(heads: Heads, loose: Offsets, buffer: bytes, starts: Offsets, ends: Offsets) -> Heads:
    """The heads with lines before them that have a message and nothing else."""
    message = slices(buffer, starts[loose], np.minimum(ends[loose], starts[loose] + MESSAGE_BYTES))
    blank = pa.nulls(len(loose), pa.string())

    def joined(first: pa.Array, second: pa.Array) -> pa.Array:
        return pa.concat_arrays([first, second])

    return Heads(
        np.concatenate([loose, heads.line]),
        np.concatenate([starts[loose], heads.start]),
        joined(pa.nulls(len(loose), pa.int64()), heads.ts_ms),
        joined(blank, heads.level),
        joined(blank, heads.logger),
        joined(blank, heads.thread),
        joined(message, heads.message),
        np.concatenate([np.zeros(len(loose), bool), heads.understood]),
    )
