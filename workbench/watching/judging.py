"""Judges a job by its checks: what is wrong now, and what its trends foresee.

Trends are those of `diagnostics.arithmetic.trend`, with their interval of 95 %; where the checks show none, nothing is
foreseen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from diagnostics.arithmetic.trend import NoTrend, Point, Reached, Trend, trend_of
from diagnostics.wording.phrase import duration, number, size
from workbench.languages.sentences import Said, said, sentence_of, to_say
from workbench.watching.asking import ENDED, JobSeen
from workbench.watching.models import JobCheck, Level

HOUR = 3_600_000.0
DAY = 24 * HOUR
LATE_MS = 5 * 60_000.0
"""By how much a check may come after its time. Our choice: the worker checks one cluster after the other."""
MOST_RESTARTS_AN_HOUR = 3
"""Our choice: two restarts within an hour happen with a deployment; three are a job that does not stay up."""
MOST_RESTARTS_A_DAY = 3
WAITING_MS = 2 * 60_000.0
"""How long a job may wait for its slots. Our choice: pods of TaskManagers take up to a minute to start."""
FAILED_IN_A_ROW = 2
"""Checkpoints. Our choice: a single one fails with each restart of a TaskManager."""
OVERDUE_INTERVALS = 5
"""Intervals without a completed checkpoint, beside the timeout. Our choice."""
TIMEOUT_AHEAD = DAY
DISK_AHEAD = 7 * DAY
"""How far ahead a warning looks. Our choice: what can be prepared in a working day, and disk in a week."""
LEAST_BACKLOG = 10_000.0
LEAST_GROWTH = 2.0
"""A backlog is worth a warning from this many records on, and once it has doubled over the checks. Our choice."""


@dataclass(frozen=True, slots=True)
class Sign:
    """A sign of trouble, present or coming.

    kind    names it over several checks
    said    the sentence and its values as text, from which it is made in the language of its reader
    """

    kind: str
    level: Level
    said: Said

    @property
    def text(self) -> str:
        """The sentence."""
        return sentence_of(self.said)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a check says about a job.

    looked_at  what was measured: the measures that a quiet job was judged by
    """

    level: Level
    signs: Sequence[Sign]
    looked_at: Sequence[str]


@dataclass(frozen=True, slots=True)
class Looks:
    """A job as just seen, and its earlier checks of the same job id, oldest first.

    now_ms  the time of the present check, epoch ms by this machine's clock
    """

    seen: JobSeen
    earlier: Sequence[JobCheck]
    now_ms: float
    state_limit_bytes: float | None = None

    def points(self, measure: str) -> list[Point]:
        """(epoch ms, value) of the checks that measured it, with the present one."""
        known = [(each.at.timestamp() * 1000, getattr(each, measure)) for each in self.earlier]
        known.append((self.now_ms, getattr(self.seen, measure)))
        return [(at, float(value)) for at, value in known if value is not None]

    def restarts_within(self, ms: float) -> int | None:
        """Restarts since the earliest check within that time, where none is since the one just before; None without
        two counts.
        """
        points = self.points("restarts")
        for since_ms in (self.now_ms - ms, self.now_ms - ms - LATE_MS):
            counts = [value for at, value in points if at >= since_ms]
            if len(counts) > 1:
                return int(counts[-1] - counts[0])
        return None


def judge(looks: Looks) -> Judgement:
    """The judgement of one job."""
    seen = looks.seen
    if seen.state in ENDED:
        return Judgement(Level.ENDED, [], ["state"])
    signs = [sign for question in QUESTIONS for sign in question(looks)]
    levels = [sign.level for sign in signs]
    level = Level.ILL if Level.ILL in levels else Level.WARNING if levels else Level.QUIET
    return Judgement(level, signs, list(_looked_at(looks)))


def _looked_at(looks: Looks) -> Iterator[str]:
    seen = looks.seen
    yield to_say("state")
    if seen.failed_in_a_row is not None:
        yield to_say("checkpoints")
    if seen.restarts is not None:
        yield to_say("restarts")
    if seen.backlog is not None:
        yield to_say("backlog of the sources")


def _state(looks: Looks) -> Iterator[Sign]:
    state = looks.seen.state
    if state in ("FAILED", "FAILING"):
        yield Sign("state", Level.ILL, said(to_say("The job is {state}."), state=state))
    elif state == "RESTARTING":
        yield Sign("state", Level.ILL, said(to_say("The job was restarting at the check.")))


def _waits_for_slots(looks: Looks) -> Iterator[Sign]:
    seen = looks.seen
    if seen.state in ("RUNNING", "CREATED") and seen.waiting and (seen.waiting_ms or 0.0) >= WAITING_MS:
        text = to_say("No task of the job runs: all have waited for a slot for {since}.")
        waits = said(text, since=duration(seen.waiting_ms))
        yield Sign("no-slots", Level.ILL, waits)


def _failed_checkpoints(looks: Looks) -> Iterator[Sign]:
    failed = looks.seen.failed_in_a_row
    if failed is not None and failed >= FAILED_IN_A_ROW:
        yield Sign("checkpoints-fail", Level.ILL, said(to_say("The last {count} checkpoints failed."), count=failed))


