"""`manage.py diagnose` from nothing to the document: a new Python, a new JVM, and no server before.

Python's modules are compiled, as they are from the second start on wherever they may be written, and Spark's class
archive is there: set-up makes both. Without the archive the JVM alone takes three times the processor time.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from diagnostics.spark_service.class_archive import prepare

PROJECT = Path(__file__).resolve().parents[2]


def report(cases: Sequence[Path], rounds: int) -> None:
    """Prints a row for each case; the cases take turns."""
    prepare(print)
    spans: dict[Path, list[float]] = {case: [] for case in cases}
    costs: dict[Path, list[float]] = {case: [] for case in cases}
    with tempfile.TemporaryDirectory(prefix="compiled-") as compiled:
        environment = os.environ | {"PYTHONPYCACHEPREFIX": compiled, "PYTHONDONTWRITEBYTECODE": ""}
        _diagnose(cases[0], environment)
        for _ in range(rounds):
            for case in cases:
                before, began = os.times(), time.monotonic()
                _diagnose(case, environment)
                after = os.times()
                spans[case].append(time.monotonic() - began)
                costs[case].append(
                    after.children_user + after.children_system - before.children_user - before.children_system
                )
    print(f"{'manage.py diagnose, cold':44} {'s':>6} {'CPU s':>6}")
    for case in cases:
        print(f"{case.name:44} {statistics.median(spans[case]):6.1f} {statistics.median(costs[case]):6.1f}", flush=True)


def _diagnose(case: Path, environment: Mapping[str, str]) -> None:
    command = [sys.executable, "manage.py", "diagnose", str(case), "--json", "-"]
    subprocess.run(command, cwd=PROJECT, stdout=subprocess.DEVNULL, env=environment, check=True)
