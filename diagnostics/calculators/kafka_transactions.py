"""The window in which Kafka aborts transactions that a completed checkpoint has already committed to."""

from __future__ import annotations

from collections.abc import Mapping

from diagnostics.calculators.calculator import Calculator, Input, Line, Outcome
from diagnostics.evidence.subject import Lookup
from diagnostics.wording.phrase import duration


def _compute(values: Mapping[str, float], lookup: Lookup) -> Outcome:
    timeout, interval, took, down = (values[name] for name in ("timeout_ms", "interval_ms", "duration_ms", "down_ms"))
    open_for = interval + took
    tolerated = timeout - open_for
    needed = open_for + took + down
    lines = [
        Line("A transaction is open", f"{duration(interval)} + {duration(took)}", duration(open_for)),
        Line("Down time that it survives", f"{duration(timeout)} - {duration(open_for)}", duration(tolerated)),
        Line("Needed timeout", f"{duration(interval)} + 2 x {duration(took)} + {duration(down)}", duration(needed)),
        Line("Lost beyond it", f"{duration(down)} - {duration(tolerated)}", duration(max(down - tolerated, 0.0))),
    ]
    results = {"tolerated_ms": tolerated, "needed_ms": needed, "window_ms": max(down - tolerated, 0.0)}
    refusals = []
    most = values["broker_max_ms"]
    if needed > most:
        refusals.append(
            f"The broker allows at most {duration(most)} (transaction.max.timeout.ms): a longer "
            f"timeout is refused until "
            "that is raised."
        )
    if tolerated <= 0:
        headline = (
            f"Every transaction outlives its timeout: a checkpoint needs {duration(open_for)}, Kafka "
            f"waits {duration(timeout)}."
        )
        return Outcome("do not", headline, lines, [headline, *refusals], results)
    if down > tolerated:
        headline = (
            f"A down time of {duration(down)} is {duration(down - tolerated)} too long: Kafka aborts "
            f"what the last checkpoint "
            f"has counted as written, and it is lost. Set the timeout to {duration(needed)} or more."
        )
        return Outcome("do", headline, lines, refusals, results)
    headline = f"The job may be down for {duration(tolerated)} without losing a transaction."
    if lookup("kafka_transactions.audit") is None:
        return Outcome(
            "not known", f"These files show no Kafka transaction. With one: {headline}", lines, refusals, results
        )
    return Outcome("depends", headline, lines, refusals, results)


CALCULATOR = Calculator(
    id="kafka-transactions",
    title="Window of lost Kafka transactions",
    question="How long may the job be down before Kafka aborts what a checkpoint has counted?",
    formula="tolerated down time = transaction timeout - interval - checkpoint duration",
    inputs=(
        Input(
            "timeout_ms",
            "transaction.timeout.ms of the sink",
            "duration",
            ("kafka_transactions.timeout_ms",),
            assumed=3_600_000.0,
            because="the default of Flink's Kafka sink, one hour",
            high=7_200_000,
            choice=True,
        ),
        Input(
            "interval_ms",
            "Checkpoint interval",
            "duration",
            ("kafka_transactions.interval_ms", "settings.interval_ms"),
            high=3_600_000,
        ),
        Input(
            "duration_ms", "Longest checkpoint", "duration", ("checkpoint_progress.max_duration_ms",), high=3_600_000
        ),
        Input(
            "down_ms",
            "Down time to survive",
            "duration",
            ("kafka_transactions.longest_outage_ms",),
            assumed=600_000.0,
            because="our choice: ten minutes, a night's page",
            high=7_200_000,
            choice=True,
        ),
        Input(
            "broker_max_ms",
            "transaction.max.timeout.ms of the broker",
            "duration",
            ("kafka_transactions.broker_max_ms",),
            assumed=900_000.0,
            because="Kafka's default, 15 minutes",
            high=7_200_000,
        ),
    ),
    assumptions=(
        "A transaction begins with one checkpoint and is committed when the next one has completed.",
        "The timeout counts from its beginning; a producer that is down cannot lengthen it.",
    ),
    compute=_compute,
    symptoms=("exactly_once_kafka",),
    docs=("S156",),
)
