"""The checkpoint interval: cost of checkpoints against cost of a failure."""

from __future__ import annotations

import math
from collections.abc import Mapping

from diagnostics.calculators.calculator import Calculator, Input, Line, Outcome
from diagnostics.evidence.subject import Lookup
from diagnostics.language import say, to_say
from diagnostics.wording.phrase import duration, number, percent

DAY_MS = 86_400_000
LEAST_MS = 10_000.0
"""Flink allows 10 ms; below ten seconds coordination dominates. Our choice."""


def _compute(values: Mapping[str, float], lookup: Lookup) -> Outcome:
    interval, took, failures = values["interval_ms"], values["duration_ms"], values["failures_per_day"]
    if interval <= 0:
        return Outcome("not known", say("An interval of nothing is no interval."))
    under_way = took / interval
    lost_most, lost_usual = interval + took, interval / 2 + took
    lines = [
        Line(say("Time with a checkpoint under way"), f"{duration(took)} / {duration(interval)}", percent(under_way)),
        Line(
            say("Processed again after a failure, at most"),
            f"{duration(interval)} + {duration(took)}",
            duration(lost_most),
        ),
        Line(say("Processed again, usually"), f"{duration(interval)} / 2 + {duration(took)}", duration(lost_usual)),
        Line(say("In a day"), f"{number(failures)} x {duration(lost_usual)}", duration(failures * lost_usual)),
    ]
    results = {"under_way": under_way, "lost_most_ms": lost_most, "lost_usual_ms": lost_usual}
    if under_way >= 1:
        refusals = [
            say(
                "Do not shorten it: a checkpoint takes {took}, longer than the interval, so each one begins late. "
                "Repair the duration first; then choose the interval.",
                took=duration(took),
            )
        ]
        return Outcome("do not", refusals[0], lines, refusals, results)
    if failures > 0 and took > 0:
        cost = values["cost"] * took
        best = max(math.sqrt(2 * cost * DAY_MS / failures), took, LEAST_MS)
        arithmetic = f"sqrt(2 x {percent(values['cost'])} x {duration(took)} x 24 h / {number(failures)})"
        lines.append(Line(say("Interval at which both costs are least"), arithmetic, duration(best)))
        results |= {"best_ms": best}
        headline = say(
            "Every {interval}: checkpoints are under way {under_way} of the time, "
            "and a failure loses "
            "up to {lost_most}. With {failures} a day, both together cost least near {best}.",
            interval=duration(interval),
            under_way=percent(under_way),
            lost_most=duration(lost_most),
            failures=say("one failure") if failures == 1 else say("{number} failures", number=number(failures)),
            best=duration(best),
        )
        return Outcome("depends", headline, lines, results=results)
    headline = say(
        "Checkpoints are under way {under_way} of the time; a failure loses up to {lost_most}.",
        under_way=percent(under_way),
        lost_most=duration(lost_most),
    )
    return Outcome("depends", headline, lines, results=results)


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
            ("checkpoint_progress.median_duration_ms",),
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
