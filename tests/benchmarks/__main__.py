"""`make bench`: the pipeline on growing logs and on the demo incidents, beside a plain search; then in a browser.

In between, how many of the resolved public incidents are found, and how quick a history of 1,000 cases is.

Ratios between the rows count, not seconds: another program on the machine slows all of them down.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from diagnostics.analyze import Report, analyze
from diagnostics.intake import SourceFile
from diagnostics.rule import Ruleset, shipped_rules
from diagnostics.spark import embedded
from tests.benchmarks import backtest, brushing, drop_to_verdict, history, log_book, log_scan, public_incidents
from tests.benchmarks.synthetic_log import write_log

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MB = 1_000_000
SIZES_MB = (5, 50, 500)
ROUNDS = 3
DEMO = Path(__file__).resolve().parents[2] / "workbench" / "cases" / "demo"
PEER_WORDS = ("expired before completing", "switched from RUNNING to FAILED", "has failed", "Completed checkpoint")


def measured(spark: SparkSession, source: Path, folder: Path) -> tuple[float, Report]:
    """Seconds for one analysis from the file to the document, and its report."""
    with tempfile.TemporaryDirectory(dir=folder) as workspace:
        began = time.monotonic()
        rules = Ruleset.of(shipped_rules())
        report = analyze([SourceFile(source, source.name)], ruleset=rules, spark=spark, workspace=Path(workspace))
        return time.monotonic() - began, report


def peer(source: Path) -> str:
    """How long a plain search for four words takes: ripgrep on one thread, else grep."""
    words = [option for word in PEER_WORDS for option in ("-e", word)]
    rg, grep = shutil.which("rg"), shutil.which("grep")
    if not rg and not grep:
        return "no rg, no grep"
    command = [rg, "-c", "-j1", "-F", *words] if rg else [str(grep), "-c", "-F", *words]
    began = time.monotonic()
    subprocess.run([*command, str(source)], stdout=subprocess.PIPE, check=False, env=os.environ | {"LC_ALL": "C"})
    return f"{Path(command[0]).name} {time.monotonic() - began:.2f} s"


def main() -> int:
    """Prints one row for each round of each input."""
    print(f"{'input':38} {'round':>5} {'s':>7} {'MB/s':>7}  stages in ms; a plain search of the same file")
    with tempfile.TemporaryDirectory(prefix="benchmark-") as place, embedded() as spark:
        folder = Path(place)
        inputs = sorted(DEMO.glob("*.zip"))
        for size in SIZES_MB:
            inputs.append(folder / f"taskmanager-{size}MB.log")
            write_log(inputs[-1], size * MB)
        diagnosed = []
        for source in inputs:
            for number in range(1, ROUNDS + 1):
                seconds, report = measured(spark, source, folder)
                rate = source.stat().st_size / MB / seconds
                laps = " ".join(f"{name.removesuffix('_ms')} {value}" for name, value in report.stage_ms.items())
                verdict = report.document["verdict"]["symptom_class"]
                said = verdict if source.suffix == ".zip" else peer(source)
                print(f"{source.name:38} {number:>5} {seconds:7.2f} {rate:7.1f}  {laps}; {said}", flush=True)
            diagnosed.append((report.signals, report.inputs))
            if source.suffix == ".log":
                log_scan.report(source, folder)
        public_incidents.report(spark)
    backtest.report(diagnosed)
    log_book.report()
    history.report()
    drop_to_verdict.report(sorted(DEMO.glob("*.zip")))
    brushing.report(sorted(DEMO.glob("*.zip"))[0])
    return 0


if __name__ == "__main__":
    sys.exit(main())
