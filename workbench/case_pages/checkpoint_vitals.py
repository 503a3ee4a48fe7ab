"""Vital signs of a job's checkpoints for the head of the case page: last success, success rate, usual and long ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from diagnostics.arithmetic.quantiles import FEWEST_FOR_MEDIAN, FEWEST_FOR_P95
from diagnostics.wording.phrase import duration, enumeration, percent
from workbench.analyses.models import Analysis
from workbench.languages.sentences import say, say_counted

MOST_JOBS = 3
"""Jobs that are shown, those of the document's first verdicts. Our choice: the head stays short."""
ROUNDED_TO_ALL = 0.995
"""From this share on whole percents would read as all of them."""


@dataclass(frozen=True, slots=True)
class CheckpointVitals:
    """What was measured of one job, as text; empty where it is unknown.

    job           its name, empty when there is no other job
    last_success  time from the last completed checkpoint to the end of the evidence
    succeeded     how many of those that ended completed; which triggers are not among them
    measure       what of the durations of the completed ones is shown
    durations     that: percentiles only where there are enough of them
    """

    job: str
    last_success: str
    succeeded: str
    measure: str
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
    succeeded = last_success = ""
    if completed is not None and failed is not None and completed + failed:
        share = _success_share(completed, failed)
        succeeded = say("{done:,} of {all:,} ({share})", done=completed, all=completed + failed, share=share)
        if others := _not_counted(facts):
            succeeded = say("{succeeded}, without {others}", succeeded=succeeded, others=others)
        last_success = "" if completed else say("none")
    measure, durations = _durations(facts)
    return CheckpointVitals(
        job=job,
        last_success=_before_end(age) if age is not None else last_success,
        succeeded=succeeded,
        measure=measure,
        durations=durations,
    )


def _not_counted(facts: Mapping[str, Any]) -> str:
    """The triggers that other counts on the page have too; empty without any."""
    aborted, refused = facts.get("aborted") or 0, facts.get("not_started") or 0
    parts = [
        say("{count} aborted with the job", count=aborted) if aborted else "",
        say_counted("{count} refused trigger", "{count} refused triggers", refused) if refused else "",
    ]
    return enumeration([part for part in parts if part])


def _durations(facts: Mapping[str, Any]) -> tuple[str, str]:
    """What is shown of the durations of the completed checkpoints, and its value; empty where nothing is known."""
    completed = facts.get("completed") or 0
    if completed < FEWEST_FOR_MEDIAN:
        title, names = say("Duration"), ("min_duration_ms", "max_duration_ms")
    elif completed < FEWEST_FOR_P95:
        title, names = say("Duration median / longest"), ("median_duration_ms", "max_duration_ms")
    else:
        title, names = say("Duration p50 / p95"), ("median_duration_ms", "p95_duration_ms")
    values = [facts.get(name) for name in names]
    if any(value is None for value in values):
        return title, ""
    if completed < FEWEST_FOR_MEDIAN:
        low, high = (duration(value) for value in values)
        return title, low if low == high else say("{low} to {high}", low=low, high=high)
    return title, " / ".join(map(duration, values))


def _before_end(age_ms: float) -> str:
    """How long before the last observation the last checkpoint completed."""
    if age_ms < 1000:
        return say("at the end of the evidence")
    return say("{age} before the last look at them", age=duration(age_ms))
