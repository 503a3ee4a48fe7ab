"""Lag of Kafka consumer groups and its growth, from the output of Kafka's own tool."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from diagnostics.aggregators import consumer_positions
from diagnostics.arithmetic.named_rows import named_rows
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.reconstruction.checkpoints.delivery import reads_other_than_kafka
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.wording.cited_text import LAG, LAG_OF_GROUP, cited_text

FEWEST_LOOKS = 4
"""How many readings show a course. Our choice: two in each half."""
MOST_CITED = 4

Look = tuple[int, int]
"""Epoch ms at which a table was printed (0 when unknown) and its file: the positions of one reading belong together."""


def measure(evidence: Evidence) -> Measured:
    """The group and topic with the largest lag.

    Reads   consumer_position.
    Gives   one signal of the case.
    Units   records. Flink commits offsets with its checkpoints, so the lag holds what came in since the last one.
    Empty   NotMeasured without positions, unless the sources are known and read from something other than Kafka; a
            group that never committed has no lag.
    """
    if not evidence.has("consumer_position"):
        if not reads_other_than_kafka(evidence):
            yield NotMeasured("consumer_lag", "consumer-groups", "no file shows the positions of consumer groups")
        return
    rows = named_rows(evidence.answer(consumer_positions.AGGREGATOR))
    looks: dict[tuple[str | None, str], dict[Look, list[Any]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if row.lag is not None:
            looks[row.consumer_group, row.topic][row.ts_ms or 0, row.file_id].append(row)
    if not looks:
        return
    last = {subject: by_look[max(by_look)] for subject, by_look in looks.items()}
    worst = max(last, key=lambda subject: (sum(row.lag for row in last[subject]), subject[0] or "", subject[1]))
    partitions = sorted(last[worst], key=lambda row: (-row.lag, row.partition))
    lag = sum(row.lag for row in partitions)
    facts: dict[str, FactValue] = {
        "groups": len({group for group, _ in looks}),
        "consumer_group": worst[0],
        "topic": worst[1],
        "partitions": len(partitions),
        "lag": lag,
        "partition": partitions[0].partition,
        "partition_lag": partitions[0].lag,
        "partition_share_ratio": partitions[0].lag / lag if lag else None,
        **_growth(looks[worst]),
    }
    stamps = [row.ts_ms for row in rows if row.ts_ms is not None]
    yield Signal(
        "consumer_lag",
        Subject(),
        known_facts(facts),
        tuple(_cite(row) for row in partitions[:MOST_CITED]),
        citation_count=len(partitions),
        window=(min(stamps), max(stamps)) if stamps else None,
    )


def _growth(looks: Mapping[Look, list[Any]]) -> dict[str, FactValue]:
    """Course of the lag over the readings of known time: the minimum of each half, because every commit lets the lag
    drop.
    """
    known = sorted(look for look in looks if look[0])
    if len(known) < FEWEST_LOOKS:
        return {}
    lags = [(sum(row.lag for row in looks[look]), look[0]) for look in known]
    before, after = min(lags[: len(lags) // 2]), min(lags[len(lags) // 2 :])
    growth = after[0] - before[0]
    seconds = (after[1] - before[1]) / 1000
    return {"lag_first": before[0], "lag_growth": growth, "lag_growth_per_s": growth / seconds if seconds > 0 else None}


def _cite(row: Any) -> Citation:
    form = LAG_OF_GROUP if row.consumer_group else LAG
    text = cited_text(form, group=row.consumer_group, topic=row.topic, partition=row.partition, lag=row.lag)
    return Citation.of(row, "metric", text, name="lag", value=float(row.lag))


FACTS: Mapping[str, str] = {
    "groups": "consumer groups whose lag is known",
    "consumer_group": "the one that is most records behind",
    "topic": "in which topic",
    "partitions": "partitions of it",
    "lag": "records that it is behind in all of them at the last look",
    "partition": "partition with the most of them",
    "partition_lag": "records that it is behind there",
    "partition_share_ratio": "part of the lag of all partitions that one partition has, 0 to 1",
    "lag_first": "least records that it was behind in the first half of the looks",
    "lag_growth": "growth of the consumer lag from the first to the second half of the looks, records",
    "lag_growth_per_s": "growth of the consumer lag from the first to the second half of the looks, records per second",
}

SIGNALS = (SignalDefinition("consumer_lag", "case", FACTS, measure),)
