"""Spark as a server with thin clients: own sessions, interruption from outside, a killed server, a lost session."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from diagnostics import spark as engine
from diagnostics.errors import AnalysisInterrupted, SparkUnavailable
from diagnostics.spark.ahead import start_ahead, started_ahead
from diagnostics.spark.client import address
from diagnostics.spark.server import (
    LIGHTLY_COMPILED,
    LIGHTLY_COMPILED_BYTES,
    Server,
    die_with_parent,
    free_port,
    options_for,
)
from diagnostics.table import FEW_ROWS

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    """A server of its own: these tests take all its cores and look who got them."""
    with engine.embedded() as session:
        yield session


@pytest.fixture
def remote(spark: SparkSession) -> str:
    host, _, port = spark.client._builder.endpoint.rpartition(":")
    return f"sc://{host}:{port}"


def endless(started: Path) -> Callable[[SparkSession], int]:
    """Work of two tasks that write a file each when they run, and then sleep."""

    def sleep_long(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            (started / str(batch.column(0)[0])).touch()
            time.sleep(60)
            yield batch

    return lambda session: session.range(0, 2, 1, 2).mapInArrow(sleep_long, "id long").count()


def wait_for_both(started: Path) -> None:
    for _ in range(600):
        if len(list(started.iterdir())) == 2:
            return
        time.sleep(0.1)


def test_work_runs_in_a_session_of_its_own(remote: str) -> None:
    session_id = str(uuid4())
    assert engine.run(remote, session_id, lambda session: (session.range(5).count(), session.session_id)) == (
        5,
        session_id,
    )


def test_arithmetic_on_hostile_numbers_gives_unknown_and_no_error(spark: SparkSession) -> None:
    row = spark.sql("SELECT 1 / 0 AS ratio, CAST('many' AS INT) AS number, timestamp_millis(0) AS began").first()
    assert row is not None
    assert (row.ratio, row.number) == (None, None)


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


def test_work_is_interrupted_from_another_client_and_its_cores_are_free_again(remote: str, tmp_path: Path) -> None:
    session_id = str(uuid4())

    def stop() -> None:
        wait_for_both(tmp_path)
        assert engine.interrupt(remote, session_id)

    stopper = threading.Thread(target=stop)
    stopper.start()
    with pytest.raises(AnalysisInterrupted):
        engine.run(remote, session_id, endless(tmp_path))
    stopper.join()
    began = time.monotonic()
    assert engine.run(remote, str(uuid4()), lambda session: session.range(0, 2, 1, 2).count()) == 2
    assert time.monotonic() - began < 50


def test_a_small_job_gets_cores_while_a_large_one_still_has_tasks(remote: str, tmp_path: Path) -> None:
    """12 tasks before it, a third of a second each: it is done after the first few of them, not after the last."""

    def slow(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            time.sleep(0.3)
            (tmp_path / str(batch.column(0)[0])).touch()
            yield batch

    def large(session: SparkSession) -> int:
        return session.range(0, 12, 1, 12).mapInArrow(slow, "id long").count()

    running = threading.Thread(target=engine.run, args=(remote, str(uuid4()), large))
    running.start()
    while not list(tmp_path.iterdir()):
        time.sleep(0.05)
    assert engine.run(remote, str(uuid4()), lambda session: session.range(0, 2, 1, 2).count()) == 2
    done = len(list(tmp_path.iterdir()))
    running.join()
    assert (done < 12, len(list(tmp_path.iterdir()))) == (True, 12)


def test_interrupting_a_session_that_has_ended_stops_nothing(remote: str) -> None:
    session_id = str(uuid4())
    engine.run(remote, session_id, lambda session: session.range(1).count())
    assert engine.interrupt(remote, session_id) is False


def test_a_lost_session_is_built_again_once(remote: str) -> None:
    attempts = []

    def work(session: SparkSession) -> int:
        attempts.append(session.session_id)
        if len(attempts) == 1:
            raise RuntimeError("[NO_ACTIVE_SESSION] No active Spark session found")
        return len(attempts)

    assert engine.run(remote, str(uuid4()), work) == 2


def test_an_error_of_the_work_itself_is_not_tried_again(remote: str) -> None:
    attempts = []

    def work(session: SparkSession) -> None:
        attempts.append(1)
        raise ValueError("wrong")

    with pytest.raises(ValueError, match="wrong"):
        engine.run(remote, str(uuid4()), work)
    assert attempts == [1]


def test_a_killed_server_ends_the_work_with_a_clear_error(remote: str, tmp_path: Path) -> None:
    server = Server(free_port())

    def kill() -> None:
        wait_for_both(tmp_path)
        server._process.kill()

    try:
        server.wait_until_it_answers()
        killer = threading.Thread(target=kill)
        killer.start()
        with pytest.raises(SparkUnavailable, match="stopped while"):
            engine.run(server.remote, str(uuid4()), endless(tmp_path))
        killer.join()
    finally:
        server.stop()


def test_programs_start_while_spark_is_asked(spark: SparkSession) -> None:
    ended = threading.Event()

    def ask() -> None:
        while not ended.is_set():
            spark.range(3).count()

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        programs = [subprocess.Popen([sys.executable, "-S", "-c", ""], preexec_fn=die_with_parent) for _ in range(60)]
        assert {each.wait() for each in programs} == {0}
    finally:
        ended.set()
        asking.join()


def test_a_server_that_still_warms_up_ends_at_once_when_told_to() -> None:
    port = free_port()
    serving = subprocess.Popen([sys.executable, "-m", "diagnostics.spark", "serve", "--port", str(port)])
    try:
        for _ in range(1200):
            if engine.answers(f"sc://localhost:{port}"):
                break
            time.sleep(0.1)
        serving.terminate()
        assert serving.wait(5) == 0
    finally:
        serving.kill()


def test_a_server_that_is_not_there_is_said_with_its_address() -> None:
    port = free_port()
    with pytest.raises(SparkUnavailable, match=f"localhost:{port}"):
        engine.connect(f"sc://localhost:{port}", str(uuid4()))


@pytest.mark.parametrize("wrong", ["http://localhost:1", "sc://", "localhost:15002"])
def test_an_address_of_another_kind_is_refused(wrong: str) -> None:
    with pytest.raises(SparkUnavailable, match="sc://host:port"):
        address(wrong)


def test_progress_is_told_while_a_job_runs(spark: SparkSession, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    seen = tmp_path / "seen"

    def note(done: int, total: int) -> None:
        told.append((done, total))
        seen.touch()

    stop = engine.on_progress(spark, note)
    try:
        spark.range(0, 4, 1, 4).mapInArrow(until_seen(seen), "id long").count()
    finally:
        stop()
    assert told
    assert all(0 <= done <= total for done, total in told)


def until_seen(seen: Path) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Work that lasts until someone was told of it, 30 s at most."""

    def wait(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for _ in range(300):
                if seen.exists():
                    break
                time.sleep(0.1)
            yield batch

    return wait


@pytest.mark.parametrize(
    ("error", "ends"),
    [
        (AnalysisInterrupted("cancelled"), True),
        (SparkUnavailable("gone"), True),
        (RuntimeError("[OPERATION_CANCELED] Operation has been canceled."), True),
        (RuntimeError("[INVALID_HANDLE.SESSION_CLOSED] ..."), True),
        (RuntimeError("[DIVIDE_BY_ZERO] ..."), False),
    ],
)
def test_what_ends_an_analysis_and_what_only_one_measurement(error: Exception, ends: bool) -> None:
    assert engine.ends_analysis(error) is ends


@pytest.mark.parametrize(
    ("input_bytes", "lightly"), [(LIGHTLY_COMPILED_BYTES, True), (2 * 1024**3, False), (None, False)]
)
def test_only_a_jvm_for_one_small_analysis_does_without_the_second_compiler(
    input_bytes: int | None, lightly: bool
) -> None:
    assert (LIGHTLY_COMPILED[0] in options_for(input_bytes)) is lightly


def test_a_session_for_few_rows_is_as_the_server_set_it_again_when_many_come(remote: str) -> None:
    key = "spark.sql.shuffle.partitions"

    def settings(session: SparkSession) -> list[str | None]:
        found = [session.conf.get(key)]
        for rows in (10, FEW_ROWS + 1, 10):
            engine.expect_rows(session, rows)
            found.append(session.conf.get(key))
        return found

    usual, few, many, few_again = engine.run(remote, str(uuid4()), settings)
    assert (few, many, few_again) == ("1", usual, "1")


def test_nothing_is_started_ahead_for_a_command_line_that_names_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPARK_REMOTE", raising=False)
    start_ahead(["--json", "no-such-file.json", "no-such-folder"])
    assert started_ahead() is None
