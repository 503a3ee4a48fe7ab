"""Matches single messages from other sources than Flink's logs with the catalogue of log events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from diagnostics.log_scan.matching import match_events
from diagnostics.log_scan.selection import scanner_of


def event_columns(messages: Sequence[str]) -> list[dict[str, Any]]:
    """The columns of log_record that each message's event fills, including `event`; empty for unknown messages."""
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
