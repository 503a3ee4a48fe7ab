"""Processes of the worker's pool without signs of life."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from workbench.worker import pool
from workbench.worker.pool import HUNG_SECONDS, end_hung_processes, start_beats


@dataclass
class Process:
    index: int
    pid: int | None


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(600)"]) as process:
        yield process
        process.kill()


def test_a_process_that_gives_signs_of_life_is_left_alone(sleeper: subprocess.Popen[bytes]) -> None:
    start_beats(0)
    time.sleep(0.1)
    assert end_hung_processes([Process(0, sleeper.pid)]) == 0
    assert sleeper.poll() is None


def test_a_process_without_a_sign_of_life_is_ended_once(sleeper: subprocess.Popen[bytes]) -> None:
    pool._beats[1] = time.monotonic() - HUNG_SECONDS - 1
    assert end_hung_processes([Process(1, sleeper.pid)]) == 1
    assert sleeper.wait(10) == -9
    assert end_hung_processes([Process(1, sleeper.pid)]) == 0


def test_a_process_that_has_just_started_is_left_alone(sleeper: subprocess.Popen[bytes]) -> None:
    pool._beats[1] = 0
    assert end_hung_processes([Process(1, sleeper.pid), Process(1, None)]) == 0
    assert sleeper.poll() is None
