"""A log with the mix of real ones, of any size, the same for the same size.

A start-up with its settings, the life of checkpoints, task states, the noise of Kafka's and other clients, warnings and
errors with stack traces of 10 to 60 lines. About a quarter of the records are catalogued events, and about 13 % of the
lines belong to stack traces.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

SEED = 20_261_123
START = datetime(2026, 11, 23, 6, 0, tzinfo=UTC)
JOB = "4f1c2d7e9a0b3c5d6e8f7a1b2c3d4e5f"
WRITTEN_AT_ONCE = 10_000

EVENTS = (
    (
        "INFO",
        "runtime.checkpoint.CheckpointCoordinator",
        "Triggering checkpoint {c} (type=CheckpointType{{name="
        "'Checkpoint', sharingFilesStrategy=FORWARD_BACKWARD}}) @ {epoch} for job {job}.",
    ),
    (
        "INFO",
        "runtime.checkpoint.CheckpointCoordinator",
        "Completed checkpoint {c} for job {job} ({big} bytes, checkpointDuration={n} ms, finalizationTime=3 ms).",
    ),
    (
        "INFO",
        "runtime.taskmanager.Task",
        "Enrich orders ({s}/8)#0 ({hex}_{hex}_{s}_0) switched from INITIALIZING to RUNNING.",
    ),
    (
        "INFO",
        "runtime.taskmanager.Task",
        "Window orders ({s}/8)#0 ({hex}_{hex}_{s}_0) switched from CREATED to DEPLOYING.",
    ),
    ("INFO", "runtime.jobmaster.JobMaster", "Job orders ({job}) switched from state RUNNING to RESTARTING."),
)
"""Level, class and message of records that the catalogue knows."""

NOISE = (
    (
        "INFO",
        "org.apache.kafka.clients.consumer.internals.SubscriptionState",
        "[Consumer clientId=orders-{s}, "
        "groupId=orders] Resetting offset for partition orders-{n} to position FetchPosition{{offset={big}}}.",
    ),
    ("INFO", "org.apache.kafka.clients.Metadata", "[Consumer clientId=orders-{s}, groupId=orders] Cluster ID: {hex}"),
    (
        "INFO",
        "org.apache.kafka.clients.FetchSessionHandler",
        "[Consumer clientId=orders-{s}] Node {s} was unable to "
        "process the fetch request with (sessionId={big}, epoch={n}): FETCH_SESSION_ID_NOT_FOUND.",
    ),
    ("DEBUG", "org.apache.flink.streaming.runtime.tasks.StreamTask", "Invoked Enrich orders ({s}/8)#0 in {n} ms"),
    ("DEBUG", "com.acme.orders.EnrichmentFunction", "looked up customer {big} in {n} ms, cache holds {n} of 5000"),
    ("INFO", "com.acme.orders.OrderParser", "parsed {n} orders of batch {hex} in {n} ms"),
    ("INFO", "org.apache.hadoop.fs.s3a.S3AInstrumentation", "closed stream of s3a://bucket/{hex} after {n} reads"),
)
"""Level, logger and message of records that nobody asks for."""

FAILURES = (
    (
        "WARN",
        "org.apache.flink.runtime.taskmanager.Task",
        "Enrich orders ({s}/8)#0 ({hex}_{hex}_{s}_0) switched from RUNNING to FAILED with failure cause:",
        "java.lang.IllegalStateException: no rate for {n}",
    ),
    (
        "ERROR",
        "com.acme.orders.Enrichment",
        "enrichment of {big} failed, it is tried again",
        "java.util.concurrent.ExecutionException: java.net.SocketTimeoutException: Read timed out",
    ),
    (
        "WARN",
        "org.apache.hadoop.hdfs.DataStreamer",
        "Slow ReadProcessor read fields took {n} ms",
        "java.io.IOException: Connection reset by peer",
    ),
)
"""Level, logger, message and exception of records with a stack trace."""

FRAMES = (
    "\tat com.acme.orders.Enrichment.lookUp(Enrichment.java:{n})",
    "\tat org.apache.flink.streaming.runtime.tasks.StreamTask.processInput(StreamTask.java:{n})",
    "\tat org.apache.flink.streaming.runtime.io.StreamOneInputProcessor.processInput(StreamOneInputProcessor.java:68)",
    "\tat java.base/java.util.concurrent.CompletableFuture.reportGet(CompletableFuture.java:{n}) ~[?:?]",
    "\tat org.apache.kafka.clients.producer.KafkaProducer.send(KafkaProducer.java:{n}) ~[kafka-clients-3.7.0.jar:?]",
)

EVENT_SHARE = 0.145
"""One kind of noise, which Kafka's client makes, is an event of the catalogue, too."""

FAILURE_SHARE = 0.0053
"""With 35 lines each these are 13 % of the lines."""
TRACE_LINES = (10, 60)

START_UP = (
    "{runner} -  Starting TaskManager (Version: 1.20.5, Scala: 2.12, Rev:0980485, Date:2026-06-08T09:21:06+02:00)",
    "{runner} -  Maximum heap size: 4096 MiBytes",
    "{runner} -  JVM Options:",
    "{runner} -     -Xmx4294967296",
    "{runner} -     -XX:MaxMetaspaceSize=268435456",
    "{configuration} - Loading configuration property: taskmanager.numberOfTaskSlots, 4",
    "{configuration} - Loading configuration property: state.backend.type, rocksdb",
    "{configuration} - Loading configuration property: execution.checkpointing.interval, 30s",
)
RUNNER = f"INFO  {'org.apache.flink.runtime.taskexecutor.TaskManagerRunner':<60} []"
CONFIGURATION = f"INFO  {'org.apache.flink.configuration.GlobalConfiguration':<60} []"


def write_realistic_log(path: Path, size_bytes: int) -> None:
    """Writes a TaskManager's log of about that size."""
    records, written = _records(random.Random(SEED)), 0
    at_once = min(WRITTEN_AT_ONCE, size_bytes // 1000 + 1)
    with path.open("w", encoding="utf-8") as log:
        while written < size_bytes:
            written += log.write("".join(next(records) for _ in range(at_once)))


def _records(chance: random.Random) -> Iterator[str]:
    moment = START
    for line in START_UP:
        yield _record(moment, line.format(runner=RUNNER, configuration=CONFIGURATION))
    while True:
        moment += timedelta(milliseconds=chance.randrange(40))
        values = {
            "n": chance.randrange(1000),
            "c": (moment - START) // timedelta(seconds=30) + 1,
            "s": chance.randrange(8) + 1,
            "big": chance.randrange(10**9),
            "hex": f"{chance.getrandbits(128):032x}",
            "job": JOB,
            "epoch": int(moment.timestamp() * 1000),
        }
        kind = chance.random()
        if kind < FAILURE_SHARE:
            level, logger, message, exception = chance.choice(FAILURES)
            frames = chance.choices(FRAMES, k=chance.randint(*TRACE_LINES) - 1)
            text = "\n".join((_said(level, logger, message), exception, *frames)).format(**values)
        elif kind < FAILURE_SHARE + EVENT_SHARE:
            level, name, message = chance.choice(EVENTS)
            text = _said(level, f"org.apache.flink.{name}", message).format(**values)
        else:
            text = _said(*chance.choice(NOISE)).format(**values)
        yield _record(moment, text)


def _said(level: str, logger: str, message: str) -> str:
    return f"{level:<5} {logger:<60} [] - {message}"


def _record(moment: datetime, text: str) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S},{moment.microsecond // 1000:03} {text}\n"
