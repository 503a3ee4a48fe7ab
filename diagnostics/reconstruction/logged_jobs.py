"""Which jobs logs tell of, and between which times each is written of."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import functions as sf

from diagnostics.evidence import Evidence, read_once

MOST_JOBS = 20_000
"""How many jobs are told apart. Our choice: a session cluster that runs a job a minute for two weeks."""

Times = tuple[int | None, int | None]


@read_once
def logged_jobs(evidence: Evidence) -> Mapping[str, Times]:
    """Job id -> times of the first and the last record that names it. One Spark job, done once for each Evidence.

    Reads   log_record.
    Units   epoch ms; None where no record has a time.
    """
    if not evidence.has("log_record"):
        return {}
    by_job = evidence["log_record"].where("job_id IS NOT NULL").groupBy("job_id")
    times = by_job.agg(sf.min("ts_ms").alias("first_ms"), sf.max("ts_ms").alias("last_ms"))
    return {row.job_id: (row.first_ms, row.last_ms) for row in times.limit(MOST_JOBS).collect()}
