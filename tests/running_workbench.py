"""The real stack for tests: started by the launcher on free ports with a data folder of its own, once for all."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from diagnostics.spark.ports import free_port
from workbench.launch.supervision import end_with_parent

PROJECT = Path(__file__).resolve().parent.parent
ADMIN_PASSWORD = "a-password-for-tests-only"
START_SECONDS = 240
PREPARED = PROJECT / "var" / "spark"  # the class archive that `make setup` made; without it Spark starts more slowly
STOP_SECONDS = 60
HEAL_SECONDS = 180
COLD = {"WORKBENCH_COLD": "1"}
"""For tests that kill and restart programs of a workbench: each restart would warm up Spark or three workers again."""
FROM_OUTSIDE = (
    *("DATABASE_URL", "REDIS_URL", "SPARK_REMOTE", "SPARK_MASTER", "SPARK_STORAGE"),
    *("DJANGO_SETTINGS_MODULE", "MAKEFLAGS"),
)


def _command_line(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.NoSuchProcess:  # or a zombie, which is one of these
        return ""


@dataclass(frozen=True, slots=True)
class RunningWorkbench:
    """A workbench of its own: where it is, where it keeps its files, and the process that started it."""

    address: str
    data: Path
    process: subprocess.Popen[bytes]
    output: Path

    def said(self) -> str:
        """What the launcher printed so far."""
        return self.output.read_text("utf-8", errors="replace")

    def processes(self) -> list[psutil.Process]:
        """Every living process that belongs to it: it inherited the data folder's name, or works in the folder."""
        return [each for each in psutil.process_iter() if _belongs(each, self.data)]

    def named(self, *words: str) -> list[psutil.Process]:
        """Those that live and whose command line holds all the words."""
        return [each for each in self.processes() if all(word in _command_line(each) for word in words)]

    def is_ready(self) -> bool:
        """Whether /readyz is green."""
        try:
            with urllib.request.urlopen(f"{self.address}/readyz", timeout=15) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    def wait_until_ready(self) -> None:
        """Returns once /readyz is green."""
        deadline = time.monotonic() + START_SECONDS
        while not self.is_ready():
            assert self.process.poll() is None, self.said()
            assert time.monotonic() < deadline, self.said()
            time.sleep(0.3)

    def manage(self, *command: str) -> str:
        """What a command of `manage.py` prints in the environment of this workbench."""
        environment = self.named("gunicorn")[0].environ()
        ended = subprocess.run(
            [sys.executable, "manage.py", *command],
            cwd=PROJECT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert ended.returncode == 0, ended.stderr
        return ended.stdout.strip()

    def end(self, number: int = signal.SIGINT) -> int:
        """Ends it as Ctrl-C does and gives the launcher's exit status."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, number)
        return self.process.wait(STOP_SECONDS)


def _belongs(process: psutil.Process, data: Path) -> bool:
    # Redis writes its title over its environment, but its working directory tells.
    try:
        return process.environ().get("WORKBENCH_DATA") == str(data) or Path(process.cwd()).is_relative_to(data)
    except psutil.Error:
        return False


def eventually(holds: Callable[[], bool], seconds: float = HEAL_SECONDS) -> bool:
    """Whether it holds within the time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if holds():
            return True
        time.sleep(0.3)
    return holds()


def launch(data: Path, *command: str, **variables: str) -> RunningWorkbench:
    """Starts the launcher (or another command) without a terminal; does not wait for it."""
    port = free_port()
    inherited = {name: value for name, value in os.environ.items() if name not in FROM_OUTSIDE}
    environment = inherited | {
        "WORKBENCH_DATA": str(data),
        "WORKBENCH_PORT": str(port),
        "WORKBENCH_ADMIN_PASSWORD": ADMIN_PASSWORD,
        **variables,
    }
    if PREPARED.is_dir() and not data.exists():
        data.mkdir(mode=0o700)
        (data / "spark").symlink_to(PREPARED)
    output = data.with_name(f"{data.name}-said.txt")
    with output.open("ab") as said:
        process = subprocess.Popen(
            command or (sys.executable, "-m", "workbench.launch", "up"),
            cwd=PROJECT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=end_with_parent if sys.platform == "linux" else None,
        )
    return RunningWorkbench(f"http://127.0.0.1:{port}", data, process, output)


@pytest.fixture(scope="session")
def workbench(tmp_path_factory: pytest.TempPathFactory, spark_remote: str) -> Iterator[RunningWorkbench]:
    """The workbench that journeys and hostile uploads share, on the Spark server of all tests."""
    running = launch(tmp_path_factory.mktemp("workbench") / "data", SPARK_REMOTE=spark_remote)
    try:
        running.wait_until_ready()
        yield running
    finally:
        status = running.end()
    assert status == 0, running.said()
