"""The faults that a job's trouble is blamed on: its failures, or the logged errors where no failure says what is wrong.

A process that does not start, a client that cannot submit and a connector that gives up write an error and no failure
of a task. Such an error counts only while no failure of known origin is in the evidence. It counts little where the log
goes on after it: what is the last word of a log is hardly what somebody handled.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from diagnostics.aggregators import alarming_records, log_ends
from diagnostics.citation import CITATION_COLUMNS, Citation
from diagnostics.evidence import Evidence, read_once
from diagnostics.reconstruction.checkpoints.history import checkpoint_histories
from diagnostics.reconstruction.errors.alarming_log import alarming_rows
from diagnostics.reconstruction.failures.fault import Fault, Reporter, by_job, faults_in, is_report, job_of_vertex
from diagnostics.reconstruction.job.cluster import Cluster, cluster_of
from diagnostics.reconstruction.job.task_start import task_starts
from diagnostics.vocabulary.fault_origins import UNKNOWN
from diagnostics.vocabulary.message_remedies import MessageRemedy, known_message

Row = Mapping[str, Any]
Kind = tuple[int, str | None, str | None, str | None]

MOST_CITED = 300
"""Characters of a record that a citation shows."""
PASSED_MS = 600_000
"""How long a log goes on after an error that was handled. Our choice: ten minutes, more than Flink's own timeouts,
after which an error that stopped something has consequences.
"""

BLAMED_RANKS = ("fatal", "error", "outside")
"""Ranks of log records that may say what failed; the rest are warnings of what Flink handles itself."""

WARNED_ORIGINS = ("outside_system", "network", "storage", "kafka_transactions", UNKNOWN)
"""Origins for which a warning of a connector or client counts: a class that is missing is mostly one that is optional,
and code that warns has handled what it warns of.
"""


@read_once
def blamed_faults(evidence: Evidence) -> Sequence[Fault]:
    """The failures of tasks and jobs; without one of known origin also the errors in logs, in time order.

    Reads   log_record, failure, and the histories of checkpoints.
    """
    failures = _without_reports(faults_in(evidence), evidence)
    if any(each.origin.id != UNKNOWN for each in failures):
        return failures
    together = [*failures, *logged_faults(evidence)]
    return sorted(together, key=lambda each: (each.ts_ms is None, each.ts_ms or 0))


def _without_reports(failures: Sequence[Fault], evidence: Evidence) -> Sequence[Fault]:
    """The failures; in place of those whose known message gives way to that of a logged error, that error.

    A source that cannot use an event ends its connection: the failure reports the end, an error before it the event.
    """
    yielding = {id(each): known.gives_way for each in failures if (known := _known(each)) and known.gives_way}
    if not yielding:
        return failures
    wanted = {name for names in yielding.values() for name in names}
    logged = [each for each in logged_faults(evidence) if (known := _known(each)) and known.id in wanted]
    if not logged:
        return failures
    named = [*(each for each in failures if id(each) not in yielding), *logged]
    return sorted(named, key=lambda each: (each.ts_ms is None, each.ts_ms or 0))


def _known(fault: Fault) -> MessageRemedy | None:
    return known_message(fault.chain, fault.passed)


def shows_faults(evidence: Evidence) -> bool:
    """Whether a log or exceptions were given, where faults would stand, or another file holds one, such as a status."""
    return evidence.has_logs() or evidence.has("failure") or bool(blamed_faults(evidence))


def blamed_by_job(evidence: Evidence) -> list[tuple[str | None, Sequence[Fault]]] | None:
    """The blamed faults of each job, in the order of their ids; None where none could stand anywhere."""
    if not shows_faults(evidence):
        return None
    return sorted(by_job(blamed_faults(evidence)).items(), key=lambda entry: repr(entry[0]))


ENDS = ("due to AM Container for", "Exception from container-launch", "Container exited with a non-zero exit code")
"""Texts with which YARN reports that a process ended; what the process printed says why. Source: Hadoop,
RMAppAttemptImpl and ContainerLaunch.
"""


def came_before(faults: Sequence[Fault], fault: Fault) -> Fault | None:
    """The first fault before one that can be its cause: not an error in a log that nothing is known of, which mostly
    reports the same trouble in other words.
    """
    for earlier in faults:
        if earlier is fault:
            return None
        if earlier.kind != fault.kind and _can_cause(earlier):
            return earlier
    return None


def _can_cause(fault: Fault) -> bool:
    """Whether it is more than an error in a log that nothing is known of, or YARN's report that a process ended."""
    if fault.origin.id != UNKNOWN:
        return True
    return fault.reported_by in ("failure", "process") and not any(text in fault.chain for text in ENDS)


