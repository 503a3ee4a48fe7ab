"""The delivery guarantees of a job's sources and sinks, as its code and the clients in its logs show them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from diagnostics.aggregators import config_options, log_ends, task_state_changes
from diagnostics.arithmetic.named_rows import named_rows
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence, read_once
from diagnostics.evidence.subject import only_one
from diagnostics.reconstruction.checkpoints.parts import Part, checkpoint_parts
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.reconstruction.job.graph import job_graph
from diagnostics.vocabulary.connectors import GUARANTEES, OF_SINK, OF_SOURCE, Connector, Guarantee, connector_named

SOURCE_NAME = re.compile(r"Source|Consumer|Stream$|SourceBuilder$")
SINK_NAME = re.compile(r"Sink|Producer")
"""Parts of the names of a connector's classes."""
STATED: Mapping[str, Guarantee] = {
    "exactly-once": "exactly once",
    "at-least-once": "at least once",
    "none": "at most once",
}
"""Value of `sink.delivery-guarantee` -> what it gives. Source: Flink documentation, DeliveryGuarantee."""
CLIENTS = {"kafka consumer": "source", "kafka producer": "sink"}
"""Scope of the settings that Kafka's clients log -> their part in the job."""
OF_KAFKA = frozenset(["kafka", "upsert-kafka"])
"""Connectors whose position a Kafka consumer group may hold."""
WITHOUT_STATE = "without-state"
"""Entry of connectors.yaml for a source of any kind whose checkpoints are empty."""
GENERATES = "datagen"
"""Entry of connectors.yaml for sources that generate their records: nothing waits outside while the job is down."""
FEWEST_EMPTY = 3
"""Checkpoints in which a source stored nothing before it counts as one that keeps no position. Our choice: a source of
files stores nothing when a single checkpoint falls between two of them."""


@dataclass(slots=True)
class Delivery:
    """What is known of one job's sources and sinks.

    sources, sinks  the connectors that files name, in the order in which they do
    asked           the guarantees that sinks are configured for
    citations       the lines that say so
    """

    sources: list[Connector] = field(default_factory=list)
    sinks: list[Connector] = field(default_factory=list)
    asked: list[Guarantee] = field(default_factory=list)
    citations: list[Citation] = field(default_factory=list)

    @property
    def source(self) -> Guarantee | None:
        """The guarantee of the weakest source; None when no file names one."""
        return _least(OF_SOURCE[each.source] for each in self.sources if each.source is not None)

    @property
    def is_generated(self) -> bool:
        """Whether every source generates its records."""
        return bool(self.sources) and all(each.id == GENERATES for each in self.sources)

    @property
    def sink(self) -> Guarantee | None:
        """The guarantee of the weakest sink; one whose guarantee is a setting counts with that, unknown without it."""
        if any(each.option and not self.asked for each in self.sinks):
            return None
        own = [OF_SINK[each.sink] for each in self.sinks if each.sink is not None and not each.option]
        return _least([*own, *self.asked])


def _least(guarantees: Iterable[Guarantee]) -> Guarantee | None:
    return min(guarantees, key=GUARANTEES.index, default=None)


@read_once
def deliveries(evidence: Evidence) -> Mapping[str | None, Delivery]:
    """Job (None: not known which of several) -> its sources and sinks.

    Reads   config_option: classes and tables that the job's code names, and what Kafka's clients log at start.
            subtask_checkpoint: sources that store nothing in any checkpoint.
    """
    by_job: dict[str | None, Delivery] = {}
    only_job = only_one(cluster_of(evidence).job_names)
    for row in named_rows(evidence.answer(config_options.AGGREGATOR)):
        parts = list(_parts(row.scope or "", row.key, row.value or ""))
        given = (row.value or "").lower().replace("_", "-")
        stated = STATED.get(given) if row.key == "sink.delivery-guarantee" else None
        if not parts and stated is None:
            continue
        delivery = by_job.setdefault(row.job_id or only_job, Delivery())
        if stated is not None:
            delivery.asked.append(stated)
        for part, connector in parts:
            known: list[Connector] = getattr(delivery, f"{part}s")
            if connector not in known:
                known.append(connector)
                delivery.citations.append(Citation.of(row, "config", f"{row.key}: {row.value}"[:200], name=row.key))
    for last in _empty_sources(evidence):
        delivery = by_job.setdefault(last.job_id or only_job, Delivery())
        forgetful = connector_named(WITHOUT_STATE)
        if forgetful is not None and forgetful not in delivery.sources:
            delivery.sources.append(forgetful)
        if last.slowest is not None:
            what = f"checkpoint {last.number}, {last.vertex_id}, subtask {last.slowest.subtask}: state of 0 bytes"
            delivery.citations.append(Citation.of(last.slowest, "rest", what, name="state_size", value=0))
    return by_job


