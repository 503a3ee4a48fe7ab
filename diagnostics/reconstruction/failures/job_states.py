"""The newest known state of each job: from the JobManager's log and from REST, whichever saw it last."""

from __future__ import annotations

from collections.abc import Mapping

from diagnostics.aggregators import jobs
from diagnostics.arithmetic.named_rows import named_rows
from diagnostics.evidence import Evidence, read_once
from diagnostics.reconstruction.failures.incident_log import incident_log


@read_once
def newest_states(evidence: Evidence) -> Mapping[str, str]:
    """Job -> the state that was seen last; of the same moment that of REST, which is asked later than it happened.

    Reads   log_record (state changes of jobs), job.
    """
    states: list[tuple[int, int, str, str]] = [
        (event.ts_ms or 0, 0, event.job_id, event.state_to)
        for event in incident_log(evidence).of("job_state")
        if event.job_id and event.state_to
    ]
    answers = named_rows(evidence.answer(jobs.AGGREGATOR))
    states += [(row.ts_ms or 0, 1, row.job_id, row.state) for row in answers if row.state is not None]
    return {job_id: state for _, _, job_id, state in sorted(states)}
