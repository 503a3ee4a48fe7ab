"""The log page on a million records: how long its requests take in the web process, in ms for each round, and how large
the largest answer is."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.benchmarks.synthetic_log import write_log

BYTES = 180_000_000
"""A log of about so many records."""
ROUNDS = 3

REQUESTS = {
    "first page": ("overview/", "records/?count=100"),
    "a page in the middle": ("records/?start=500000&count=100",),
    "level:warn+": ("overview/?q=level:warn%2B", "records/?q=level:warn%2B"),
    "a word": ("overview/?q=expired%20{}", "records/?q=expired%20{}&start=1000"),
    "an expression": ("overview/?q=/no%20rate%20for%20[0-9]{}/", "records/?q=/no%20rate%20for%20[0-9]{}/"),
    "one checkpoint": ("overview/?q=checkpoint={}42", "records/?q=checkpoint={}42"),
    "patterns": ("breakdown/",),
    "a record": ("record/?position=700000",),
    "next record of a checkpoint": ("step/?kind=term&term=checkpoint=7&place=500000&direction=1",),
}
"""What is measured -> its requests; {} is the round, so that no answer is one that was kept."""


def report() -> None:
    """Prints the time of writing the log book, and a row for each kind of request.

    In a process of its own, as Django takes its data folder once.
    """
    subprocess.run([sys.executable, "-m", "tests.benchmarks.log_book"], check=True)


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="log-book-") as place:
        os.environ |= {"WORKBENCH_DATA": place, "DATABASE_URL": f"sqlite:///{Path(place) / 'bench.sqlite3'}"}
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")
        import django

        django.setup()
        for line in _measured(Path(place)):
            print(line, flush=True)


def _measured(place: Path) -> Iterator[str]:
    from django.core.management import call_command
    from django.test import Client

    from tests.workbench.diagnosed import write_log_book
    from tests.workbench.people import case_of, make_people
    from workbench.analyses.log_books import log_book_of
    from workbench.analyses.models import Analysis, AnalysisStatus
    from workbench.rules.services import rules_load, ruleset_published

    call_command("migrate", verbosity=0)
    rules_load()
    alice = make_people().alice
    case = case_of(alice, "A million records")
    analysis = Analysis.objects.create(
        case=case, ruleset=ruleset_published(), requested_by=alice, status=AnalysisStatus.DONE
    )
    write_log(place / "tm.log", BYTES)
    text = (place / "tm.log").read_text("utf-8")
    began = time.monotonic()
    write_log_book(analysis, {"tm.log": text})
    book = log_book_of(analysis)
    records = book.records if book else 0
    yield f"{'log book of ' + f'{records:,} records':38} {1:>5} {time.monotonic() - began:7.2f}"
    client = Client(headers={"host": "localhost"})
    client.force_login(alice)
    for name, requests in REQUESTS.items():
        told = [_asked(client, f"/cases/{case.pk}/logs/", requests, number) for number in range(ROUNDS)]
        rounds = ", ".join(f"{1000 * seconds:.0f}" for seconds, _, _ in told)
        seconds, processor, _ = told[-1]
        size = max(size for _, _, size in told) / 1000
        yield (
            f"{'  ' + name:38} {ROUNDS:>5} {seconds:7.2f}          {rounds} ms, {1000 * processor:.0f} ms of the "
            f"processor; {size:.0f} kB"
        )


def _asked(client: Any, base: str, requests: tuple[str, ...], number: int) -> tuple[float, float, int]:
    """Seconds of the requests together, those of the processor, and the size of the largest answer."""
    began, processor, largest = time.monotonic(), time.process_time(), 0
    for each in requests:
        answer = client.get(base + each.replace("{}", str(number)))
        assert answer.status_code == 200, answer.content
        largest = max(largest, len(answer.content))
    return time.monotonic() - began, time.process_time() - processor, largest


if __name__ == "__main__":
    main()
