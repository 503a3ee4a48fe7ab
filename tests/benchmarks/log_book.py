"""The log page on a million records: how long its requests take in the web process, in ms for each round, and how large
the largest answer is."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from diagnostics.evidence import TABLES
from diagnostics.format import Range, Rows
from diagnostics.formats.flink_log import FORMAT
from diagnostics.shared_folder import SharedFolder
from tests.benchmarks.synthetic_log import write_log

BYTES = 180_000_000
"""A log of about so many records."""
RANGE_BYTES = 16_000_000
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

    from tests.workbench.people import case_of, make_people
    from workbench.analyses.log_books import log_book_keep
    from workbench.analyses.models import Analysis, AnalysisStatus
    from workbench.rules.services import rules_load, ruleset_published

    call_command("migrate", verbosity=0)
    rules_load()
    alice = make_people().alice
    case = case_of(alice, "A million records")
    analysis = Analysis.objects.create(
        case=case, ruleset=ruleset_published(), requested_by=alice, status=AnalysisStatus.DONE
    )
    evidence, records = _evidence(place)
    began = time.monotonic()
    log_book_keep(analysis, SharedFolder.at(evidence), [{"file": "tm.log", "role": "taskmanager"}])
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


def _evidence(place: Path) -> tuple[Path, int]:
    """The evidence table of a synthetic log, as Spark's workers write it, and its records."""
    log = place / "tm.log"
    write_log(log, BYTES)
    size, schema = log.stat().st_size, TABLES["log_record"].arrow_schema()
    cuts, lines, records = _cuts(log, size), 0, 0
    (place / "evidence" / "log_record").mkdir(parents=True)
    with parquet.ParquetWriter(place / "evidence" / "log_record" / "part-00000.parquet", schema) as writer:
        for start, end in pairwise(cuts):
            for given in FORMAT.read(Range(0, "tm.log", str(log), start, end, size)):
                if isinstance(given, Rows) and given.table == "log_record" and given.batch is not None:
                    writer.write_batch(_typed(given.batch, schema, lines))
                    records += given.batch.num_rows
            with log.open("rb") as opened:
                opened.seek(start)
                lines += opened.read(end - start).count(b"\n")
    return place / "evidence", records


def _cuts(log: Path, size: int) -> list[int]:
    cuts = [0]
    with log.open("rb") as opened:
        while cuts[-1] + RANGE_BYTES < size:
            opened.seek(cuts[-1] + RANGE_BYTES)
            opened.readline()
            cuts.append(opened.tell())
    return [*cuts, size] if cuts[-1] < size else cuts


def _typed(batch: pa.RecordBatch, schema: pa.Schema, lines: int) -> pa.RecordBatch:
    columns = []
    for field in schema:
        column = batch[field.name] if field.name in batch.schema.names else pa.nulls(batch.num_rows, field.type)
        if field.name == "file_id":
            column = pa.repeat(pa.scalar(0, pa.int32()), batch.num_rows)
        if field.name in ("line", "last_line"):
            column = pa.compute.add(column, lines)
        columns.append(column.cast(field.type))
    return pa.RecordBatch.from_arrays(columns, schema=schema)


if __name__ == "__main__":
    main()
