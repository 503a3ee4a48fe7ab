"""An alert rule, and the same condition evaluated on a series.

Each alert has its PromQL and the same condition in Python, so that the unit test for promtool states what the alert
does on this incident, and promtool verifies that both agree.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from diagnostics.language import joined_sentences, say, to_say
from diagnostics.prevention.series import STEP_MS, CaseSeries, Labels, Series
from diagnostics.vocabulary.load_levels import LOW_MOST
from diagnostics.wording import phrase

MINUTE = 60_000
BACK_PRESSURE_MS = 5 * MINUTE
"""Back pressure that lasts longer is no burst: vocabulary/sources/documents.yaml S088."""
LEAST_LASTING_MS = MINUTE
"""A condition that an incident met for less and that passed is as likely a burst: Flink's rates are means of a minute.
Our choice."""
HIGH_MS_PER_S = round(1000 * LOW_MOST)
"""Flink's own bound between LOW and HIGH back pressure."""
FULL_MS_PER_S = 900
"""A subtask that is busy for nine tenths of the time has no reserve; the bound of the rules on busy tasks."""

LATE_SHARE = 0.01
"""Late records below this part of the input are no incident. Our choice: ten times what the runbook aims at."""
LATE_TIMES = 2.0
"""A share that grows by this factor has jumped; the factor of the signal of late records."""

Condition = Mapping[Labels, Sequence[bool]]


@dataclass(frozen=True, slots=True)
class WatchedJob:
    """The job that the alerts are for, with interval and timeout of its checkpoints.

    name      as a label value; None where the evidence does not name it: the alerts then watch every job
    start_ms  the longest start of a task while which triggers were refused; 0 where none was

    late_before  share of its input that a task dropped as late before that jumped; None where it did not
    late_since   the same since then
    forgets      whether its sources keep no position, so that nothing is read again after a failure
    assumes      whether the evidence states neither interval nor timeout, so that usual ones are used
    """

    name: str | None
    interval_ms: int
    timeout_ms: int
    start_ms: int = 0
    late_before: float | None = None
    late_since: float | None = None
    forgets: bool = False
    assumes: bool = False

    @property
    def late_bound(self) -> float:
        """The share from which dropped records are an incident: well above what the job dropped before."""
        if self.late_before is None or self.late_since is None:
            return LATE_SHARE
        above = min(LATE_TIMES * self.late_before, (self.late_before + self.late_since) / 2)
        return float(f"{max(above, LATE_SHARE):.2g}")


@dataclass(frozen=True, slots=True)
class Alert:
    """One alert rule.

    for_ms     minimum duration of the condition
    summary    a sentence; `{job_name}` and `{task_name}` are replaced by labels
    why        why it exists and where its bound comes from
    needs      metrics in the expression
    condition  label sets that meet the expression, per step of a case's series
    of_cause   whether it watches the cause of the case, so that it has to fire in this incident if it can
    since_ms   when that cause began, epoch ms; None where that is not known
    """

    name: str
    expr: str
    for_ms: int
    severity: str
    summary: str
    why: str
    needs: tuple[str, ...]
    condition: Callable[[CaseSeries], Condition]
    of_cause: bool = False
    since_ms: float | None = None

    @property
    def waits(self) -> str:
        """The minimum duration as the rule has it behind `for:`."""
        return duration(self.for_ms)

    def firing(self, series: CaseSeries, from_step: int = 0) -> dict[Labels, int]:
        """For each label set the first step, of `from_step` and those after it, at which the alert fires."""
        steps = self.for_ms // STEP_MS
        first_steps: dict[Labels, int] = {}
        for labels, holds in self.condition(series).items():
            since: int | None = None
            for step, met in enumerate(holds):
                since = (step if since is None else since) if met else None
                if since is not None and step - since >= steps and step >= from_step:
                    first_steps[labels] = step
                    break
        return first_steps

    def longest_ms(self, series: CaseSeries) -> int:
        """How long its condition holds without a break, from the first to the last step of the longest time."""
        runs = [
            len(list(met)) for holds in self.condition(series).values() for holding, met in groupby(holds) if holding
        ]
        return (max(runs, default=1) - 1) * STEP_MS

    def is_covered_by(self, series: CaseSeries) -> bool:
        """Whether the case has all its series, so that a test of it is meaningful."""
        return all(series.of(metric) for metric in self.needs)


