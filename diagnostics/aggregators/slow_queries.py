"""Statements that a database's own log reports as slow, with their durations."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from diagnostics.aggregators.aggregator import Aggregator
from diagnostics.arithmetic.row_choice import with_known
from diagnostics.arithmetic.value_classes import Spread, Total, count_values, merge_classes, spreads

if TYPE_CHECKING:
    import pyarrow as pa

MOST_STATEMENTS = 20_000
"""Distinct statements kept. Our choice: an application has dozens."""

KEYS = ("system", "kind", "statement")
TOTALS: Mapping[str, Total] = {
    "locked_us": "sum",
    "examined": "sum",
    "sent": "sum",
    "from_ms": "min",
    "until_ms": "max",
}


def _counted(queries: pa.Table) -> pa.Table:
    import pyarrow as pa
    import pyarrow.compute as pc

    known = with_known(queries, ("duration_ms",))
    # Whole numbers as doubles: their sums are exact in any order.
    columns = {
        "locked_us": pc.round(pc.multiply(known["lock_ms"], 1000.0)),
        "examined": pc.cast(known["rows_examined"], pa.float64(), safe=False),
        "sent": pc.cast(known["rows_sent"], pa.float64(), safe=False),
        "from_ms": known["ts_ms"],
        "until_ms": known["ts_ms"],
    }
    for name, values in columns.items():
        known = known.append_column(name, values)
    return count_values(known, KEYS, "duration_ms", TOTALS, MOST_STATEMENTS)


AGGREGATOR: Aggregator[list[Spread]] = Aggregator(
    name="slow_queries",
    table="slow_query",
    columns=("ts_ms", "system", "kind", "statement", "duration_ms", "lock_ms", "rows_sent", "rows_examined"),
    reduce=_counted,
    merge=partial(merge_classes, keys=KEYS, totals=TOTALS, most_groups=MOST_STATEMENTS),
    finish=partial(spreads, keys=KEYS, totals=TOTALS),
)
