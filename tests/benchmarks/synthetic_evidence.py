"""Large evidence of other kinds than logs, the same for the same size: events, GC logs, metric dumps, stacks."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

SEED = 20_260_801
START = datetime(2026, 8, 1, 6, 0, tzinfo=UTC)
DEVICES = 20_000
HOT_SHARE = 0.2
SERIES = 5_000
GROUP_ROWS = 1_000_000


def write_events(path: Path, rows: int) -> None:
    """Events of devices as Parquet: one device sends a fifth, a hundredth of the devices has a wrong clock."""
    chance = np.random.default_rng(SEED)
    names = np.array([f"device-{number:05}" for number in range(DEVICES)])
    clock = np.where(np.arange(DEVICES) % 100 == 0, 90_000, 0)
    schema = pa.schema(
        {"device_id": pa.string(), "event_time": pa.int64(), "ingest_time": pa.int64(), "partition": pa.int32()}
    )
    began = int(START.timestamp() * 1000)
    with parquet.ParquetWriter(path, schema) as writer:
        for first in range(0, rows, GROUP_ROWS):
            count = min(GROUP_ROWS, rows - first)
            device = np.where(chance.random(count) < HOT_SHARE, 7, chance.integers(0, DEVICES, count))
            arrival = began + (first + np.arange(count)) // 10
            lag = chance.exponential(800, count).astype(np.int64) + clock[device]
            columns = [names[device], arrival - lag, arrival, (device % 8).astype(np.int32)]
            writer.write_table(pa.Table.from_arrays([pa.array(each) for each in columns], schema=schema))


def write_gc_log(path: Path, lines: int) -> None:
    """A unified G1 log of pauses."""
    chance, moment = random.Random(SEED), START
    with path.open("w", encoding="utf-8") as log:
        log.write(f"[{START:%Y-%m-%dT%H:%M:%S}.000+0000][info][gc] Using G1\n")
        for number in range(lines):
            moment += timedelta(milliseconds=chance.randrange(50, 900))
            full = chance.random() < 0.01
            what = "Pause Full (G1 Compaction Pause)" if full else "Pause Young (Normal) (G1 Evacuation Pause)"
            before, after = chance.randrange(500, 1_000), chance.randrange(100, 500)
            length = chance.uniform(200, 900) if full else chance.uniform(1, 60)
            time = f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03}+0000"
            log.write(f"[{time}][info][gc] GC({number}) {what} {before}M->{after}M(1024M) {length:.3f}ms\n")


def write_metrics(path: Path, scrapes: int) -> None:
    """Scrapes of a cluster's metrics in Prometheus' text, each headed by its time."""
    chance = random.Random(SEED)
    heads = [
        f'flink_taskmanager_job_task_numRecordsIn{{host="tm-{number % 8}",job_id="{"a" * 32}",job_name="orders",'
        f'task_id="{number % 20:032x}",task_name="map-{number % 20}",subtask_index="{number}",tm_id="tm-{number % 8}"}}'
        for number in range(SERIES)
    ]
    values = [0] * SERIES
    with path.open("w", encoding="utf-8") as dump:
        for scrape in range(scrapes):
            dump.write(f"# scrape_time {START.timestamp() + 5 * scrape:.3f}\n")
            for number, head in enumerate(heads):
                values[number] += chance.randrange(1_000)
                dump.write(f"{head} {values[number]}\n")


def write_stacks(path: Path, lines: int) -> None:
    """Collapsed stacks of 40 to 60 frames."""
    chance = random.Random(SEED)
    base = [f"org.apache.flink.streaming.runtime.Layer{number}.run" for number in range(40)]
    with path.open("w", encoding="utf-8") as stacks:
        for _ in range(lines):
            own = [f"com.acme.Job{chance.randrange(30)}.step{chance.randrange(9)}" for _ in range(chance.randrange(20))]
            thread = f"map-{chance.randrange(8)} ({chance.randrange(4) + 1}/4)#0"
            stacks.write(";".join([thread, "java.lang.Thread.run", *base, *own]) + f" {chance.randrange(1, 50)}\n")
