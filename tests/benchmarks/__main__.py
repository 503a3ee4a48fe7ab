"""`make bench`: how fast, beside other programs on the same files, and how often right. Each part prints a table.

    make bench                                     everything but fixes, half an hour
    make bench PARTS=logs SIZES=50,500,2000        one part, its logs in MB
    make bench PARTS=others ROWS=10000000          events in rows
    make bench PARTS=cold CASES=folder,other       the command line on cases of your own
    make bench PARTS=load SECONDS=60 SIZES=100     fifty people for a minute, a large case of 100 MB; pieces: load.py
    make bench PARTS=fixes GATHERED=fresh8         whether pages name the fix, graded by a reader: fixes.py
    make bench PARTS=calibration TRUTHS=folder     how far confidences can be relied on
    make bench PARTS=asked TRUTHS=folder           whether the file that is asked for decides; 50 s a case
    make bench PARTS=alerts                        from the alert to the message, with a real Flink and Alertmanager
    CORES=1,2  ROUNDS=3

Ratios between the rows count, not seconds: another program on the machine slows all of them down.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from diagnostics.analyze import Report, analyze
from diagnostics.intake import SourceFile
from diagnostics.reading.case import Case
from diagnostics.rules.rule import Ruleset
from diagnostics.rules.shipped import shipped_rules
from diagnostics.spark import embedded
from tests.benchmarks import (
    alert_to_message,
    asked_files,
    backtest,
    brushing,
    calibration,
    case_page,
    command_line,
    drop_to_verdict,
    first_case,
    fixes,
    gathered,
    history,
    load,
    log_book,
    log_pipeline,
    log_scan,
    other_evidence,
    peers,
    public_incidents,
    redaction,
)
from tests.benchmarks.synthetic_log import write_log
from tests.incidents.gathered_incidents import PARTS as GATHERED

MB = 1_000_000
PAGES_MB = 500
"""The case whose pages are measured has at most so many MB of logs. Source: issue 5."""
LEAST_ALERTS = 5
"""Ways from the alert to the message that a median is made of. Our choice."""
DEMO = sorted((Path(__file__).resolve().parents[2] / "workbench" / "analyses" / "demo").glob("*.zip"))


def _logs(given: argparse.Namespace) -> None:
    log_pipeline.report(given.sizes, given.cores, given.rounds)


def _scan(given: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory(prefix="scan-") as place:
        source = Path(place) / "taskmanager.log"
        write_log(source, min(given.sizes) * MB)
        log_scan.report(source, Path(place))


def _incidents(given: argparse.Namespace) -> None:
    with embedded() as spark:
        public_incidents.report(spark)


def _gathered(given: argparse.Namespace) -> None:
    with embedded() as spark:
        gathered.report(spark, given.gathered, given.misses)


def _fixes(given: argparse.Namespace) -> None:
    with embedded() as spark:
        fixes.report(spark, given.gathered)


def _calibration(given: argparse.Namespace) -> None:
    with embedded() as spark:
        calibration.report(spark, given.truths)


def _asked(given: argparse.Namespace) -> None:
    with embedded() as spark:
        asked_files.report(spark, given.truths)


def _redaction(given: argparse.Namespace) -> None:
    with embedded() as spark:
        redaction.report(spark)


def _backtest(given: argparse.Namespace) -> None:
    rules = Ruleset.of(shipped_rules())
    diagnosed: list[Report] = []
    with embedded() as spark, tempfile.TemporaryDirectory(prefix="backtest-") as place:
        for number, archive in enumerate(DEMO):
            workspace = Path(place) / str(number)
            workspace.mkdir()
            source = SourceFile(archive, archive.name)
            diagnosed.append(analyze(Case([source]), ruleset=rules, spark=spark, workspace=workspace))
    backtest.report([(each.signals, each.inputs) for each in diagnosed])


def _pages(given: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory(prefix="pages-") as place:
        size = min(max(given.sizes), PAGES_MB)
        source = Path(place) / f"taskmanager-{size}MB.log"
        write_log(source, size * MB)
        case_page.report(source)


PARTS: Mapping[str, Callable[[argparse.Namespace], None]] = {
    "logs": _logs,
    "scan": _scan,
    "others": lambda given: other_evidence.report(given.rows, given.rounds),
    "cold": lambda given: command_line.report(given.cases, given.rounds),
    "drop": lambda given: drop_to_verdict.report(DEMO),
    "first": lambda given: first_case.report(DEMO[0], given.rounds),
    "incidents": _incidents,
    "gathered": _gathered,
    "fixes": _fixes,
    "calibration": _calibration,
    "asked": _asked,
    "redaction": _redaction,
    "backtest": _backtest,
    "log-book": lambda given: log_book.report(),
    "history": lambda given: history.report(),
    "brushing": lambda given: brushing.report(DEMO[0]),
    "pages": _pages,
    "alerts": lambda given: alert_to_message.report(max(given.rounds, LEAST_ALERTS)),
    "load": lambda given: load.report(given.seconds, min(max(given.sizes), load.LARGE_MB)),
}


FOR_A_READER = "fixes"
"""It writes texts of parts that not everybody may read, so it runs only when somebody asks for it."""


def main() -> int:
    """Prints the machine, who is absent, and a table for each part."""
    parser = argparse.ArgumentParser(
        prog="make bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--parts", type=_names, default=[each for each in PARTS if each != FOR_A_READER])
    parser.add_argument("--sizes", type=_numbers, default=[50, 500, 2_000], help="logs in MB")
    parser.add_argument("--rows", type=_numbers, default=[10_000_000, 20_000_000], help="events")
    parser.add_argument("--cores", type=_numbers, default=[1, 2])
    parser.add_argument("--cases", type=_paths, default=DEMO, help="what the command line diagnoses from cold")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--gathered", type=_gathered_parts, default=list(GATHERED), help="parts of the gathered incidents"
    )
    parser.add_argument("--misses", action="store_true", help="name the gathered incidents that are set aside, too")
    parser.add_argument("--truths", type=_paths, default=[], help="folders of cases with a truth.json")
    parser.add_argument("--seconds", type=int, default=load.SECONDS, help="how long fifty people stay")
    given = parser.parse_args()
    print(f"{platform.platform()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}", flush=True)
    for sentence in peers.absent():
        print(sentence, flush=True)
    for name in given.parts:
        print(f"\n{name}", flush=True)
        PARTS[name](given)
    return 0


def _names(text: str) -> list[str]:
    names = text.split(",")
    unknown = [name for name in names if name not in PARTS]
    if unknown:
        raise argparse.ArgumentTypeError(f"{', '.join(unknown)}: the parts are {', '.join(PARTS)}")
    return names


def _gathered_parts(text: str) -> list[str]:
    names = text.split(",")
    if unknown := [name for name in names if name not in GATHERED]:
        raise argparse.ArgumentTypeError(f"{', '.join(unknown)}: the parts are {', '.join(GATHERED)}")
    return names


def _paths(text: str) -> list[Path]:
    return [Path(each).resolve() for each in text.split(",")]


def _numbers(text: str) -> list[int]:
    return [int(each) for each in text.split(",")]


if __name__ == "__main__":
    sys.exit(main())
