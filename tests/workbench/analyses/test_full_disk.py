"""The real programs on a disk that somebody fills, and empties again."""

from __future__ import annotations

import shutil
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.running_workbench import COLD, eventually, launch
from tests.small_disk import fill
from tests.workbench.analyses.stack import LOG, Stack, has_ended, is_reading

RESERVE_BYTES, LEFT_BYTES = 16 * 1024**2, 8 * 1024**2
"""Of the disk: what is reserved for database and queue, and what is left of it by others."""

LONG_LOG_BYTES = 256 * 1024**2
"""Some seconds of work, so that the disk is full before the run is over."""

pytestmark = [pytest.mark.celery, pytest.mark.spark]


def status(address: str) -> int:
    try:
        with urllib.request.urlopen(address, timeout=30) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


@pytest.fixture(scope="module")
def stack(larger_disk: Path, spark_remote: str) -> Iterator[Stack]:
    """A workbench whose data folder is on the disk."""
    reserve = str(RESERVE_BYTES)
    running = launch(larger_disk / "data", SPARK_REMOTE=spark_remote, WORKBENCH_RESERVE_BYTES=reserve, **COLD)
    try:
        running.wait_until_ready()
        yield Stack(running, running.manage("create_token", "admin"), larger_disk)
    finally:
        running.end()


def test_a_case_waits_for_room_and_everything_stays_readable(stack: Stack, larger_disk: Path) -> None:
    running = stack.running
    paused = stack.workers()
    for process in paused:
        process.suspend()
    url = stack.send(LOG)
    ballast = fill(larger_disk, leave=LEFT_BYTES)
    for process in paused:
        process.resume()
    assert eventually(lambda: "too little room" in (stack.case(url)["detail"] or ""), 60), stack.case(url)
    assert status(f"{running.address}/login/") == status(f"{running.address}/healthz") == 200
    with pytest.raises(urllib.error.HTTPError, match="507"):
        stack.send(LOG)
    time.sleep(3)  # a beat of the worker, which sends what waits again
    assert stack.case(url)["status"] == "queued"
    ballast.unlink()
    case = stack.wait(url, has_ended)
    assert case["status"] == "done", case


def test_a_disk_without_a_byte_stops_a_run_which_says_so_and_goes_on(stack: Stack, larger_disk: Path) -> None:
    url = stack.send(LOG * (LONG_LOG_BYTES // len(LOG)))
    stack.wait(url, is_reading)
    ballast = fill(larger_disk)
    assert shutil.disk_usage(larger_disk).free == 0
    for _ in range(20):  # longer than a run may be silent
        case = stack.case(url)
        assert case["detail"].startswith("The disk is full: the run waits for room, "), case
        assert "are needed. It continues by itself" in case["detail"], case
        assert status(f"{stack.running.address}/login/") == 200
        time.sleep(1)
    ballast.unlink()
    case = stack.wait(url, has_ended)
    assert case["status"] == "done", case
    asked = f"from workbench.analyses.models import Analysis; print(Analysis.objects.get(case={case['id']}).attempts)"
    assert stack.running.manage("shell", "--no-imports", "-c", asked) == "1"


def test_a_start_on_a_full_disk_says_what_it_needs(stack: Stack, larger_disk: Path, spark_remote: str) -> None:
    """The last of this file: it ends what the others use."""
    stack.running.end()
    fill(larger_disk)
    again = launch(stack.running.data, SPARK_REMOTE=spark_remote)
    assert again.process.wait(30) == 1
    assert "is full: a start needs" in again.said()
