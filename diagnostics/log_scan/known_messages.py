"""Which events of the catalogue some messages are that do not come from a log of Flink: one at a time, few of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from diagnostics.log_scan.matching import match_events
from diagnostics.log_scan.selection import scanner_of


def event_columns(messages: Sequence[str]) -> list[dict[str, Any]]:
    """For each message the columns of log_record that its event fills, `event` among them; empty for unknown ones."""
    if not messages:
        return []
    lines = [" ".join(message.split("\n")).encode("utf-8", "replace") for message in messages]
    buffer = b"\n".join(lines) + b"\n"
    ends = np.cumsum([len(line) + 1 for line in lines]).astype(np.int64) - 1
    starts = np.concatenate([[0], ends[:-1] + 1]).astype(np.int64)
    texts = [line.decode("utf-8", "replace") for line in lines]
    unnamed = pa.nulls(len(lines), pa.string())
    hits = scanner_of(None).hits_in(buffer, starts)
    columns = match_events(hits, ends, pa.array(texts), unnamed, texts.__getitem__)
    known = {name: column.to_pylist() for name, column in columns.items()}
    return [
        {name: values[place] for name, values in known.items() if values[place] is not None}
        for place in range(len(lines))
    ]
