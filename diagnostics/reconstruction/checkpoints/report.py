"""One checkpoint according to one source: the last REST answer, or all log records of the CheckpointCoordinator."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from diagnostics.aggregators.checkpoint_records import (
    COMPLETED,
    DECLINED,
    EXPIRED,
    FAILED,
    LATE,
    NOT_STARTED,
    TRIGGERED,
)

FINAL_STATUSES = ("COMPLETED", "FAILED")

Report = Mapping[str, Any]
"""A mapping with the keys of REPORT."""

REPORT = (
    "origin",
    "job_id",
    "number",
    "status",
    "is_savepoint",
    "unaligned",
    "triggered_ms",
    "ended_ms",
    "duration_ms",
    "checkpointed_bytes",
    "state_bytes",
    "processed_bytes",
    "persisted_bytes",
    "subtasks",
    "acknowledged",
    "reason",
    "path",
    "late_ms",
    "count",
    "times_ms",
    "asked_ms",
    "places",
)
"""Keys of a report; unknown values are None.

origin    `rest`, `log`, or `not started` for rejected triggers
times_ms  of rejected triggers when each was rejected, in order
places    places in the evidence, the most informative one first
"""

Rows = Iterable[Mapping[str, Any]]


def report(origin: str, job_id: str | None, number: int | None, **known: Any) -> Report:
    """A report with all keys; those that are not passed are None."""
    return {**dict.fromkeys(REPORT), "origin": origin, "job_id": job_id, "number": number, "count": 1, **known}


def _place(row: Mapping[str, Any], text: str | None) -> Mapping[str, Any]:
    return {name: row.get(name) for name in ("file_id", "line", "last_line", "pointer", "ts_ms")} | {"text": text}


def reports_of_rest(rows: Rows) -> Iterator[Report]:
    """One report for each checkpoint from its last REST answer; a final status takes precedence over IN_PROGRESS.

    rows  rows of the table `checkpoint`
    """
    answers: dict[tuple[str | None, int], list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        answers[row["job_id"], row["checkpoint_id"]].append(row)
    for (job_id, number), of_checkpoint in answers.items():
        last = max(of_checkpoint, key=_finality)
        ended = last["failure_ms"] if last["failure_ms"] is not None else last["latest_ack_ms"]
        yield report(
            "rest",
            job_id,
            number,
            status=last["status"],
            is_savepoint=last["is_savepoint"],
            unaligned="UNALIGNED" in (last["checkpoint_type"] or ""),
            triggered_ms=last["trigger_ms"],
            ended_ms=ended,
            duration_ms=last["end_to_end_ms"],
            checkpointed_bytes=last["checkpointed_bytes"],
            state_bytes=last["state_bytes"],
            processed_bytes=last["processed_bytes"],
            persisted_bytes=last["persisted_bytes"],
            subtasks=last["num_subtasks"],
            acknowledged=last["num_acknowledged"],
            reason=last["failure_message"],
            path=last.get("external_path"),
            asked_ms=max((row["ts_ms"] for row in of_checkpoint if row["ts_ms"] is not None), default=None),
            places=[_place(last, last["status"])],
        )


def _finality(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return (
        row["status"] in FINAL_STATUSES,
        row["ts_ms"] or 0,
        row["num_acknowledged"] or 0,
        row["state_bytes"] or 0.0,
        row["file_id"],
        row["line"] or 0,
    )


def reports_of_log(rows: Rows) -> Iterator[Report]:
    """One report for each checkpoint that the CheckpointCoordinator logged, and for each reason of rejected triggers.

    rows  rows of the aggregator `checkpoint_records`
    """
    of_checkpoint: dict[tuple[str | None, int], list[Mapping[str, Any]]] = defaultdict(list)
    refused: dict[tuple[str | None, str], list[Mapping[str, Any]]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: (row["ts_ms"] or 0, row["file_id"], row["line"] or 0)):
        if row["event"] in NOT_STARTED:
            refused[row["job_id"], _one_stop(_reason(row) or row["message"] or "")].append(row)
        elif row["checkpoint_id"] is not None:
            of_checkpoint[row["job_id"], row["checkpoint_id"]].append(row)
    for (job_id, number), records in of_checkpoint.items():
        yield _report_of_checkpoint(job_id, number, records)
    for (job_id, reason), records in refused.items():
        stamps = [row["ts_ms"] for row in records if row["ts_ms"] is not None]
        yield report(
            "not started",
            job_id,
            None,
            reason=reason,
            count=len(records),
            times_ms=stamps,
            triggered_ms=min(stamps, default=None),
            ended_ms=max(stamps, default=None),
            asked_ms=max(stamps, default=None),
            places=[_place(records[-1], records[-1]["message"])],
        )


def _reason(row: Mapping[str, Any]) -> str | None:
    """The stated reason of a failure, else the message of the exception."""
    stated = (row[name] for name in ("reason", "exception_message", "root_cause_message"))
    return next((text for text in stated if text is not None), None)


def _one_stop(reason: str) -> str:
    """The reason with one full stop: Flink's sentence ends with one, and the record with another."""
    return reason.removesuffix(".") if reason.endswith("..") else reason


STATUS_EVENTS = {"completed": COMPLETED, "expired": EXPIRED, "declined": DECLINED, "failed": FAILED}
"""Status of an ended checkpoint -> the events that show it; the first match counts."""


def _report_of_checkpoint(job_id: str | None, number: int, records: Sequence[Mapping[str, Any]]) -> Report:
    groups: tuple[tuple[str, ...], ...] = (EXPIRED, DECLINED, COMPLETED, FAILED, TRIGGERED, LATE)
    those = {events: [row for row in records if row["event"] in events] for events in groups}
    triggered, completed = those[TRIGGERED], those[COMPLETED]
    status = next((name for name, events in STATUS_EVENTS.items() if those[events]), "pending")
    end = next((those[events][-1] for events in STATUS_EVENTS.values() if those[events]), None)
    stamps = [row["ts_ms"] for row in records if row["ts_ms"] is not None]
    return report(
        "log",
        job_id,
        number,
        status=status,
        is_savepoint=any("savepoint" in (row["message"] or "").lower() for row in triggered),
        triggered_ms=triggered[0]["ts_ms"] if triggered else None,
        ended_ms=end["ts_ms"] if end else None,
        duration_ms=completed[-1]["duration_ms"] if completed else None,
        state_bytes=completed[-1]["size_bytes"] if completed else None,
        reason=next((reason for row in those[FAILED] if (reason := _reason(row))), None),
        late_ms=[row["ts_ms"] for row in those[LATE] if row["ts_ms"] is not None],
        asked_ms=max(stamps, default=None),
        places=[_place(row, row["message"]) for row, *_ in filter(None, those.values())],
    )
