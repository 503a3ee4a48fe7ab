"""Reads whole collections of one line in a GC log of JDK 6 to 8, by column: Serial, Parallel and ParNew."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from diagnostics.notation.gc_columns import epochs_ms, known_texts

if TYPE_CHECKING:
    import pyarrow as pa

_HEAP = r"\d+K->\d+K\(\d+K\)"
_SPACE = (
    r" ?(?:[0-9.:T+-]+: )?\[(?:PSYoungGen|ParOldGen|PSOldGen|PSPermGen|Tenured|DefNew|ParNew|Perm ?|Metaspace): "
    rf"{_HEAP}(?:, \d+\.\d{{4,9}} secs)?\]"
)
_BEGIN = (
    r"^(?:(?P<date>[12]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-][01]\d[0-5]\d): ?)?"
    r"(?:(?P<uptime>\d{1,11}\.\d{3,4}): ?)?\[(?P<what>Full GC|GC)"
    r"(?: \((?P<cause>[A-Z][A-Za-z0-9 ._]{2,60}(?:\(\))?)\) ?)?"
)
_TIMES = r"(?: \[Times: user=\d+\.\d\d sys=\d+\.\d\d, real=\d+\.\d\d secs\])?"
_END = rf", (?P<seconds>\d{{1,6}}\.\d{{4,9}}) secs\]{_TIMES}[ \r]*\n?$"
_WHOLE = r"(?:\]|[A-Z)] ?) {0,2}(?P<before>\d{1,12})K->(?P<after>\d{1,12})K\((?P<total>\d{1,12})K\),"
"""The whole heap, behind what happened or the spaces, which are parts of it in brackets."""

USUAL = re.sub(
    r"\(\?P<\w+>",
    "(?:",
    rf"{_BEGIN}(?:{_SPACE}){{0,4}} {{0,2}}{_HEAP}(?:,{_SPACE}){{0,2}}{_END}",
)
"""A collection from its time to its duration. RE2 finds such lines ten times faster than their values at once."""

MOST_USUAL = 500
"""Bytes of a line that may match. Our choice: the longest ones have 300."""

STOP_THE_WORLD = b"STW"
"""In brackets behind `GC`, and no cause."""


def usual_collections(lines: pa.LargeBinaryArray) -> pa.Table:
    """The collections in usual lines: columns of the table `gc_pause`, and `line`, the index of the line, from 0."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    is_usual = pc.and_(pc.match_substring_regex(lines, USUAL), pc.less_equal(pc.binary_length(lines), MOST_USUAL))
    usual = lines.filter(is_usual)
    begin, whole, end = (pc.extract_regex(usual, pattern) for pattern in (_BEGIN, _WHOLE, _END))
    date, uptime, what, cause = begin.flatten()
    columns = {
        "ts_ms": epochs_ms(known_texts(date)),
        "uptime_ms": _thousands(known_texts(uptime)),
        "kind": pc.if_else(pc.equal(what, b"Full GC"), "full", "young"),
        "cause": known_texts(cause),
        "pause_ms": _thousands(known_texts(end.flatten()[0])),
        **{
            f"{name}_bytes": pc.multiply(pc.cast(known_texts(size), pa.float64()), 1024.0)
            for name, size in zip(("before", "after", "total"), whole.flatten(), strict=True)
        },
        "line": pa.array(np.flatnonzero(is_usual.to_numpy(zero_copy_only=False))),
    }
    counts = pc.and_(pc.and_(whole.is_valid(), end.is_valid()), pc.not_equal(cause, STOP_THE_WORLD))
    return pa.table(columns).filter(counts)


def _thousands(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """A thousand times a decimal number of at least three decimals: exactly the number with its point moved."""
    import pyarrow as pa
    import pyarrow.compute as pc

    digits = pc.cast(pc.cast(pc.replace_substring(texts, ".", ""), pa.int64()), pa.float64())
    decimals = pc.subtract(pc.subtract(pc.utf8_length(texts), pc.find_substring(texts, ".")), 4)
    return pc.divide(digits, pc.power(pa.scalar(10.0), pc.cast(decimals, pa.float64())))