def _empty_sources(evidence: Evidence) -> Iterable[Part]:
    """The last part of each source that stored nothing in any of the checkpoints that all its subtasks took."""
    taken: dict[tuple[str | None, str], list[Part]] = {}
    for part in checkpoint_parts(evidence):
        if part.subtasks and part.acknowledged == part.subtasks and part.state_bytes is not None:
            taken.setdefault((part.job_id, part.vertex_id), []).append(part)
    cluster = cluster_of(evidence)
    for (job_id, vertex), parts in taken.items():
        graph = job_graph(cluster, job_id)
        is_source = graph.edges_known and graph.position(vertex) == "source"
        if is_source and len(parts) >= FEWEST_EMPTY and not any(part.state_bytes for part in parts):
            yield parts[0]


def reads_other_than_kafka(evidence: Evidence) -> bool:
    """Whether files show that no job of a case reads from Kafka.

    Files name the sources of its one job and none of them reads from Kafka, or the logs of TaskManagers hold the start
    of tasks, at which Kafka's consumers log their settings, and neither such settings nor a task name Kafka.
    """
    sources = {each.id for delivery in deliveries(evidence).values() for each in delivery.sources} - {WITHOUT_STATE}
    if not sources.isdisjoint(OF_KAFKA):
        return False
    rows = named_rows(evidence.answer(config_options.AGGREGATOR))
    is_table = any(row.key == "connector" and (row.value or "").lower() in OF_KAFKA for row in rows)
    if sources and len(cluster_of(evidence).job_names) <= 1 and not is_table:
        return True
    names = [task.name for task in cluster_of(evidence).tasks.values()]
    names += [row.scope or "" for row in named_rows(evidence.answer(config_options.AGGREGATOR))]
    return _starts_are_logged(evidence) and not any("kafka" in each.lower() for each in names)


def _starts_are_logged(evidence: Evidence) -> bool:
    """Whether the log of a TaskManager holds the start of a task."""
    ends = named_rows(evidence.answer(log_ends.AGGREGATOR))
    of_task_managers = {row.file_id for row in ends if row.process == "taskmanager"}
    started = evidence.answer(task_state_changes.AGGREGATOR)["file_id"].unique().to_pylist()
    return not of_task_managers.isdisjoint(started)


def _parts(scope: str, key: str, value: str) -> Iterable[tuple[str, Connector]]:
    """`source` or `sink`, and its connector, as far as one option shows them.

    A table of a connector that both reads and writes may be either.
    """
    kafka = connector_named("kafka")
    for client, part in CLIENTS.items():
        if scope.startswith(client) and kafka is not None:
            yield part, kafka
    connector = connector_named(value) if key in ("connector", "connector.class") else None
    if connector is None:
        return
    if key == "connector":
        if connector.sink is None or connector.source is None:
            yield "source" if connector.sink is None else "sink", connector
    else:
        if SOURCE_NAME.search(value) and connector.source is not None:
            yield "source", connector
        elif SINK_NAME.search(value) and connector.sink is not None:
            yield "sink", connector


def notes(connectors: Sequence[Connector], part: Literal["source", "sink"]) -> list[str]:
    """`Kafka: from the offsets in the checkpoint` for each connector."""
    return [note for each in connectors if (note := each.noted(part))]
