"""A running workbench with all its programs, as a person with an API token sees it."""

from __future__ import annotations

import json
import os
import time
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import psycopg

from diagnostics.reading.task import BEHIND
from tests.running_workbench import PROJECT, RunningWorkbench, eventually, launch

LOG = (PROJECT / "tests" / "hostile" / "taskmanager.log").read_bytes()

LOOK_SECONDS = 0.3
"""How often a run is asked for: each answer takes some 20 ms of a processor that it needs itself."""

MOST_NICE = 19
"""Linux goes no further, so that tests which are nice themselves see a smaller difference. Source: setpriority(2)."""


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

    @contextmanager
    def held_in_spark(self, content: bytes) -> Iterator[str]:
        """A new case of a large file, of which a task is suspended in the block: it is caught in the middle, with
        little work and on any machine. The task goes on after the block.

        Spark's Python workers read large files behind the others: by that, one that is at it is known.
        """
        behind = min(psutil.Process(self.workers()[0].pid).nice() + BEHIND, MOST_NICE)
        held: list[psutil.Process] = []

        def hold() -> bool:
            for process in self.readers():
                if behind in niceness_of_threads(process):
                    process.suspend()
                    if behind in niceness_of_threads(process):
                        held.append(process)
                    else:  # its task ended meanwhile
                        process.resume()
            return held != []

        url = self.send(content)
        assert eventually(hold), self.case(url)
        try:
            yield url
        finally:
            for process in held:
                with suppress(psutil.NoSuchProcess):
                    process.resume()

    def readers(self) -> list[psutil.Process]:
        """Spark's Python workers, and the processes that fork them."""
        return self.running.named("diagnostics.spark_service.daemon")

    def left_behind(self, seconds: float = 45) -> list[Path]:
        """What runs have left in their folders, once nothing is or the time is over.

        The folder of a log book is not of a run: at the lowest priority a long log takes minutes beside other work.
        """
        deadline = time.monotonic() + seconds
        while (left := [*self._folders_of_runs()]) and time.monotonic() < deadline:
            time.sleep(0.1)
        return left

    def _folders_of_runs(self) -> Iterator[Path]:
        yield from self.storage.iterdir()
        for each in (self.running.data / "work").iterdir():
            if not each.name.startswith("log-book-"):
                yield each

    def workers(self) -> list[psutil.Process]:
        """The worker's processes, the parent first."""
        found = self.running.named("celery", "worker")
        return sorted(found, key=lambda process: process.create_time())

    def _ask(self, path: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> dict[str, Any]:
        known = {"Authorization": f"Token {self.token}"} | (headers or {})
        request = urllib.request.Request(f"{self.running.address}{path}", data=body, headers=known)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return dict(json.load(answer))


def niceness_of_threads(process: psutil.Process) -> set[int]:
    """Of all threads of a process, none where it has ended: Linux keeps it by thread."""
    found = set()
    with suppress(FileNotFoundError):
        for thread in Path(f"/proc/{process.pid}/task").iterdir():
            with suppress(FileNotFoundError, ProcessLookupError):
                found.add(int((thread / "stat").read_text().rpartition(")")[2].split()[16]))
    return found


def is_reading(case: dict[str, Any]) -> bool:
    """Under way in Spark."""
    assert case["status"] in ("queued", "running"), case
    return bool(case["status"] == "running" and case["progress"] > 0.1)


def has_ended(case: dict[str, Any]) -> bool:
    """Whatever came of it."""
    return case["status"] in ("done", "failed")


@contextmanager
def started_stack(data: Path, storage: Path, **variables: str) -> Iterator[Stack]:
    """A workbench of its own; on PostgreSQL where the tests run on that.

    storage  an empty folder that it shares with Spark's workers by its URL
    """
    given = os.environ.get("DATABASE_URL", "")
    if given.startswith("postgres"):
        variables["DATABASE_URL"] = _new_database(given)
    running = launch(data, SPARK_STORAGE=storage.as_uri(), **variables)
    try:
        running.wait_until_ready()
        yield Stack(running, running.manage("create_token", "admin"), storage)
    finally:
        running.end()


def _new_database(url: str) -> str:
    name = f"worker_{os.getpid()}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{name}"')
        connection.execute(f'CREATE DATABASE "{name}"')
    return url.rpartition("/")[0] + f"/{name}"
