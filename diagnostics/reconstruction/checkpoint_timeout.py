"""The checkpoint timeout of each job, as REST or a configuration states it."""

from __future__ import annotations

from diagnostics.evidence import Evidence, read_once
from diagnostics.notation.flink_values import duration_ms

TIMEOUT_OPTION = "execution.checkpointing.timeout"
MOST_SETTINGS = 1000
"""How many statements of the timeout are read; every snapshot of REST answers holds one for each job."""


@read_once
def checkpoint_timeouts(evidence: Evidence) -> dict[str | None, float]:
    """Job (None: the cluster) -> checkpoint timeout in ms."""
    if not evidence.may_have("config_option", "key", (TIMEOUT_OPTION,)):
        return {}
    rows = evidence["config_option"].where(f"key = '{TIMEOUT_OPTION}'").select("job_id", "value").limit(MOST_SETTINGS)
    told = sorted((row.job_id or "", row.value) for row in rows.collect() if row.value)
    found = {job_id or None: duration_ms(value) for job_id, value in told}
    return {job_id: value for job_id, value in found.items() if value is not None}
