"""The whole way through Celery, Redis, a worker and Spark: finished, cancelled, killed and taken up again, ended."""

from __future__ import annotations

import json
import os
import re
import signal
import time
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import psycopg
import pytest

from tests.running_workbench import PROJECT, RunningWorkbench, eventually, launch

pytestmark = [pytest.mark.celery, pytest.mark.spark, pytest.mark.database]

LOG = (PROJECT / "tests" / "hostile" / "taskmanager.log").read_bytes()
RECORDS_OF_LOG = len(re.findall(rb"(?m)^\d{4}-\d\d-\d\d ", LOG))
LONG_LOG_BYTES = 8 * 1024**2
"""Some seconds of work on any machine, so that a run can be caught in the middle."""

LOOK_SECONDS = 0.3
"""How often a run is asked for: each answer takes some 20 ms of a processor that it needs itself."""

ONE_RANGE_SECONDS = 15.0
"""A Python worker ends its range of 16 MB before it looks whether its run still exists. Measured: 0.5 s alone, over 5 s
beside three other runs on two cores."""


@dataclass(frozen=True, slots=True)
class Stack:
    """A running workbench with a token for its API."""

    running: RunningWorkbench
    token: str
    storage: Path

    def send(self, content: bytes) -> str:
        """Opens a case with one file and gives its address."""
        edge = uuid.uuid4().hex.encode()
        head = b'Content-Disposition: form-data; name="files"; filename="tm.log"\r\n\r\n'
        body = b"--" + edge + b"\r\n" + head + content + b"\r\n--" + edge + b"--\r\n"
        kind = f"multipart/form-data; boundary={edge.decode()}"
        return str(self._ask("/api/v1/cases/", body, {"Content-Type": kind})["url"])

    def case(self, url: str) -> dict[str, Any]:
        """The case as the API tells it."""
        return self._ask(url.removeprefix(self.running.address))

    def wait(self, url: str, wanted: Callable[[dict[str, Any]], bool], seconds: float = 300) -> dict[str, Any]:
        """The case as soon as it is as wanted."""
        deadline = time.monotonic() + seconds
        while not wanted(case := self.case(url)):
            assert time.monotonic() < deadline, case
            time.sleep(LOOK_SECONDS)
        return case

    def left_behind(self, seconds: float = 45) -> list[Path]:
        """What runs have left in their folders, once nothing is or the time is over."""
        deadline = time.monotonic() + seconds
        while (left := [*(self.running.data / "work").iterdir(), *self.storage.iterdir()]) and (
            time.monotonic() < deadline
        ):
            time.sleep(0.1)
        return left

    def workers(self) -> list[psutil.Process]:
        """The worker's processes, the parent first."""
        found = self.running.named("celery", "worker")
        return sorted(found, key=lambda process: process.create_time())

    def _ask(self, path: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> dict[str, Any]:
        known = {"Authorization": f"Token {self.token}"} | (headers or {})
        request = urllib.request.Request(f"{self.running.address}{path}", data=body, headers=known)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return dict(json.load(answer))


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A workbench of its own, because its worker is killed; on PostgreSQL where the tests run on that.

    Its runs share files with Spark by URL, so that each of these ends has to leave nothing there either.
    """
    given = os.environ.get("DATABASE_URL", "")
    variables = {"DATABASE_URL": _new_database(given)} if given.startswith("postgres") else {}
    storage = tmp_path_factory.mktemp("storage")
    running = launch(tmp_path_factory.mktemp("worker") / "data", SPARK_STORAGE=storage.as_uri(), **variables)
    try:
        running.wait_until_ready()
        yield Stack(running, running.manage("create_token", "admin"), storage)
    finally:
        running.end()


@pytest.fixture(scope="module")
def long_log() -> bytes:
    """A real TaskManager log, again and again."""
    return LOG * (LONG_LOG_BYTES // len(LOG))


def _new_database(url: str) -> str:
    name = f"worker_{os.getpid()}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{name}"')
        connection.execute(f'CREATE DATABASE "{name}"')
    return url.rpartition("/")[0] + f"/{name}"


def is_reading(case: dict[str, Any]) -> bool:
    """Under way in Spark."""
    assert case["status"] in ("queued", "running"), case
    return bool(case["status"] == "running" and case["progress"] > 0.1)


def has_ended(case: dict[str, Any]) -> bool:
    """Whatever came of it."""
    return case["status"] in ("done", "failed")


def test_a_case_goes_through_queue_worker_and_spark(stack: Stack) -> None:
    url = stack.send(LOG)
    case = stack.wait(url, has_ended)
    assert (case["status"], case["progress"], case["detail"]) == ("done", 1.0, None)
    document = stack.case(f"{url}diagnosis/")
    assert document["inputs"][0]["format"] == "flink-log"
    assert document["timing"]["queued_ms"] >= 0


def test_a_case_without_usable_files_fails_with_the_reason_for_each(stack: Stack) -> None:
    case = stack.wait(stack.send(b"Dear colleague,\nthe job is slow again.\n"), has_ended)
    assert case["status"] == "failed"
    assert case["detail"].startswith("tm.log: ")


def test_cancelling_stops_the_spark_work(stack: Stack, long_log: bytes) -> None:
    url = stack.send(long_log * 4)  # ranges that wait for a core while others are read
    number = stack.wait(url, is_reading)["id"]
    stack.running.manage(
        "shell",
        "--no-imports",
        "-c",
        "from workbench.analyses.models import Analysis; from workbench.analyses.services import analysis_cancel;"
        f"analysis_cancel(analysis=Analysis.objects.get(case={number}))",
    )
    assert stack.case(url)["status"] == "failed"
    assert stack.case(url)["detail"] == "Cancelled."
    # Under a second alone; minutes of other Spark work share the cores here.
    assert stack.left_behind() == [], "the worker did not end the cancelled run"
    deadline = time.monotonic() + ONE_RANGE_SECONDS
    while spark_seconds_in(stack, 2.0) > 0.3:
        assert time.monotonic() < deadline, "Spark goes on with the cancelled run"


def spark_seconds_in(stack: Stack, seconds: float) -> float:
    """Processor seconds that Spark's Python workers use in that time; a run in the middle uses all cores."""

    def used() -> float:
        times = [process.cpu_times() for process in stack.running.named("diagnostics.spark.daemon")]
        return sum(each.user + each.system for each in times)

    before = used()
    time.sleep(seconds)
    return used() - before


def test_a_run_whose_worker_process_is_killed_is_taken_up_again(stack: Stack, long_log: bytes) -> None:
    url = stack.send(long_log + b"\n")
    stack.wait(url, is_reading)
    for process in stack.workers()[1:]:
        process.send_signal(signal.SIGKILL)
    case = stack.wait(url, has_ended)
    assert case["status"] == "done", case["detail"]
    assert attempts(stack, url) == 2


def test_a_run_whose_whole_worker_is_killed_is_taken_up_again(stack: Stack, long_log: bytes) -> None:
    url = stack.send(long_log + b"\n\n")
    stack.wait(url, is_reading)
    for process in stack.workers():
        process.send_signal(signal.SIGKILL)
    case = stack.wait(url, has_ended)
    assert case["status"] == "done", case["detail"]
    assert attempts(stack, url) == 2
    assert stack.left_behind() == []


def test_a_run_whose_spark_server_is_killed_is_tried_again(stack: Stack, long_log: bytes) -> None:
    url = stack.send(long_log + b"\n\n\n")
    stack.wait(url, is_reading)
    killed = stack.running.named("SparkConnectServer")
    assert killed
    for process in killed:
        process.send_signal(signal.SIGKILL)
    case = stack.wait(url, has_ended)
    assert case["status"] == "done", case["detail"]
    assert not {each.pid for each in killed} & {each.pid for each in stack.running.named("SparkConnectServer")}
    # Whether the run goes on with the next server or is queued again depends on how soon that one answers.
    records = stack.case(f"{url}diagnosis/")["inputs"][0]["records"]
    assert records == RECORDS_OF_LOG * (len(long_log) // len(LOG))


def attempts(stack: Stack, url: str) -> int:
    """How often a worker began with the case's analysis."""
    number = stack.case(url)["id"]
    asked = f"from workbench.analyses.models import Analysis; print(Analysis.objects.get(case={number}).attempts)"
    return int(stack.running.manage("shell", "--no-imports", "-c", asked))


def test_what_dies_is_started_again_and_said(stack: Stack) -> None:
    running = stack.running
    assert "The workbench is ready: " + running.address in running.said()
    for words in (("diagnostics.spark", "serve"), ("celery", "worker"), ("redis-server",), ("gunicorn",)):
        (victim, *_) = sorted(running.named(*words), key=psutil.Process.create_time)
        victim.kill()
        assert eventually(lambda words=words, pid=victim.pid: any(each.pid != pid for each in running.named(*words))), (
            f"{words} was not started again"
        )
    assert eventually(running.is_ready), running.said()
    assert eventually(lambda: "is started again" in running.said(), 30), running.said()


def test_a_second_start_on_the_same_data_is_refused(stack: Stack) -> None:
    second = launch(stack.running.data)
    assert second.process.wait(60) == 1
    assert f"already runs on {stack.running.data}" in second.said()


def test_a_killed_launcher_leaves_nothing(stack: Stack) -> None:
    """The last of this file: it ends what the others use."""
    running = stack.running
    running.process.kill()
    running.process.wait()
    assert eventually(lambda: not running.processes(), 60), [p.cmdline() for p in running.processes()]
