"""Effect of a cache or asynchronous calls on a look-up, by Little's law."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from diagnostics.calculators.calculator import INCOMING_RATE, Advice, Calculator, Input, Line, Outcome
from diagnostics.evidence.subject import Lookup
from diagnostics.wording.phrase import duration, number, percent


def _compute(values: Mapping[str, float], lookup: Lookup) -> Outcome:
    rate, call, subtasks, capacity = (values[name] for name in ("rate", "call_ms", "parallelism", "capacity"))
    misses = 1 - values["hits"]
    if call <= 0 or subtasks < 1 or capacity < 1:
        return Outcome("not known", "The time of a call, the parallelism and the capacity are more than nothing.")
    calls = rate * misses
    in_flight = calls * call / 1000
    one_by_one = math.inf if misses <= 0 else subtasks * 1000 / call / misses
    all_at_once = math.inf if misses <= 0 else subtasks * capacity * 1000 / call / misses
    needed = math.ceil(in_flight / subtasks - 1e-9)
    shown = {
        name: "without limit" if math.isinf(value) else f"{number(value)}/s"
        for name, value in (("one", one_by_one), ("all", all_at_once))
    }
    told_misses = f"(1 - {percent(values['hits'])})"
    lines = [
        Line("Calls that remain", f"{number(rate)}/s x {told_misses}", f"{number(calls)}/s"),
        Line("Calls in flight (Little)", f"{number(calls)}/s x {duration(call)}", number(in_flight)),
        Line("Records, one call at a time", f"{number(subtasks)} x 1 / {duration(call)} / {told_misses}", shown["one"]),
        Line(
            "Records, asynchronous",
            f"{number(subtasks)} x {number(capacity)} / {duration(call)} / {told_misses}",
            shown["all"],
        ),
        Line(
            "Capacity that each subtask needs", f"{number(in_flight)} / {number(subtasks)}, rounded up", number(needed)
        ),
    ]
    results = {
        "one_by_one_per_s": one_by_one,
        "together_per_s": all_at_once,
        "in_flight": in_flight,
        "needed": float(needed),
    }
    refused = lookup("outside_system.refused")
    if isinstance(refused, (int, float)) and refused > 0:
        refusals = [
            f"The outside system refused {number(refused)} requests: more calls at once are refused too. A cache sends "
            "fewer; asynchronous calls send more."
        ]
        return Outcome("do not", refusals[0], lines, refusals, results)
    advice: Advice = "depends"
    if one_by_one >= rate:
        headline = f"One call at a time carries {shown['one']}: enough for {number(rate)}/s."
    elif all_at_once >= rate:
        advice = "do"
        headline = (
            f"One call at a time carries {shown['one']} of {number(rate)}/s. Asynchronous calls with {number(needed)} "
            f"in flight for each subtask carry all, and the outside system gets {number(calls)} calls a second."
        )
    else:
        headline = (
            f"Even {number(capacity)} calls in flight carry only {shown['all']} of {number(rate)}/s: cache more, or "
            "call for many records at once."
        )
    if lookup("blocking_calls.role") != "look-up":
        return Outcome("not known", f"These files show no look-up. With one: {headline}", lines, results=results)
    return Outcome(advice, headline, lines, results=results)


CALCULATOR = Calculator(
    id="look-up",
    title="Cache and asynchronous look-ups",
    question="How many records pass with a cache, and with calls in flight?",
    formula=(
        "calls in flight = calls per second x time of a call (Little); records = subtasks x calls in "
        "flight / time / misses"
    ),
    inputs=(
        replace(INCOMING_RATE, choice=True),
        Input(
            "call_ms",
            "Time of one call",
            "duration",
            ("blocking_calls.call_ms", "record_rate.ms_per_record"),
            high=5000,
        ),
        Input(
            "parallelism",
            "Subtasks",
            "count",
            ("record_rate.parallelism", "back_pressure.origin.parallelism"),
            low=1,
            high=512,
        ),
        Input(
            "hits",
            "Hit rate of a cache",
            "share",
            (),
            assumed=0.0,
            because="no cache is seen in the files",
            high=0.999,
            choice=True,
        ),
        Input(
            "capacity",
            "Calls in flight for each subtask",
            "count",
            ("blocking_calls.async_capacity",),
            assumed=100.0,
            because="Flink's default capacity of asynchronous I/O",
            low=1,
            high=1000,
            choice=True,
        ),
    ),
    assumptions=(
        "The outside system answers as fast when it is asked more often. Ask those who run it.",
        "A hit costs nothing beside a call.",
    ),
    compute=_compute,
    symptoms=("slow_dimension_join",),
    docs=("S083",),
)
