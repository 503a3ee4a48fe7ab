"""Task and subtask of each execution id, from records of state changes, which name both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from diagnostics.aggregators.aggregator import Aggregator
from diagnostics.arithmetic.row_choice import is_any
from diagnostics.notation.execution_id import execution_ids

if TYPE_CHECKING:
    import pyarrow as pa

MOST_EXECUTIONS = 20_000
"""Executions kept, for logs without REST. Our choice: 5,000 subtasks, four attempts."""

EVENTS = ("task.state", "task.failed.jm")
COLUMNS = ["execution", "vertex", "subtask"]


def _named(records: pa.Table) -> pa.Table:
    import pyarrow as pa
    import pyarrow.compute as pc

    changes = records.filter(pc.and_(is_any(records["event"], EVENTS), records["subtask"].is_valid()))
    execution = execution_ids(changes["message"])
    columns = [execution, changes["vertex"], changes["subtask"]]
    named = pa.table(columns, names=COLUMNS)
    return _merge(named.filter(execution.is_valid()))


def _merge(states: pa.Table) -> pa.Table:
    different = states.group_by(COLUMNS, use_threads=False).aggregate([])
    return different.sort_by([(name, "ascending") for name in COLUMNS]).slice(0, MOST_EXECUTIONS)


def _by_execution(state: pa.Table) -> Mapping[str, tuple[str, int]]:
    return {row["execution"]: (row["vertex"], row["subtask"]) for row in state.to_pylist()}


AGGREGATOR: Aggregator[Mapping[str, tuple[str, int]]] = Aggregator(
    name="execution_names",
    table="log_record",
    columns=("event", "subtask", "vertex", "message"),
    reduce=_named,
    merge=_merge,
    finish=_by_execution,
    events=EVENTS,
)
"""Gives execution id -> task's name and subtask."""
