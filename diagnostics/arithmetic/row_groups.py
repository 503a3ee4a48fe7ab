"""Groups rows with equal values in some columns, by number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    Numbers = npt.NDArray[np.int64]

LARGEST_CODE = 2**62


def row_groups(rows: pa.Table, columns: Sequence[str]) -> tuple[Numbers, Numbers]:
    """The first row of each distinct combination of values, and the number of each row's combination.

    Combinations are numbered from 0 in order of appearance; unknown is a value like any other.
    """
    import numpy as np

    codes: Numbers = np.zeros(rows.num_rows, np.int64)
    room = 1
    for name in columns:
        own, count = _codes(rows[name])
        if room * count > LARGEST_CODE:
            codes, room = _numbered(codes)
        codes, room = codes * count + own, room * count
    groups, count = _numbered(codes)
    first = np.empty(count, np.int64)
    first[groups[::-1]] = np.arange(len(groups))[::-1]
    return first, groups


def group_starts(*columns: Numbers) -> Numbers:
    """Start index of each run of rows with equal columns."""
    import numpy as np

    changes = np.ones(len(columns[0]), bool)
    for place, column in enumerate(columns):
        changes[1:] = (changes[1:] & (place > 0)) | (np.diff(column) != 0)
    return np.flatnonzero(changes)


def ends_of_runs(*columns: Numbers) -> Numbers:
    """Last index of each run of rows with equal columns."""
    import numpy as np

    return np.append(group_starts(*columns)[1:], len(columns[0]))[: len(columns[0])] - 1


def order_of(rows: pa.Table, *keys: Numbers) -> Numbers:
    """Row indexes in sorted order: by keys, the most important last as in `lexsort`, then by citation and value."""
    import numpy as np

    keys = (*_citation_ranks(rows), *keys)
    order = sorted_order(*keys)
    if len(group_starts(*(key[order] for key in keys))) < len(order):
        order = np.lexsort((rows["value"].fill_null(0).to_numpy(), *keys))
    return order


def sorted_order(*keys: Numbers) -> Numbers:
    """Row indexes in sorted order, the most important key last: those of `lexsort`."""
    import numpy as np

    order = order_by_first(keys)
    return np.lexsort(keys) if order is None else order


def order_by_first(keys: Sequence[Numbers]) -> Numbers | None:
    """`sorted_order` where it is enough to sort by the most important key, the last; else None.

    Rows come in the order of their times, mostly, and numpy sorts short numbers twenty times as fast as others.
    """
    import numpy as np

    first = keys[-1]
    is_short = first.min(initial=0) >= 0 and first.max(initial=0) <= np.iinfo(np.uint16).max
    order: Numbers = np.argsort(first.astype(np.uint16) if is_short else first, kind="stable")
    return order if _are_sorted(order, keys) else None


def _are_sorted(order: Numbers, keys: Sequence[Numbers]) -> bool:
    """Whether the rows are in this order by all keys, the most important last."""
    import numpy as np

    is_tied = np.ones(max(len(order) - 1, 0), bool)
    for key in reversed(keys):
        steps = np.diff(key[order])
        if (steps[is_tied] < 0).any():
            return False
        is_tied &= steps == 0
    return True


def _citation_ranks(rows: pa.Table) -> tuple[Numbers, ...]:
    """Numbers in the order of the citations, the least important first; columns with a single value are left out."""
    import numpy as np
    import pyarrow.compute as pc

    keys = []
    for name in ("pointer", "line", "file_id"):
        column = rows[name]
        if column.null_count == len(column):
            continue
        is_text = name == "pointer"  # never empty
        ranks = pc.rank(column.fill_null(""), tiebreaker="dense") if is_text else column.fill_null(-1)
        key = ranks.to_numpy().astype(np.int64)
        if (key != key[0]).any():
            keys.append(key)
    return tuple(keys)


def _codes(column: pa.ChunkedArray) -> tuple[Numbers, int]:
    """A number per row, equal for equal values, and the upper bound of the numbers."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        encoded = column.unify_dictionaries().combine_chunks()
    else:
        encoded = column.combine_chunks().dictionary_encode()
    unknown = len(encoded.dictionary)
    return encoded.indices.fill_null(unknown).to_numpy(zero_copy_only=False).astype("int64"), unknown + 1


def _numbered(codes: Numbers) -> tuple[Numbers, int]:
    """Numbers by hashing, which is ten times as fast as by sorting."""
    import pyarrow as pa

    encoded = pa.array(codes).dictionary_encode()
    return encoded.indices.to_numpy().astype("int64"), len(encoded.dictionary)
