"""Jobs that each log names: the log of a TaskManager names those whose tasks it runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING

from diagnostics.aggregators.aggregator import Aggregator
from diagnostics.aggregators.logged_jobs import EVENTS, MOST_JOBS

if TYPE_CHECKING:
    import pyarrow as pa


def _named(records: pa.Table) -> pa.Table:
    return _merge(records.filter(records["job_id"].is_valid()).select(["file_id", "job_id"]))


def _merge(states: pa.Table) -> pa.Table:
    distinct = states.group_by(["file_id", "job_id"], use_threads=False).aggregate([])
    return distinct.sort_by([("file_id", "ascending"), ("job_id", "ascending")]).slice(0, MOST_JOBS)


def _by_log(state: pa.Table) -> Mapping[int, frozenset[str]]:
    found: dict[int, set[str]] = defaultdict(set)
    for row in state.to_pylist():
        found[row["file_id"]].add(row["job_id"])
    return {file_id: frozenset(jobs) for file_id, jobs in found.items()}


AGGREGATOR: Aggregator[Mapping[int, frozenset[str]]] = Aggregator(
    name="jobs_by_log",
    table="log_record",
    columns=("job_id",),
    reduce=_named,
    merge=_merge,
    finish=_by_log,
    events=EVENTS,
)
"""Gives file id -> ids of the jobs; logs that name none are left out."""
