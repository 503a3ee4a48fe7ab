"""The real stack for tests: started by the launcher on free ports with a data folder of its own, once for all."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import tempfile
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
CLASS_ARCHIVE = PROJECT / "var" / "spark"  # `make setup` made it; without it Spark starts more slowly
STOP_SECONDS = 60
PREPARED_VARIABLE = "WORKBENCH_TESTS_PREPARED"
"""Names the folder in which the processes of a test run keep the prepared data folder that they copy."""
HEAL_SECONDS = 180
COLD = {"WORKBENCH_COLD": "1"}
"""For tests of other things: each start or restart would warm up three processes of a worker, or Spark."""
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


def inherited_variables() -> dict[str, str]:
    """The environment for a program of its own, without what would lead it to servers of others."""
    return {name: value for name, value in os.environ.items() if name not in FROM_OUTSIDE}


def launch(data: Path, *command: str, prepared: bool = True, **variables: str) -> RunningWorkbench:
    """Starts the launcher (or another command) without a terminal; does not wait for it.

    prepared  a new data folder begins with the database of a first start; else the launcher prepares it itself
    """
    port = free_port()
    environment = inherited_variables() | {
        "WORKBENCH_DATA": str(data),
        "WORKBENCH_PORT": str(port),
        "WORKBENCH_ADMIN_PASSWORD": ADMIN_PASSWORD,
        **variables,
    }
    if not data.exists():
        _new_data(data, prepared=prepared and "DATABASE_URL" not in variables)
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


def _new_data(data: Path, *, prepared: bool) -> None:
    """Makes the folder, in a test run as a first start leaves it if it is wanted so."""
    if prepared and PREPARED_VARIABLE in os.environ:
        shutil.copytree(prepared_data(), data)
    else:
        data.mkdir(mode=0o700)
    if CLASS_ARCHIVE.is_dir():
        (data / "spark").symlink_to(CLASS_ARCHIVE)


def prepared_data() -> Path:
    """A data folder as a first start leaves it, made once for all processes of a test run.

    Some ninety migrations are most of the processor time of a first start.
    """
    folder = Path(os.environ[PREPARED_VARIABLE])
    draft, ready = folder / "draft", folder / "data"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not ready.exists():
            own = {"WORKBENCH_DATA": str(draft), "WORKBENCH_ADMIN_PASSWORD": ADMIN_PASSWORD}
            command = [sys.executable, "-m", "workbench.launch.prepare"]
            subprocess.run(command, cwd=PROJECT, env=inherited_variables() | own, stdout=subprocess.DEVNULL, check=True)
            draft.rename(ready)
    return ready


def pytest_configure(config: pytest.Config) -> None:
    """In the controller, before it starts the processes that inherit its environment."""
    if not hasattr(config, "workerinput"):
        os.environ[PREPARED_VARIABLE] = tempfile.mkdtemp(prefix="tests-prepared-")


def pytest_unconfigure(config: pytest.Config) -> None:
    """At the end of the controller, when the other processes have ended."""
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ.pop(PREPARED_VARIABLE), ignore_errors=True)


@pytest.fixture(scope="session")
def workbench(tmp_path_factory: pytest.TempPathFactory, spark_remote: str) -> Iterator[RunningWorkbench]:
    """The workbench that journeys and hostile uploads share, on the Spark server of all tests."""
    running = launch(tmp_path_factory.mktemp("workbench") / "data", SPARK_REMOTE=spark_remote, **COLD)
    try:
        running.wait_until_ready()
        yield running
    finally:
        status = running.end()
    assert status == 0, running.said()
    assert running.processes() == [], "Ctrl-C leaves nothing"
