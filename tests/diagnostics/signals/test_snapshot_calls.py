"""Sinks that wait for their system within a checkpoint: which threads of a dump count, and which do not."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.signals.snapshot_calls import measure
from tests.diagnostics.hand_made import JOB, SINK, hand_made, line_of_jobs, needs, only

TASK = ["java.lang.Thread.run", "org.apache.flink.streaming.runtime.tasks.StreamTask.invoke"]
SNAPSHOT = [
    "org.apache.flink.streaming.runtime.tasks.SubtaskCheckpointCoordinatorImpl.takeSnapshotSync",
    "org.apache.flink.streaming.util.functions.StreamingFunctionUtils.trySnapshotFunctionState",
]
FLUSH = [
    "com.starrocks.connector.flink.table.StarRocksDynamicSinkFunction.snapshotState",
    "java.util.concurrent.LinkedBlockingDeque.put",
    "sun.misc.Unsafe.park",
]
KAFKA = ["org.apache.kafka.clients.producer.KafkaProducer.flush", "jdk.internal.misc.Unsafe.park"]
OF_A_SINK = "org.apache.flink.streaming.api.operators.StreamSink.processElement"


def facts_of(*stacks: list[str]) -> dict[str, Any]:
    dump = {"profile": "thread-dump", "mode": "dump", "job_id": JOB, "vertex_id": SINK, "weight": 1.0}
    rows = [{**dump, "frames": each} for each in stacks]
    return dict(only(measure(hand_made(**line_of_jobs(), stack_sample=rows)), "snapshot_calls").facts)


@pytest.mark.parametrize(("client", "system"), [(FLUSH, "StarRocks"), (KAFKA, "Kafka")])
def test_a_sink_that_flushes_for_a_checkpoint_waits_for_its_system(client: list[str], system: str) -> None:
    facts = facts_of([*TASK, *SNAPSHOT, *client], [*TASK, *SNAPSHOT, *client])
    assert (facts["threads"], facts["tasks"], facts["system"]) == (2, 1, system)


@pytest.mark.parametrize(
    "frames",
    [
        [*TASK, OF_A_SINK, *FLUSH],
        [*TASK, *SNAPSHOT, "com.starrocks.connector.flink.table.StarRocksDynamicSinkFunction.snapshotState"],
        [*TASK, *SNAPSHOT, "com.acme.Score.snapshotState", "java.lang.Thread.sleep"],
        [*TASK, "org.apache.flink.streaming.runtime.tasks.mailbox.TaskMailboxImpl.take", "sun.misc.Unsafe.park"],
    ],
    ids=["while it writes records", "at work", "without a sink", "idle"],
)
def test_other_threads_do_not_count(frames: list[str]) -> None:
    assert facts_of(frames) == {"threads": 0, "tasks": 0}


def test_a_profile_that_gathers_moments_is_no_dump() -> None:
    rows = [{"profile": "flame-graph", "mode": "full", "job_id": JOB, "vertex_id": SINK, "weight": 9.0}]
    rows[0]["frames"] = [*TASK, *SNAPSHOT, *FLUSH]
    assert "snapshot_calls" in needs(measure(hand_made(**line_of_jobs(), stack_sample=rows)))
