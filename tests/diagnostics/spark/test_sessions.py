"""Spark as a server with thin clients: own sessions, interruption from outside, a killed server, a lost session."""

from __future__ import annotations

import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import uuid4

import psutil
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from diagnostics import spark as engine
from diagnostics.errors import AnalysisInterrupted, ServerLost, SparkUnavailable
from diagnostics.reading.far_workers import shipped_to_workers
from diagnostics.spark import client, kept_session
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
from diagnostics.storage.shared_folder import SharedFolder

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
        "from tests.diagnostics.spark.test_sessions import own_process;"
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


@pytest.mark.parametrize("from_outside", [False, True])
def test_interrupted_work_frees_its_cores_and_leaves_the_session_as_it_was(
    remote: str, tmp_path: Path, from_outside: bool
) -> None:
    """Within 0.3 s on a quiet machine, where Spark alone takes two to four seconds."""
    (tmp_path / "run").mkdir()
    (tmp_path / "started").mkdir()
    freed: list[float] = []

    def work(session: SparkSession) -> None:
        travelling = shipped_to_workers(session, SharedFolder.at(tmp_path / "run"))
        try:
            session.range(0, 2, 1, 2).mapInArrow(travelling(sleep_in(tmp_path / "started")), "id long").collect()
        finally:
            (tmp_path / "run").rmdir()

    def stop() -> None:
        wait_for_both(tmp_path / "started")
        began = time.monotonic()
        assert engine.interrupt(remote, kept.id, "long") if from_outside else kept.interrupt("long")
        assert len(other.run(lambda session: session.range(0, 2, 1, 2).collect(), "small")) == 2
        freed.append(time.monotonic() - began)

    with engine.KeptSession(remote) as kept, engine.KeptSession(remote) as other:
        other.run(own_process, tag="first")
        daemon = kept.run(own_process, tag="first")
        stopper = threading.Thread(target=stop)
        stopper.start()
        with pytest.raises(AnalysisInterrupted):
            kept.run(work, tag="long")
        stopper.join()
        began = time.monotonic()
        assert kept.run(own_process, tag="next") == daemon
        assert time.monotonic() - began < 2
    assert freed[0] < 2, freed


def test_work_with_another_tag_is_not_interrupted(remote: str, tmp_path: Path) -> None:
    def stop() -> None:
        while not list(tmp_path.iterdir()):
            time.sleep(0.05)
        assert kept.interrupt("earlier") is False
        (tmp_path / "go").touch()

    with engine.KeptSession(remote) as kept:
        stopper = threading.Thread(target=stop)
        stopper.start()
        assert (
            kept.run(lambda each: each.range(1).mapInArrow(until_told(tmp_path), "id long").count(), tag="later") == 1
        )
        stopper.join()


def until_told(folder: Path) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Work that says that it has begun, and goes on until it is told, 30 s at most."""

    def wait(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        (folder / "began").touch()
        yield from until_seen(folder / "go")(batches)

    return wait


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


def test_interrupting_what_has_ended_stops_nothing(remote: str) -> None:
    with engine.KeptSession(remote) as kept:
        kept.run(lambda session: session.range(1).count(), tag="work")
        # Spark takes a moment to forget it.
        assert eventually(lambda: kept.interrupt("work") is False, 5)
        session_id = kept.id
    assert kept.interrupt("work") is False
    assert engine.interrupt(remote, session_id, "work") is False


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
    monkeypatch.setattr(client, "CALL_SECONDS", 3.0)
    server = Server(free_port())

    def hang() -> None:
        wait_for_both(tmp_path)
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


def test_the_driver_deserialises_nothing_for_another_program_of_this_machine(spark: SparkSession) -> None:
    """A request as Spark frames it: length, kind, number, length of the body, and a Java object."""
    body = b"\xac\xed\x00\x05sr"
    request = struct.pack(">BqI", 3, 1, len(body)) + body
    with socket.create_connection(("127.0.0.1", int(spark.conf.get("spark.driver.port") or 0)), 10) as connection:
        connection.sendall(struct.pack(">q", len(request) + 8) + request)
        assert b"Expected SaslMessage" in connection.recv(1_000)
    assert spark.range(3).mapInArrow(lambda batches: batches, "id long").count() == 3


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
    serving = subprocess.Popen([sys.executable, "-m", "diagnostics.spark_service", "serve", "--port", str(port)])
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
    with pytest.raises(ServerLost, match=f"localhost:{port}"):
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


def test_nothing_is_started_ahead_for_a_command_line_that_names_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPARK_REMOTE", raising=False)
    start_ahead(["--json", "no-such-file.json", "no-such-folder"])
    assert started_ahead() is None
