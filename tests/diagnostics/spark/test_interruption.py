"""Work that another thread or process interrupts, and which errors end an analysis."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from diagnostics import spark as engine
from diagnostics.errors import AnalysisInterrupted, SparkUnavailable
from diagnostics.reading.far_workers import shipped_to_workers
from diagnostics.storage.shared_folder import SharedFolder
from tests.diagnostics.spark.spark_work import (
    eventually,
    own_process,
    sleep_in,
    until_seen,
    wait_for_both,
)

pytestmark = pytest.mark.spark


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
        assert kept.run(lambda each: each.range(1).mapInArrow(until_go(tmp_path), "id long").count(), tag="later") == 1
        stopper.join()


def until_go(folder: Path) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Work that writes the file `began` and goes on once there is a file `go`, after 30 s at the latest."""

    def wait(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        (folder / "began").touch()
        yield from until_seen(folder / "go")(batches)

    return wait


def test_interrupting_what_has_ended_stops_nothing(remote: str) -> None:
    with engine.KeptSession(remote) as kept:
        kept.run(lambda session: session.range(1).count(), tag="work")
        # Spark takes a moment to forget it.
        assert eventually(lambda: kept.interrupt("work") is False, 5)
        session_id = kept.id
    assert kept.interrupt("work") is False
    assert engine.interrupt(remote, session_id, "work") is False


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
