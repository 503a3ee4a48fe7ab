"""Analyses leave nothing behind: no process, no memory, no open file, no folder, no key in Redis, no endless log."""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from dataclasses import dataclass

import psutil
import pytest
import redis

from tests.running_workbench import eventually
from tests.workbench.analyses.stack import LOG, Stack, has_ended

pytestmark = [pytest.mark.celery, pytest.mark.spark]

FIRST_ANALYSES = 20
"""After so many every program has loaded and compiled what it needs, though the workbench starts cold. Measured: a
process of the worker takes 93 MB after its first and 123 MB from its fourth on, and there are three.
"""

ANALYSES = int(os.environ.get("WORKBENCH_GROWTH", "40"))
"""The long form: `WORKBENCH_GROWTH=200 make test PROCESSES=1 TESTS=tests/workbench/analyses/test_growth.py`."""

MOST_BYTES_OF_AN_ANALYSIS = 2_000_000
"""Source: issue 16. Measured: 1.1 MB, nearly all of it in the JVM, which collects late."""

MOST_LOG_BYTES_OF_AN_ANALYSIS = 10_000
"""Our choice: some fifty lines."""


@dataclass(frozen=True, slots=True)
class Footprint:
    """What a workbench takes of its machine.

    processes  how many there are by the module or program that they run
    memory     bytes that belong to one process each
    """

    processes: Counter[str]
    memory: int
    open_files: int
    keys: set[bytes]
    log_bytes: int


def footprint(stack: Stack) -> Footprint:
    programs: Counter[str] = Counter()
    memory = open_files = 0
    for process in stack.running.processes():
        with contextlib.suppress(psutil.NoSuchProcess):
            program, bytes_of_its_own, files = process.cmdline(), process.memory_full_info().uss, process.num_fds()
            programs[" ".join(program[1:3])] += 1
            memory += bytes_of_its_own
            open_files += files
    data = stack.running.data
    queue = redis.Redis.from_url(stack.running.named("gunicorn")[0].environ()["REDIS_URL"])
    return Footprint(
        programs,
        memory,
        open_files,
        set(queue.keys("*")),
        sum(each.stat().st_size for each in (data / "logs").iterdir()),
    )


def analyse(stack: Stack, count: int) -> None:
    """That many small cases, all of them waiting in the queue at once."""
    for url in [stack.send(LOG) for _ in range(count)]:
        case = stack.wait(url, has_ended)
        assert case["status"] == "done", case


def everything_ended(stack: Stack) -> bool:
    """Whether soon neither a run nor a log book has a folder any more."""
    folders = (stack.running.data / "work", stack.storage)
    return eventually(lambda: not any([*folder.iterdir()] for folder in folders), 90)


def test_many_analyses_take_no_more_of_the_machine_than_a_few(stack: Stack) -> None:
    analyse(stack, FIRST_ANALYSES)
    assert everything_ended(stack)
    before = footprint(stack)
    analyse(stack, ANALYSES)
    # Spark ends a Python worker that was idle for a minute; the daemon of a worker that was replaced ends sooner.
    assert eventually(lambda: footprint(stack).processes <= before.processes, 90), footprint(stack).processes
    after = footprint(stack)
    grown = (after.memory - before.memory) / ANALYSES
    assert grown < MOST_BYTES_OF_AN_ANALYSIS, f"{grown / 1e6:.1f} MB for each analysis"
    # Measured between two moments: from 15 fewer to 5 more. One that each analysis keeps would be ANALYSES.
    assert after.open_files < before.open_files + ANALYSES // 4, (before.open_files, after.open_files)
    assert after.keys <= before.keys, after.keys - before.keys
    assert everything_ended(stack)
    assert (after.log_bytes - before.log_bytes) / ANALYSES < MOST_LOG_BYTES_OF_AN_ANALYSIS
