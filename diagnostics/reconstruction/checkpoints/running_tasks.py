"""When each job's tasks were last seen running, and when it went down: a job whose state is RUNNING may have none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

from diagnostics.aggregators import task_state_changes, vertices
from diagnostics.arithmetic.named_rows import named_rows
from diagnostics.evidence import Evidence, read_once
from diagnostics.evidence.subject import only_one
from diagnostics.reconstruction.checkpoints.history import checkpoint_histories
from diagnostics.reconstruction.failures.incident_log import incident_log
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.reconstruction.metrics.metric_series import metric_series
from diagnostics.reconstruction.metrics.start_up import RECORDS

DOWN = ("SUSPENDED", "RESTARTING", "FAILING", "FAILED", "CANCELLING", "CANCELED", "FINISHED")
"""States in which a job does no work. Source: Flink's JobStatus."""


@read_once
def running_tasks_ms(evidence: Evidence) -> Mapping[str | None, int]:
    """Job -> the newest time at which a file shows one of its tasks running, epoch ms.

    Reads   log_record (states of tasks), vertex (status), checkpoint, metric_sample (counters of records).
    Gives   jobs without such evidence are absent. A checkpoint that completed counts at its trigger, because Flink
            triggers none before all tasks run; a counter counts at the last sample before it rose.
    """
    only_job = only_one(cluster_of(evidence).job_names)
    newest: dict[str | None, int] = {}
    for job_id, ts_ms in _seen(evidence):
        job = job_id or only_job
        newest[job] = max(newest.get(job, ts_ms), ts_ms)
    return newest


@read_once
def went_down_ms(evidence: Evidence) -> Mapping[str | None, int]:
    """Job -> when it went down, epoch ms, where no file shows a task of it running since.

    Reads   log_record (state changes of jobs), and as `running_tasks_ms`.
    Gives   jobs that run are absent, and so are those whose tasks no file ever shows running.
    """
    running_ms = running_tasks_ms(evidence)
    first: dict[str | None, int] = {}
    for event in incident_log(evidence).of("job_state"):
        job, ts_ms = event.job_id, event.ts_ms
        if event.state_to in DOWN and ts_ms is not None and job in running_ms and ts_ms >= running_ms[job]:
            first[job] = min(first.get(job, ts_ms), ts_ms)
    return first


def _seen(evidence: Evidence) -> Iterator[tuple[str | None, int]]:
    import pyarrow.compute as pc

    changes = evidence.answer(task_state_changes.AGGREGATOR)
    running = changes.filter(pc.equal(changes["state_to"], "RUNNING"))
    for row in named_rows(running.group_by("job_id", use_threads=False).aggregate([("ts_ms", "max")])):
        yield row.job_id, row.ts_ms_max
    for row in named_rows(evidence.answer(vertices.AGGREGATOR)):
        if row.status == "RUNNING" and row.ts_ms is not None:
            yield row.job_id, row.ts_ms
    for history in checkpoint_histories(evidence).values():
        for checkpoint in history.checkpoints:
            if checkpoint.status == "completed" and checkpoint.start_ms is not None:
                yield history.job_id, checkpoint.start_ms
    for metric in RECORDS:
        for series in metric_series(evidence).of(metric):
            backwards = pairwise(reversed(series.known))
            rises = (before.ts_ms for after, before in backwards if (after.value or 0) > (before.value or 0))
            last_ms = next((ts_ms for ts_ms in rises if ts_ms is not None), None)
            if last_ms is not None:
                yield series.job_id, last_ms