def fitted(alert: Alert, series: CaseSeries) -> Alert:
    """The alert with a shorter wait where it would not have fired in time: the incident met its condition, and stopped
    to meet it, for less than that.
    """
    lasted_ms = max(
        (_longest_ms(holds, _last_step(alert, series, labels)) for labels, holds in alert.condition(series).items()),
        default=0,
    )
    for_ms = lasted_ms // 2 // STEP_MS * STEP_MS
    if not 0 < for_ms < lasted_ms < alert.for_ms:
        return alert
    waits, lasted = phrase.duration(for_ms), phrase.duration(lasted_ms)
    if lasted_ms >= LEAST_LASTING_MS:
        reason = say(
            "It waits for {waits} only, because this incident met the condition for {lasted}.",
            waits=waits,
            lasted=lasted,
        )
    else:
        reason = say(
            "It waits for {waits} only, because this incident met the condition for {lasted} before its series "
            "ended; so short a wait may report a burst, too.",
            waits=waits,
            lasted=lasted,
        )
    return replace(alert, for_ms=for_ms, why=joined_sentences([alert.why, reason]))


def _last_step(alert: Alert, series: CaseSeries, labels: Labels) -> int | None:
    """The step at which all series of the cause's alert with these labels ended; None where one goes on.

    A stretch up to there is no burst that passed: the process that had the series was gone.
    """
    if not alert.of_cause:
        return None
    read = [each for metric in alert.needs for each in series.of(metric) if set(labels) <= set(each.labels)]
    last = max((step for each in read for step, value in enumerate(each.values) if value is not None), default=-1)
    return last if 0 <= last < series.steps - 1 else None


def _longest_ms(holds: Sequence[bool], last_step: int | None) -> int:
    """The longest stretch that ends before the last step; one that goes on has no length yet, and one below
    LEAST_LASTING_MS has none unless it ends with its series.
    """
    longest_ms, until = 0, -1
    for met, stretch in groupby(holds):
        steps = len(list(stretch))
        until += steps
        lasted_ms = (steps - 1) * STEP_MS
        ended = until < len(holds) - 1 and (lasted_ms >= LEAST_LASTING_MS or until == last_step)
        longest_ms = max(longest_ms, lasted_ms if met and ended else 0)
    return longest_ms


def for_these_settings(why: str, job: WatchedJob) -> str:
    """The reason of an alert whose bound is made from the settings of checkpoints, and when it holds no longer."""
    unstated = to_say(
        "No file states the interval and the timeout of the checkpoints: {interval} and {timeout} are assumed. Open a "
        "case with evidence that states them, and export its rules."
    )
    again = say(
        unstated
        if job.assumes
        else to_say(
            "This holds for a checkpoint interval of {interval} and a timeout of {timeout}: after a change of either, "
            "open a case with evidence from after the change and export its rules."
        ),
        interval=phrase.duration(job.interval_ms),
        timeout=phrase.duration(job.timeout_ms),
    )
    return joined_sentences([why, again])


def duration(ms: float) -> str:
    """Whole steps of time as Prometheus writes them: 90 s as `1m30s`."""
    seconds = math.ceil(ms / STEP_MS) * STEP_MS // 1000
    minutes, rest = divmod(seconds, 60)
    return f"{minutes}m{rest}s" if minutes and rest else f"{minutes}m" if minutes else f"{rest}s"


def selected(metric: str, job: WatchedJob, task: str | None = None, ago: str = "") -> str:
    """The series of the job, or of one of its tasks, in PromQL; `ago` is a duration."""
    labels = [f'{name}="{value}"' for name, value in (("job_name", job.name), ("task_name", task)) if value]
    return f"{metric}{'{' + ', '.join(labels) + '}' if labels else ''}{f' offset {ago}' if ago else ''}"


def by_job(metric: str, job: WatchedJob, ago: str = "") -> str:
    """The largest value of the job, which keeps its name as a label."""
    return f"max by (job_name) ({selected(metric, job, ago=ago)})"


def steps_of_time(ms: float) -> int:
    """The number of whole steps that cover a duration in ms."""
    return math.ceil(ms / STEP_MS) * STEP_MS


def _grouped(series: CaseSeries, metric: str, by: Sequence[str]) -> dict[Labels, list[Series]]:
    found: dict[Labels, list[Series]] = {}
    for each in series.of(metric):
        found.setdefault(tuple((name, value) for name, value in each.labels if name in by), []).append(each)
    return found


def _columns(group: Sequence[Series]) -> Iterator[list[float]]:
    for values in zip(*(each.values for each in group), strict=True):
        yield [value for value in values if value is not None]


def largest_of(series: CaseSeries, metric: str, by: Sequence[str]) -> dict[Labels, list[float | None]]:
    groups = _grouped(series, metric, by)
    return {labels: [max(known, default=None) for known in _columns(group)] for labels, group in groups.items()}


