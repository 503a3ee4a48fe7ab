"""Records below the level of an error that state what a job waits for: the first one of each wait in each log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnostics.aggregators.aggregator import CITATION_ORDER, Aggregator
from diagnostics.arithmetic.row_choice import contains_any, is_any, shortened
from diagnostics.arithmetic.row_order import Order, sort_rows
from diagnostics.citation import CITATION_COLUMNS
from diagnostics.vocabulary.waits import RESULTS_OF_LOADS, texts_of_waits, wait_of

if TYPE_CHECKING:
    import pyarrow as pa

QUIET = ("INFO", "WARN")
MOST_CHARACTERS = 300
"""Characters kept of a message. Our choice: what a citation shows."""
MOST_SEARCHED = 4_000
ORDER: Order = (("ts_ms", "ascending"), *CITATION_ORDER)


def _waiting(records: pa.Table) -> pa.Table:
    import pyarrow as pa
    import pyarrow.compute as pc

    quiet = records.filter(pc.and_(is_any(records["level"], QUIET), records["ts_ms"].is_valid()))
    said = pc.coalesce(pc.if_else(is_any(quiet["event"], RESULTS_OF_LOADS), quiet["reason"], None), quiet["message"])
    told = contains_any(said, texts_of_waits())
    chosen = quiet.filter(told)
    texts = pc.utf8_slice_codeunits(said.filter(told), 0, MOST_SEARCHED).to_pylist()
    kept = chosen.select(["ts_ms", *CITATION_COLUMNS])
    kept = kept.append_column("message", shortened(said.filter(told), MOST_CHARACTERS))
    kept = kept.append_column("wait", pa.array([wait_of(text or "") for text in texts], pa.string()))
    kept = kept.append_column("last_ms", kept["ts_ms"]).append_column("records", pa.repeat(1, kept.num_rows))
    return _first_of_waits(kept.filter(kept["wait"].is_valid()))


def _first_of_waits(rows: pa.Table) -> pa.Table:
    """One row for each wait in each log: its first record, the time of the last one, and their number."""
    first: dict[tuple[int, str], dict[str, object]] = {}
    for row in sort_rows(rows, ORDER).to_pylist():
        known = first.setdefault((row["file_id"], row["wait"]), {**row, "records": 0})
        known["records"] += row["records"]
        known["last_ms"] = max(known["last_ms"], row["last_ms"])
    return type(rows).from_pylist(list(first.values()), schema=rows.schema)


def _in_order(state: pa.Table) -> pa.Table:
    return sort_rows(state, ORDER)


AGGREGATOR: Aggregator[pa.Table] = Aggregator(
    name="waiting_records",
    table="log_record",
    columns=("ts_ms", "level", "message", "event", "reason"),
    events=RESULTS_OF_LOADS,
    texts=texts_of_waits(),
    reduce=_waiting,
    merge=_first_of_waits,
    finish=_in_order,
)
"""Gives one row per log and wait, an id of `waits.yaml`: its first record, `last_ms`, and `records`."""
