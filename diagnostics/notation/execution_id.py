"""The id of a task's attempt in the messages about its state, as every process prints it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

PRINTED = r"\((?P<id>[0-9a-f_]+)\) switched from "
SHORTEST, LONGEST = 32, 120
"""Characters of an id: 32 in old releases, two ids of 32 and two numbers from 1.16 on, with some room. A pattern that
counts them takes twice as long."""


def execution_ids(messages: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """The id in each message, null where there is none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    found = pc.struct_field(pc.extract_regex(messages, pattern=PRINTED), "id")
    length = pc.binary_length(found)
    fits = pc.and_(pc.greater_equal(length, SHORTEST), pc.less_equal(length, LONGEST))
    return pc.if_else(fits, found, pa.scalar(None, pa.string()))
