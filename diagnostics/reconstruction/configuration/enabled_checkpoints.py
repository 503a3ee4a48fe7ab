"""Whether checkpoints are taken: what files state of it, what Flink answers, and what has completed."""

from __future__ import annotations

from diagnostics.aggregators import jobs
from diagnostics.evidence import Evidence
from diagnostics.reconstruction.checkpoints.history import checkpoint_histories
from diagnostics.reconstruction.configuration.stated_settings import stated_options, states_no_checkpoints
from diagnostics.reconstruction.metrics.metric_series import metric_series

INTERVAL = "execution.checkpointing.interval"
MODE = "execution.runtime-mode"
COUNTS = ("numberOfCompletedCheckpoints", "numberOfFailedCheckpoints", "numberOfInProgressCheckpoints")
ENDED = "FINISHED"


def takes_checkpoints(evidence: Evidence) -> bool:
    """Whether a file states an interval of checkpoints or shows a completed one, and no answer speaks against it.

    Reads   config_option, job, metric_sample, and the histories of checkpoints.
    """
    stated = any(each.key == INTERVAL and not states_no_checkpoints(each.value) for each in stated_options(evidence))
    if not stated and not _checkpointed_jobs(evidence):
        return False
    return not lacks_checkpoints(evidence) and not _jobs_without_any(evidence)


def lacks_checkpoints(evidence: Evidence) -> bool:
    """Whether Flink answers for a job that takes none of its own that checkpoints are off; an answer that names no job
    is of one without. Bounded jobs need none: neither one in batch mode nor one that has ended counts.

    Reads   config_option, job, and the histories of checkpoints.
    """
    options = stated_options(evidence)
    asked = {each.job_id for each in options if each.key == INTERVAL and states_no_checkpoints(each.value)}
    if not asked - _checkpointed_jobs(evidence):
        return False
    is_batch = any(each.key == MODE and (each.value or "").lower() == "batch" for each in options)
    return not is_batch and all(row["state"] != ENDED for row in evidence.answer(jobs.AGGREGATOR).to_pylist())


def _checkpointed_jobs(evidence: Evidence) -> set[str | None]:
    return {
        job
        for job, history in checkpoint_histories(evidence).items()
        if any(each.status == "completed" for each in history.checkpoints)
    }


def _jobs_without_any(evidence: Evidence) -> set[str | None]:
    """Jobs whose counts show no checkpoint that has completed, has failed or is under way: an interval that a file
    states is then not theirs, or their first checkpoint is still to come.
    """
    series = metric_series(evidence)
    by_metric = [{each.job_id: each.known[-1].value for each in series.of(metric) if each.known} for metric in COUNTS]
    counted = by_metric[0].keys() & by_metric[1].keys()
    return {job for job in counted if not any(each.get(job) for each in by_metric)} - _checkpointed_jobs(evidence)
