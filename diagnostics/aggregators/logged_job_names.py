"""Names of jobs that the logs state beside their ids."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from diagnostics.aggregators.aggregator import Aggregator
from diagnostics.aggregators.logged_jobs import MOST_JOBS

if TYPE_CHECKING:
    import pyarrow as pa

EVENTS = ("client.submitted", "ha.jobmaster.*", "job.*")
"""Events whose messages may state the name of a job."""

NAMED = (
    r"^(?:Job|JobManager (?:runner )?for job|(?:Initializing|Submitting|Restarting the|Starting execution of|"
    r"Stopping the JobMaster for|Running initialization on master for|Try to restart or fail the|"
    r"Could not restart the) job|Received (?:JobGraph|StreamGraph|ExecutionPlan|job) submission) "
    r"'?(?P<name>[^\n]{1,200}?)'? \([0-9a-f]{32}\)"
)
"""Name and id since Flink 1.5, in submissions since 1.11. Source: the log statements of Flink's Dispatcher, JobMaster,
JobManagerRunner, ExecutionGraph and RestClusterClient, as the catalogue of log events quotes them."""

NAMED_AFTER = r"^(?:Submitting job|Received JobGraph submission) [0-9a-f]{32} \((?P<name>[^\n]{1,200})\)\.$"
"""The name after the id, in submissions before Flink 1.11. Source: the Dispatcher of Flink 1.5 to 1.10."""


def _named(records: pa.Table) -> pa.Table:
    import pyarrow as pa
    import pyarrow.compute as pc

    of_jobs = records.filter(records["job_id"].is_valid())
    messages = of_jobs["message"].combine_chunks()
    name, name_after = (
        pc.struct_field(pc.extract_regex(messages, pattern=pattern), "name") for pattern in (NAMED, NAMED_AFTER)
    )
    return _merge(pa.table({"job_id": of_jobs["job_id"], "name": pc.coalesce(name_after, name)}))


def _merge(states: pa.Table) -> pa.Table:
    named = states.filter(states["name"].is_valid())
    first = named.group_by("job_id", use_threads=False).aggregate([("name", "min")])
    return first.rename_columns(["job_id", "name"]).sort_by("job_id").slice(0, MOST_JOBS)


def _by_job(state: pa.Table) -> Mapping[str, str]:
    return dict(zip(state["job_id"].to_pylist(), state["name"].to_pylist(), strict=True))


AGGREGATOR: Aggregator[Mapping[str, str]] = Aggregator(
    name="logged_job_names",
    table="log_record",
    columns=("job_id", "message"),
    reduce=_named,
    merge=_merge,
    finish=_by_job,
    events=EVENTS,
)
"""Gives job id -> the name that the logs state; jobs without one are left out. Of two names the first by letter."""
