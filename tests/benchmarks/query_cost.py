"""What each measurement and chart costs by itself: Spark queries, processor milliseconds, and time; dearest first.

    python -m tests.benchmarks.query_cost FOLDER [rounds]

One at a time on a server that has done the same before, each with evidence that nobody has read yet, so that the first
asker of what several share pays for it: the sum counts such reads too often, a row never counts too little.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql.connect.client import SparkConnectClient

from diagnostics.analyze import analyze
from diagnostics.charts import CHARTS
from diagnostics.evidence import Evidence
from diagnostics.intake import sources_in, unpack
from diagnostics.reading import read_evidence
from diagnostics.reading.stored_table import STORED_TABLES
from diagnostics.rule import Ruleset, shipped_rules
from diagnostics.signals import DEFINITIONS
from diagnostics.spark import embedded
from tests.benchmarks.process_tree import cpu_seconds


@dataclass
class Calls:
    """Calls of the server so far."""

    executed: int = 0
    analysed: int = 0


def count_calls() -> Calls:
    """Counts, from now on, what any session of this process asks of its server."""
    calls = Calls()
    execute, analyse = SparkConnectClient._execute_and_fetch_as_iterator, SparkConnectClient._analyze

    def executed(self: SparkConnectClient, *arguments: Any, **named: Any) -> Any:
        calls.executed += 1
        return execute(self, *arguments, **named)

    def analysed(self: SparkConnectClient, *arguments: Any, **named: Any) -> Any:
        calls.analysed += 1
        return analyse(self, *arguments, **named)

    SparkConnectClient._execute_and_fetch_as_iterator = executed  # type: ignore[method-assign]
    SparkConnectClient._analyze = analysed  # type: ignore[method-assign]
    return calls


def main() -> int:
    """Prints one row for each measurement and chart, then the sum and the whole analysis."""
    folder, rounds = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 3
    calls = count_calls()
    work: dict[str, Callable[[Evidence], Any]] = {}
    for definition in DEFINITIONS.values():
        measure = definition.measure
        name = f"{measure.__module__.rpartition('.')[2]}.{measure.__name__}"
        work[name] = lambda evidence, measure=measure: list(measure(evidence))
    work |= {f"chart {chart.id}": chart.points for chart in CHARTS.values()}
    with tempfile.TemporaryDirectory(prefix="query-cost-") as place, embedded() as spark:
        sources, _ = sources_in([folder])
        ruleset = Ruleset.of(shipped_rules())
        for number in range(rounds):
            workspace = Path(place) / f"whole-{number}"
            workspace.mkdir()
            before, used, began = Calls(calls.executed, calls.analysed), cpu_seconds(), time.monotonic()
            report = analyze(sources, ruleset=ruleset, spark=spark, workspace=workspace)
            print(
                f"whole analysis {number + 1}: {calls.executed - before.executed} queries, "
                f"{calls.analysed - before.analysed} questions about a plan, {cpu_seconds() - used:.1f} CPU s, "
                f"{time.monotonic() - began:.1f} s {report.stage_ms}",
                flush=True,
            )
        workspace = Path(place) / "single"
        workspace.mkdir()
        evidence, _ = read_evidence(unpack(sources, workspace), spark, workspace, lambda *_: None, {})
        print(dict(evidence.rows))
        rows = []
        for name, run in work.items():
            costs, spans = [], []
            for _ in range(rounds):
                own = Evidence(
                    spark,
                    {table: evidence[table] for table in STORED_TABLES if evidence.has(table)},
                    evidence.rows,
                    parts=evidence.parts,
                    for_workers=evidence.for_workers,
                )
                before, used, began = Calls(calls.executed, calls.analysed), cpu_seconds(), time.monotonic()
                run(own)
                costs.append(1000 * (cpu_seconds() - used))
                spans.append(1000 * (time.monotonic() - began))
            asked = calls.executed - before.executed, calls.analysed - before.analysed
            print(f"  {name}: {statistics.median(costs):.0f} ms", file=sys.stderr, flush=True)
            rows.append((statistics.median(costs), statistics.median(spans), *asked, name))
    print(f"{'CPU ms':>8} {'ms':>8} {'queries':>8} {'plans':>6}  measurement")
    for cost, span, executed, analysed, name in sorted(rows, reverse=True):
        print(f"{cost:8.0f} {span:8.0f} {executed:>8} {analysed:>6}  {name}")
    print(
        f"{sum(row[0] for row in rows):8.0f} {sum(row[1] for row in rows):8.0f} {sum(row[2] for row in rows):>8}  all"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
