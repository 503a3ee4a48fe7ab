"""Reduces rows of evidence tables to the states of their aggregators, in a worker, while they are read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING

from diagnostics.aggregators import AGGREGATORS, BY_TABLE
from diagnostics.evidence.tables import TABLES
from diagnostics.reading.log_counts import count_records
from diagnostics.vocabulary.incident_kinds import kinds_of

if TYPE_CHECKING:
    import pyarrow as pa

HELD_BYTES = 32 * 1024**2
"""Bytes of rows of a table that are collected before they are reduced. Our choice: 50,000 records of a log, and
everything that a task reads of small files, which may number hundreds per case.
"""


class Reduction:
    """The states of all aggregators over the added rows."""

    def __init__(self) -> None:
        self._held: dict[str, list[pa.RecordBatch]] = defaultdict(list)
        self._held_bytes: dict[str, int] = defaultdict(int)
        self._states: dict[str, list[pa.Table]] = defaultdict(list)

    def add(self, table: str, rows: pa.RecordBatch) -> None:
        """Add rows with the table's whole schema."""
        if rows.num_rows and table in BY_TABLE:
            self._held[table].append(rows)
            self._held_bytes[table] += rows.nbytes
            if self._held_bytes[table] >= HELD_BYTES:
                self._reduce_held(table)

    def states(self) -> Mapping[str, pa.Table]:
        """Aggregator's name -> its state."""
        for table in list(self._held):
            self._reduce_held(table)
        return {name: AGGREGATORS[name].merge_states(states) for name, states in self._states.items()}

    def _reduce_held(self, table: str) -> None:
        import pyarrow as pa

        rows = pa.Table.from_batches(self._held.pop(table), TABLES[table].arrow_schema()).combine_chunks()
        self._held_bytes[table] = 0
        if table == "log_record":
            rows = rows.set_column(rows.schema.get_field_index("kinds"), "kinds", kinds_of(rows))
            self._reduce("log_count", count_records(rows))
        self._reduce(table, rows)

    def _reduce(self, table: str, rows: pa.Table) -> None:
        for aggregator in BY_TABLE.get(table, ()):
            states = [*self._states[aggregator.name], aggregator.reduce_rows(rows)]
            self._states[aggregator.name] = aggregator.merged_if_many(states)


def reduce_tables(tables: Mapping[str, pa.Table]) -> Mapping[str, pa.Table]:
    """The states of all aggregators over whole tables.

    tables  evidence table -> rows of its whole schema
    """
    reduction = Reduction()
    for table, rows in tables.items():
        for batch in rows.to_batches():
            reduction.add(TABLES[table].name, batch)
    return reduction.states()
