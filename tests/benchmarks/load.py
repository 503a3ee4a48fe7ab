"""Fifty people at once on a thousand cases, teams that share the queue, and small cases beside a large one.

The workbench is started as `make up` starts it, on SQLite and then on PostgreSQL. Fifty people, each of whom reads one
to three seconds between two things that they do (`load_visitors`), use it for five minutes; the memory of the web
processes is watched meanwhile. Then what stands in `load_queue`. The client runs on the same cores and takes its share
of them, which the table has beside that of each program. One table at the end says what was measured and what is
wanted. Source of what is wanted: issue 23, section 2.

    make bench PARTS=load                                                  everything, on both databases
    LOAD_DATABASES=PostgreSQL LOAD_PIECES=people make bench PARTS=load     fifty people on PostgreSQL
    LOAD_DATABASES=SQLite LOAD_PIECES=large LOAD_CASES=60 make bench PARTS=load
                                                                           small cases beside a large one, on SQLite
    SECONDS=60, SIZES=100                                                  how long people stay, MB of the large case

LOAD_DATABASES is some of SQLite,PostgreSQL, LOAD_PIECES some of people,queue,large, LOAD_CASES the number of cases.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from tests.benchmarks.load_queue import Workbench, beside_a_large_case, shared_queue
from tests.benchmarks.realistic_log import write_realistic_log
from tests.benchmarks.throwaway_postgres import PostgresServer, postgres_server
from tests.running_workbench import PROJECT, RunningWorkbench, launch

CASES = int(os.environ.get("LOAD_CASES", "1000"))
DATABASES = os.environ.get("LOAD_DATABASES", "SQLite,PostgreSQL").split(",")
PIECES = os.environ.get("LOAD_PIECES", "people,queue,large").split(",")
SECONDS = 300
LARGE_MB = 500
MOST_P95_MS = 500
MOST_GROWTH = 0.1
"""Memory is flat when the last fifth of the time has at most this share more than the second fifth. Our choice: threads
take their first memory at the start, and what leaks goes on."""
MEMORY_SECONDS = 5.0
UPLOADED_BYTES = 100_000
REAL_LOGS = (2_000_000, 5_000_000)
REAL_CASES = sorted((PROJECT / "workbench" / "analyses" / "demo").glob("*.zip")) + sorted(
    (PROJECT / "tests" / "incidents").glob("*/evidence.zip")
)
"""What the thousand cases are made of, with a log of each of REAL_LOGS."""
PROGRAMS = (
    ("web", "gunicorn"),
    ("worker", "celery"),
    ("log books", "write_log_books"),
    ("Redis", "redis-server"),
    ("Spark", "spark"),
)
"""What a program is called, and a word of its command lines; the first that fits counts."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the table. `kept`: whether it is as wanted, None where nothing is."""

    database: str
    what: str
    measured: str
    wanted: str = ""
    kept: bool | None = None


def report(seconds: int = SECONDS, large_mb: int = LARGE_MB, cases: int = CASES) -> None:
    """Measures on both databases and prints the table."""
    lines: list[Line] = []
    with tempfile.TemporaryDirectory(prefix="load-") as place, postgres_server() as postgres:
        for database in DATABASES:
            server = postgres if database == "PostgreSQL" else None
            if database == "PostgreSQL" and server is None:
                lines.append(Line(database, "everything", "not measured: no PostgreSQL server is installed"))
                continue
            folder = Path(place) / database
            folder.mkdir()
            for line in _measured(database, folder, server, seconds, large_mb, cases):
                print(f"  {_text(line)}", flush=True)
                lines.append(line)
    missed = [line for line in lines if line.kept is False]
    print(f"\nload: {cases:,} cases, {seconds} s, {os.cpu_count()} cores, load now {os.getloadavg()[0]:.1f}")
    for line in lines:
        print(_text(line))
    print(f"{len(missed)} of {sum(line.kept is not None for line in lines)} bounds are missed", flush=True)


def _text(line: Line) -> str:
    verdict = {None: "", True: "kept", False: "MISSED"}[line.kept]
    return f"{line.database:10} {line.what:44} {line.measured:66} {line.wanted:18} {verdict}".rstrip()


def _measured(
    database: str, folder: Path, server: PostgresServer | None, seconds: int, large_mb: int, cases: int
) -> Iterator[Line]:
    running = launch(folder / "data", **({"DATABASE_URL": server.url} if server else {}))
    try:
        running.wait_until_ready()
        began = time.monotonic()
        history = _filled(running, folder, cases)
        yield Line(database, f"{len(history['cases']):,} cases", f"made in {time.monotonic() - began:.0f} s")
        workbench = Workbench(running, history["people"])
        if "people" in PIECES:
            log = folder / "uploaded.log"
            write_realistic_log(log, UPLOADED_BYTES)
            used = _processor_seconds(running, server)
            with _loads() as loads, _memory(running) as memory:
                said = _visited(running, history, seconds, log.read_bytes()[:UPLOADED_BYTES])
            used = _processor_seconds(running, server) - used
            yield from _visit_lines(database, said, seconds, loads, memory)
            yield _processor_line(database, used, said["processor_seconds"], seconds)
        if "queue" in PIECES:
            for what, measured, wanted, kept in shared_queue(workbench, folder):
                yield Line(database, what, measured, wanted, kept)
        if "large" in PIECES:
            for what, measured, wanted, kept in beside_a_large_case(workbench, folder, large_mb):
                yield Line(database, what, measured, wanted, kept)
        yield from _log_lines(database, running)
    finally:
        running.end()


