"""The queue under load: teams that share it, small cases beside a large one and beside the writing of its log book."""

from __future__ import annotations

import http.client
import json
import sqlite3
import statistics
import time
import urllib.parse
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg

from tests.benchmarks.realistic_log import write_realistic_log
from tests.running_workbench import RunningWorkbench

SHARES = (10, 6, 4)
"""How many analyses each of three teams queues, one team after the other: twenty in all."""
MOST_LEAD = 2
"""Starts by which a team may be ahead. Turns allow one; several processes that start in one moment make it two."""
SMALL_CASES, SMALL_BYTES = 10, 100_000
MEDIUM_BYTES = 5_000_000
MOST_RATIO = 2.0
MOST_BOOK_RATIO = 1.2
"""How much longer counts as "as quickly as alone". Our choice: what two rounds on a quiet machine may differ by."""
ROUNDS = 5
WAIT_SECONDS = 1_800
LOOK_SECONDS = 0.1
RUNS = """
    SELECT analysis.id, analysis.case_id, team.name, analysis.status, analysis.queued_at, analysis.started_at,
           analysis.finished_at, analysis.log_book
    FROM analyses_analysis analysis
    JOIN cases_case ON cases_case.id = analysis.case_id
    JOIN accounts_team team ON team.id = cases_case.team_id
    ORDER BY analysis.id DESC LIMIT 100
"""

Measured = tuple[str, str, str, bool | None]
"""What, measured, wanted, and whether it is kept."""


@dataclass(frozen=True, slots=True)
class Run:
    """An analysis as the database has it."""

    number: int
    case: int
    team: str
    status: str
    queued: datetime
    started: datetime
    finished: datetime
    log_book: str

    @property
    def seconds(self) -> float:
        """From the queue to the verdict."""
        return (self.finished - self.queued).total_seconds()


@dataclass(frozen=True, slots=True)
class Workbench:
    """A running workbench and the people who use its API."""

    running: RunningWorkbench
    people: Sequence[Mapping[str, Any]]

    def send(self, token: str, path: Path) -> str:
        """Opens a case with one file, however large it is, and gives its address."""
        edge = uuid.uuid4().hex
        head = f'--{edge}\r\nContent-Disposition: form-data; name="files"; filename="{path.name}"\r\n\r\n'.encode()
        foot = f"\r\n--{edge}--\r\n".encode()
        connection = http.client.HTTPConnection(self._host, timeout=600)
        connection.putrequest("POST", "/api/v1/cases/")
        connection.putheader("Authorization", f"Token {token}")
        connection.putheader("Content-Type", f"multipart/form-data; boundary={edge}")
        connection.putheader("Content-Length", str(len(head) + path.stat().st_size + len(foot)))
        connection.endheaders()
        with path.open("rb") as content:
            for part in (head, content, foot):
                connection.send(part)
        answer = connection.getresponse()
        said = json.load(answer)
        connection.close()
        assert answer.status == 201, said
        return str(said["url"])

    def case(self, token: str, url: str) -> dict[str, Any]:
        """The case as the API tells it."""
        connection = http.client.HTTPConnection(self._host, timeout=60)
        connection.request("GET", urllib.parse.urlsplit(url).path, headers={"Authorization": f"Token {token}"})
        said = json.load(connection.getresponse())
        connection.close()
        return dict(said)

    def wait(self, token: str, url: str, holds: Callable[[dict[str, Any]], bool] | None = None) -> dict[str, Any]:
        """The case once it has ended, or is as wanted."""
        deadline = time.monotonic() + WAIT_SECONDS
        while True:
            case = self.case(token, url)
            if case["status"] in ("done", "failed") or (holds and holds(case)):
                return case
            assert time.monotonic() < deadline, case
            time.sleep(LOOK_SECONDS)

    def runs(self, urls: Sequence[str]) -> list[Run]:
        """The analyses of these cases, in the order in which they were asked for."""
        numbers = {int(url.rstrip("/").rpartition("/")[2]) for url in urls}
        return sorted((run for run in self.newest_runs() if run.case in numbers), key=lambda run: run.number)

    def newest_runs(self) -> list[Run]:
        """The last hundred analyses, read from the database beside the workbench."""
        url = self.running.named("gunicorn")[0].environ().get("DATABASE_URL", "")
        file = f"file:{self.running.data / 'workbench.sqlite3'}?mode=ro"
        with closing(psycopg.connect(url) if url else sqlite3.connect(file, uri=True)) as connection:
            rows = connection.execute(RUNS).fetchall()
        return [Run(*row[:4], *(_moment(value) for value in row[4:7]), row[7]) for row in rows]

    def wait_for_log_books(self) -> None:
        """Returns once none is to be written any more."""
        deadline = time.monotonic() + WAIT_SECONDS
        while any(run.log_book == "waiting" for run in self.newest_runs()):
            assert time.monotonic() < deadline, "log books are not written"
            time.sleep(1)

    def seconds_of(self, token: str, path: Path, count: int = 1) -> list[float]:
        """From the queue to the verdict, of so many cases of this file that come at once."""
        urls = [self.send(token, path) for _ in range(count)]
        for url in urls:
            self.wait(token, url)
        return [run.seconds for run in self.runs(urls)]

    @property
    def _host(self) -> str:
        return urllib.parse.urlsplit(self.running.address).netloc


