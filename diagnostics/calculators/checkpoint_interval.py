"""The checkpoint interval: cost of checkpoints against cost of a failure."""

from __future__ import annotations

import math
from collections.abc import Mapping

from diagnostics.calculators.calculator import FORGETS, Calculator, Input, Line, Outcome, makes_own_records
from diagnostics.evidence.subject import Lookup, number_of
from diagnostics.language import say, to_say
from diagnostics.wording.phrase import duration, in_brackets, number, percent

DAY_MS = 86_400_000
FULL_HEAP = 0.8
"""Part of the heap that is live after full collections from which it is full; the bound of the rules on the heap."""
LEAST_MS = 10_000.0
"""Flink allows 10 ms; below ten seconds coordination dominates. Our choice."""


def _compute(values: Mapping[str, float], lookup: Lookup) -> Outcome:
    interval, took, failures = values["interval_ms"], values["duration_ms"], values["failures_per_day"]
    if interval <= 0:
        return Outcome("not known", say("An interval of nothing is no interval."))
    under_way = took / interval
    down = _down_ms(lookup)
    lost_most, lost_usual = interval + took + down, interval / 2 + took + down
    shown_took = " + ".join(map(duration, (took, *([down] if down else []))))
    division = f"{duration(took)} / {duration(interval)}"
    arithmetic = division if under_way <= 1 else say("{division}, at most all of it", division=division)
    lines = [
        Line(say("Time with a checkpoint under way"), arithmetic, percent(min(under_way, 1.0))),
        Line(
            _label_of_most(lookup),
            f"{duration(interval)} + {shown_took}",
            duration(lost_most),
        ),
        Line(
            _label_of_usual(lookup),
            f"{duration(interval)} / 2 + {shown_took}",
            duration(lost_usual),
        ),
        Line(say("In a day"), f"{number(failures)} x {duration(lost_usual)}", duration(failures * lost_usual)),
    ]
    results = {"under_way": under_way, "lost_most_ms": lost_most, "lost_usual_ms": lost_usual}
    if _is_heap_full(lookup):
        refusals = [
            say(
                "No interval helps while the heap is full: the collections for room stop the job whatever it is. "
                "Repair that first; then choose the interval."
            )
        ]
        return Outcome("do not", refusals[0], lines, refusals, results)
    if under_way >= 1:
        refusals = [_too_slow(took, interval, lookup)]
        return Outcome("do not", refusals[0], lines, refusals, results)
    if failures > 0 and took > 0:
        cost = values["cost"] * took
        best = max(math.sqrt(2 * cost * DAY_MS / failures), took, LEAST_MS)
        arithmetic = f"sqrt(2 x {percent(values['cost'])} x {duration(took)} x 24 h / {number(failures)})"
        lines.append(Line(say("Interval at which both costs are least"), arithmetic, duration(best)))
        results |= {"best_ms": best}
        headline = say(
            "Every {interval}, {took}: checkpoints are under way {under_way} of the time; {lost}. "
            "With {failures} a day, and {cost} of the throughput lost while one is under way, both together cost least "
            "near {best}.",
            interval=duration(interval),
            took=_took(took, lookup),
            under_way=percent(under_way),
            lost=_lost(lookup, lost_most),
            failures=say("one failure") if failures == 1 else say("{number} failures", number=number(failures)),
            cost=percent(values["cost"]),
            best=duration(best),
        )
        return Outcome("depends", headline, lines, results=results)
    headline = say(
        "With {took}, checkpoints are under way {under_way} of the time; {lost}.",
        took=_took(took, lookup),
        under_way=percent(under_way),
        lost=_lost(lookup, lost_most),
    )
    return Outcome("depends", headline, lines, results=results)


def _label_of_most(lookup: Lookup) -> str:
    if makes_own_records(lookup):
        return say("State taken back by a failure, at most")
    forgets = lookup("delivery_guarantee.source") == FORGETS
    return say("Lost with a failure, at most") if forgets else say("Processed again after a failure, at most")


def _label_of_usual(lookup: Lookup) -> str:
    if makes_own_records(lookup):
        return say("State taken back, usually")
    return say("Lost, usually") if lookup("delivery_guarantee.source") == FORGETS else say("Processed again, usually")


