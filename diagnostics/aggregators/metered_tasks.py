"""Jobs, tasks and TaskManagers that the metrics name, and the last place of each subtask."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnostics.aggregators.aggregator import Aggregator
from diagnostics.arithmetic.row_order import sort_rows, with_plain_texts

if TYPE_CHECKING:
    import pyarrow as pa

MOST_PLACES = 20_000
"""Subtasks kept, with each TaskManager that they ran on. Our choice: 5,000 subtasks that moved three times."""

PLACE = ("job_id", "job_name", "vertex_id", "vertex", "subtask", "task_manager", "host")


def _places(samples: pa.Table) -> pa.Table:
    import pyarrow.compute as pc

    named = samples.filter(pc.or_(samples["job_id"].is_valid(), samples["task_manager"].is_valid()))
    return _merge(named.select([*PLACE, "ts_ms"]))


def _merge(states: pa.Table) -> pa.Table:
    latest = states.group_by(list(PLACE), use_threads=False).aggregate([("ts_ms", "max")])
    named = with_plain_texts(latest.rename_columns([*PLACE, "ts_ms"]))
    return sort_rows(named, [(name, "ascending") for name in PLACE]).slice(0, MOST_PLACES)


AGGREGATOR: Aggregator[pa.Table] = Aggregator(
    name="metered_tasks",
    table="metric_sample",
    columns=(*PLACE, "ts_ms"),
    reduce=_places,
    merge=_merge,
    finish=lambda state: state,
)
"""Gives one row per place that metrics name: PLACE and the time of its last sample."""
