"""Version of the JVM that each file states."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnostics.aggregators.aggregator import CITATION_ORDER, first_rows_aggregator

if TYPE_CHECKING:
    import pyarrow as pa

MOST_STATEMENTS = 20_000
"""Statements kept. Our choice: a process states it once, at its start."""


def _versions(options: pa.Table) -> pa.Table:
    import pyarrow.compute as pc

    stated = pc.and_(pc.equal(options["scope"], "jvm"), pc.equal(options["key"], "jvm.version"))
    return options.filter(stated).drop_columns(["scope", "key"])


AGGREGATOR = first_rows_aggregator(
    "jvm_versions",
    "config_option",
    ("scope", "key", "value"),
    _versions,
    order=(*CITATION_ORDER, ("value", "ascending")),
    most=MOST_STATEMENTS,
)
