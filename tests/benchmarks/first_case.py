"""The first case after a start beside the same case on the warm workbench, from the drop to the verdict."""

from __future__ import annotations

import contextlib
import statistics
import tempfile
import time
from itertools import pairwise
from pathlib import Path

import psutil
from playwright.sync_api import sync_playwright

from tests.benchmarks.drop_to_verdict import drop
from tests.journeys.conftest import chromium, sign_in
from tests.running_workbench import ADMIN_PASSWORD, RunningWorkbench, launch

WARM_ROUNDS = 3
LOOK_SECONDS = 0.05
READY = "The workbench is ready"
MOST_TIMES = 2.0
"""The first case takes at most so many times as long as a warm one. Source: issue 16."""


def report(dropped: Path, starts: int) -> None:
    """Prints for each start: seconds until ready, of the first case and of the same case warm, and their ratio; below,
    the same in processor seconds of all processes of the workbench, which other programs on the machine change less.

    The browser is signed in as soon as the workbench is ready, and drops at once: no person is as fast.
    """
    executable = chromium()
    if executable is None:
        print("first case: no Chromium on this machine")
        return
    for number in range(1, starts + 1):
        with tempfile.TemporaryDirectory(prefix="first-") as place, sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=executable, args=["--no-sandbox", "--disable-dev-shm-usage"]
            )
            began = time.monotonic()
            running = launch(Path(place) / "data")
            try:
                while READY not in running.said():
                    time.sleep(LOOK_SECONDS)
                ready = time.monotonic() - began
                page = browser.new_context(base_url=running.address).new_page()
                sign_in(page, ADMIN_PASSWORD)
                rounds, used = [], [_cpu_seconds(running)]
                for _ in range(1 + WARM_ROUNDS):
                    rounds.append(drop(page, dropped))
                    used.append(_cpu_seconds(running))
                browser.close()
            finally:
                running.end()
        first, warm = rounds[0].seconds, statistics.median(each.seconds for each in rounds[1:])
        print(
            f"{dropped.name:38} {number:>5} ready after {ready:.1f} s, first {first:.2f}, warm {warm:.2f}, "
            f"{first / warm:.1f} times (at most {MOST_TIMES:.0f})",
            flush=True,
        )
        costs = [after - before for before, after in pairwise(used)]
        first, warm = costs[0], statistics.median(costs[1:])
        print(
            f"    processor seconds: until ready {used[0]:.1f}, first {first:.2f}, warm {warm:.2f}, "
            f"{first / warm:.1f} times",
            flush=True,
        )
        for name, each in (("first", rounds[0]), ("warm", rounds[-1])):
            print(f"    {name:5} {each}", flush=True)


def _cpu_seconds(running: RunningWorkbench) -> float:
    """Processor seconds of the living processes of a workbench."""
    seconds = 0.0
    for process in running.processes():
        with contextlib.suppress(psutil.NoSuchProcess):
            used = process.cpu_times()
            seconds += used.user + used.system
    return seconds
