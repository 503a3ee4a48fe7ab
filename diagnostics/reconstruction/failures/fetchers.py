"""What the fetchers of sources threw: they log it with its whole trace before the task fails with a report of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from diagnostics.aggregators import alarming_records
from diagnostics.evidence import Evidence, read_once

FETCHERS = ".fetcher.SplitFetcherManager"
"""End of the logger that reports an exception of a fetcher. Source: Flink's SplitFetcherManager."""


@read_once
def thrown_by_fetchers(evidence: Evidence) -> Sequence[Mapping[str, Any]]:
    """The errors of fetchers with their exceptions, in time order.

    Reads   log_record.
    Gives   rows as `aggregators.alarming_records` keeps them, those without a time or an exception left out.
    """
    rows = evidence.answer(alarming_records.AGGREGATOR).to_pylist()
    thrown = [
        row
        for row in rows
        if (row["logger"] or "").endswith(FETCHERS) and row["exception_class"] and row["ts_ms"] is not None
    ]
    return sorted(thrown, key=lambda row: row["ts_ms"])
