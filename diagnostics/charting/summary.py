"""The summary of a chart with several jobs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from diagnostics.charting.chart import Points
from diagnostics.language import joined_sentences, say


def summary_by_job(points: Points, job_summary: Callable[[Mapping[str, Any]], str]) -> str:
    """The summaries of all jobs of the points, each after its job's name where there are several."""
    jobs = points["jobs"]
    if len(jobs) == 1:
        return job_summary(jobs[0])
    return joined_sentences(f"{job['name'] or job['job_id']}{say(': ')}{job_summary(job)}" for job in jobs)
