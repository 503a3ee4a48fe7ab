"""The checkpoint timeout of each job, as REST or a configuration states it."""

from __future__ import annotations

from diagnostics.aggregators import config_options
from diagnostics.arithmetic.named_rows import named_rows
from diagnostics.evidence import Evidence, read_once
from diagnostics.notation.flink_values import duration_ms

TIMEOUT_OPTION = "execution.checkpointing.timeout"


@read_once
def checkpoint_timeouts(evidence: Evidence) -> dict[str | None, float]:
    """Job (None: the cluster) -> checkpoint timeout in ms."""
    rows = named_rows(evidence.answer(config_options.AGGREGATOR))
    told = sorted((row.job_id or "", row.value) for row in rows if row.key == TIMEOUT_OPTION and row.value)
    found = {job_id or None: duration_ms(value) for job_id, value in told}
    return {job_id: value for job_id, value in found.items() if value is not None}
