"""The window in which Kafka aborts transactions that a completed checkpoint has already committed to."""

from __future__ import annotations

from collections.abc import Mapping

from diagnostics.calculators.calculator import Calculator, Input, Line, Outcome
from diagnostics.evidence.subject import Lookup
from diagnostics.language import say, to_say
from diagnostics.wording.phrase import duration


def _compute(values: Mapping[str, float], lookup: Lookup) -> Outcome:
    timeout, interval, took, down = (values[name] for name in ("timeout_ms", "interval_ms", "duration_ms", "down_ms"))
    open_for = interval + took
    tolerated = timeout - open_for
    needed = open_for + took + down
    lines = [
        Line(say("A transaction is open"), f"{duration(interval)} + {duration(took)}", duration(open_for)),
        Line(say("Down time that it survives"), f"{duration(timeout)} - {duration(open_for)}", duration(tolerated)),
        Line(
            say("Needed timeout"), f"{duration(interval)} + 2 x {duration(took)} + {duration(down)}", duration(needed)
        ),
        Line(say("Lost beyond it"), f"{duration(down)} - {duration(tolerated)}", duration(max(down - tolerated, 0.0))),
    ]
    results = {"tolerated_ms": tolerated, "needed_ms": needed, "window_ms": max(down - tolerated, 0.0)}
    refusals = []
    most = values["broker_max_ms"]
    if needed > most:
        refusals.append(
            say(
                "The broker allows at most {most} (transaction.max.timeout.ms): a longer "
                "timeout is refused until "
                "that is raised.",
                most=duration(most),
            )
        )
    if tolerated <= 0:
        headline = say(
            "Every transaction outlives its timeout: a checkpoint needs {open_for}, Kafka waits {timeout}.",
            open_for=duration(open_for),
            timeout=duration(timeout),
        )
        return Outcome("do not", headline, lines, [headline, *refusals], results)
    if down > tolerated:
        headline = say(
            "A down time of {down} is {excess} too long: Kafka aborts "
            "what the last checkpoint "
            "has counted as written, and it is lost. Set the timeout to {needed} or more.",
            down=duration(down),
            excess=duration(down - tolerated),
            needed=duration(needed),
        )
        return Outcome("do", headline, lines, refusals, results)
    headline = say("The job may be down for {tolerated} without losing a transaction.", tolerated=duration(tolerated))
    if not _has_transactions(lookup):
        return Outcome(
            "not known",
            say("These files show no Kafka transaction. With one: {headline}", headline=headline),
            lines,
            refusals,
            results,
        )
    return Outcome("depends", headline, lines, refusals, results)


def _has_transactions(lookup: Lookup) -> bool:
    return lookup("kafka_transactions.audit") is not None


CALCULATOR = Calculator(
    id="kafka-transactions",
    title=to_say("Window of lost Kafka transactions"),
    question=to_say("How long may the job be down before Kafka aborts what a checkpoint has counted?"),
    formula=to_say("tolerated down time = transaction timeout - interval - checkpoint duration"),
    inputs=(
        Input(
            "timeout_ms",
            to_say("transaction.timeout.ms of the sink"),
            "duration",
            ("kafka_transactions.timeout_ms",),
            assumed=3_600_000.0,
            because=to_say("the default of Flink's Kafka sink, one hour"),
            high=7_200_000,
            choice=True,
        ),
        Input(
            "interval_ms",
            to_say("Checkpoint interval"),
            "duration",
            ("kafka_transactions.interval_ms", "settings.interval_ms"),
            high=3_600_000,
        ),
        Input(
            "duration_ms",
            to_say("Longest checkpoint"),
            "duration",
            ("checkpoint_progress.max_duration_ms",),
            high=3_600_000,
        ),
        Input(
            "down_ms",
            to_say("Down time to survive"),
            "duration",
            ("kafka_transactions.longest_outage_ms",),
            assumed=600_000.0,
            because=to_say("our choice: ten minutes, a night's page"),
            high=7_200_000,
            choice=True,
        ),
        Input(
            "broker_max_ms",
            to_say("transaction.max.timeout.ms of the broker"),
            "duration",
            ("kafka_transactions.broker_max_ms",),
            assumed=900_000.0,
            because=to_say("Kafka's default, 15 minutes"),
            high=7_200_000,
        ),
    ),
    assumptions=(
        to_say("A transaction begins with one checkpoint and is committed when the next one has completed."),
        to_say("The timeout counts from its beginning; a producer that is down cannot lengthen it."),
    ),
    compute=_compute,
    symptoms=("exactly_once_kafka",),
    docs=("S156",),
    concerns=_has_transactions,
)
