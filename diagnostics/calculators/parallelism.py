"""Parallelism of a task for a rate, and why more does not help against one hot key."""

from __future__ import annotations

import math
from collections.abc import Mapping

from diagnostics.calculators.calculator import OFFERED_RATE, Calculator, Input, Line, Outcome
from diagnostics.evidence.subject import FactValue, Lookup, number_of
from diagnostics.language import joined_sentences, say, to_say
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
    hottest, full = skew / subtasks, max(math.ceil(work - 1e-9), 1)
    measured, even = values["passes_per_s"], subtasks * 1000 / cost
    passes = measured or 1000 / (hottest * cost)
    of_work = [
        Line(say("Work"), f"{number(rate)}/s x {number(cost)} ms", say("{work} busy subtasks", work=number(work))),
        Line(
            say("Subtasks that it needs"),
            say("{work} / {target}, rounded up", work=number(work), target=percent(target)),
            number(needed),
        ),
        Line(
            say("Would pass evenly spread"), f"{number(subtasks)} x 1,000 ms / {number(cost)} ms", f"{number(even)}/s"
        ),
    ]
    of_hottest = [
        Line(say("Share of the hottest subtask"), f"{number(skew)} / {number(subtasks)}", percent(hottest)),
        Line(
            say("Passes until it is busy all the time"),
            say("measured") if measured else f"1,000 ms / ({percent(hottest)} x {number(cost)} ms)",
            f"{number(passes)}/s",
        ),
        Line(
            say("Part of what comes in that passes"),
            f"{number(passes)}/s / {number(rate)}/s",
            percent(min(passes / rate, 1.0)) if rate > 0 else percent(1.0),
        ),
    ]
    # The mean cost of a record is that of no subtask where they are loaded unevenly.
    lines = of_hottest if skew >= SKEW and measured else [*of_work, *of_hottest]
    results = {"needed": float(needed), "passes_per_s": passes, "even_per_s": even}
    refusals = []
    if skew >= SKEW:
        share = say(
            "The hottest subtask has {skew} times its even share, {hottest} of the records.",
            skew=number(skew),
            hottest=percent(hottest),
        )
        passed = {"passes": number(passes), "rate": number(rate)}
        refusals.append(joined_sentences((share, _why_uneven(lookup, subtasks, passed))))
    if refused := number_of(lookup, "outside_system.refused"):
        refusals.append(
            say("The outside system refused {refused} requests: more subtasks send it more.", refused=number(refused))
        )
    slots = number_of(lookup, "record_rate.slots_total")
    if not refusals and slots is not None and full > slots:
        refusals.append(
            say(
                "More parallelism is not enough: {rate}/s keep {full} subtasks busy all the time and need {needed} at "
                "{target} busy, and the cluster has {slots:.0f} slots.",
                rate=number(rate),
                full=number(full),
                needed=number(needed),
                target=percent(target),
                slots=slots,
            )
        )
    if refusals:
        return Outcome("do not", refusals[0], lines, refusals, results)
    if needed <= subtasks:
        words = {"task": _task(lookup), "subtasks": number(subtasks), "rate": number(rate)}
        headline = (
            say("{task} needs no more: parallelism {subtasks} suffices for {rate}/s, the highest rate seen.", **words)
            if rate == _measured_rate(lookup)
            else say("{task} needs no more: parallelism {subtasks} suffices for {rate}/s.", **words)
        )
        return Outcome("do not", headline, lines, [headline], results)
    headline = say(
        "{task}: {needed} subtasks in place of {subtasks} carry {rate}/s at {target} busy.",
        task=_task(lookup),
        needed=number(needed),
        subtasks=number(subtasks),
        rate=number(rate),
        target=percent(target),
    )
    return Outcome("do", headline, lines, results=results)


def _why_uneven(lookup: Lookup, subtasks: float, passed: Mapping[str, str]) -> str:
    """What the uneven load means for more subtasks, by the share of the most frequent key among the events."""
    key, share = lookup("key_distribution.top_key"), number_of(lookup, "key_distribution.top_key_share_ratio")
    if share is None:
        return say(
            "If that is one key, it stays on one subtask whatever the parallelism, and the task passes at most "
            "{passes}/s of the {rate}/s that come in.",
            **passed,
        )
    known = {"key": str(key), "share": percent(share)}
    if share * subtasks >= SKEW:
        return say(
            "Key {key} alone has {share} of the events: it stays on one subtask whatever the parallelism, and the task "
            "passes at most {passes}/s of the {rate}/s that come in.",
            **known,
            **passed,
        )
    return say(
        "It is not one key: the most frequent one, {key}, has {share} of the events. As the records are spread now, "
        "the task passes {passes}/s of the {rate}/s that come in: spread the keys first.",
        **known,
        **passed,
    )


def _measured_rate(lookup: Lookup) -> FactValue:
    """The rate that is taken where nobody enters another: that of the best interval of the task, 1/s."""
    return next((value for fact in OFFERED_RATE.facts if (value := lookup(fact)) is not None), None)


def _task(lookup: Lookup) -> str:
    """The name of the task, whose rates the values are."""
    return str(lookup("subject.vertex") or say("The task"))


def _has_busy_task(lookup: Lookup) -> bool:
    """Whether a task that matters is known with the time of one of its records."""
    return lookup("record_rate.ms_per_record") is not None


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
            "passes_per_s",
            to_say("Records that pass as they are spread, the busiest subtask busy all the time"),
            "rate",
            ("record_rate.ceiling_total_per_s",),
            assumed=0.0,
            because=to_say("not measured: calculated from the time of one record and the hottest share"),
            high=1e6,
        ),
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
    concerns=_has_busy_task,
    docs=("S068",),
)
