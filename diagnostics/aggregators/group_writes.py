"""Readings of the bytes that control groups had written to devices, in the order of time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnostics.aggregators.aggregator import CITATION_ORDER, first_rows_aggregator
from diagnostics.arithmetic.row_choice import with_known

if TYPE_CHECKING:
    import pyarrow as pa

MOST_READINGS = 20_000
"""Readings kept. Our choice: those of ten devices every 20 s for eleven hours."""

COLUMNS = ("part", "metric", "host", "name", "ts_ms", "value")


def _readings(samples: pa.Table) -> pa.Table:
    import pyarrow.compute as pc

    known = with_known(samples, ("ts_ms", "value"))
    chosen = known.filter(pc.and_(pc.equal(known["part"], "control group"), pc.equal(known["metric"], "written_bytes")))
    return chosen.drop_columns(["part", "metric"])


AGGREGATOR = first_rows_aggregator(
    "group_writes",
    "host_sample",
    COLUMNS,
    _readings,
    order=(("ts_ms", "ascending"), ("host", "ascending"), ("name", "ascending"), *CITATION_ORDER),
    most=MOST_READINGS,
)
