"""How the brokers slow Kafka's clients down."""

from __future__ import annotations

from typing import Any

from diagnostics.signals import kafka_clients
from tests.diagnostics.hand_made import JOB, SOURCE, START, hand_made, line_of_jobs, needs, only

FETCH = "KafkaSourceReader.KafkaConsumer.fetch-throttle-time-avg"


def throttled(subtask: int, values: list[float]) -> list[dict[str, Any]]:
    about = {"job_id": JOB, "vertex_id": SOURCE, "operator": "orders", "metric": FETCH, "subtask": subtask}
    return [{**about, "ts_ms": START + place * 30_000, "value": value} for place, value in enumerate(values)]


def test_the_usual_delay_of_the_most_throttled_client_counts() -> None:
    rows = [*throttled(0, [0, 0, 900]), *throttled(1, [400, 480, 500])]
    signal = only(kafka_clients.measure(hand_made(**line_of_jobs(), metric_sample=rows)), "kafka_clients")
    facts = signal.facts
    assert (facts["side"], facts["throttle_ms"], facts["throttled"], facts["clients"]) == ("source", 480, 1, 2)
    assert signal.subject.vertex == "Source: orders"


def test_without_metrics_of_clients_nothing_is_measured() -> None:
    assert needs(kafka_clients.measure(hand_made(**line_of_jobs()))) == {"kafka_clients": "metric-scrapes"}
