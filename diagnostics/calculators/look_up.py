"""Effect of a cache or asynchronous calls on a look-up, by Little's law."""

from __future__ import annotations

import math
from collections.abc import Mapping

from diagnostics.calculators.calculator import OFFERED_RATE, Advice, Calculator, Input, Line, Outcome
from diagnostics.evidence.subject import Lookup, number_of
from diagnostics.language import say, to_say
from diagnostics.wording.phrase import duration, number, percent


def _compute(values: Mapping[str, float], lookup: Lookup) -> Outcome:
    rate, call, subtasks, capacity = (values[name] for name in ("rate", "call_ms", "parallelism", "capacity"))
    misses = 1 - values["hits"]
    if call <= 0 or subtasks < 1 or capacity < 1:
        return Outcome("not known", say("The time of a call, the parallelism and the capacity are more than nothing."))
    calls = rate * misses
    in_flight = calls * call / 1000
    rest = _rest_ms(lookup)
    record = call * misses + rest
    one_by_one = math.inf if record <= 0 else subtasks * 1000 / record
    all_at_once = math.inf if misses <= 0 else subtasks * capacity * 1000 / call / misses
    needed = math.ceil(in_flight / subtasks - 1e-9)
    shown = {
        name: say("without limit") if math.isinf(value) else f"{number(value)}/s"
        for name, value in (("one", one_by_one), ("all", all_at_once))
    }
    told_misses = f"(1 - {percent(values['hits'])})"
    lines = [
        Line(say("Calls that remain"), f"{number(rate)}/s x {told_misses}", f"{number(calls)}/s"),
        Line(say("Calls in flight (Little)"), f"{number(calls)}/s x {duration(call)}", number(in_flight)),
        Line(
            say("Records, one call at a time"),
            f"{number(subtasks)} x 1 / ({duration(call)} x {told_misses} + {number(rest)} ms)"
            if rest
            else f"{number(subtasks)} x 1 / {duration(call)} / {told_misses}",
            shown["one"],
        ),
        Line(
            say("Records, asynchronous"),
            f"{number(subtasks)} x {number(capacity)} / {duration(call)} / {told_misses}",
            shown["all"],
        ),
        Line(
            say("Capacity that each subtask needs"),
            say("{in_flight} / {subtasks}, rounded up", in_flight=number(in_flight), subtasks=number(subtasks)),
            number(needed),
        ),
    ]
    results = {
        "one_by_one_per_s": one_by_one,
        "together_per_s": all_at_once,
        "in_flight": in_flight,
        "needed": float(needed),
    }
    if refused := number_of(lookup, "outside_system.refused"):
        refusals = [
            say(
                "The outside system refused {refused} requests: more calls at once are refused too. A cache sends "
                "fewer; asynchronous calls send more.",
                refused=number(refused),
            )
        ]
        return Outcome("do not", refusals[0], lines, refusals, results)
    advice: Advice = "depends"
    if one_by_one >= rate:
        headline = say("One call at a time carries {one}: enough for {rate}/s.", one=shown["one"], rate=number(rate))
    elif all_at_once >= rate:
        advice = "do"
        headline = say(
            "One call at a time carries {one} of {rate}/s. Asynchronous calls carry all with {needed} in flight for "
            "each subtask, and up to {all} with {capacity}; the outside system gets {calls} calls a second.",
            one=shown["one"],
            rate=number(rate),
            needed=number(needed),
            all=shown["all"],
            capacity=number(capacity),
            calls=number(calls),
        )
    else:
        headline = say(
            "Even {capacity} calls in flight carry only {all} of {rate}/s: cache more, or "
            "call for many records at once.",
            capacity=number(capacity),
            all=shown["all"],
            rate=number(rate),
        )
    if not _has_look_up(lookup):
        return Outcome(
            "not known",
            say("These files show no look-up. With one: {headline}", headline=headline),
            lines,
            results=results,
        )
    return Outcome(advice, headline, lines, results=results)


def _rest_ms(lookup: Lookup) -> float:
    """What a record costs beside its call, ms: with it one call at a time passes what was measured. 0 if not known."""
    record, call = (number_of(lookup, each) for each in ("record_rate.ms_per_record", "blocking_calls.call_ms"))
    return 0.0 if record is None or call is None else max(record - call, 0.0)


def _has_look_up(lookup: Lookup) -> bool:
    return lookup("blocking_calls.role") == "look-up"


CALCULATOR = Calculator(
    id="look-up",
    title=to_say("Cache and asynchronous look-ups"),
    question=to_say("How many records pass with a cache, and with calls in flight?"),
    formula=(
        to_say(
            "calls in flight = calls per second x time of a call (Little); records = subtasks x calls in "
            "flight / time / misses"
        )
    ),
    inputs=(
        OFFERED_RATE,
        Input(
            "call_ms",
            to_say("Time of one call"),
            "duration",
            ("blocking_calls.call_ms",),
            high=5000,
        ),
        Input(
            "parallelism",
            to_say("Subtasks"),
            "count",
            ("record_rate.parallelism", "back_pressure.origin.parallelism"),
            low=1,
            high=512,
        ),
        Input(
            "hits",
            to_say("Hit rate of a cache"),
            "share",
            (),
            assumed=0.0,
            because=to_say("no cache is seen in the files"),
            high=0.999,
            choice=True,
        ),
        Input(
            "capacity",
            to_say("Calls in flight for each subtask"),
            "count",
            ("blocking_calls.async_capacity",),
            assumed=100.0,
            because=to_say("Flink's default capacity of asynchronous I/O"),
            low=1,
            high=1000,
            choice=True,
        ),
    ),
    assumptions=(
        to_say("The outside system answers as fast when it is asked more often. Ask those who run it."),
        to_say("A hit costs nothing beside a call."),
    ),
    compute=_compute,
    symptoms=("slow_dimension_join",),
    docs=("S083",),
    concerns=_has_look_up,
)
