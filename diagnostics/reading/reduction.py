"""Rows of evidence tables reduced to the states of their aggregators, in a worker, while they are read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING

from diagnostics.aggregators import AGGREGATORS, BY_TABLE
from diagnostics.evidence import TABLES
from diagnostics.reading.log_counts import count_records

if TYPE_CHECKING:
    import pyarrow as pa

STATES_AT_ONCE = 16
STATE_BYTES_AT_ONCE = 96 * 1024**2
"""States of one question that wait to be merged, and their bytes. Our choice: merging two at a time would copy them as
often."""


class Reduction:
    """The states of all aggregators over the rows that were added."""

    def __init__(self) -> None:
        self._states: dict[str, list[pa.Table]] = defaultdict(list)

    def add_rows(self, table: str, rows: pa.Table) -> None:
        """Reduce rows of the table's whole schema; log records are counted, too."""
        self._reduce(table, rows)
        if table == "log_record":
            self._reduce("log_count", count_records(rows))

    def _reduce(self, table: str, rows: pa.Table) -> None:
        for aggregator in BY_TABLE.get(table, ()):
            states = self._states[aggregator.name]
            states.append(aggregator.reduce_rows(rows))
            if len(states) >= STATES_AT_ONCE or sum(each.nbytes for each in states) >= STATE_BYTES_AT_ONCE:
                self._states[aggregator.name] = [aggregator.merge_states(states)]

    def states(self) -> Mapping[str, pa.Table]:
        """Aggregator's name -> its state."""
        return {name: AGGREGATORS[name].merge_states(states) for name, states in self._states.items()}


def reduce_tables(tables: Mapping[str, pa.Table]) -> Mapping[str, pa.Table]:
    """The states of all aggregators over whole tables.

    tables  evidence table -> rows of its whole schema
    """
    reduction = Reduction()
    for table, rows in tables.items():
        reduction.add_rows(TABLES[table].name, rows)
    return reduction.states()
