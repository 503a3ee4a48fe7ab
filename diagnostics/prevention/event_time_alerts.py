"""Alerts on event time: a watermark that is ahead of the clock, and late records that are dropped because of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diagnostics.language import joined_sentences, say
from diagnostics.notation.flink_values import END_OF_INPUT
from diagnostics.prevention.alert import MINUTE, Alert, Condition, WatchedJob, duration, growth_of, largest_of, selected
from diagnostics.prevention.scraped_series import WATERMARK
from diagnostics.prevention.series import STEP_MS, TASK, CaseSeries
from diagnostics.wording import phrase

BY = ("job_name", "task_name")
AHEAD_MS = 1000
"""A watermark further ahead of the clock comes from events of the future; the bound of the rules on watermarks."""
AHEAD_FOR_MS = MINUTE
"""A single event from the future moves the watermark once: its lead is gone when the clock caught up. Our choice."""
SHARE_MS = 2 * MINUTE
"""Long enough for a share that one late delivery does not make. Our choice."""
LATE_RECORDS = "FlinkLateRecordsDropped"
BELOW_END = f"< {END_OF_INPUT:.0e}".replace("+", "")
"""Selects the watermarks that are times."""


def event_time_alerts(finding: Mapping[str, Any], job: WatchedJob) -> list[Alert]:
    """One for events that are ahead of the clock, one for the records that are lost."""
    return [_ahead(finding, job), _late(finding, job)]


def _ahead(finding: Mapping[str, Any], job: WatchedJob) -> Alert:
    """By the time stamp of the sample: at the time of the evaluation a sample is as old as the scrape interval."""
    watermarks = selected(WATERMARK, job)

    def condition(series: CaseSeries) -> Condition:
        return {
            labels: [value is not None and value - step * STEP_MS > AHEAD_MS for step, value in enumerate(values)]
            for labels, values in largest_of(series, WATERMARK, BY).items()
        }

    return Alert(
        "FlinkWatermarkAheadOfClock",
        f"min by ({', '.join(BY)}) (({watermarks} {BELOW_END}) - timestamp({watermarks}) * 1000) > {AHEAD_MS}",
        AHEAD_FOR_MS,
        "warning",
        say("The watermark of {task_name} in {job_name} is ahead of the clock"),
        say(
            "Events carry times of the future, so that right events are late and are dropped. In this case: {title}.",
            title=finding["title"],
        ),
        (WATERMARK,),
        condition,
    )


def _late(finding: Mapping[str, Any], job: WatchedJob) -> Alert:
    """The share of the input, not a number: a job that has always dropped a few would fire all the time.

    A count that began again, in a restart of the job, is smaller than before: then there is no share.
    """
    late, read = f"{TASK}operator_numLateRecordsDropped", f"{TASK}numRecordsIn"
    bound, ago = job.late_bound, duration(SHARE_MS)

    def grown(metric: str) -> str:
        now, then = (f"sum by ({', '.join(BY)}) ({selected(metric, job, ago=each)})" for each in ("", ago))
        return f"({now} - {then})"

    def condition(series: CaseSeries) -> Condition:
        dropped, passed = (growth_of(series, metric, SHARE_MS, BY) for metric in (late, read))
        return {
            labels: [
                bool(lost is not None and of is not None and of > 0 and lost / of > bound)
                for lost, of in zip(values, passed[labels], strict=True)
            ]
            for labels, values in dropped.items()
            if labels in passed
        }

    before = (
        say(
            "Before the share jumped it was {before}: the bound is above that.",
            before=phrase.percent(job.late_before),
        )
        if job.late_before
        else ""
    )
    return Alert(
        LATE_RECORDS,
        f"{grown(late)} / ({grown(read)} > 0) > {bound:g}",
        0,
        "warning",
        say("{task_name} of {job_name} drops late records"),
        joined_sentences(
            [
                say(
                    "More than {bound} of the input of {window} is dropped, which is lost to the result. In this "
                    "case: {title}.",
                    bound=phrase.percent(bound),
                    window=phrase.duration(SHARE_MS),
                    title=finding["title"],
                ),
                *([before] if before else []),
            ]
        ),
        (late, read),
        condition,
    )