def _lost(lookup: Lookup, most: float) -> str:
    """What a failure costs: lost where no source reads it again, else repeated."""
    if makes_own_records(lookup):
        return say("a failure takes the state back by up to {most}", most=duration(most))
    if lookup("delivery_guarantee.source") == FORGETS:
        return say("a failure loses up to {most}", most=duration(most))
    return say("after a failure up to {most} are processed again", most=duration(most))


def _took(took: float, lookup: Lookup) -> str:
    """How long each checkpoint takes, and whose median a measured duration is."""
    if took != lookup("settings_check.usual_duration_ms"):
        return say("{took} each", took=duration(took))
    if lookup("settings_check.usual_of_expired") is True:
        return say("{took} or more for half of them or more, which expired", took=duration(took))
    return say("{took} each, the median of the completed ones", took=duration(took))


def _too_slow(took: float, interval: float, lookup: Lookup) -> str:
    """Why the interval is not to be shortened: an expired checkpoint took at least its timeout, and one that completed
    beside it may have taken less.
    """
    expired = lookup("settings_check.usual_of_expired") is True and took == lookup("settings_check.usual_duration_ms")
    completed = number_of(lookup, "checkpoint_progress.min_duration_ms")
    least = min(took, completed) if expired and completed is not None else took
    if least < interval:
        return say(
            "Do not shorten it: half of the checkpoints or more take {took} or more, longer than the interval, so the "
            "one after each of these begins late. Repair the duration first; then choose the interval.",
            took=duration(took),
        )
    return say(
        "Do not shorten it: a checkpoint takes {took}, longer than the interval, so each one begins late. "
        "Repair the duration first; then choose the interval.",
        took=say("{took} or more", took=duration(least)) if expired else _with_statistic(took, lookup),
    )


def _with_statistic(took: float, lookup: Lookup) -> str:
    """How long a checkpoint takes, and whose median a measured duration is: single ones may take much longer."""
    is_measured = took == lookup("settings_check.usual_duration_ms")
    return in_brackets(duration(took), say("the median of the completed ones")) if is_measured else duration(took)


def _down_ms(lookup: Lookup) -> float:
    """How long no source read in a restart that was measured, where what comes meanwhile is lost because none reads it
    again; 0 elsewhere: a restart then takes the same whatever the interval is, and loses nothing.
    """
    forgets = lookup("delivery_guarantee.source") == FORGETS
    return number_of(lookup, "recovery.unread_longest_ms") or 0.0 if forgets else 0.0


def _is_heap_full(lookup: Lookup) -> bool:
    """Whether full collections for room leave the heap nearly full, as the rules on the heap have it."""
    live, collections = (
        number_of(lookup, f"heap_pressure.{each}") for each in ("live_ratio", "full_gcs_for_room_most")
    )
    return live is not None and live >= FULL_HEAP and collections is not None and collections >= 1


CALCULATOR = Calculator(
    id="checkpoint-interval",
    title=to_say("Checkpoint interval"),
    question=to_say("What does a shorter or longer interval cost?"),
    formula=(
        to_say(
            "overhead = duration / interval; lost = interval + duration; best = sqrt(2 x cost of one x time "
            "between failures)"
        )
    ),
    inputs=(
        Input(
            "interval_ms",
            to_say("Interval"),
            "duration",
            ("settings.interval_ms", "checkpoint_progress.interval_ms"),
            low=1000,
            high=3_600_000,
            choice=True,
        ),
        Input(
            "duration_ms",
            to_say("Checkpoint duration"),
            "duration",
            ("settings_check.usual_duration_ms", "checkpoint_progress.median_duration_ms"),
            high=900_000,
        ),
        Input(
            "failures_per_day",
            to_say("Failures in a day"),
            "count",
            (),
            assumed=1.0,
            because=to_say("no failure rate of a usual day is in an incident's files"),
            high=50,
        ),
        Input(
            "cost",
            to_say("Throughput that a checkpoint under way takes away"),
            "share",
            (),
            assumed=0.05,
            because=to_say("our choice: a twentieth; measure the record rate with and without one"),
            high=1,
        ),
    ),
    assumptions=(
        to_say("Failures come independently of one another and of checkpoints (Young's approximation)."),
        to_say("What is processed again counts as lost time; restart and restore are the same for every interval."),
    ),
    compute=_compute,
    symptoms=("misconfiguration",),
    docs=("S105", "S132"),
)
