"""A stretch of a log: the records whose head line begins in one byte range of a file, with all their lines.

Small files are read as one stretch with several parts, so that the fixed costs of a search are paid once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from diagnostics.log_scan.calendar_day import DAY_MS, NO_DAY, clocks_before, first_day, passed_midnights
from diagnostics.log_scan.continuation import first_lines
from diagnostics.log_scan.json_lines import LINE_BREAK
from diagnostics.log_scan.layout import (
    MESSAGE_BYTES,
    Heads,
    Layout,
    head_lines,
    layout_of,
    line_heads,
    parse_heads,
    plain_levels,
    times_of,
)
from diagnostics.log_scan.prefixes import Cleaner, cleaner_for
from diagnostics.log_scan.process import role_of
from diagnostics.log_scan.selection import CONTEXT, Hits, RecordSelection, scanner_of
from diagnostics.log_scan.slices import Offsets, slices
from diagnostics.notation.file_range import Range, open_file, open_range

SAMPLE_BYTES = 65_536
"""Bytes at the beginning of a file that determine its layout."""

TAIL_BYTES = 262_144
MOST_TAIL_BYTES = 8 * 1024 * 1024
"""Bytes after the end of a range that are searched for the end of its last record. A trace of a StackOverflowError has
80 KB.
"""

PIECE_BYTES = 256 * 1024
"""Bytes of a text that are searched for line ends at once. Measured: a mask of a whole range, which takes fresh memory
from the system each time, costs four times the search.
"""

ROLE_RECORDS = 4_000
"""Records whose loggers are examined for the kind of process, evenly spread, when not all records are rows. Our choice:
a start-up has a few hundred, and the most frequent loggers decide.
"""


@dataclass(frozen=True, slots=True)
class CountedRecords:
    """Records that are only counted, in file order: single lines below WARN.

    lines    indexes of their lines in the stretch
    ts_ms    their times
    levels   their levels, as indexes in LEVELS
    """

    lines: Offsets
    ts_ms: Offsets
    levels: npt.NDArray[np.int8]

    def part(self, first: int, last: int, lines_before: int) -> CountedRecords:
        """Those from `first` to before `last`; `lines_before` is subtracted from their lines."""
        return CountedRecords(self.lines[first:last] - lines_before, self.ts_ms[first:last], self.levels[first:last])


NONE_COUNTED = CountedRecords(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.int8))


@dataclass(frozen=True, slots=True)
class Stretch:
    """The cleaned text of whole records.

    buffer      the text
    first_lines index of the first line of each part: one part, or one per file
    roles       kind of process of each part, from its loggers
    heads       the head lines of the records that are rows
    numbers     index of each of these among all records of the stretch
    last_lines  index of the last line of each
    ends        offset after the last line of each
    head_ends   offset of the end of each head line, or of its first part when one line holds a whole record
    starts      offset of each line
    hits        matches of constants in these records
    counted     the other records
    is_selection whether records may be left out, and continuation lines are not needed
    warnings    assumptions made
    """

    buffer: bytes
    first_lines: Offsets
    roles: tuple[str | None, ...]
    heads: Heads
    numbers: Offsets
    last_lines: Offsets
    ends: Offsets
    head_ends: Offsets
    starts: Offsets
    hits: Hits
    counted: CountedRecords = NONE_COUNTED
    is_selection: bool = False
    warnings: tuple[str, ...] = ()

    def times(self) -> tuple[Offsets, Offsets]:
        """The times of all records that have one, and their lines, in file order."""
        timed = np.flatnonzero(self.heads.ts_ms.is_valid().to_numpy(zero_copy_only=False))
        times = self.heads.ts_ms.take(pa.array(timed)).to_numpy(zero_copy_only=False)
        if not len(self.counted.lines):
            return times, self.heads.line[timed]
        lines = np.concatenate([self.heads.line[timed], self.counted.lines])
        order = np.argsort(lines, kind="stable")
        return np.concatenate([times, self.counted.ts_ms])[order], lines[order]

    def parts(self) -> Iterator[Stretch]:
        """Each part as a stretch of its own."""
        lines = np.append(self.first_lines, len(self.starts))
        rows, counted = np.searchsorted(self.heads.line, lines), np.searchsorted(self.counted.lines, lines)
        for number, role in enumerate(self.roles):
            line, next_line = int(lines[number]), int(lines[number + 1])
            row, next_row = int(rows[number]), int(rows[number + 1])
            yield replace(
                self,
                first_lines=np.zeros(1, np.int64),
                roles=(role,),
                heads=self.heads.part(row, next_row, line),
                numbers=self.numbers[row:next_row],
                last_lines=self.last_lines[row:next_row] - line,
                ends=self.ends[row:next_row],
                head_ends=self.head_ends[row:next_row],
                starts=self.starts[line:next_line],
                hits=self.hits.part(row, next_row),
                counted=self.counted.part(int(counted[number]), int(counted[number + 1]), line),
            )

    def text(self, record: int, most: int = 65_536) -> str:
        """The text of a record, at most `most` bytes."""
        start = int(self.heads.start[record])
        text = self.buffer[start : min(int(self.ends[record]), start + most)]
        return text.replace(LINE_BREAK, b"\n").decode("utf-8", "replace")

    def continuation(self, record: int, most: int = 262_144) -> bytes:
        """The lines of a record after its head line."""
        start = int(self.head_ends[record]) + 1
        return self.buffer[start : min(int(self.ends[record]), start + most)].replace(LINE_BREAK, b"\n")


def read_stretch(part: Range) -> tuple[Stretch, Layout]:
    """The records of a range. A record that began before the range belongs to the range before."""
    with open_file(part) as opened:
        sample = opened.read(SAMPLE_BYTES)
    cleaner = cleaner_for(sample)
    layout = layout_of(cleaner(sample))
    with open_range(part) as opened:
        owned = cleaner(opened.read(part.end - part.start))
        tail = b"" if part.end >= part.size else _tail(opened.read, cleaner, layout)
    selection = part.context.get(CONTEXT)
    stretch = _stretch([owned], tail, layout, selection, first=part.start == 0)
    return (_on_its_day(stretch, part, cleaner, sample) if layout.style == "clock" else stretch), layout


def read_stretches(files: Sequence[Range]) -> Iterator[tuple[list[int], Stretch, Layout]]:
    """The records of several whole files: one stretch per layout, with the indexes of its files in `files`."""
    texts: dict[Layout, dict[int, bytes]] = defaultdict(dict)
    for place, file in enumerate(files):
        with open_file(file) as opened:
            content = opened.read(file.size)
        cleaner = cleaner_for(content[:SAMPLE_BYTES])
        texts[layout_of(cleaner(content[:SAMPLE_BYTES]))][place] = cleaner(content)
    for layout, by_place in texts.items():
        if layout.style == "clock":  # each file has a date of its own
            for place in by_place:
                yield [place], *read_stretch(files[place])
        else:
            selection = files[0].context.get(CONTEXT)
            yield list(by_place), _stretch(list(by_place.values()), b"", layout, selection, first=True), layout


def stretch_of(text: bytes) -> tuple[Stretch, Layout]:
    """The records of a text in memory, without container prefixes."""
    sample = text[:SAMPLE_BYTES]
    cleaner = cleaner_for(sample)
    layout = layout_of(cleaner(sample))
    return _stretch([cleaner(text)], b"", layout, None, first=True), layout


def _on_its_day(stretch: Stretch, part: Range, cleaner: Cleaner, sample: bytes) -> Stretch:
    """The records with epoch times instead of times of day; without times when the date is unknown."""
    found = first_day(part.name, cleaner(sample))
    heads = stretch.heads
    if found is None:
        nothing = pa.nulls(len(heads.line), pa.int64())
        return replace(stretch, heads=replace(heads, ts_ms=nothing), warnings=(NO_DAY,))
    day, sentence = found
    timed = np.flatnonzero(heads.ts_ms.is_valid().to_numpy(zero_copy_only=False))
    clocks = heads.ts_ms.take(pa.array(timed)).to_numpy(zero_copy_only=False).astype(np.int64)
    before = np.array(clocks_before(part, cleaner), np.int64)
    midnights = passed_midnights(np.concatenate([before, clocks]))[len(before) :]
    whole = np.zeros(len(heads.line), np.int64)
    whole[timed] = clocks + (day + midnights) * DAY_MS
    ts_ms = pc.if_else(heads.ts_ms.is_valid(), pa.array(whole), pa.scalar(None, pa.int64()))
    return replace(stretch, heads=replace(heads, ts_ms=ts_ms), warnings=(sentence,))


def _tail(read: Callable[[int], bytes], cleaner: Cleaner, layout: Layout) -> bytes:
    """The lines after a range that belong to its last record: all before the next head line."""
    tail = b""
    while len(tail) < MOST_TAIL_BYTES:
        more = read(TAIL_BYTES)
        tail = cleaner(tail + more)
        starts, _ = line_bounds(tail)
        found = head_lines(line_heads(tail, starts, layout), layout)
        if len(found):
            return tail[: int(starts[found[0]])]
        if len(more) < TAIL_BYTES:
            return tail
    return tail[: tail.rfind(b"\n") + 1]


def line_bounds(buffer: bytes) -> tuple[Offsets, Offsets]:
    """Offsets of the start and the end (without line end) of every line."""
    octets = np.frombuffer(buffer, np.uint8)
    pieces = range(0, len(octets), PIECE_BYTES)
    starts = np.concatenate([[0], *(np.flatnonzero(octets[at : at + PIECE_BYTES] == 10) + (at + 1) for at in pieces)])
    ends = np.append(starts[1:] - 1, len(buffer))
    if len(buffer) == 0 or starts[-1] >= len(buffer):
        starts, ends = starts[:-1], ends[:-1]
    return starts.astype(np.int64, copy=False), ends.astype(np.int64, copy=False)


def _stretch(
    texts: Sequence[bytes], tail: bytes, layout: Layout, selection: RecordSelection | None, *, first: bool
) -> Stretch:
    """The stretch of these texts, one part each."""
    buffer, begins = _joined(texts, tail)
    starts, ends = line_bounds(buffer)
    part_lines = np.append(np.searchsorted(starts, begins), len(starts))
    words = line_heads(buffer, starts, layout)
    lines = head_lines(words, layout)
    if tail:
        lines = lines[starts[lines] < len(texts[0])]
    words = words.at(lines)
    loose = _loose_heads(buffer, starts, ends, lines, part_lines) if first else np.empty(0, np.int64)
    line_parts = _first_parts(buffer, starts, ends)
    firsts = np.sort(np.concatenate([loose, lines]))
    timed = np.ones(len(firsts), bool)
    timed[np.searchsorted(firsts, loose)] = False
    following = np.minimum(
        np.append(firsts[1:], len(starts))[: len(firsts)], part_lines[np.searchsorted(part_lines, firsts, side="right")]
    )
    lasts = following - 1
    hits = scanner_of(selection).hits_in(buffer, starts[firsts])
    plain = np.zeros(len(firsts), bool)
    counted = NONE_COUNTED
    if selection is not None and len(lines):
        levels = plain_levels(words, layout)
        plain[timed] = (levels >= 0) & (ends[lasts[timed]] <= line_parts[lines])
        plain[hits.selected_records()] = False
        chosen = plain[timed]
        times = times_of(words.at(np.flatnonzero(chosen)), layout)
        counted = CountedRecords(lines[chosen], times, levels[chosen])
    rows = np.flatnonzero(~plain)
    parsed = np.flatnonzero(~plain[timed])
    heads = parse_heads(buffer, words.at(parsed), lines[parsed], starts, line_parts, layout)
    loggers, bounds = heads.logger, np.searchsorted(lines, part_lines)
    if len(counted.lines):
        sampled = _sampled(bounds)
        loggers = parse_heads(buffer, words.at(sampled), lines[sampled], starts, line_parts, layout, 0).logger
        bounds = np.searchsorted(sampled, bounds)
    if len(loose):
        heads = _with_loose(heads, loose, buffer, starts, ends)
    last = lasts[rows]
    return Stretch(
        buffer=buffer,
        first_lines=part_lines[:-1],
        roles=tuple(role_of(loggers.slice(start, end - start)) for start, end in pairwise(bounds.tolist())),
        heads=heads,
        numbers=rows,
        last_lines=last,
        ends=ends[last],
        head_ends=line_parts[heads.line],
        starts=starts,
        hits=hits.chosen(~plain),
        counted=counted,
        is_selection=selection is not None,
    )


def _joined(texts: Sequence[bytes], tail: bytes) -> tuple[bytes, Offsets]:
    """The texts joined, each starting on a new line, and their offsets."""
    if len(texts) == 1:
        return texts[0] + tail if tail else texts[0], np.zeros(1, np.int64)
    whole = [text if not text or text.endswith(b"\n") else text + b"\n" for text in texts]
    lengths = np.array([len(text) for text in whole], np.int64)
    return b"".join(whole), np.cumsum(lengths) - lengths


def _sampled(bounds: Offsets) -> Offsets:
    """Indexes of all head lines of each part, or of about ROLE_RECORDS evenly spread."""
    spans = pairwise(bounds.tolist())
    return np.concatenate([np.arange(start, end, max((end - start) // ROLE_RECORDS, 1)) for start, end in spans])


def _first_parts(buffer: bytes, starts: Offsets, ends: Offsets) -> Offsets:
    """End of the first part of each line: the line's end, or its first LINE_BREAK."""
    breaks = np.flatnonzero(np.frombuffer(buffer, np.uint8) == LINE_BREAK[0]) if LINE_BREAK in buffer else ()
    if not len(breaks):
        return ends
    following = np.append(breaks, len(buffer))[np.searchsorted(breaks, starts)]
    parts: Offsets = np.minimum(ends, following)
    return parts


