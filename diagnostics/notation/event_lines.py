"""Reads events from files with one event per line, in any line syntax."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.notation.event_columns import event_batch
from diagnostics.notation.event_field import EventFields, Events
from diagnostics.notation.file_range import Range
from diagnostics.notation.tally import MOST_SHOWN, Tally
from diagnostics.notation.text_lines import line_blocks

MOST_LINE = 1_048_576
"""Bytes of a line that may be an event. Our choice: longer than the records that a broker accepts by default."""
LINES_LOOKED_AT = 20
"""Lines from which a file is recognised and its fields are chosen. Our choice."""

BLOCK_BYTES = 4_194_304
"""Bytes of whole lines that are parsed at once. Our choice."""


def read_event_lines(
    part: Range,
    fields: EventFields | None,
    event_of: Callable[[bytes], Mapping[str, Any] | None],
    columns_of: Callable[[bytes], pa.Table | None],
    *,
    names_first: bool = False,
) -> Iterator[Rows | Coverage]:
    """The events of a range, and the coverage with lines not understood.

    fields       the event fields; None: no line is an event
    event_of     the event of a line, None when it is none
    columns_of   the events of many lines, one per line; None when a line must be read by itself
    names_first  whether the first line of the file names the fields
    """
    tally, before = Tally(), 0
    for block in line_blocks(part, MOST_LINE + 1, BLOCK_BYTES):
        if names_first and part.start == before == 0:
            before, block = 1, block.partition(b"\n")[2]
        lines = block.count(b"\n") + (block[-1:] not in (b"\n", b""))
        columns = columns_of(block) if fields is not None else None
        if columns is not None and fields is not None and columns.num_rows == lines:
            numbers = pa.array(np.arange(before + 1, before + lines + 1))
            batch = event_batch(columns, fields, numbers)
        else:
            batch = _one_by_one(block, fields, event_of, before, tally)
        before += lines
        tally.records += batch.num_rows
        if batch.num_rows:
            yield Rows("event", batch=batch)
    yield tally.coverage()


def _one_by_one(
    block: bytes,
    fields: EventFields | None,
    event_of: Callable[[bytes], Mapping[str, Any] | None],
    before: int,
    tally: Tally,
) -> pa.RecordBatch:
    """The events of some lines, one by one; the tally counts the other lines."""
    events = Events()
    for number, line in enumerate(io.BytesIO(block), before + 1):
        event = event_of(line) if fields is not None else None
        if event is not None and fields is not None:
            events.add(event, fields, number)
        elif line.strip():
            tally.odd(number, line[:MOST_SHOWN].decode("utf-8", "replace").strip())
    return events.batch()
