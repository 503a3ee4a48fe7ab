"""Reads lines of a GC log of the JVM's unified logging in the usual collectors and decorations, by column."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from diagnostics.notation.event_field import epoch_ms

if TYPE_CHECKING:
    import pyarrow as pa

USUAL = (
    r"^(?:\[(?P<ts>[12]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-][01]\d[0-5]\d)\])?(?:\[(?P<uptime>\d{1,12}\.\d{3})s\])?"
    r"(?:\[(?:info|debug|trace) *\])?\[(?P<tags>gc[a-z,+]*) *\] GC\((?P<id>\d{1,18})\) "
    r"(?P<what>(?:Pause|Concurrent) [A-Za-z0-9 .()-]*?[A-Za-z)])"
    r"(?: (?P<before>\d{1,12})(?P<before_unit>[KMG])->(?P<after>\d{1,12})(?P<after_unit>[KMG])"
    r"\((?P<total>\d{1,12})(?P<total_unit>[KMG])\))? (?P<length>\d{1,12}\.\d{1,6})ms[ \r]*\n?$"
)
"""A pause or a concurrent phase with its duration."""

PERHAPS = r"GC\(.*(?:Collection|(?:Pause|Concurrent).*\d[.,]\d{1,6}m?s\s*$)"
"""A line that may describe a collection in another form."""

MOST_USUAL = 200
"""Bytes of a line that may match. Our choice: the usual ones have 150."""

UNITS = {b"": 0.0, b"K": 2.0**10, b"M": 2.0**20, b"G": 2.0**30}


def usual_collections(
    lines: pa.LargeBinaryArray, described: Callable[[str, str], tuple[str, str | None] | None]
) -> tuple[pa.Table, list[int]]:
    """The collections in usual lines, and the indexes of the other lines that may describe one.

    described  what happened and the line's tags -> kind and cause, None where it does not count
    Gives      columns of the table `gc_pause`, and `line`, the index of the line, from 0
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    numbered = np.flatnonzero(pc.match_substring(lines, b"GC(").to_numpy(zero_copy_only=False))
    told = lines.take(pa.array(numbered))
    parts = pc.extract_regex(told, USUAL)
    usual = pc.and_(parts.is_valid(), pc.less_equal(pc.binary_length(told), MOST_USUAL))
    others = pc.and_(pc.invert(usual), pc.match_substring_regex(told, PERHAPS))
    places = numbered[others.to_numpy(zero_copy_only=False)].tolist()
    collections = pa.Table.from_struct_array(parts.filter(usual)).append_column(
        "line", pa.array(numbered[usual.to_numpy(zero_copy_only=False)])
    )
    kinds, causes, counts = _described(collections, described)
    columns = {
        "ts_ms": epochs_ms(known_texts(collections["ts"])),
        "uptime_ms": pc.multiply(pc.cast(known_texts(collections["uptime"]), pa.float64()), 1000.0),
        "gc_id": pc.cast(known_texts(collections["id"]), pa.int64()),
        "kind": kinds,
        "cause": causes,
        "pause_ms": pc.cast(known_texts(collections["length"]), pa.float64()),
        **{f"{name}_bytes": _octets(collections, name) for name in ("before", "after", "total")},
        "line": collections["line"],
    }
    return pa.table(columns).filter(counts), places


def known_texts(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """As texts; null where the line has none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.if_else(pc.equal(texts, b""), None, pc.cast(texts, pa.string()))


def epochs_ms(texts: pa.ChunkedArray) -> pa.ChunkedArray | pa.Array:
    """Epoch milliseconds of ISO 8601 texts; null for invalid dates."""
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        return pc.cast(pc.cast(texts, pa.timestamp("ms", "UTC")), pa.int64())
    except pa.ArrowInvalid:
        return pa.array([epoch_ms(text) for text in texts.to_pylist()], pa.int64())


def _octets(collections: pa.Table, name: str) -> pa.ChunkedArray:
    """A size in bytes."""
    import pyarrow as pa
    import pyarrow.compute as pc

    units = collections[f"{name}_unit"]
    factors = pc.take(pa.array(UNITS.values()), pc.index_in(units, pa.array(UNITS, units.type)))
    return pc.multiply(pc.cast(known_texts(collections[name]), pa.float64()), factors)


def _described(
    collections: pa.Table, described: Callable[[str, str], tuple[str, str | None] | None]
) -> tuple[pa.Array, pa.Array, pa.Array]:
    """Kind and cause of each collection, and whether it counts; computed once per distinct description."""
    import pyarrow as pa
    import pyarrow.compute as pc

    joined = pc.binary_join_element_wise(
        collections["tags"], collections["what"], pa.scalar(b"\n", pa.large_binary())
    ).combine_chunks()
    coded = joined.dictionary_encode()
    told = [described(*reversed(each.decode().split("\n"))) for each in coded.dictionary.to_pylist()]
    kinds, causes = (
        pa.array([each[place] if each else None for each in told], pa.string()).take(coded.indices) for place in (0, 1)
    )
    return kinds, causes, pa.array([each is not None for each in told], pa.bool_()).take(coded.indices)