def _loose_heads(buffer: bytes, starts: Offsets, ends: Offsets, lines: Offsets, part_lines: Offsets) -> Offsets:
    """Lines without a time before the first record of a part that do not continue another line."""
    loose: list[int] = []
    records = np.searchsorted(lines, part_lines).tolist()
    for (first, end), record in zip(pairwise(part_lines.tolist()), records, strict=False):
        before = range(first, min(end, int(lines[record])) if record < len(lines) else end)
        loose += first_lines((line, buffer[starts[line] : min(ends[line], starts[line] + 400)]) for line in before)
    return np.array(loose, np.int64)


def _with_loose(heads: Heads, loose: Offsets, buffer: bytes, starts: Offsets, ends: Offsets) -> Heads:
    """The heads and lines with only a message, in the order of the lines."""
    message = slices(buffer, starts[loose], np.minimum(ends[loose], starts[loose] + MESSAGE_BYTES))
    blank = pa.nulls(len(loose), pa.string())
    lines = np.concatenate([loose, heads.line])
    order = np.argsort(lines, kind="stable")

    def joined(first: pa.Array, second: pa.Array) -> pa.Array:
        return pa.concat_arrays([first, second]).take(pa.array(order))

    return Heads(
        lines[order],
        np.concatenate([starts[loose], heads.start])[order],
        joined(pa.nulls(len(loose), pa.int64()), heads.ts_ms),
        joined(blank, heads.level),
        joined(blank, heads.logger),
        joined(blank, heads.thread),
        joined(message, heads.message),
        np.concatenate([np.zeros(len(loose), bool), heads.understood])[order],
        joined(blank, heads.zone),
    )
