"""`manage.py diagnose` from nothing to the document: a new Python, a new JVM, and no server before."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]


def report(cases: Sequence[Path], rounds: int) -> None:
    """Prints a row for each case; the cases take turns."""
    spans: dict[Path, list[float]] = {case: [] for case in cases}
    costs: dict[Path, list[float]] = {case: [] for case in cases}
    for _ in range(rounds):
        for case in cases:
            before, began = os.times(), time.monotonic()
            subprocess.run(
                [sys.executable, "manage.py", "diagnose", str(case), "--json", "-"],
                cwd=PROJECT,
                stdout=subprocess.DEVNULL,
                check=True,
            )
            after = os.times()
            spans[case].append(time.monotonic() - began)
            costs[case].append(
                after.children_user + after.children_system - before.children_user - before.children_system
            )
    print(f"{'manage.py diagnose, cold':44} {'s':>6} {'CPU s':>6}")
    for case in cases:
        print(f"{case.name:44} {statistics.median(spans[case]):6.1f} {statistics.median(costs[case]):6.1f}", flush=True)
