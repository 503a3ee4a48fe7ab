"""Distribution of values per group: exact while there are few, in exactly mergeable classes when there are many.

A class holds the values whose binary fractions begin alike, and is represented by its end next to zero: with ten bits
it is 0.1 % wide. Classes of fewer bits are unions of classes of more, so the same values end in the same classes
however they were cut and merged.

Columns of a table of classes: the keys of the group, `value`, `bits` (kept of the fraction), `samples`, `least` and
`most` (of the values themselves), further totals, and the citation of `most` with its `ts_ms`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import fsum
from typing import TYPE_CHECKING, Any, Literal

from diagnostics.arithmetic.named_rows import named_rows
from diagnostics.arithmetic.row_order import Order, sort_rows
from diagnostics.citation import CITATION_COLUMNS

if TYPE_CHECKING:
    import pyarrow as pa

FRACTION_BITS = 52
"""Bits of a double's fraction: with all of them each value is its own class. Source: IEEE 754."""

KEPT_BITS = (FRACTION_BITS, 10, 8, 6, 4, 2, 0)
"""Widths of classes that are tried in sequence. Our choice: 0.1 %, 0.4 %, ... up to a factor of two."""

MOST_CLASSES = 50_000
"""Classes of all groups, above which they become wider. Our choice: 15 MB with their texts."""

Total = Literal["sum", "min", "max"]
PLACE = (*CITATION_COLUMNS, "ts_ms")


@dataclass(frozen=True, slots=True)
class Spread:
    """The distribution of one group.

    key     of the group
    median  the lower middle; in wider classes the class's representative, as for `total`, the sum
    totals  the further totals
    place   the row of `most`, with citation and `ts_ms`; among equal ones the last
    """

    key: tuple[Any, ...]
    samples: int
    median: float
    least: float
    most: float
    total: float
    totals: Mapping[str, Any]
    place: Any


def count_values(
    rows: pa.Table, keys: Sequence[str], value: str, totals: Mapping[str, Total], most_groups: int
) -> pa.Table:
    """The classes of rows that have a value.

    rows         with the keys, the value (a double), the columns of the totals, the citation and `ts_ms`
    most_groups  that are kept, the first in the order of their keys
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    values = pc.add(rows[value], 0.0)
    columns = {name: rows[name] for name in (*keys, *totals, *PLACE)} | dict.fromkeys(
        ("value", "least", "most"), values
    )
    for name, constant in (("bits", FRACTION_BITS), ("samples", 1)):
        columns[name] = pa.repeat(pa.scalar(constant, pa.int64()), rows.num_rows)
    return merge_classes(pa.table(columns), keys, totals, most_groups)


def merge_classes(classes: pa.Table, keys: Sequence[str], totals: Mapping[str, Total], most_groups: int) -> pa.Table:
    """The classes of several tables, one below the other, as one table."""
    import pyarrow.compute as pc

    known = _first_groups(classes, keys, most_groups)
    bits = pc.min(known["bits"]).as_py()
    for kept in KEPT_BITS if bits is None else KEPT_BITS[KEPT_BITS.index(bits) :]:
        known = _grouped(_widened(known, kept), keys, totals)
        if known.num_rows <= MOST_CLASSES:
            break
    return known


def _first_groups(classes: pa.Table, keys: Sequence[str], most: int) -> pa.Table:
    """The classes of the first groups in the order of their keys."""
    import numpy as np

    if classes.num_rows <= most:
        return classes
    ordered = sort_rows(classes, [(key, "ascending") for key in keys])
    begins = np.zeros(ordered.num_rows, bool)
    for key in keys:
        codes = ordered[key].combine_chunks().dictionary_encode(null_encoding="encode").indices.to_numpy()
        begins[1:] |= codes[1:] != codes[:-1]
    return ordered.filter(np.cumsum(begins) < most)


def _widened(classes: pa.Table, kept: int) -> pa.Table:
    """The classes with fewer bits, not merged yet."""
    import numpy as np
    import pyarrow as pa

    values = classes["value"].to_numpy().view(np.int64)
    wider = (values & -(1 << (FRACTION_BITS - kept))).view(np.float64)
    changed = classes.set_column(classes.schema.get_field_index("value"), "value", pa.array(wider))
    bits = pa.array(np.full(classes.num_rows, kept, np.int64))
    return changed.set_column(classes.schema.get_field_index("bits"), "bits", bits)


def _grouped(classes: pa.Table, keys: Sequence[str], totals: Mapping[str, Total]) -> pa.Table:
    import numpy as np
    import pyarrow as pa

    order: Order = [(name, "ascending") for name in ("most", "file_id", "line", "pointer")]
    ordered = sort_rows(classes, order)
    ordered = ordered.append_column("last", pa.array(np.arange(ordered.num_rows)))
    measures: Mapping[str, Total] = {"samples": "sum", "least": "min", "most": "max", "last": "max", **totals}
    merged = ordered.group_by([*keys, "value", "bits"], use_threads=False).aggregate(list(measures.items()))
    places = ordered.select(PLACE).take(merged["last_max"])
    columns = {name: merged[f"{name}_{how}"] for name, how in measures.items() if name != "last"}
    columns |= {name: merged[name] for name in (*keys, "value", "bits")} | {name: places[name] for name in PLACE}
    return pa.table({name: columns[name] for name in classes.column_names})


def spreads(classes: pa.Table, keys: Sequence[str], totals: Mapping[str, Total]) -> list[Spread]:
    """The spread of each group, in the order of their keys."""
    ordered = sort_rows(classes, [*((key, "ascending") for key in keys), ("value", "ascending")])
    measured_spreads = []
    for key, rows in groupby(named_rows(ordered), key=lambda row: tuple(getattr(row, name) for name in keys)):
        group = list(rows)
        samples = sum(row.samples for row in group)
        top = max(group, key=lambda row: (row.most, row.file_id, row.line or 0, row.pointer or ""))
        spread = Spread(
            key=key,
            samples=samples,
            median=_median(group, samples),
            least=min(row.least for row in group),
            most=top.most,
            total=fsum(row.value * row.samples for row in group),
            totals={name: _total(how, [getattr(row, name) for row in group]) for name, how in totals.items()},
            place=top,
        )
        measured_spreads.append(spread)
    return measured_spreads


def _median(group: Sequence[Any], samples: int) -> float:
    passed = 0
    for row in group:
        passed += row.samples
        if 2 * passed >= samples:
            break
    return float(row.value)


def _total(how: Total, values: Sequence[Any]) -> Any:
    known = [value for value in values if value is not None]
    if not known:
        return None
    return sum(known) if how == "sum" else min(known) if how == "min" else max(known)
