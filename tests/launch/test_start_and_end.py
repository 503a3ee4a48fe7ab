"""`make up` with the real programs: it starts, heals itself, and leaves nothing behind."""

from __future__ import annotations

import shutil
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from tests.running_workbench import RunningWorkbench, launch

pytestmark = [pytest.mark.spark, pytest.mark.celery]
HEAL_SECONDS = 180


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One data folder, so that each later start is a second one."""
    return tmp_path_factory.mktemp("launch") / "data"


@pytest.fixture
def started(data: Path) -> Iterator[RunningWorkbench]:
    """A workbench that is up, and ended whatever the test does."""
    running = launch(data)
    try:
        running.wait_until_ready()
        yield running
    finally:
        running.end(signal.SIGTERM)


def eventually(holds: Callable[[], bool], seconds: float = HEAL_SECONDS) -> bool:
    """Whether it holds within the time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if holds():
            return True
        time.sleep(0.3)
    return holds()


def killed(process: psutil.Process) -> None:
    process.kill()
    psutil.wait_procs([process], timeout=10)


def test_what_dies_is_started_again_and_ctrl_c_leaves_nothing(started: RunningWorkbench) -> None:
    assert eventually(lambda: "The workbench is ready: " + started.address in started.said(), 10)
    for words in (("java", "SparkConnectServer"), ("celery", "worker"), ("gunicorn",), ("redis-server",)):
        assert started.named(*words), f"{words} does not run"

    for words in (("diagnostics.spark", "serve"), ("celery", "worker"), ("redis-server",)):
        (victim, *_) = sorted(started.named(*words), key=psutil.Process.create_time)
        killed(victim)
        assert eventually(lambda words=words, pid=victim.pid: any(p.pid != pid for p in started.named(*words)))
    assert eventually(started.is_ready), started.said()
    assert eventually(lambda: "is started again" in started.said(), 30), started.said()

    second = launch(started.data)
    assert second.process.wait(60) == 1
    assert f"already runs on {started.data}" in second.said()

    assert started.end(signal.SIGINT) == 0
    assert started.processes() == []


def test_a_killed_launcher_leaves_nothing(started: RunningWorkbench) -> None:
    started.process.kill()
    started.process.wait()
    assert eventually(lambda: not started.processes(), 60), [p.cmdline() for p in started.processes()]


def test_a_killed_supervisor_leaves_nothing_and_is_said(data: Path, spark_remote: str) -> None:
    running = launch(data, SPARK_REMOTE=spark_remote)
    try:
        running.wait_until_ready()
        (supervisor,) = running.named("supervisor.supervisord")
        killed(supervisor)
        assert running.process.wait(60) == 1
        assert "The supervisor ended by itself" in running.said()
        assert eventually(lambda: not running.processes(), 30), [p.cmdline() for p in running.processes()]
    finally:
        running.end(signal.SIGTERM)


def test_make_up_ends_with_sigterm_to_make_alone(data: Path, spark_remote: str) -> None:
    running = launch(data, str(shutil.which("make")), "up", SPARK_REMOTE=spark_remote)
    try:
        running.wait_until_ready()
        running.process.terminate()
        assert eventually(lambda: not running.processes(), 60), [p.cmdline() for p in running.processes()]
    finally:
        running.end(signal.SIGKILL)