def _overdue_checkpoint(looks: Looks) -> Iterator[Sign]:
    seen = looks.seen
    interval, timeout = seen.known.get("interval_ms"), seen.known.get("timeout_ms")
    if not interval or interval >= 1e15 or seen.running_ms is None or seen.failed_in_a_row is None:
        return  # without periodic checkpoints Flink states an interval of 2^63 - 1
    # By the cluster's clock: the one of this machine may differ.
    now_ms = seen.deployed_ms + seen.running_ms
    since = min(now_ms - seen.completed_ms, seen.running_ms) if seen.completed_ms else seen.running_ms
    if since > OVERDUE_INTERVALS * interval + (timeout or 0.0):
        text = to_say("No checkpoint completed in the last {since}; the interval is {interval}.")
        overdue = said(text, since=duration(since), interval=duration(interval))
        yield Sign("checkpoint-overdue", Level.ILL, overdue)


def _restarts(looks: Looks) -> Iterator[Sign]:
    within_hour, within_day = looks.restarts_within(HOUR), looks.restarts_within(DAY)
    if within_hour is not None and within_hour >= MOST_RESTARTS_AN_HOUR:
        text = to_say("The job restarted {count} times within the last hour.")
        yield Sign("restarts", Level.ILL, said(text, count=within_hour))
    elif within_day is not None and within_day >= MOST_RESTARTS_A_DAY:
        text = to_say("The job restarted {count} times within the last 24 h.")
        yield Sign("restarts", Level.WARNING, said(text, count=within_day))


def _timeout(looks: Looks) -> Iterator[Sign]:
    limit = looks.seen.known.get("timeout_ms")
    if reached := _reaches(looks, "checkpoint_ms", limit, TIMEOUT_AHEAD):
        trend, when = reached
        values = {"now": duration(trend.at(trend.last)), "limit": duration(limit), **_span(trend, when)}
        yield Sign("checkpoint-timeout", Level.WARNING, said(TIMEOUT_REACHED["latest" in values], **values))


def _disk(looks: Looks) -> Iterator[Sign]:
    limit = looks.state_limit_bytes
    if reached := _reaches(looks, "checkpoint_bytes", limit, DISK_AHEAD):
        trend, when = reached
        values = {"now": size(trend.at(trend.last)), "limit": size(limit), **_span(trend, when)}
        yield Sign("state-size", Level.WARNING, said(DISK_FILLED["latest" in values], **values))


def _lag(looks: Looks) -> Iterator[Sign]:
    points = looks.points("backlog")
    trend = trend_of(points)
    if isinstance(trend, NoTrend) or trend.slope <= 0:
        return
    first, last = max(trend.at(trend.first), 1.0), trend.at(trend.last)
    if last < LEAST_BACKLOG or last < LEAST_GROWTH * first:
        return
    slopes = [number(round(slope * 1000, 1)) for slope in (trend.slope, trend.slope_low, trend.slope_high)]
    text = to_say(
        "The backlog grows by {pace} records a second ({low} to {high}): {waiting} records wait now, and the job does "
        "not catch up while that lasts."
    )
    growing = said(text, pace=slopes[0], low=slopes[1], high=slopes[2], waiting=number(round(last)))
    yield Sign("lag", Level.WARNING, growing)


def _reaches(looks: Looks, measure: str, limit: float | None, ahead: float) -> tuple[Trend, Reached] | None:
    """The rising trend and when it reaches the limit, where that is within `ahead`; None for anything else."""
    if not limit:
        return None
    trend = trend_of(looks.points(measure))
    if isinstance(trend, NoTrend) or trend.slope <= 0:
        return None
    reached = trend.reaches(limit)
    return (trend, reached) if reached and reached.expected - trend.last <= ahead else None


TIMEOUT_REACHED = {
    True: to_say(
        "Checkpoints take longer and longer, {now} now: at this pace they reach the timeout of {limit} in {expected} "
        "({earliest} to {latest})."
    ),
    False: to_say(
        "Checkpoints take longer and longer, {now} now: at this pace they reach the timeout of {limit} in {expected} "
        "(not before {earliest})."
    ),
}
DISK_FILLED = {
    True: to_say(
        "The state grows, {now} now: at this pace it fills the {limit} for it in {expected} ({earliest} to {latest})."
    ),
    False: to_say(
        "The state grows, {now} now: at this pace it fills the {limit} for it in {expected} (not before {earliest})."
    ),
}
"""Whether the latest moment is known -> the sentence."""


def _span(trend: Trend, when: Reached) -> dict[str, str]:
    """From now until the moment, with its interval, as values of a sentence."""
    span = {"expected": duration(when.expected - trend.last), "earliest": duration(when.earliest - trend.last)}
    return {**span, "latest": duration(when.latest - trend.last)} if when.latest else span


QUESTIONS: tuple[Callable[[Looks], Iterator[Sign]], ...] = (
    _state,
    _waits_for_slots,
    _failed_checkpoints,
    _overdue_checkpoint,
    _restarts,
    _timeout,
    _disk,
    _lag,
)
"""In the order of the sentences on the page."""