def means_of(series: CaseSeries, metric: str, by: Sequence[str]) -> dict[Labels, list[float | None]]:
    groups = _grouped(series, metric, by)
    return {
        labels: [sum(known) / len(known) if known else None for known in _columns(group)]
        for labels, group in groups.items()
    }


def sums_of(series: CaseSeries, metric: str, by: Sequence[str]) -> dict[Labels, list[float | None]]:
    groups = _grouped(series, metric, by)
    return {labels: [sum(known) if known else None for known in _columns(group)] for labels, group in groups.items()}


def steps_over(series: CaseSeries, metric: str, bound: float, by: Sequence[str]) -> dict[Labels, list[bool]]:
    largest = largest_of(series, metric, by)
    return {labels: [value is not None and value > bound for value in values] for labels, values in largest.items()}


def growth_of(
    series: CaseSeries, metric: str, window: int, by: Sequence[str] = ("job_name",)
) -> dict[Labels, list[float | None]]:
    """Growth of a count within the window; None where the count is unknown at the window's start."""
    back = window // STEP_MS
    found: dict[Labels, list[float | None]] = {}
    for labels, values in largest_of(series, metric, by).items():
        pairs = ((values[step - back] if step >= back else None, value) for step, value in enumerate(values))
        found[labels] = [None if None in pair else pair[1] - pair[0] for pair in pairs]  # type: ignore[operator]
    return found


def grown(metric: str, job: WatchedJob, ago: str) -> str:
    """The growth of a count of the job within that time, in PromQL, as `counted_of` has it."""
    now, then = by_job(metric, job), by_job(metric, job, ago)
    return f"({now} - {then} >= 0 or ({now} and {then}))"


def counted_of(series: CaseSeries, metric: str, window: int) -> dict[Labels, list[float | None]]:
    """Growth of a count of the job within the window. A count that is smaller than before began again, with a new
    JobManager: it has grown from 0. `increase` of Prometheus knows that too, but extrapolates to the window.
    """
    now = largest_of(series, metric, ("job_name",))
    return {
        labels: [
            count if growth is not None and growth < 0 else growth
            for growth, count in zip(grows, now[labels], strict=True)
        ]
        for labels, grows in growth_of(series, metric, window).items()
    }


def has_grown(series: CaseSeries, metric: str, window: int) -> Condition:
    """Where a count of the job grew within the window."""
    counts = counted_of(series, metric, window)
    return {labels: [each is not None and each > 0 for each in grows] for labels, grows in counts.items()}


def _rose(before: float | None, after: float | None) -> bool:
    """Whether a count grew from one sample to the next: one that is smaller than before began again at 0."""
    return before is not None and after is not None and after != before and after > 0


def has_increased(series: CaseSeries, metric: str, window: int) -> Condition:
    """Where a count of the job grew between two samples of the window, also of a series that has ended since; one that
    began again is counted from 0 on, as by `increase` of Prometheus.
    """
    back = window // STEP_MS
    found: dict[Labels, list[bool]] = {}
    for labels, values in largest_of(series, metric, ("job_name",)).items():
        ranges = (values[max(step - back, 0) : step + 1] for step in range(len(values)))
        known = ([value for value in each if value is not None] for each in ranges)
        found[labels] = [any(_rose(before, after) for before, after in pairwise(each)) for each in known]
    return found


def has_fallen(series: CaseSeries, metric: str, window: int) -> Condition:
    """Where a value of the job became smaller between two samples of the window."""
    back = window // STEP_MS
    found: dict[Labels, list[bool]] = {}
    for labels, values in largest_of(series, metric, ("job_name",)).items():
        ranges = (values[max(step - back, 0) : step + 1] for step in range(len(values)))
        known = ([value for value in each if value is not None] for each in ranges)
        found[labels] = [any(after < before for before, after in pairwise(each)) for each in known]
    return found


def has_stood_still(series: CaseSeries, metric: str, window: int) -> Condition:
    """Where a count of the job grew nowhere in the window, at whose begin and end it is known; one that began again in
    it is counted from 0 on.
    """
    back = window // STEP_MS
    still_by_labels: dict[Labels, list[bool]] = {}
    for labels, values in largest_of(series, metric, ("job_name",)).items():
        rose = [_rose(before, after) for before, after in pairwise(values)]
        still_by_labels[labels] = [
            step >= back and None not in (values[step - back], values[step]) and not any(rose[step - back : step])
            for step in range(len(values))
        ]
    return still_by_labels
