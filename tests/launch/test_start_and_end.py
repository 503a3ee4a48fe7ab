"""`make up` with the real programs leaves no process behind, however it is ended.

That Ctrl-C leaves nothing is seen at the end of the workbench that journeys share (`tests/running_workbench.py`).
"""

from __future__ import annotations

import shutil
import signal
from pathlib import Path

import psutil
import pytest

from tests.running_workbench import COLD, eventually, launch

pytestmark = [pytest.mark.spark, pytest.mark.celery]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One data folder, so that the later start is a second one."""
    return tmp_path_factory.mktemp("launch") / "data"


def killed(process: psutil.Process) -> None:
    process.kill()
    psutil.wait_procs([process], timeout=10)


def test_make_up_ends_with_sigterm_to_make_alone(data: Path, spark_remote: str) -> None:
    """This start is the very first: it prepares its database itself."""
    running = launch(data, str(shutil.which("make")), "up", prepared=False, SPARK_REMOTE=spark_remote)
    try:
        running.wait_until_ready()
        running.process.terminate()
        assert eventually(lambda: not running.processes(), 60), [p.cmdline() for p in running.processes()]
    finally:
        running.end(signal.SIGKILL)


def test_a_killed_supervisor_leaves_nothing_and_is_said(data: Path, spark_remote: str) -> None:
    running = launch(data, SPARK_REMOTE=spark_remote, **COLD)
    try:
        running.wait_until_ready()
        (supervisor,) = running.named("launch/supervisord.py")
        killed(supervisor)
        assert running.process.wait(60) == 1
        assert "The supervisor ended by itself" in running.said()
        assert eventually(lambda: not running.processes(), 30), [p.cmdline() for p in running.processes()]
    finally:
        running.end(signal.SIGTERM)
