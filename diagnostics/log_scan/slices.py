"""Parts of a buffer as Arrow strings, without a Python object per part."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Offsets = npt.NDArray[np.int64]

_INLINE = 12
"""Maximum length of an inline string in a string view. Source: Arrow columnar format, "Variable-size Binary View"."""


def slices(buffer: bytes, starts: Offsets, ends: Offsets) -> pa.Array:
    """`buffer[start:end]` for each pair, as strings. A character cut at an end becomes U+FFFD."""
    count = len(starts)
    lengths = np.maximum(ends - starts, 0)
    views = np.zeros((count, 4), dtype=np.int32)
    views[:, 0] = lengths
    octets = np.frombuffer(buffer, dtype=np.uint8)
    view_octets = views.view(np.uint8).reshape(count, 16)
    for place in range(_INLINE):
        rows = np.flatnonzero((lengths > place) & ((lengths <= _INLINE) if place >= 4 else True))
        view_octets[rows, 4 + place] = octets[starts[rows] + place]
    longer = lengths > _INLINE
    views[longer, 2] = 0
    views[longer, 3] = starts[longer]
    array = pa.Array.from_buffers(
        pa.binary_view(), count, [None, pa.py_buffer(views.tobytes()), pa.py_buffer(buffer)], null_count=0
    )
    raw = pc.cast(array, pa.binary())
    try:
        return pc.cast(raw, pa.string())
    except pa.ArrowInvalid:
        return pa.array([each.decode("utf-8", "replace") for each in raw.to_pylist()], pa.string())
