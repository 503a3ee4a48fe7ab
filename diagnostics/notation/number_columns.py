"""Numbers of many texts at once: the values that `float` gives one by one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    Floats = npt.NDArray[np.float64]
    Flags = npt.NDArray[np.bool_]

_USUAL = r"^[-+]?\d+\.?\d*([eE][-+]?\d{1,2})?$|^NaN$"


def usual_floats(texts: pa.Array) -> tuple[Flags, Floats]:
    """Which of the texts are numbers as programs print them, and their values; NaN for the others."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        values = _cast(texts)
    except pa.ArrowInvalid:
        usual = pc.match_substring_regex(texts, _USUAL).fill_null(False)
        known, values = usual.to_numpy(zero_copy_only=False), np.full(len(texts), np.nan)
        values[known] = _cast(texts.filter(usual))
        return known, values
    return texts.is_valid().to_numpy(zero_copy_only=False), values


def floats(texts: pa.Array) -> tuple[Flags, Floats]:
    """Which of the texts are numbers in any notation of Python, and their values; NaN for the others."""
    import numpy as np
    import pyarrow as pa

    known, values = usual_floats(texts)
    if not known.all():
        others = texts.filter(pa.array(~known)).dictionary_encode()
        single = [_float(text) for text in others.dictionary.to_pylist()]
        places = others.indices.fill_null(len(single)).to_numpy()
        values[~known] = np.array([*(math.nan if each is None else each for each in single), math.nan])[places]
        known[~known] = np.array([*(each is not None for each in single), False])[places]
    return known, values


def _cast(texts: pa.Array) -> Floats:
    import pyarrow as pa
    import pyarrow.compute as pc

    values: Floats = pc.cast(texts.cast(pa.string()), pa.float64()).to_numpy(zero_copy_only=False, writable=True)
    return values


def _float(text: str | bytes) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
