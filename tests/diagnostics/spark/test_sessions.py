"""Sessions of a Spark server: kept, kept apart, replaced when lost, and without processes left behind."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from diagnostics import spark as engine
from diagnostics.errors import AnalysisInterrupted, ServerLost
from tests.diagnostics.spark.spark_work import (
    daemons,
    endless,
    eventually,
    own_process,
    wait_for_both,
)

pytestmark = pytest.mark.spark


def test_one_piece_of_work_after_another_has_the_same_session_and_the_same_python_daemon(remote: str) -> None:
    with engine.KeptSession(remote) as kept:
        first, second = (kept.run(lambda each: (each.session_id, own_process(each)), tag=tag) for tag in ("a", "b"))
        assert first == second == (kept.id, first[1])


def test_sessions_that_end_leave_no_process_behind(remote: str) -> None:
    before = {each.pid for each in daemons()}
    for _ in range(3):
        with engine.KeptSession(remote) as kept:
            kept.run(own_process, tag="work")
    assert eventually(lambda: {each.pid for each in daemons()} <= before, 20), daemons()


def test_the_python_workers_of_a_client_that_is_killed_end(remote: str) -> None:
    """The client is a process of its own, which tells its daemon and then waits to be killed."""
    program = (
        "import sys, time; from diagnostics.spark import KeptSession;"
        "from tests.diagnostics.spark.spark_work import own_process;"
        "print(KeptSession(sys.argv[1]).run(own_process, tag='work'), flush=True); time.sleep(600)"
    )
    with subprocess.Popen([sys.executable, "-c", program, remote], stdout=subprocess.PIPE) as client:
        assert client.stdout is not None
        daemon = int(client.stdout.readline())
        assert psutil.pid_exists(daemon)
        client.kill()
    assert eventually(lambda: not psutil.pid_exists(daemon), 20)


def test_a_collection_of_garbage_passes_over_the_modules_that_a_worker_has_loaded(spark: SparkSession) -> None:
    def looked_through(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import gc
        import sys

        yield from (batch for batch in batches if not batch)
        modules = {id(module) for module in sys.modules.values()}
        seen = sum(id(each) in modules for each in gc.get_objects())
        yield pa.RecordBatch.from_pydict({"modules": [len(modules)], "seen": [seen]})

    (told,) = spark.range(0, 1, 1, 1).mapInArrow(looked_through, "modules BIGINT, seen BIGINT").collect()
    assert told.modules > 500
    assert told.seen < told.modules / 10


def test_work_of_two_sessions_stays_apart(remote: str, tmp_path: Path) -> None:
    with engine.KeptSession(remote) as one, engine.KeptSession(remote) as other, ThreadPoolExecutor() as pool:
        (tmp_path / "one").mkdir()
        stopped = pool.submit(one.run, endless(tmp_path / "one"), "work")
        wait_for_both(tmp_path / "one")
        assert one.interrupt("work")
        assert other.run(lambda session: session.range(3).count(), "work") == 3
        assert isinstance(stopped.exception(), AnalysisInterrupted)


def test_a_small_job_gets_cores_while_a_large_one_still_has_tasks(remote: str, tmp_path: Path) -> None:
    """12 tasks before it, a third of a second each: it is done after the first few of them, not after the last."""

    def slow(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            time.sleep(0.3)
            (tmp_path / str(batch.column(0)[0])).touch()
            yield batch

    def large(session: SparkSession) -> int:
        return session.range(0, 12, 1, 12).mapInArrow(slow, "id long").count()

    with engine.KeptSession(remote) as one, engine.KeptSession(remote) as other:
        other.open()
        running = threading.Thread(target=one.run, args=(large, "large"))
        running.start()
        while not list(tmp_path.iterdir()):
            time.sleep(0.05)
        assert len(other.run(lambda session: session.range(0, 2, 1, 2).collect(), "small")) == 2
        done = len(list(tmp_path.iterdir()))
        running.join()
    assert (done < 12, len(list(tmp_path.iterdir()))) == (True, 12)


def test_a_session_that_the_server_has_lost_is_replaced(remote: str) -> None:
    with engine.KeptSession(remote) as kept:
        lost = kept.run(lambda session: session.session_id, tag="first")
        engine.disconnect(kept.open())
        found = kept.run(lambda session: (session.session_id, session.range(5).count()), tag="second")
        assert found == (kept.id, 5)
        assert kept.id != lost


def test_a_session_lost_in_the_middle_of_its_work_is_no_fault_of_the_work(remote: str) -> None:
    def lose(session: SparkSession) -> None:
        session.client.release_session()
        session.range(1).count()

    with engine.KeptSession(remote) as kept:
        with pytest.raises(ServerLost, match="stopped while"):
            kept.run(lose, tag="work")
        assert kept.run(lambda session: session.range(2).count(), tag="work") == 2


def test_a_session_whose_work_failed_is_replaced_and_its_daemon_ends(remote: str) -> None:
    def fail(session: SparkSession) -> None:
        failed.append(own_process(session))
        raise ValueError("wrong")

    failed: list[int] = []
    with engine.KeptSession(remote) as kept:
        with pytest.raises(ValueError, match="wrong"):
            kept.run(fail, tag="work")
        assert kept.run(own_process, tag="work") != failed[0]
        assert eventually(lambda: not psutil.pid_exists(failed[0]), 20)
    assert len(failed) == 1
