"""A TaskManager log of any size, the same for the same size: a quarter of its records carry a signal."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

SEED = 20_260_801
START = datetime(2026, 8, 1, 6, 0, tzinfo=UTC)
ORDINARY = (
    "INFO  org.apache.flink.runtime.taskmanager.Task                    [] - map-{n} (1/4)#0 ({hex}) switched from"
    " INITIALIZING to RUNNING.",
    "DEBUG org.apache.flink.streaming.runtime.tasks.StreamTask          [] - Invoked map-{n} in {n} ms",
    "INFO  org.apache.kafka.clients.consumer.internals.Fetcher          [] - Resetting offset for partition"
    " orders-{n} to position {big}",
)
TELLING = (
    "INFO  org.apache.flink.runtime.checkpoint.CheckpointCoordinator    [] - Completed checkpoint {n} for job {job}"
    " ({big} bytes, checkpointDuration={n} ms, finalizationTime=1 ms).",
    "INFO  org.apache.flink.runtime.checkpoint.CheckpointCoordinator    [] - Checkpoint {n} of job {job} expired"
    " before completing.",
    "WARN  org.apache.flink.runtime.taskmanager.Task                    [] - map-{n} (1/4)#0 ({hex}) switched from"
    " RUNNING to FAILED with failure cause:\njava.lang.IllegalStateException: no rate for {n}\n"
    "\tat com.acme.Enrich.map(Enrich.java:{n})\n\tat org.apache.flink.streaming.api.operators.StreamMap.processElement"
    "(StreamMap.java:38)",
    "WARN  org.apache.flink.runtime.taskexecutor.TaskManagerRunner      [] - Connecting to remote task manager"
    " 'host-{n}/10.0.0.7:6122' has failed.",
)
TELLING_SHARE = 0.25
JOB = "4f1c2d7e9a0b3c5d6e8f7a1b2c3d4e5f"


def write_log(path: Path, size_bytes: int) -> None:
    """Writes a log of about that size."""
    chance = random.Random(SEED)
    moment, written = START, 0
    with path.open("w", encoding="utf-8") as log:
        while written < size_bytes:
            moment += timedelta(milliseconds=chance.randrange(40))
            kinds = TELLING if chance.random() < TELLING_SHARE else ORDINARY
            text = chance.choice(kinds).format(
                n=chance.randrange(1000), big=chance.randrange(10**9), hex=f"{chance.getrandbits(128):032x}", job=JOB
            )
            line = f"{moment:%Y-%m-%d %H:%M:%S},{moment.microsecond // 1000:03} {text}\n"
            written += log.write(line)
