"""Options stated in configurations, programs, tables and clients, in the order of the files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnostics.aggregators.aggregator import CITATION_ORDER, first_rows_aggregator
from diagnostics.arithmetic.row_choice import with_known

if TYPE_CHECKING:
    import pyarrow as pa

MOST_OPTIONS = 50_000
"""Options kept. Our choice: thirty whole configurations of a cluster."""


def _stated(options: pa.Table) -> pa.Table:
    import pyarrow.compute as pc

    keyed = with_known(options, ("key",))
    return keyed.filter(pc.not_equal(pc.fill_null(keyed["scope"], ""), "jvm"))


AGGREGATOR = first_rows_aggregator(
    "config_options",
    "config_option",
    ("ts_ms", "scope", "job_id", "process", "key", "value"),
    _stated,
    order=(*CITATION_ORDER, ("key", "ascending"), ("scope", "ascending"), ("value", "ascending")),
    most=MOST_OPTIONS,
)
