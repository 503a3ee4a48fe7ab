"""Requests to outside systems in logs: refused, throttled, slow or retried."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Any

from diagnostics.aggregators import jobs_by_log, outside_requests
from diagnostics.aggregators.outside_requests import SLOW_MS
from diagnostics.arithmetic.quantiles import highest, lowest, middle
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.reconstruction.load.timeline import was_looked_at
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts

MOST_CITED = 4
WRITES = re.compile(r"(?i)\b(?:bulk|batch|flush|upsert|insert|index|writ|sink|put|commit|deliver|publish|send)")
"""Beginnings of words in messages of clients about writes. Our choice."""
MESSAGE_CHARACTERS = 160


def measure(evidence: Evidence) -> Measured:
    """Refused, slow and repeated requests in the logs of TaskManagers.

    Reads   log_record: WARN, ERROR and FATAL of processes other than the JobManager; and as `was_looked_at`.
    Gives   one signal for each job whose tasks can have sent them: those that the log names, all where it names none;
            none without such requests.
    Units   milliseconds.
    Empty   NotMeasured without such a log.
    """
    if not evidence.has_logs():
        yield NotMeasured("outside_system", "taskmanager-log", "no TaskManager's log is there")
        return
    rows = evidence.answer(outside_requests.AGGREGATOR).to_pylist()
    signals: dict[frozenset[int], Signal] = {}
    for job, logs in _logs_of_jobs(evidence, {row["file_id"] for row in rows}).items():
        if logs not in signals:
            signals[logs] = _signal(evidence, [row for row in rows if row["file_id"] in logs])
        yield replace(signals[logs], subject=Subject(job=job))


def _logs_of_jobs(evidence: Evidence, logs: AbstractSet[int]) -> Mapping[str | None, frozenset[int]]:
    """Job -> those of the logs that can be about its tasks; in a log that names no job, every job can have written."""
    named, every = evidence.answer(jobs_by_log.AGGREGATOR), frozenset(cluster_of(evidence).job_names)
    found: dict[str | None, set[int]] = defaultdict(set)
    for log in sorted(logs):
        for job in sorted(named.get(log) or every) or (None,):
            found[job].add(log)
    return {job: frozenset(of_job) for job, of_job in found.items()}


def _signal(evidence: Evidence, rows: Sequence[Mapping[str, Any]]) -> Signal:
    refused = [row for row in rows if row["refused"]]
    retried = [row for row in rows if row["retried"]]
    slow = [row for row in rows if row["took_ms"] is not None and row["took_ms"] >= SLOW_MS]
    stamps = [row["ts_ms"] for row in rows if row["ts_ms"] is not None]
    window = (min(stamps), max(stamps)) if stamps else None
    facts: dict[str, FactValue] = {
        "refused": len(refused),
        "refused_text": refused[0]["message"][:MESSAGE_CHARACTERS] if refused else None,
        "first_refused_ms": lowest(row["ts_ms"] for row in refused if row["ts_ms"] is not None),
        "first_slow_ms": lowest(row["ts_ms"] for row in slow if row["ts_ms"] is not None),
        "slow_requests": len(slow),
        "slow_median_ms": middle(row["took_ms"] for row in slow),
        "least_slow_ms": lowest(row["took_ms"] for row in slow),
        "slowest_ms": highest(row["took_ms"] for row in slow),
        "retries": len(retried),
        "write_ratio": _write_ratio([*refused, *slow]),
        "load_seen": was_looked_at(evidence, window),
    }
    first_refused_ms, first_slow_ms = facts["first_refused_ms"], facts["first_slow_ms"]
    if isinstance(first_refused_ms, int) and isinstance(first_slow_ms, int) and first_refused_ms > first_slow_ms:
        facts["slow_before_ms"] = first_refused_ms - first_slow_ms
    facts |= _most_refused(refused, slow) | _around_refusal(first_refused_ms, slow)
    slowest = sorted(slow, key=lambda row: -row["took_ms"])
    citations = tuple(
        Citation.cite_row(row, "log", row["message"][:400])
        for row in [*refused[:MOST_CITED], *slowest[:MOST_CITED], *retried[:MOST_CITED]]
    )
    return Signal("outside_system", Subject(), known_facts(facts), tuple(dict.fromkeys(citations)), len(rows), window)


def _most_refused(refused: Sequence[Mapping[str, Any]], slow: Sequence[Mapping[str, Any]]) -> dict[str, FactValue]:
    """The largest share of the requests that can have been refused: quick ones are in no log."""
    stamps = [row["ts_ms"] for row in refused if row["ts_ms"] is not None]
    first_ms, last_ms = min(stamps, default=0), max(stamps, default=-1)
    answered = [row for row in slow if first_ms <= (row["ts_ms"] or 0) <= last_ms and not row["refused"]]
    if not answered:
        return {}
    return {"refused_most_ratio": len(stamps) / (len(stamps) + len(answered)), "slow_beside_refused": len(answered)}


def _around_refusal(first_refused_ms: FactValue, slow: Sequence[Mapping[str, Any]]) -> dict[str, FactValue]:
    """The usual duration of slow requests before the first refusal and from it on; nothing where one side has none."""
    if not isinstance(first_refused_ms, int):
        return {}
    before = middle(row["took_ms"] for row in slow if row["ts_ms"] is not None and row["ts_ms"] < first_refused_ms)
    after = middle(row["took_ms"] for row in slow if row["ts_ms"] is not None and row["ts_ms"] >= first_refused_ms)
    return {} if before is None or after is None else {"slow_unrefused_ms": before, "slow_refused_ms": after}


def _write_ratio(rows: Sequence[Mapping[str, Any]]) -> float | None:
    return sum(bool(WRITES.search(row["message"])) for row in rows) / len(rows) if rows else None


FACTS = {
    "refused": "log records of TaskManagers that report refused or throttled requests",
    "refused_text": "the first of them, shortened",
    "first_refused_ms": "when the first of them was written, epoch ms",
    "first_slow_ms": "when the first slow request was reported, epoch ms",
    "slow_before_ms": "time of slow requests before the first refused one; absent where a refusal came first",
    "slow_requests": "log records that report a request of half a second or more",
    "slow_median_ms": "usual duration of these",
    "least_slow_ms": "shortest duration of these",
    "slowest_ms": "longest duration of these",
    "slow_unrefused_ms": "usual duration of these before the first refusal",
    "slow_refused_ms": "usual duration of these from the first refusal on",
    "refused_most_ratio": "largest possible share of refused requests, from the first refusal to the last",
    "slow_beside_refused": "slow requests that were answered in that time",
    "retries": "log records that tell of a retry",
    "write_ratio": "share of the refused and slow requests whose text speaks of writing",
    "load_seen": "whether a file shows how busy or back-pressured tasks were while these records were written",
}

SIGNALS = (SignalDefinition("outside_system", "job", FACTS, measure),)
