"""Reads collections in a GC log of JDK 6 to 8 by column: Serial, Parallel, ParNew, G1 with details, phases of CMS."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from diagnostics.notation.gc_columns import epochs_ms, known_texts
from diagnostics.notation.gc_lines_before_9 import MOST_LINES_OF_ONE

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    Numbers = npt.NDArray[np.int64]
    Flags = npt.NDArray[np.bool_]

_HEAP = r"(?:\d+K->\d+K\(\d+K\)| \d+[KMG]->\d+[KMG]\(\d+[KMG]\))"
_SPACE = (
    r" ?(?:[0-9.:T+-]+: ){0,2}\[(?:PSYoungGen|ParOldGen|PSOldGen|PSPermGen|Tenured|DefNew|ParNew|Perm ?|Metaspace): "
    r"\d+K->\d+K\(\d+K\)(?:, \d+\.\d{4,9} secs)?\]"
)
_STAMP = (
    r"^(?:(?P<date>[12]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-][01]\d[0-5]\d): ?)?"
    r"(?:(?P<uptime>\d{1,11}\.\d{3,4}): ?)?(?:#(?P<id>\d{1,18}): ?)?\["
)
_WHAT = (
    r"(?P<what>Full GC|GC)(?: pause)?(?: \((?P<cause>[A-Z][A-Za-z0-9 ._]{2,60}(?:\(\))?)\) ?)?"
    r"(?: ?\((?P<mode>young|mixed)\))?(?: ?\(initial-mark\))?(?: ?\(to-space exhausted\))?"
)
_TIMES = r"(?: \[Times: user=\d+\.\d\d sys=\d+\.\d\d, real=\d+\.\d\d secs\])?"
_TAIL = rf"\]{_TIMES}[ \r]*\n?$"
_END = rf", (?P<seconds>\d{{1,6}}\.\d{{4,9}}) secs{_TAIL}"
_WHOLE = (
    r"(?:\]|[A-Z)] ?) {0,2}(?P<before>\d{1,12})(?P<before_unit>[KMG])->(?P<after>\d{1,12})(?P<after_unit>[KMG])"
    r"\((?P<total>\d{1,12})(?P<total_unit>[KMG])\),"
)
"""The whole heap, behind what happened or the spaces, which are parts of it in brackets."""

_DETAILED = (
    r"^ +\[Eden: [0-9BKMG(). >-]+ Survivors: [0-9BKMG. >-]+ Heap: "
    r"(?P<before>\d{1,12}(?:\.\d)?)(?P<before_unit>[BKMG])\([0-9.]+[BKMG]\)->"
    r"(?P<after>\d{1,12}(?:\.\d)?)(?P<after_unit>[BKMG])\((?P<total>\d{1,12}(?:\.\d)?)(?P<total_unit>[BKMG])\)\]"
    r"(?:, \[Metaspace: \d+K->\d+K\(\d+K\)\])? *\r?\n?$"
)
"""The details that G1 prints some lines after a pause, with the whole heap."""

_PHASE = (
    rf"{_STAMP}(?:GC concurrent-[a-z-]{{3,40}}-end, |CMS-concurrent-[a-z-]{{3,40}}: \d{{1,9}}\.\d{{1,9}}/)"
    rf"(?P<seconds>\d{{1,6}}\.\d{{3,9}}) secs{_TAIL}"
)
_PHASE_BEGINS = rf"{_STAMP}GC concurrent-[a-z-]{{3,40}}-start\] *\r?\n?$"

_OPENS = (
    r"^(?:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.,]\d{3}[+-]\d{4}: ?)?(?:\d{1,12}[.,]\d{3,4}: ?)?(?:#\d{1,18}: ?)?"
    r"\[(?:Full GC|GC)(?:[^a-z]|$)"
)
"""The first line of any collection, which ends the one before it."""

STATING = rf"{_OPENS}|concurrent-[a-z-]{{3,40}}(?:-end|:)|^[0-9#\[].* ms\]|\d{{4}} secs\]|->"
"""What a line has that is more than a detail of its collection."""


def _plain(pattern: str) -> str:
    """The pattern without groups: RE2 finds such lines ten times faster than their values at once."""
    return re.sub(r"\(\?P<\w+>", "(?:", pattern)


_USUAL = _plain(rf"{_STAMP}{_WHAT}(?:{_SPACE}){{0,4}}(?: {{0,2}}{_HEAP})?(?:,{_SPACE}){{0,2}}{_END}")
"""A collection from its time to its duration; G1 may print the heap in its details."""

MOST_USUAL = 500
"""Bytes of a line that may match. Our choice: the longest ones have 300."""

STOP_THE_WORLD = b"STW"
"""In brackets behind `GC`, and no cause."""


def stated_collections(stated: pa.LargeBinaryArray, places: Numbers) -> tuple[pa.Table, Flags]:
    """Columns of the table `gc_pause` for collections that end among some lines, and which of the lines they took.

    stated  the lines that state something, in their order
    places  their indexes among all lines, which become `line` and `last_line`
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    is_phase = _match(stated, _PHASE)
    opening = np.flatnonzero(is_phase | _match(stated, _OPENS))
    heads, lines, is_phase = stated.take(pa.array(opening)), places[opening], is_phase[opening]
    members = np.diff(opening, append=len(stated)) - 1
    # A line behind the last one may still belong to the last collection.
    until = np.append(lines[1:] - 1, np.iinfo(np.int64).max)[: len(lines)]
    in_full = until - lines <= MOST_LINES_OF_ONE
    detail = stated.take(pa.array(np.minimum(opening + 1, len(stated) - 1)))
    detailed = pc.extract_regex(detail, _DETAILED)
    has_detail = detailed.is_valid().to_numpy(zero_copy_only=False) & (members == 1)
    is_usual = _match(heads, _USUAL) & (pc.binary_length(heads).to_numpy() <= MOST_USUAL)
    begin, whole = pc.extract_regex(heads, _STAMP + _WHAT), pc.extract_regex(heads, _WHOLE)
    has_whole = whole.is_valid().to_numpy(zero_copy_only=False)
    is_pause = is_usual & in_full & np.where(has_whole, (members == 0) | has_detail, has_detail)
    is_pause &= ~pc.equal(begin.field("cause"), STOP_THE_WORLD).fill_null(False).to_numpy(zero_copy_only=False)
    is_phase &= members == 0
    begins_phase = _match(heads, _PHASE_BEGINS) & (members == 0) & (np.arange(len(lines)) < len(lines) - 1)

    taken = np.zeros(len(stated), np.bool_)
    taken[opening[is_pause | is_phase | begins_phase]] = True
    taken[opening[is_pause & (members == 1)] + 1] = True
    pauses, phases = pa.array(is_pause), pa.array(is_phase)
    heap = pc.if_else(pa.array(has_whole), whole, detailed).filter(pauses)
    seconds = pc.extract_regex(heads.filter(pauses), _END).field("seconds")
    return (
        pa.concat_tables(
            [
                _columns(begin.filter(pauses), seconds, heap, lines[is_pause], until[is_pause]),
                _columns(pc.extract_regex(heads.filter(phases), _PHASE), None, None, lines[is_phase], lines[is_phase]),
            ]
        ),
        taken,
    )


