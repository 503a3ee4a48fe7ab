"""Vital signs of a job's checkpoints for the head of the case page: last success, success rate, usual and long ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from diagnostics.wording.phrase import duration, percent
from workbench.analyses.models import Analysis
from workbench.languages.sentences import say

MOST_JOBS = 3
"""Jobs that are shown, those of the document's first verdicts. Our choice: the head stays short."""
ROUNDED_TO_ALL = 0.995
"""From this share on whole percents would read as all of them."""


@dataclass(frozen=True, slots=True)
class CheckpointVitals:
    """What was measured of one job, as text; empty where it is unknown.

    job           its name, empty when there is no other job
    last_success  time from the last completed checkpoint to the end of the evidence
    succeeded     how many of those that ended completed
    durations     50th and 95th percentile of the completed ones
    """

    job: str
    last_success: str
    succeeded: str
    durations: str


def checkpoint_vitals(analysis: Analysis) -> list[CheckpointVitals]:
    """The vital signs of each job with checkpoints, in the order of the document's jobs."""
    facts = {
        signal["subject"].get("job"): signal["facts"]
        for signal in analysis.signals or ()
        if signal["key"] == "checkpoint_progress" and "facts" in signal
    }
    names = {job["job_id"]: job["name"] or job["job_id"] for job in analysis.document["jobs"]}
    order = [*(job for job in names if job in facts), *(job for job in facts if job not in names)]
    found = [_vitals(names.get(job) or "" if len(order) > 1 else "", facts[job]) for job in order]
    return [each for each in found if each.succeeded or each.durations][:MOST_JOBS]


def _success_share(completed: int, failed: int) -> str:
    """The share in percent; 100 % only where none failed."""
    ratio = completed / (completed + failed)
    return f"{min(ratio * 100, 99.9):.1f} %" if failed and ratio >= ROUNDED_TO_ALL else percent(ratio)


def _vitals(job: str, facts: Mapping[str, Any]) -> CheckpointVitals:
    completed, failed, age = facts.get("completed"), facts.get("failed"), facts.get("since_last_completed_ms")
    usual, long = facts.get("median_duration_ms"), facts.get("p95_duration_ms")
    succeeded = last_success = ""
    if completed is not None and failed is not None and completed + failed:
        share = _success_share(completed, failed)
        succeeded = say("{done:,} of {all:,} ({share})", done=completed, all=completed + failed, share=share)
        last_success = "" if completed else say("none")
    return CheckpointVitals(
        job=job,
        last_success=_before_end(age) if age is not None else last_success,
        succeeded=succeeded,
        durations=f"{duration(usual)} / {duration(long)}" if usual is not None and long is not None else "",
    )


def _before_end(age_ms: float) -> str:
    """How long before the last observation the last checkpoint completed."""
    if age_ms < 1000:
        return say("at the end of the evidence")
    return say("{age} before the last look at them", age=duration(age_ms))
