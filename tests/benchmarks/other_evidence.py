"""Events, GC logs, metric dumps and stacks from the file to the document, beside DuckDB on the heart of the same job.

    make bench PARTS=others ROWS=10000000,20000000

DuckDB reads the same file and gives the same numbers that the signals are about: keys and lags by device, pauses by
cause, the span of each series, the weight of each frame. It recognises nothing, keeps no place of a number, judges
nothing and draws nothing: the ratio says what all of that costs. Warm, medians, rounds interleaved.
"""

from __future__ import annotations

import importlib.util
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from diagnostics.analyze import analyze
from diagnostics.intake import SourceFile
from diagnostics.reading.case import Case
from diagnostics.rules.rule import Ruleset
from diagnostics.rules.shipped import shipped_rules
from diagnostics.spark import embedded
from tests.benchmarks import synthetic_evidence
from tests.benchmarks.process_tree import Peak, cpu_seconds

MB = 1_000_000
LINES = "read_csv('{path}', delim=e'\\x01', quote='', header=false, columns={{'line': 'VARCHAR'}})"


@dataclass(frozen=True, slots=True)
class Job:
    """One kind of evidence: its file, how it is written, and DuckDB's queries over it."""

    name: str
    file: str
    write: Callable[[Path], None]
    queries: tuple[str, ...]


def jobs(rows: Sequence[int]) -> list[Job]:
    """All kinds; events in every size."""
    lag = "ingest_time - event_time"
    found = [
        Job(
            f"{count / 1e6:g} M events, Parquet",
            f"events-{count}.parquet",
            lambda path, count=count: synthetic_evidence.write_events(path, count),  # type: ignore[misc]
            (
                "SELECT device_id, count(*) AS events FROM '{path}' GROUP BY ALL ORDER BY events DESC LIMIT 10",
                f"SELECT device_id, approx_quantile({lag}, [0.1, 0.5, 0.9]), min({lag}), max({lag}) FROM '{{path}}' "
                "GROUP BY ALL",
                f"SELECT ceil(log2(greatest(1, abs({lag}))) * 8) AS lag, count(*) FROM '{{path}}' GROUP BY ALL",
            ),
        )
        for count in rows
    ]
    return [
        *found,
        Job(
            "500,000 pauses, GC log",
            "gc.log",
            lambda path: synthetic_evidence.write_gc_log(path, 500_000),
            (
                "SELECT cause, count(*), sum(ms), max(ms) FROM (SELECT regexp_extract(line, '(Pause .*) [0-9]+M->', 1)"
                " AS cause, TRY_CAST(regexp_extract(line, '([0-9.]+)ms$', 1) AS DOUBLE) AS ms"
                f" FROM {LINES}) GROUP BY ALL",
            ),
        ),
        Job(
            "1 M samples, Prometheus text",
            "metrics.prom",
            lambda path: synthetic_evidence.write_metrics(path, 200),
            (
                "SELECT series, count(*), min(value), max(value) FROM (SELECT regexp_extract(line, '^(.*) [^ ]+$', 1)"
                f" AS series, TRY_CAST(regexp_extract(line, ' ([^ ]+)$', 1) AS DOUBLE) AS value FROM {LINES})"
                " GROUP BY ALL",
            ),
        ),
        Job(
            "200,000 stacks, collapsed",
            "wall.collapsed",
            lambda path: synthetic_evidence.write_stacks(path, 200_000),
            (
                "SELECT frame, sum(weight) FROM (SELECT unnest(list_distinct(string_split(regexp_extract(line,"
                " '^(.*) [0-9]+$', 1), ';'))) AS frame, CAST(regexp_extract(line, '([0-9]+)$', 1) AS BIGINT) AS weight"
                f" FROM {LINES}) GROUP BY ALL",
            ),
        ),
    ]


def report(rows: Sequence[int], rounds: int) -> None:
    """Prints a row for each kind."""
    beside = importlib.util.find_spec("duckdb") is not None
    print(
        f"{'evidence':32} {'MB':>6} {'s':>7} {'CPU s':>7} {'peak MB':>8} {'DuckDB':>8} {'x':>6}   stages in ms",
        flush=True,
    )
    rules = Ruleset.of(shipped_rules())
    with tempfile.TemporaryDirectory(prefix="other-evidence-") as place, embedded() as spark:
        for job in jobs(rows):
            path = Path(place) / job.file
            job.write(path)
            own: list[float] = []
            used: list[float] = []
            other: list[float] = []
            most = 0
            for _ in range(rounds + 1):
                with tempfile.TemporaryDirectory(dir=place) as workspace, Peak() as peak:
                    began, before = time.monotonic(), cpu_seconds()
                    source = SourceFile(path, job.file)
                    outcome = analyze(Case([source]), ruleset=rules, spark=spark, workspace=Path(workspace))
                    own.append(time.monotonic() - began)
                    used.append(cpu_seconds() - before)
                most = max(most, peak.bytes)
                if beside:
                    other.append(_duckdb(job, path))
            seconds = statistics.median(own[1:])
            peer = (
                f"{statistics.median(other[1:]):8.2f} {seconds / statistics.median(other[1:]):6.1f}" if beside else ""
            )
            stages = " ".join(f"{name.removesuffix('_ms')} {value}" for name, value in outcome.stage_ms.items())
            print(
                f"{job.name:32} {path.stat().st_size / MB:6.0f} {seconds:7.2f} {statistics.median(used[1:]):7.2f} "
                f"{most / MB:8.0f} {peer or f'{chr(45):>15}'}   {stages}",
                flush=True,
            )
            path.unlink()


def _duckdb(job: Job, path: Path) -> float:
    import duckdb

    began = time.monotonic()
    with duckdb.connect(config={"threads": len(os.sched_getaffinity(0))}) as database:
        for query in job.queries:
            database.execute(query.format(path=path)).fetchall()
    return time.monotonic() - began
