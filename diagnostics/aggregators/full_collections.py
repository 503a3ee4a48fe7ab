"""Full collections in GC logs, in the order of their files and times."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnostics.aggregators.aggregator import first_rows_aggregator
from diagnostics.aggregators.gc_pauses import FULL_KINDS, at_ms, standing
from diagnostics.arithmetic.row_choice import is_any

if TYPE_CHECKING:
    import pyarrow as pa

MOST_FULL = 20_000
"""Full collections kept. Our choice: 4 MB."""


def _full(pauses: pa.Table) -> pa.Table:
    full = standing(pauses.filter(is_any(pauses["kind"], FULL_KINDS)))
    return full.drop_columns("kind").set_column(full.schema.get_field_index("ts_ms"), "ts_ms", at_ms(full))


AGGREGATOR = first_rows_aggregator(
    "full_collections",
    "gc_pause",
    (
        "ts_ms",
        "uptime_ms",
        "kind",
        "pause_ms",
        "before_bytes",
        "after_bytes",
        "total_bytes",
        "cause",
        "collector",
    ),
    _full,
    order=tuple((name, "ascending") for name in ("file_id", "ts_ms", "line", "pointer")),
    most=MOST_FULL,
)
