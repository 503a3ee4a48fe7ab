"""A Spark server that is killed, runs out of heap or hangs ends the work with a clear error."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from diagnostics import spark as engine
from diagnostics.errors import ServerLost
from diagnostics.spark import client, kept_session
from diagnostics.spark.ports import free_port
from diagnostics.spark.server import (
    Server,
)
from tests.diagnostics.spark.spark_work import (
    endless,
    wait_for_both,
)

pytestmark = pytest.mark.spark


def test_a_killed_server_ends_the_work_with_a_clear_error(remote: str, tmp_path: Path) -> None:
    server = Server(free_port())

    def kill() -> None:
        wait_for_both(tmp_path)
        server._process.kill()

    try:
        server.wait_until_it_answers()
        killer = threading.Thread(target=kill)
        killer.start()
        with pytest.raises(ServerLost, match="stopped while"):
            engine.KeptSession(server.remote).run(endless(tmp_path), tag="work")
        killer.join()
    finally:
        server.stop()


def large_answer(session: SparkSession) -> int:
    """Two answers of 40 times 10 MB, through the heap of the server."""

    def batches(received: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for _ in received:
            for _ in range(40):
                yield pa.record_batch({"x": pa.array([b"y" * 10_000_000], pa.binary())})

    return int(session.range(2, numPartitions=2).mapInArrow(batches, "x binary").toArrow().num_rows)


def test_a_server_whose_heap_is_full_ends_at_once_and_all_its_work_is_to_be_done_again(
    remote: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not with errors of Spark, for which cases would fail that had nothing to do with it."""
    monkeypatch.setenv("SPARK_DRIVER_MEMORY", "600m")
    server = Server(free_port())
    try:
        server.wait_until_it_answers()
        with pytest.raises(ServerLost, match="stopped while"):
            engine.KeptSession(server.remote).run(large_answer, tag="work")
        assert server.ended == 3, "the status of a JVM that ended for want of memory"
        with pytest.raises(ServerLost):
            engine.KeptSession(server.remote).open()
    finally:
        server.stop()


def test_work_on_a_server_that_hangs_is_given_up(remote: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_session, "SILENT_SECONDS", 1.0)
    server = Server(free_port())

    def hang() -> None:
        wait_for_both(tmp_path)
        # Only now: a server that has just started may take longer to open the session.
        monkeypatch.setattr(client, "CALL_SECONDS", 3.0)
        server._process.send_signal(signal.SIGSTOP)

    try:
        server.wait_until_it_answers()
        stopper = threading.Thread(target=hang)
        stopper.start()
        with pytest.raises(ServerLost, match="stopped while"):
            engine.KeptSession(server.remote).run(endless(tmp_path), tag="work")
        stopper.join()
        with pytest.raises(ServerLost, match="does not answer"):
            engine.KeptSession(server.remote).open()
    finally:
        server.kill()
        server.stop()