def shared_queue(workbench: Workbench, place: Path) -> Iterator[Measured]:
    """Twenty analyses queued by three teams, one team after the other: who gets how much of the first half."""
    log = place / "shared.log"
    write_realistic_log(log, SMALL_BYTES)
    accounts = list({each["team"]: each for each in workbench.people}.values())
    urls = []
    with _paused_worker(workbench):
        for account, share in zip(accounts, SHARES, strict=True):
            urls += [(account["token"], workbench.send(account["token"], log)) for _ in range(share)]
    for token, url in urls:
        workbench.wait(token, url)
    runs = workbench.runs([url for _, url in urls])
    done = [run for run in runs if run.status == "done"]
    yield (
        "twenty analyses of three teams",
        f"{len(done)} of {sum(SHARES)} diagnosed",
        "none lost",
        len(done) == sum(SHARES),
    )
    by_start = sorted(runs, key=lambda run: run.started)
    in_order = all(
        [run.number for run in by_start if run.team == each["team"]]
        == sorted(run.number for run in runs if run.team == each["team"])
        for each in accounts
    )
    yield "  in order within a team", "yes" if in_order else "no", "yes", in_order
    teams = [each["team"] for each in accounts]
    starts = [run.team for run in by_start][: len(teams) * min(SHARES)]
    counts, lead = [starts.count(team) for team in teams], _largest_lead(teams, starts)
    said = f"the first {len(starts)} starts, while all three wait: {' : '.join(map(str, counts))}, largest lead {lead}"
    yield "  fair among teams", said, f"lead {MOST_LEAD} at most", lead <= MOST_LEAD
    waits = [statistics.mean(run.seconds for run in runs if run.team == each["team"]) for each in accounts]
    told = ", ".join(f"{share} of them {wait:.1f} s" for share, wait in zip(SHARES, waits, strict=True))
    yield "  mean seconds to the verdict by team", told, "", None


@contextmanager
def _paused_worker(workbench: Workbench) -> Iterator[None]:
    """Stops the worker's processes during the block: what is queued meanwhile waits as a whole."""
    processes = workbench.running.named("celery", "worker")
    for process in processes:
        process.suspend()
    try:
        yield
    finally:
        for process in processes:
            process.resume()


def _largest_lead(teams: Sequence[str], starts: Sequence[str]) -> int:
    """The largest difference between the starts of two teams after any number of starts."""
    counts = dict.fromkeys(teams, 0)
    lead = 0
    for team in starts:
        counts[team] += 1
        lead = max(lead, max(counts.values()) - min(counts.values()))
    return lead


def beside_a_large_case(workbench: Workbench, place: Path, large_mb: int) -> Iterator[Measured]:
    """Small cases while a large one is read, and while its log book is written, beside their time alone."""
    small, medium, large = place / "small.log", place / "medium.log", place / "large.log"
    for path, size in ((small, SMALL_BYTES), (medium, MEDIUM_BYTES), (large, large_mb * 1_000_000)):
        write_realistic_log(path, size)
    one, other = (each["token"] for each in list({each["team"]: each for each in workbench.people}.values())[:2])
    workbench.seconds_of(other, small, 4)
    workbench.wait_for_log_books()
    together = workbench.seconds_of(other, small, SMALL_CASES)
    single = [workbench.seconds_of(other, small)[0] for _ in range(SMALL_CASES)]
    workbench.wait_for_log_books()
    middle = [workbench.seconds_of(other, medium)[0] for _ in range(ROUNDS)]
    workbench.wait_for_log_books()

    url = _reading(workbench, one, large)
    beside = workbench.seconds_of(other, small, SMALL_CASES)
    yield _compared(f"ten small ones at once beside {large_mb} MB", together, beside, MOST_RATIO)
    workbench.wait(one, url)
    ended = workbench.runs([url])[0]
    yield (
        f"  the case of {large_mb} MB itself",
        f"{ended.seconds:.1f} s, {ended.status}",
        "done",
        ended.status == "done",
    )
    beside = []
    while len(beside) < ROUNDS and workbench.runs([url])[0].log_book == "waiting":
        beside += workbench.seconds_of(other, medium)
    yield _compared(f"5 MB while the book of {large_mb} MB is written", middle, beside, MOST_BOOK_RATIO)
    workbench.wait_for_log_books()

    url = _reading(workbench, one, large)
    beside = []
    while len(beside) < SMALL_CASES and workbench.case(one, url)["status"] == "running":
        beside += workbench.seconds_of(other, small)
    yield _compared(f"small ones one by one beside {large_mb} MB", single, beside, MOST_RATIO)
    workbench.wait(one, url)
    workbench.wait_for_log_books()


def _reading(workbench: Workbench, token: str, large: Path) -> str:
    """The address of a large case that is being read now."""
    url = workbench.send(token, large)
    case = workbench.wait(token, url, lambda case: case["status"] == "running" and case["progress"] > 0.05)
    assert case["status"] == "running", case
    return url


def _compared(what: str, alone: Sequence[float], beside: Sequence[float], most: float) -> Measured:
    if not beside:
        return what, "not measured: the large one had ended before", f"{most:g} x alone", False
    ratio = statistics.median(beside) / statistics.median(alone)
    worst = max(beside) / max(alone)
    said = (
        f"alone {statistics.median(alone):.2f} s (worst {max(alone):.2f}), beside {statistics.median(beside):.2f} s "
        f"({max(beside):.2f}), {len(beside)} times"
    )
    return what, f"{said}: {ratio:.2f} x", f"{most:g} x alone", ratio <= most and worst <= most


def _moment(value: str | datetime | None) -> datetime:
    """SQLite keeps times as text in UTC. A run that has not come so far is at the end of time."""
    if value is None:
        return datetime.max.replace(tzinfo=UTC)
    return datetime.fromisoformat(value).replace(tzinfo=UTC) if isinstance(value, str) else value
