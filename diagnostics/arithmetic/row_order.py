"""Sorts Arrow rows, with unknown values where Spark and SQL put them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import pyarrow as pa

Direction = Literal["ascending", "descending"]

Order = Sequence[tuple[str, Direction]]
"""Columns to sort by, the most important first."""


def sort_rows(rows: pa.Table, order: Order, most: int | None = None) -> pa.Table:
    """The rows sorted, the first `most` of them; unknown values come first in ascending, last in descending order."""
    import pyarrow.compute as pc

    if rows.num_rows < 2:
        return rows
    keys: list[Any] = [(name, way, "at_start" if way == "ascending" else "at_end") for name, way in order]
    places = pc.sort_indices(with_plain_texts(rows.select([name for name, _ in order])), sort_keys=keys)
    return rows.take(places.slice(0, most))


def with_plain_texts(rows: pa.Table) -> pa.Table:
    """The rows with texts instead of dictionaries, which Arrow cannot sort by."""
    import pyarrow as pa

    types = [field.type for field in rows.schema]
    plain = [each.value_type if pa.types.is_dictionary(each) else each for each in types]
    return rows if types == plain else rows.cast(pa.schema(list(zip(rows.column_names, plain, strict=True))))


def first_rows(rows: pa.Table, order: Order, most: int) -> pa.Table:
    """At most `most` rows, the first in the order; fewer rows are returned unsorted."""
    return rows if rows.num_rows <= most else sort_rows(rows, order, most)


def first_rows_by_group(rows: pa.Table, column: str, order: Order, most: int) -> pa.Table:
    """At most `most` rows per value of a column, the first in the order; fewer rows are returned unsorted."""
    import numpy as np

    values = rows[column].combine_chunks().dictionary_encode()
    numbers = np.bincount(values.indices.to_numpy(), minlength=1)
    if numbers.max() <= most:
        return rows
    ordered = sort_rows(rows, ((column, "ascending"), *order))
    values = ordered[column].combine_chunks().dictionary_encode()
    numbers = np.bincount(values.indices.to_numpy())
    starts = np.cumsum(numbers) - numbers
    return ordered.filter(np.arange(len(ordered)) - np.repeat(starts, numbers) < most)
