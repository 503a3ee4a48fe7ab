"""Maximum heap of the JVM that wrote each file, where the file states it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnostics.aggregators.aggregator import CITATION_ORDER, first_rows_aggregator

if TYPE_CHECKING:
    import pyarrow as pa

MOST_STATEMENTS = 20_000
"""Statements kept. Our choice: a process states it once, at its start."""


def _heap_options(options: pa.Table) -> pa.Table:
    import pyarrow.compute as pc

    stated = pc.and_(pc.equal(options["scope"], "jvm"), pc.equal(options["key"], "heap.max"))
    return options.filter(stated).drop_columns(["scope", "key"])


AGGREGATOR = first_rows_aggregator(
    "heap_sizes",
    "config_option",
    ("scope", "key", "value"),
    _heap_options,
    order=(*CITATION_ORDER, ("value", "ascending")),
    most=MOST_STATEMENTS,
)
