"""Effect of a restart now: records processed again, and time to catch up."""

from __future__ import annotations

import math
from collections.abc import Mapping

from diagnostics.calculators.calculator import INCOMING_RATE, Calculator, Input, Line, Outcome
from diagnostics.evidence.subject import Lookup
from diagnostics.wording.phrase import duration, number


def _compute(values: Mapping[str, float], lookup: Lookup) -> Outcome:
    since, down, rate, capacity = (values[name] for name in ("since_ms", "down_ms", "rate", "capacity"))
    behind = since + down
    backlog = behind / 1000 * rate
    spare = capacity - rate
    lines = [
        Line("Behind after the restart", f"{duration(since)} + {duration(down)}", duration(behind)),
        Line("Records to process again or late", f"{duration(behind)} x {number(rate)}/s", number(backlog)),
        Line("Spare capacity", f"{number(capacity)}/s - {number(rate)}/s", f"{number(spare)}/s"),
    ]
    results = {"behind_ms": behind, "backlog": backlog, "catch_up_ms": math.inf}
    if spare <= 0:
        refusals = [
            f"It never catches up: {number(capacity)}/s is not more than the {number(rate)}/s that "
            f"come in. Each restart "
            "adds to the lag, the lag to the back pressure, and that to the next failure. Raise the capacity first."
        ]
        return Outcome("do not", refusals[0], lines, refusals, results)
    catch_up = backlog / spare * 1000
    lines.append(Line("Time to catch up", f"{number(backlog)} / {number(spare)}/s", duration(catch_up)))
    results["catch_up_ms"] = catch_up
    headline = (
        f"A restart now repeats the last {duration(since)}. The job is {duration(behind)} behind when it runs again "
        f"and needs {duration(catch_up)} to catch up."
    )
    return Outcome("depends", headline, lines, results=results)


CALCULATOR = Calculator(
    id="restart",
    title="If it restarts now",
    question="How far back does a restart go, and how long does catching up take?",
    formula="catch-up = (time since the last checkpoint + down time) x rate / (capacity - rate)",
    inputs=(
        Input(
            "since_ms",
            "Since the last completed checkpoint",
            "duration",
            ("checkpoint_progress.since_last_completed_ms",),
            high=86_400_000,
        ),
        Input(
            "down_ms",
            "Down time: stop, deploy, restore",
            "duration",
            ("recovery.median_ms", "kafka_transactions.longest_outage_ms"),
            assumed=60_000.0,
            because="our choice: a minute; measure it once on purpose",
            high=3_600_000,
        ),
        INCOMING_RATE,
        Input(
            "capacity",
            "Records that the job can pass",
            "rate",
            ("record_rate.ceiling_total_per_s",),
            high=1e6,
            choice=True,
        ),
    ),
    assumptions=(
        "The rate that comes in stays the same; the sources can be read again that fast.",
        "The capacity is what the bottleneck passes when it is busy all the time.",
    ),
    compute=_compute,
    symptoms=("slow_sink", "network_partition", "zookeeper_ha", "user_code", "restore_failure", "checkpoint_declined"),
    docs=("S105", "S107"),
)
