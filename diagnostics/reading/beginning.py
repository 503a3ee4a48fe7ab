"""Leaves out evidence from before the moment at which a snapshot of a case begins, such as a change of the job.

What happened before it belongs to an earlier snapshot: a log that is collected again still holds the old failure, and
REST still answers about the job that was cancelled.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from diagnostics.errors import NoUsableInput
from diagnostics.evidence.tables import TABLES
from diagnostics.intake import InputFile
from diagnostics.language import say_counted
from diagnostics.notation.rest_document import fields, items, moment, text
from diagnostics.notation.timestamp import timestamp

if TYPE_CHECKING:
    import pyarrow as pa

JOBS_FORMAT = "flink-rest-job"
MOST_ANSWER_BYTES = 4 * 1024 * 1024
"""Larger answers about jobs are not searched for ended ones. Our choice: a list of 10,000 jobs."""

LEFT_BEHIND = ("CANCELED", "FINISHED")
"""States in which nobody expects a job to run any more. Source: Flink documentation, "Jobs and Scheduling"."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """The moment at which a snapshot begins.

    ms         epoch milliseconds
    is_stated  whether a person or an alert stated it; else it was concluded, and gives way when nothing is later
    """

    ms: int
    is_stated: bool = True


class NothingLater(NoUsableInput):
    """All evidence with a time is from before the stated beginning of the snapshot."""

    def __init__(self, begins_ms: int, records: int) -> None:
        super().__init__(
            say_counted(
                "Nothing in these files is later than {begin}, when the snapshot begins: the {count} record is "
                "from before it. Add files from after the change, or state another time of the change. If a log has "
                "local times, set the time zone of its clock.",
                "Nothing in these files is later than {begin}, when the snapshot begins: all {count:,} records are "
                "from before it. Add files from after the change, or state another time of the change. If a log has "
                "local times, set the time zone of its clock.",
                records,
                begin=timestamp(begins_ms),
            )
        )


@dataclass(frozen=True, slots=True)
class Cut:
    """What a reader leaves out of the rows.

    begins_ms  rows about what happened before it
    ended      rows about these jobs, by id
    """

    begins_ms: int
    ended: frozenset[str]

    def later(self, table: str, rows: pa.RecordBatch) -> pa.RecordBatch:
        """The rows that count. A row without a time is kept: nothing shows that it is earlier."""
        import pyarrow as pa
        import pyarrow.compute as pc

        happened, kept = TABLES[table].happened, None
        if happened is not None:
            kept = pc.fill_null(pc.greater_equal(rows[happened], self.begins_ms), True)
        if self.ended and "job_id" in rows.schema.names:
            jobs = rows["job_id"].cast(pa.string())
            other = pc.invert(pc.is_in(jobs, value_set=pa.array(sorted(self.ended), pa.string())))
            kept = other if kept is None else pc.and_(kept, other)
        return rows if kept is None else rows.filter(kept)

    def count_timed(self, table: str, rows: pa.RecordBatch) -> int:
        """How many of the rows have a time: of those that count, evidence of what happened since the beginning."""
        happened = TABLES[table].happened
        return 0 if happened is None else rows.num_rows - rows[happened].null_count


def cut_at(beginning: Beginning, files: Iterable[InputFile]) -> Cut:
    """What a snapshot that begins then leaves out of these files."""
    return Cut(beginning.ms, frozenset(_ended_before(beginning.ms, _jobs(files))))


def _jobs(files: Iterable[InputFile]) -> list[Mapping[str, Any]]:
    """The jobs in answers of `/jobs/overview` and `/jobs/<id>`; an answer that cannot be parsed has none."""
    jobs: list[Mapping[str, Any]] = []
    for file in files:
        if file.path is None or file.format_id != JOBS_FORMAT or file.bytes > MOST_ANSWER_BYTES:
            continue
        try:
            answer = fields(json.loads(file.path.read_text(encoding="utf-8", errors="replace")))
        except (ValueError, RecursionError):
            continue
        jobs += [fields(job) for job in items(answer.get("jobs"))] or [answer]
    return jobs


def _ended_before(begins_ms: int, jobs: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    """Jobs that ended before and were left behind: cancelled, finished, or followed by one of the same name.

    A failed job that nobody started again is not among them: that it does not run is the state of the snapshot.
    """
    newest: dict[str, int] = {}
    ended: dict[str, tuple[str | None, str | None, int]] = {}
    for job in jobs:
        job_id, name, start_ms = text(job.get("jid")), text(job.get("name")), moment(job.get("start-time")) or 0
        end_ms = moment(job.get("end-time"))
        if name:
            newest[name] = max(newest.get(name, 0), start_ms)
        if job_id and end_ms is not None and end_ms < begins_ms:
            ended[job_id] = text(job.get("state")), name, start_ms
    for job_id, (state, name, start_ms) in ended.items():
        if state in LEFT_BEHIND or (name and newest[name] > start_ms):
            yield job_id