def _match(lines: pa.LargeBinaryArray, pattern: str) -> Flags:
    import pyarrow.compute as pc

    found: Flags = pc.match_substring_regex(lines, _plain(pattern)).to_numpy(zero_copy_only=False)
    return found


def _columns(
    parts: pa.StructArray, seconds: pa.Array | None, heap: pa.StructArray | None, lines: Numbers, last_lines: Numbers
) -> pa.Table:
    """Columns of the table `gc_pause` from the parts of lines; without a heap they are phases."""
    import pyarrow as pa
    import pyarrow.compute as pc

    count = len(parts)
    kind, cause = pa.repeat("concurrent", count), pa.nulls(count, pa.string())
    sizes = dict.fromkeys((f"{name}_bytes" for name in HEAP), pa.nulls(count, pa.float64()))
    if heap is not None:
        young = pc.if_else(pc.equal(parts.field("mode"), b"mixed"), "mixed", "young")
        kind, cause = (
            pc.if_else(pc.equal(parts.field("what"), b"Full GC"), "full", young),
            known_texts(parts.field("cause")),
        )
        sizes = {f"{name}_bytes": _octets(heap, name) for name in HEAP}
    return pa.table(
        {
            "ts_ms": epochs_ms(known_texts(parts.field("date"))),
            "uptime_ms": _thousands(known_texts(parts.field("uptime"))),
            "gc_id": pc.cast(known_texts(parts.field("id")), pa.int64()),
            "kind": kind,
            "cause": known_texts(cause),
            "pause_ms": _thousands(known_texts(parts.field("seconds") if seconds is None else seconds)),
            **sizes,
            "line": pa.array(lines),
            "last_line": pa.array(last_lines),
        }
    )


HEAP = ("before", "after", "total")
_UNITS = {b"B": 1.0, b"K": 2.0**10, b"M": 2.0**20, b"G": 2.0**30}


def _octets(heap: pa.StructArray, name: str) -> pa.Array:
    """A size in bytes."""
    import pyarrow as pa
    import pyarrow.compute as pc

    units = heap.field(f"{name}_unit")
    factors = pc.take(pa.array(_UNITS.values()), pc.index_in(units, pa.array(_UNITS, units.type)))
    return pc.multiply(pc.cast(known_texts(heap.field(name)), pa.float64()), factors)


def _thousands(texts: pa.Array) -> pa.Array:
    """A thousand times a decimal number of at least three decimals: exactly the number with its point moved."""
    import pyarrow as pa
    import pyarrow.compute as pc

    digits = pc.cast(pc.cast(pc.replace_substring(texts, ".", ""), pa.int64()), pa.float64())
    decimals = pc.subtract(pc.subtract(pc.utf8_length(texts), pc.find_substring(texts, ".")), 4)
    return pc.divide(digits, pc.power(pa.scalar(10.0), pc.cast(decimals, pa.float64())))
