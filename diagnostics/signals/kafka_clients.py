"""How the brokers slow the Kafka clients of sources and sinks down, from the clients' own metrics."""

from __future__ import annotations

from collections import defaultdict
from statistics import median

from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue
from diagnostics.reconstruction.job.cluster import VertexKey, cluster_of
from diagnostics.reconstruction.metrics.metric_series import metric_series
from diagnostics.reconstruction.metrics.series import Series
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts

THROTTLES = {
    "KafkaSourceReader.KafkaConsumer.fetch-throttle-time-avg": "source",
    "KafkaConsumer.fetch-throttle-time-avg": "source",
    "KafkaProducer.produce-throttle-time-avg": "sink",
}
"""Average delay of a client's requests by a quota of the brokers, in ms -> the side of the job that has the client.
Source: Apache Kafka's documentation, Monitoring (consumer fetch metrics, producer sender metrics)."""
MOST_CITED = 4


def measure(evidence: Evidence) -> Measured:
    """The most throttled Kafka client of each task.

    Reads   metric_sample (the metrics of Kafka's clients that Flink passes on).
    Gives   one signal for each task with such a client.
    Units   milliseconds for each request.
    Empty   NotMeasured without such metrics.
    """
    series = metric_series(evidence)
    clients_of = defaultdict[VertexKey, list[tuple[float, str, Series]]](list)
    for metric, side in THROTTLES.items():
        for vertex, of_task in series.by_vertex(metric, operators=True).items():
            usual = [(_usual(each), side, each) for each in of_task if each.known]
            clients_of[vertex] += usual
    if not clients_of:
        yield NotMeasured("kafka_clients", "metric-scrapes", "no metric of a Kafka client is in the evidence")
        return
    cluster = cluster_of(evidence)
    for vertex in sorted(clients_of, key=repr):
        clients = sorted(clients_of[vertex], key=lambda each: (-each[0], repr(each[2].subtask)))
        throttle_ms, side, worst = clients[0]
        subject = cluster.vertex_subject(*vertex)
        facts: dict[str, FactValue] = {
            "side": side,
            "throttle_ms": throttle_ms,
            "throttled": sum(usual > 0 for usual, of, _ in clients if of == side),
            "clients": sum(of == side for _, of, _ in clients),
            "task": subject.vertex or series.name_of(vertex) or worst.vertex,
        }
        yield Signal(
            key="kafka_clients",
            subject=subject,
            facts=known_facts(facts),
            citations=tuple(each.cite(each.known[-1]) for _, _, each in clients[:MOST_CITED]),
            citation_count=sum(len(each.known) for _, _, each in clients),
        )


def _usual(series: Series) -> float:
    return median(point.value or 0.0 for point in series.known)


SIGNALS = (
    SignalDefinition(
        key="kafka_clients",
        level="vertex",
        facts={
            "side": "source or sink, whichever has the client that is throttled most",
            "throttle_ms": "usual delay of a request of the most throttled client by a quota of the brokers",
            "throttled": "clients that are usually throttled",
            "clients": "clients of that side whose throttling is known",
            "task": "task with these clients",
        },
        measure=measure,
    ),
)