def _processor_seconds(running: RunningWorkbench, server: PostgresServer | None) -> Counter[str]:
    """Of each program since its start, with the processes of it that have ended."""
    used: Counter[str] = Counter()
    for process in running.processes():
        try:
            line, times = " ".join(process.cmdline()), process.cpu_times()
        except psutil.NoSuchProcess:
            continue
        program = next((name for name, word in PROGRAMS if word in line), "launcher")
        used[program] += sum(times[:4])
    for process in server.processes() if server else ():
        try:
            used["PostgreSQL"] += sum(process.cpu_times()[:4])
        except psutil.NoSuchProcess:
            continue
    return used


def _processor_line(database: str, used: Counter[str], client: float, seconds: int) -> Line:
    shares = [*used.most_common(), ("client", client)]
    told = ", ".join(f"{name} {taken / seconds:.2f}" for name, taken in shares if taken / seconds >= 0.01)
    idle = (os.cpu_count() or 1) - sum(taken for _, taken in shares) / seconds
    return Line(database, "cores that each program took", f"{told}; left or taken by others {idle:.2f}")


def _filled(running: RunningWorkbench, folder: Path, cases: int) -> dict[str, Any]:
    """Diagnoses the real cases, waits for their log books, and copies them."""
    token = running.manage("create_token", "admin")
    workbench = Workbench(running, [{"token": token}])
    for size in REAL_LOGS:
        write_realistic_log(folder / f"taskmanager-{size // 1000}kB.log", size)
    sources = [*REAL_CASES, *sorted(folder.glob("taskmanager-*.log"))]
    for url in [workbench.send(token, each) for each in sources]:
        workbench.wait(token, url)
    workbench.wait_for_log_books()
    made = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.load_history", str(cases)],
        cwd=PROJECT,
        env=running.named("gunicorn")[0].environ(),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return dict(json.loads(made.stdout))


def _visited(running: RunningWorkbench, history: Mapping[str, Any], seconds: int, log: bytes) -> dict[str, Any]:
    asked = {**history, "address": running.address, "seconds": seconds, "log": log.decode()}
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.load_visitors"],
        cwd=PROJECT,
        input=json.dumps(asked),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return dict(json.loads(done.stdout))


def _visit_lines(
    database: str, said: Mapping[str, Any], seconds: int, loads: Sequence[float], memory: Sequence[int]
) -> Iterator[Line]:
    by_page: dict[str, list[float]] = defaultdict(list)
    for page, _, milliseconds in said["answers"]:
        by_page[page].append(milliseconds)
    count = sum(map(len, by_page.values()))
    yield Line(
        database,
        "50 people",
        f"{count:,} requests, {count / seconds:.0f}/s; load {statistics.mean(loads):.1f}",
    )
    errors = Counter(error[:200] for error in said["errors"])
    for error, times in errors.most_common(5):
        print(f"  {times} x {error}", flush=True)
    yield Line(database, "errors", str(len(said["errors"])), "0", not said["errors"])
    for page, taken in sorted(by_page.items()):
        p50, p95, p99 = (_quantile(taken, share) for share in (0.5, 0.95, 0.99))
        told = f"p50 {p50:5.0f}  p95 {p95:5.0f}  p99 {p99:5.0f}  worst {max(taken):6.0f} ms  {len(taken):5} times"
        yield Line(database, page, told, f"p95 < {MOST_P95_MS} ms", p95 < MOST_P95_MS)
    if said["verdicts"]:
        told = f"median {statistics.median(said['verdicts']):.1f} s, worst {max(said['verdicts']):.1f} s"
        yield Line(database, f"upload to verdict, {len(said['verdicts'])} times", told)
    early, late = (_part(memory, first) for first in (1, 4))
    yield Line(
        database,
        "memory of the web processes",
        f"second fifth {early / 1e6:.0f} MB, last fifth {late / 1e6:.0f} MB, most {max(memory) / 1e6:.0f} MB",
        f"growth < {MOST_GROWTH:.0%}",
        late < early * (1 + MOST_GROWTH),
    )


def _log_lines(database: str, running: RunningWorkbench) -> Iterator[Line]:
    """What the programs wrote down of a database that was locked, and of errors."""
    text = "".join(each.read_text("utf-8", "replace") for each in (running.data / "logs").iterdir())
    locked, errors = text.count("database is locked"), text.count("Internal Server Error")
    told = f'{locked} times "database is locked", {errors} times "Internal Server Error"'
    yield Line(database, "logs of all programs", told, "0, 0", locked == errors == 0)


def _quantile(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(int(len(values) * share), len(values) - 1)]


def _part(values: Sequence[int], fifth: int) -> float:
    return statistics.mean(values[len(values) * fifth // 5 : max(len(values) * (fifth + 1) // 5, 1)] or values)


@contextmanager
def _sampled(sample: Any, seconds: float) -> Iterator[list[Any]]:
    """What `sample` gives now and again while the block runs."""
    found, ended = [sample()], threading.Event()

    def watch() -> None:
        while not ended.wait(seconds):
            found.append(sample())

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield found
    finally:
        ended.set()
        thread.join()


@contextmanager
def _loads() -> Iterator[list[float]]:
    """The machine's load, to judge the numbers by."""
    with _sampled(lambda: os.getloadavg()[0], MEMORY_SECONDS) as found:
        yield found


@contextmanager
def _memory(running: RunningWorkbench) -> Iterator[list[int]]:
    """Bytes that belong to the web processes alone."""
    web = running.named("gunicorn")

    def sample() -> int:
        total = 0
        for process in web:
            try:
                total += process.memory_full_info().uss
            except psutil.NoSuchProcess:
                continue
        return total

    with _sampled(sample, MEMORY_SECONDS) as found:
        yield found
