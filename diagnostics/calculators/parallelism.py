"""Parallelism of a task for a rate, and why more does not help against one hot key."""

from __future__ import annotations

import math
from collections.abc import Mapping

from diagnostics.calculators.calculator import OFFERED_RATE, Calculator, Input, Line, Outcome
from diagnostics.evidence.subject import Lookup
from diagnostics.language import say, to_say
from diagnostics.wording.phrase import number, percent

SKEW = 1.5
"""From this multiple of the even share on, the hottest subtask is the limit (the runbook's exit condition for skew)."""


def _compute(values: Mapping[str, float], lookup: Lookup) -> Outcome:
    rate, cost, subtasks, target = (values[name] for name in ("rate", "ms_per_record", "parallelism", "target"))
    skew = max(values["skew_ratio"], 1.0)
    if cost <= 0 or target <= 0 or subtasks < 1:
        return Outcome("not known", say("The cost of a record, the target and the parallelism are more than nothing."))
    work = rate * cost / 1000
    needed = max(math.ceil(work / target - 1e-9), 1)
    hottest = skew / subtasks
    passes, even = 1000 / (hottest * cost), subtasks * 1000 / cost
    lines = [
        Line(say("Work"), f"{number(rate)}/s x {number(cost)} ms", say("{work} busy subtasks", work=number(work))),
        Line(
            say("Subtasks that it needs"),
            say("{work} / {target}, rounded up", work=number(work), target=percent(target)),
            number(needed),
        ),
        Line(say("Share of the hottest subtask"), f"{number(skew)} / {number(subtasks)}", percent(hottest)),
        Line(say("Its busy time"), f"{percent(hottest)} x {number(work)}", percent(hottest * work)),
        Line(
            say("Passes until it is busy all the time"),
            f"1,000 ms / ({percent(hottest)} x {number(cost)} ms)",
            f"{number(passes)}/s",
        ),
        Line(
            say("Would pass evenly spread"), f"{number(subtasks)} x 1,000 ms / {number(cost)} ms", f"{number(even)}/s"
        ),
    ]
    results = {"needed": float(needed), "hottest_busy": hottest * work, "passes_per_s": passes, "even_per_s": even}
    refusals = []
    if skew >= SKEW:
        refusals.append(
            say(
                "The hottest subtask has {skew} times its even share. If that is one key, it stays on one subtask "
                "whatever the parallelism: {hottest} of the records and "
                "{busy} busy. Split the key.",
                skew=number(skew),
                hottest=percent(hottest),
                busy=percent(hottest * work),
            )
        )
    refused = lookup("outside_system.refused")
    if isinstance(refused, (int, float)) and refused > 0:
        refusals.append(
            say("The outside system refused {refused} requests: more subtasks send it more.", refused=number(refused))
        )
    if refusals:
        return Outcome("do not", refusals[0], lines, refusals, results)
    if needed <= subtasks:
        headline = say(
            "{subtasks} subtasks suffice for {rate}/s; {needed} would do.",
            subtasks=number(subtasks),
            rate=number(rate),
            needed=number(needed),
        )
        return Outcome("depends", headline, lines, results=results)
    headline = say(
        "{needed} subtasks in place of {subtasks} carry {rate}/s at {target} busy.",
        needed=number(needed),
        subtasks=number(subtasks),
        rate=number(rate),
        target=percent(target),
    )
    return Outcome("do", headline, lines, results=results)


CALCULATOR = Calculator(
    id="parallelism",
    title=to_say("Parallelism by the processing rate"),
    question=to_say("How many subtasks does the task need for the rate that comes in?"),
    formula=to_say("subtasks = rate x time of one record / target busy share"),
    inputs=(
        OFFERED_RATE,
        Input(
            "ms_per_record", to_say("Busy time of one record, ms"), "count", ("record_rate.ms_per_record",), high=1000
        ),
        Input("parallelism", to_say("Subtasks now"), "count", ("record_rate.parallelism",), low=1, high=512),
        Input(
            "skew_ratio",
            to_say("Hottest subtask, as a multiple of its even share"),
            "count",
            ("load_balance.skew_ratio",),
            assumed=1.0,
            because=to_say("no records by subtask were measured"),
            low=1,
            high=64,
        ),
        Input(
            "target",
            to_say("Busy share to aim at"),
            "share",
            (),
            assumed=0.7,
            because=to_say("our choice: room for catching up; Flink's autoscaler aims at 70 % as well"),
            low=0.1,
            high=1,
            choice=True,
        ),
    ),
    assumptions=(
        to_say("A record costs the same at every parallelism, and there are cores for the subtasks."),
        to_say("What the task waits for (a database, a lock) has room for more callers."),
    ),
    compute=_compute,
    symptoms=("cpu_hotspot", "slow_dimension_join", "slow_sink", "data_skew"),
    docs=("S068",),
)
