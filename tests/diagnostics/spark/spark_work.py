"""Work for Spark that tests start, wait for and interrupt."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pyarrow as pa
from pyspark.sql import SparkSession


def endless(started: Path) -> Callable[[SparkSession], int]:
    """Work of two tasks that write a file each when they run, and then sleep."""

    return lambda session: session.range(0, 2, 1, 2).mapInArrow(sleep_in(started), "id long").count()


def sleep_in(started: Path) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """One task of that work."""

    def sleep_long(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            (started / str(batch.column(0)[0])).touch()
            time.sleep(60)
            yield batch

    return sleep_long


def wait_for_both(started: Path) -> None:
    for _ in range(600):
        if len(list(started.iterdir())) == 2:
            return
        time.sleep(0.1)


def until_seen(seen: Path) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Work that lasts until the file is there, 30 s at most."""

    def wait(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for _ in range(300):
                if seen.exists():
                    break
                time.sleep(0.1)
            yield batch

    return wait


def daemons() -> list[psutil.Process]:
    """The daemons of Python workers that the servers of this process have started."""
    below = psutil.Process().children(recursive=True)
    return [
        each
        for each in below
        if "diagnostics.spark_service.daemon" in _command(each) and _command(each.parent()) != _command(each)
    ]


def _command(process: psutil.Process | None) -> list[str]:
    try:
        return process.cmdline() if process else []
    except psutil.NoSuchProcess:
        return []


def eventually(holds: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.1)
    return holds()


def own_process(session: SparkSession) -> int:
    """The process that does this session's Python work."""

    def tell(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for _ in batches:
            yield pa.RecordBatch.from_pydict({"daemon": [os.getppid()]})

    return int(session.range(0, 1, 1, 1).mapInArrow(tell, "daemon BIGINT").collect()[0].daemon)
