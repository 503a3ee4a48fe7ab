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
    return whole.dictionary, codes.astype(np.int64)


def in_name_order(column: pa.ChunkedArray) -> tuple[pa.Array, npt.NDArray[np.int64]]:
    """As `text_codes`, with the distinct texts sorted."""
    import numpy as np
    import pyarrow.compute as pc

    names, codes = text_codes(column)
    order = pc.sort_indices(names)
    ranks = np.full(len(names) + 1, len(names))
    ranks[order.to_numpy()] = np.arange(len(names))
    return names.take(order), ranks[codes]
