"""Levels of back pressure in REST answers about whole tasks that show no ratio, newest first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnostics.aggregators.aggregator import CITATION_ORDER, first_rows_aggregator
from diagnostics.arithmetic.row_choice import with_known

if TYPE_CHECKING:
    import pyarrow as pa

MOST_LEVELS = 20_000
"""Levels kept, the newest. Our choice: a job of forty tasks, asked each minute for eight hours."""


def _levels_alone(rows: pa.Table) -> pa.Table:
    """The rows of whole tasks that have a level and no ratio."""
    import pyarrow.compute as pc

    alone = pc.and_(pc.is_null(rows["subtask"]), pc.is_null(rows["back_pressured_ratio"]))
    return with_known(rows.filter(alone), ("vertex_id", "level"))


AGGREGATOR = first_rows_aggregator(
    "pressure_levels",
    "back_pressure",
    ("ts_ms", "job_id", "vertex_id", "subtask", "level", "back_pressured_ratio"),
    _levels_alone,
    order=(("ts_ms", "descending"), *CITATION_ORDER),
    most=MOST_LEVELS,
)
