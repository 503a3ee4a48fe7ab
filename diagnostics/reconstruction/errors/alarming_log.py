"""The most severe log records that may be the jobs': those of other deployments are left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from diagnostics.aggregators import alarming_records
from diagnostics.evidence import Evidence, read_once
from diagnostics.reconstruction.job.deployments import deployments_of


@read_once
def alarming_rows(evidence: Evidence) -> Sequence[Mapping[str, Any]]:
    """Rows as `aggregators.alarming_records` gives them, each with the job of its deployment where that is known.

    Reads   log_record.
    """
    deployments = deployments_of(evidence)
    return [
        {**row, "job_id": row["job_id"] or deployments.job_of(row["deployment"], row["file_id"])}
        for row in evidence.answer(alarming_records.AGGREGATOR).to_pylist()
        if not deployments.is_apart(row["deployment"], row["file_id"])
    ]