@read_once
def logged_faults(evidence: Evidence) -> Sequence[Fault]:
    """The errors in logs, and in what processes and clients print, that may have stopped a job.

    Reads   log_record, and the histories of checkpoints.
    """
    return list(_logged(evidence))


def _logged(evidence: Evidence) -> Iterator[Fault]:
    cluster, went_on_ms = cluster_of(evidence), _went_on_ms(evidence)
    rows = [each for each in alarming_rows(evidence) if each["rank"] in BLAMED_RANKS]
    passed = _passed(evidence, rows)
    for row in rows:
        fault = _fault(row, cluster, _kind(row) in passed)
        if row["rank"] == "outside" and fault.origin.id not in WARNED_ORIGINS:
            continue
        is_over = fault.reported_by != "process" and fault.ts_ms is not None and fault.ts_ms < went_on_ms
        if not is_over and not is_report(fault.exception, fault.message):
            yield fault


def lasting(rows: Sequence[Row], evidence: Evidence) -> Sequence[Row]:
    """Those of the rows of `alarming_records` after which neither the job nor their log shows that it went on."""
    went_on_ms, passed = _went_on_ms(evidence), _passed(evidence, rows)
    return [row for row in rows if _kind(row) not in passed and (row["ts_ms"] is None or row["ts_ms"] >= went_on_ms)]


def _went_on_ms(evidence: Evidence) -> float:
    """When a job last completed a checkpoint or a task began to run: an error before that did not stop it."""
    completed = [
        each.ended_ms or 0
        for history in checkpoint_histories(evidence).values()
        for each in history.select_statuses("completed")
    ]
    return max([*completed, *(each.running_ms for each in task_starts(evidence))], default=0)


def _passed(evidence: Evidence, rows: Sequence[Row]) -> AbstractSet[Kind]:
    """The kinds of errors and warnings after whose last record the log goes on for PASSED_MS and more.

    Of a rank with more records than are kept, the last one is not known.
    """
    ends = {each["file_id"]: each["last_ms"] for each in evidence.answer(log_ends.AGGREGATOR).to_pylist()}
    kept = Counter(row["rank"] for row in rows)
    last: dict[Kind, int] = {}
    for row in rows:
        if row["ts_ms"] is not None and kept[row["rank"]] < alarming_records.MOST_OF_A_RANK:
            last[_kind(row)] = max(last.get(_kind(row), row["ts_ms"]), row["ts_ms"])
    return {kind for kind, last_ms in last.items() if (ends.get(kind[0]) or 0) - last_ms >= PASSED_MS}


def _kind(row: Row) -> Kind:
    """The log, and what is the same each time that an error comes again in it."""
    return row["file_id"], row["logger"], row["root_cause_class"] or row["exception_class"], row["root_cause_frame"]


def _fault(row: Row, cluster: Cluster, is_passed: bool) -> Fault:
    name = row["root_cause_class"] or row["exception_class"] or ""
    said = row["root_cause_message"] if row["root_cause_class"] else row["exception_message"]
    return Fault(
        ts_ms=row["ts_ms"],
        job_id=row["job_id"] or job_of_vertex(row["vertex"], cluster),
        vertex=row["vertex"],
        subtask=row["subtask"],
        task_manager=row["task_manager"],
        exception=name,
        message=(said if name else (row["message"] or "").removeprefix(": ")) or "",
        frame=row["root_cause_frame"],
        user_frame=row["user_frame"],
        thrown_in=row["thrown_in"],
        own_frames=tuple((row["own_frames"] or "").split()),
        causes="\n".join(text for text in (row["message"], row["causes"]) if text),
        stack=row["frames"],
        citation=Citation(
            kind="log",
            ts_ms=row["ts_ms"],
            text=(row["message"] or "")[:MOST_CITED],
            **{each: row[each] for each in PLACE},
        ),
        reported_by=_reported_by(row, is_passed),
        logger=row["logger"],
    )


PLACE = tuple(each for each in CITATION_COLUMNS if each not in ("ts_ms", "kind", "text"))


def _reported_by(row: Row, is_passed: bool) -> Reporter:
    """Who reports the error: a process that ends with it, a client or a copied trace, or another log record."""
    if row["rank"] == "fatal":
        return "process"
    if row["rank"] != "outside" and (
        row["process"] == "client" or alarming_records.is_printed(row["level"], row["logger"])
    ):
        return "client"
    if is_passed:
        return "passed"
    return "warning" if row["rank"] == "outside" else "error"
