"""Jobs that the logs name, with the times of the first and the last record of each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from diagnostics.aggregators.aggregator import Aggregator

if TYPE_CHECKING:
    import pyarrow as pa

MOST_JOBS = 20_000
"""Jobs kept. Our choice: a session cluster that runs a job a minute for two weeks."""

EVENTS = (
    *("adaptive.*", "client.submitted", "ha.jobmaster.*", "hb.tm.*", "jm.ckpt.*", "jm.savepoint.*", "job.*"),
    *("res.rm.*", "res.tm.slot.receive", "tm.localstate.*"),
)
"""Events whose messages name a job."""

Times = tuple[int | None, int | None]
"""Epoch milliseconds of the first and the last record; None where no record has a time."""


def _times_by_job(records: pa.Table) -> pa.Table:
    import pyarrow as pa

    named = records.filter(records["job_id"].is_valid())
    return _merge(
        pa.table({"job_id": named["job_id"], "first_ms": named["ts_ms"], "last_ms": named["ts_ms"]}),
    )


def _merge(states: pa.Table) -> pa.Table:
    by_job = states.group_by("job_id", use_threads=False).aggregate([("first_ms", "min"), ("last_ms", "max")])
    merged = by_job.rename_columns(["job_id", "first_ms", "last_ms"]).sort_by("job_id")
    return merged.slice(0, MOST_JOBS)


def _by_job(state: pa.Table) -> Mapping[str, Times]:
    return {row["job_id"]: (row["first_ms"], row["last_ms"]) for row in state.to_pylist()}


AGGREGATOR: Aggregator[Mapping[str, Times]] = Aggregator(
    name="logged_jobs",
    table="log_record",
    columns=("job_id", "ts_ms"),
    reduce=_times_by_job,
    merge=_merge,
    finish=_by_job,
    events=EVENTS,
)
