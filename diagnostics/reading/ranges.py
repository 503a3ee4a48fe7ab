"""Cuts files into byte ranges at line starts, and groups the ranges into tasks of equal cost."""

from __future__ import annotations

import heapq
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import numpy as np

from diagnostics.formats.format import Format
from diagnostics.intake import InputFile
from diagnostics.notation.event_field import NamedFields
from diagnostics.notation.file_range import Range
from diagnostics.reading.beginning import Cut
from diagnostics.reading.clock import FileClock
from diagnostics.reading.one_cluster import OneCluster

RANGE_BYTES = 16 * 1024 * 1024
"""Size of the ranges of a splittable file. Measured: 4 to 64 MB are equivalent; smaller ranges balance better."""

LONGEST_RANGE_BYTES = 64 * 1024 * 1024
"""A range exceeds RANGE_BYTES by its last line. Our choice: one four times as long contains a line that no reader of
lines can hold, such as a document named like a log.
"""

PIECE_BYTES = 1024 * 1024
"""Bytes of a file in memory while its ranges are determined. Our choice."""

FILE_COST_BYTES = 20_000
"""Fixed cost of opening and recognising a file, as bytes read. Measured: about 0.2 ms per file."""


@dataclass(frozen=True, slots=True)
class PlannedRange:
    """A range with its format, the number of lines before it, the correction of its times, and the rows that count."""

    part: Range
    format_id: str
    lines_before: int
    clock: FileClock | None = None
    cut: Cut | None = None
    cluster: OneCluster | None = None


def ranges_of(
    file: InputFile,
    chosen: Format | None,
    taken_ms: int | None,
    clock: FileClock | None,
    fields: NamedFields | None = None,
    cut: Cut | None = None,
    cluster: OneCluster | None = None,
) -> Iterator[PlannedRange]:
    """The ranges of a file: one, or several cut at line starts, each with the number of lines before it."""
    if chosen is None or file.path is None:
        return
    size = file.path.stat().st_size
    known = {"snapshot_ms": taken_ms, "event_fields": fields}
    context = {name: value for name, value in known.items() if value is not None}
    if chosen.parts is not None:
        cuts = _cut_between_parts(_part_starts(chosen.parts, file.path), size)
    else:
        cuts = _cuts(file.path, size) if chosen.splittable else [0]
    lines = [0] * len(cuts) if chosen.binary else _lines_between(file.path, cuts)
    for start, end, lines_before in zip(cuts, [*cuts[1:], size], lines, strict=True):
        part = Range(file.file_id, file.name, str(file.path.resolve()), start, end, size, context)
        yield PlannedRange(part, chosen.id, lines_before, clock, cut, cluster)


def _part_starts(parts: Callable[[Path], Sequence[int]], path: Path) -> Sequence[int]:
    """Offsets of the parts of a file; when they cannot be determined the file is one part, and its reader reports the
    error.
    """
    try:
        return parts(path)
    except Exception:
        return [0]


def _cut_between_parts(begins: Sequence[int], size: int) -> list[int]:
    """Those of the parts' offsets that are about RANGE_BYTES apart."""
    cuts = [0]
    for begin in begins:
        if begin - cuts[-1] >= RANGE_BYTES and begin < size:
            cuts.append(begin)
    return cuts


def _cuts(path: Path, size: int) -> list[int]:
    """Offsets of line starts about RANGE_BYTES apart, the first 0."""
    cuts = [0]
    with path.open("rb") as opened:
        while size - cuts[-1] > RANGE_BYTES * 3 // 2:
            opened.seek(cuts[-1] + RANGE_BYTES)
            while (piece := opened.readline(PIECE_BYTES)) and not piece.endswith(b"\n"):
                continue
            if opened.tell() >= size:
                break
            cuts.append(opened.tell())
    return cuts


def _lines_between(path: Path, cuts: Sequence[int]) -> list[int]:
    """For each cut the number of lines before it, counted on all cores.

    Numpy counts in half the time of `bytes.count`, and lets other threads run meanwhile.
    """

    def counted(start: int, end: int) -> int:
        with path.open("rb") as opened:
            opened.seek(start)
            pieces = (opened.read(min(PIECE_BYTES, end - at)) for at in range(start, end, PIECE_BYTES))
            return sum(int(np.count_nonzero(np.frombuffer(piece, np.uint8) == ord("\n"))) for piece in pieces)

    with ThreadPoolExecutor(os.cpu_count() or 1) as cores:
        return [*accumulate(cores.map(counted, cuts[:-1], cuts[1:]), initial=0)]


def grouped(ranges: Sequence[PlannedRange], most: int) -> list[list[PlannedRange]]:
    """The ranges in at most `most` groups of about equal cost, largest first into the emptiest group."""
    heap = [(0, number) for number in range(min(most, len(ranges)))]
    groups: list[list[PlannedRange]] = [[] for _ in heap]
    for planned in sorted(ranges, key=lambda each: (each.part.start - each.part.end, each.part.file_id)):
        cost, number = heapq.heappop(heap)
        groups[number].append(planned)
        heapq.heappush(heap, (cost + planned.part.end - planned.part.start + FILE_COST_BYTES, number))
    return [sorted(group, key=lambda each: (each.part.file_id, each.part.start)) for group in groups]
