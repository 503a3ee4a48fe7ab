"""Dictionary encoding of a column of texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa


def dictionary_encoded(column: pa.Array | pa.ChunkedArray) -> tuple[list[str | None], npt.NDArray[np.int64]]:
    """The distinct texts, the last one None for unknown, and the index of each row's text among them.

    column  texts, plain or dictionary-encoded
    """
    import numpy as np
    import pyarrow as pa

    if isinstance(column, pa.ChunkedArray):
        column = (column.unify_dictionaries() if pa.types.is_dictionary(column.type) else column).combine_chunks()
    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    texts = [*encoded.dictionary.to_pylist(), None]
    codes = encoded.indices.fill_null(len(texts) - 1).to_numpy(zero_copy_only=False)
    return texts, codes.astype(np.int64)
