"""Task and subtask of each execution id, from records of state changes, which name both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from diagnostics.aggregators.aggregator import Aggregator
from diagnostics.arithmetic.row_choice import is_any
from diagnostics.arithmetic.row_order import Order, first_rows

if TYPE_CHECKING:
    import pyarrow as pa

MOST_EXECUTIONS = 20_000
"""Executions kept, for logs without REST. Our choice: 5,000 subtasks, four attempts."""

EVENTS = ("task.state", "task.failed.jm")
COLUMNS = ["execution", "vertex", "subtask"]
ORDER: Order = [(name, "ascending") for name in COLUMNS]


def _named(records: pa.Table) -> pa.Table:
    import pyarrow.compute as pc

    known = pc.and_(records["execution"].is_valid(), records["subtask"].is_valid())
    return _merge(records.filter(pc.and_(is_any(records["event"], EVENTS), known)).select(COLUMNS))


def _merge(states: pa.Table) -> pa.Table:
    different = states.group_by(COLUMNS, use_threads=False).aggregate([])
    return first_rows(different, ORDER, MOST_EXECUTIONS)


def _by_execution(state: pa.Table) -> Mapping[str, tuple[str, int]]:
    return {row["execution"]: (row["vertex"], row["subtask"]) for row in state.to_pylist()}


AGGREGATOR: Aggregator[Mapping[str, tuple[str, int]]] = Aggregator(
    name="execution_names",
    table="log_record",
    columns=("event", *COLUMNS),
    reduce=_named,
    merge=_merge,
    finish=_by_execution,
    events=EVENTS,
)
"""Gives execution id -> task's name and subtask."""
