"""Effect of a restart now: records processed again, and time to catch up."""

from __future__ import annotations

import math
from collections.abc import Mapping

from diagnostics.calculators.calculator import INCOMING_RATE, Calculator, Input, Line, Outcome
from diagnostics.evidence.subject import Lookup
from diagnostics.language import say, to_say
from diagnostics.wording.phrase import duration, number


def _compute(values: Mapping[str, float], lookup: Lookup) -> Outcome:
    since, down, rate, capacity = (values[name] for name in ("since_ms", "down_ms", "rate", "capacity"))
    behind = since + down
    backlog = behind / 1000 * rate
    spare = capacity - rate
    lines = [
        Line(say("Behind after the restart"), f"{duration(since)} + {duration(down)}", duration(behind)),
        Line(say("Records to process again or late"), f"{duration(behind)} x {number(rate)}/s", number(backlog)),
        Line(say("Spare capacity"), f"{number(capacity)}/s - {number(rate)}/s", f"{number(spare)}/s"),
    ]
    results = {"behind_ms": behind, "backlog": backlog, "catch_up_ms": math.inf}
    if spare <= 0:
        refusals = [
            say(
                "It never catches up: {capacity}/s is not more than the {rate}/s that "
                "come in. Each restart "
                "adds to the lag, the lag to the back pressure, and that to the next failure. Raise the capacity "
                "first.",
                capacity=number(capacity),
                rate=number(rate),
            )
        ]
        return Outcome("do not", refusals[0], lines, refusals, results)
    catch_up = backlog / spare * 1000
    lines.append(Line(say("Time to catch up"), f"{number(backlog)} / {number(spare)}/s", duration(catch_up)))
    results["catch_up_ms"] = catch_up
    headline = say(
        "A restart now repeats the last {since}. The job is {behind} behind when it runs again "
        "and needs {catch_up} to catch up.",
        since=duration(since),
        behind=duration(behind),
        catch_up=duration(catch_up),
    )
    return Outcome("depends", headline, lines, results=results)


CALCULATOR = Calculator(
    id="restart",
    title=to_say("If it restarts now"),
    question=to_say("How far back does a restart go, and how long does catching up take?"),
    formula=to_say("catch-up = (time since the last checkpoint + down time) x rate / (capacity - rate)"),
    inputs=(
        Input(
            "since_ms",
            to_say("Since the last completed checkpoint"),
            "duration",
            ("checkpoint_progress.since_last_completed_ms",),
            high=86_400_000,
        ),
        Input(
            "down_ms",
            to_say("Down time: stop, deploy, restore"),
            "duration",
            ("recovery.median_ms", "kafka_transactions.longest_outage_ms"),
            assumed=60_000.0,
            because=to_say("our choice: a minute; measure it once on purpose"),
            high=3_600_000,
        ),
        INCOMING_RATE,
        Input(
            "capacity",
            to_say("Records that the job can pass"),
            "rate",
            ("record_rate.ceiling_total_per_s",),
            high=1e6,
            choice=True,
        ),
    ),
    assumptions=(
        to_say("The rate that comes in stays the same; the sources can be read again that fast."),
        to_say("The capacity is what the bottleneck passes when it is busy all the time."),
    ),
    compute=_compute,
    symptoms=("slow_sink", "network_partition", "zookeeper_ha", "user_code", "restore_failure", "checkpoint_declined"),
    docs=("S105", "S107"),
)
