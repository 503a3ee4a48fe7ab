"""Distinct edges of the job graphs in REST answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnostics.aggregators.aggregator import Aggregator
from diagnostics.arithmetic.row_order import Order, first_rows, sort_rows

if TYPE_CHECKING:
    import pyarrow as pa

MOST_EDGES = 20_000
"""Edges kept. Our choice: hundreds of graphs of the largest known jobs."""

COLUMNS = ("job_id", "source_id", "target_id", "ship_strategy")
ORDER: Order = tuple((name, "ascending") for name in COLUMNS)


def _distinct(rows: pa.Table) -> pa.Table:
    edges = rows.select(COLUMNS).group_by(COLUMNS, use_threads=False).aggregate([])
    return first_rows(edges, ORDER, MOST_EDGES)


AGGREGATOR: Aggregator[pa.Table] = Aggregator(
    name="edges",
    table="edge",
    columns=COLUMNS,
    reduce=_distinct,
    merge=_distinct,
    finish=lambda edges: sort_rows(edges, ORDER),
)
