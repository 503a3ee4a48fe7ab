"""What grows or runs out while the programs run: logs, and files that may be open at once."""

from __future__ import annotations

import os
import resource
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psutil
import pytest

from diagnostics.spark.ports import free_port
from tests.running_workbench import PROJECT, eventually
from workbench.launch import programs
from workbench.launch.open_files import LEAST_FILES, open_files_raise, web_connections
from workbench.launch.plan import LaunchRefused, plan_from
from workbench.launch.programs import Program
from workbench.launch.supervision import Supervised


def test_logs_begin_anew_when_they_are_full_and_deaths_are_still_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    noisy = Program("noisy", ("sh", "-c", "sleep 2.1; seq 200; exit 3"), "TERM", 1, signal_group=False)
    monkeypatch.setattr(programs, "programs", lambda plan: [noisy])
    monkeypatch.setattr(programs, "LOG_BYTES", 400)
    plan = plan_from({"WORKBENCH_DATA": str(tmp_path), "SPARK_REMOTE": "sc://elsewhere:1", "REDIS_URL": "redis://x"})
    for folder in (plan.run, plan.logs):
        folder.mkdir()
    with Supervised(plan, programs.write_configuration(plan)) as supervised:

        def rotated() -> bool:
            supervised.alive()
            return {"supervisor.log.1", "noisy.log.3"} <= {path.name for path in plan.logs.iterdir()}

        assert eventually(rotated, 30), list(plan.logs.iterdir())
        before = capsys.readouterr().out.count("noisy ended (exit status 3)")
        assert before >= 1
        assert eventually(lambda: supervised.alive() and "noisy ended" in capsys.readouterr().out, 15)
    names = {path.name for path in plan.logs.iterdir()}
    assert not names & {"supervisor.log.4", "noisy.log.4"}
    assert all(path.stat().st_size < 2000 for path in plan.logs.iterdir())


@contextmanager
def limit_of(soft: int, hard: int | None = None) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, before[1] if hard is None else hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_the_launcher_takes_as_many_files_as_it_may() -> None:
    with limit_of(300):
        raised = open_files_raise()
        assert raised == resource.getrlimit(resource.RLIMIT_NOFILE)[0] > 300


def test_too_few_files_are_refused_in_one_line() -> None:
    asked = "from workbench.launch.open_files import open_files_raise; open_files_raise()"
    ended = subprocess.run(
        ["sh", "-c", f"ulimit -n 100; exec {sys.executable} -c '{asked}'"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert f"{LaunchRefused.__name__}: Only 100 files may be open; {LEAST_FILES} are needed" in ended.stderr


def test_a_web_server_with_few_files_outlives_more_connections_than_it_can_hold(tmp_path: Path) -> None:
    port = free_port()
    with limit_of(LEAST_FILES):
        connections = web_connections()
    answers = tmp_path / "answers.py"
    answers.write_text(
        "def application(environ, start):\n"
        "    with open('/dev/null'):\n"
        "        start('200 OK', [])\n"
        "    return [b'here']\n"
    )
    options = programs._web_options(plan_from({"WORKBENCH_DATA": str(tmp_path)}))
    options[options.index("--worker-connections") + 1] = str(connections)
    (tmp_path / "run").mkdir()
    command = [sys.executable, "-m", "gunicorn", "answers", "--bind", f"127.0.0.1:{port}", *options]
    with (tmp_path / "log").open("wb") as log:
        server = subprocess.Popen(
            command,
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(PROJECT)},
            stderr=log,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (LEAST_FILES, LEAST_FILES)),
        )
    try:
        assert eventually(lambda: answered(port), 30)
        asked = int(options[options.index("--workers") + 1])
        assert eventually(lambda: len(psutil.Process(server.pid).children()) == asked, 30)
        workers = {each.pid for each in psutil.Process(server.pid).children()}
        with ExitStack() as held:
            for _ in range(3 * LEAST_FILES):
                held.enter_context(socket.create_connection(("127.0.0.1", port), timeout=5))
            time.sleep(2)
            assert {each.pid for each in psutil.Process(server.pid).children()} == workers
        assert eventually(lambda: answered(port), 30)
        assert {each.pid for each in psutil.Process(server.pid).children()} == workers
        assert "Too many open files" not in (tmp_path / "log").read_text()
    finally:
        server.terminate()
        server.wait(20)


def answered(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5) as answer:
            return bool(answer.read() == b"here")
    except OSError:
        return False
