"""Dictionary codes of a column of texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa


def text_codes(column: pa.ChunkedArray) -> tuple[pa.Array, npt.NDArray[np.int64]]:
    """The distinct texts, and the index of each row's text; an unknown text has the index after the last.

    column  texts, plain or dictionary-encoded
    """
    import numpy as np
    import pyarrow as pa

    coded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    whole = coded.unify_dictionaries().combine_chunks()
    codes = whole.indices.fill_null(len(whole.dictionary)).to_numpy(zero_copy_only=False)
    return _used(whole.dictionary, codes.astype(np.int64))


def in_name_order(column: pa.ChunkedArray) -> tuple[pa.Array, npt.NDArray[np.int64]]:
    """As `text_codes`, with the distinct texts sorted."""
    import numpy as np
    import pyarrow.compute as pc

    names, codes = text_codes(column)
    order = pc.sort_indices(names)
    ranks = np.full(len(names) + 1, len(names))
    ranks[order.to_numpy()] = np.arange(len(names))
    return names.take(order), ranks[codes]


def coded_texts(names: pa.Array, codes: npt.NDArray[np.int64]) -> pa.DictionaryArray:
    """The texts of codes, the reverse of `text_codes`; texts without a code are not among its dictionary."""
    import numpy as np
    import pyarrow as pa

    names, codes = _used(names, codes)
    return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32), mask=codes == len(names)), names)


def _used(names: pa.Array, codes: npt.NDArray[np.int64]) -> tuple[pa.Array, npt.NDArray[np.int64]]:
    """The texts that some row has: rows that were left out leave theirs in a dictionary."""
    import numpy as np
    import pyarrow as pa

    is_used = np.bincount(codes, minlength=len(names) + 1)[: len(names)] > 0
    if is_used.all():
        return names, codes
    return names.filter(pa.array(is_used)), np.append(np.cumsum(is_used) - 1, is_used.sum())[codes]
