"""The history of each job's checkpoints, merged from REST answers and the JobManager's log."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Literal

from diagnostics.aggregators import checkpoint_records, checkpoints
from diagnostics.arithmetic.quantiles import known, lowest
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence, read_once
from diagnostics.evidence.subject import only_one
from diagnostics.reconstruction.checkpoints.report import (
    FINAL_STATUSES,
    Report,
    reports_of_log,
    reports_of_rest,
)
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.wording.cited_text import CHECKPOINT, CHECKPOINT_NUMBER, CHECKPOINT_STATUS, cited_text
from diagnostics.wording.phrase import duration, size

MOST_CHECKPOINTS = 20_000
"""Checkpoints of a job that are kept, the latest ones. Our choice: two weeks with one checkpoint a minute."""
FEWEST_GAPS = 3
"""Times between triggers that are needed to derive the checkpoint interval. Our choice."""

Status = Literal["completed", "expired", "declined", "failed", "aborted", "in_progress", "unknown"]

ABORTING = (
    "is suspending",
    "coordinator shutdown",
    "failoverregion is restarting",
    "the job has failed",
    "is shut down",
)
"""Reasons of checkpoints that were aborted because the job failed or stopped. Source: Flink's own log statements."""
NOT_READY = (
    "not all required tasks are currently running",
    "is not being executed at the moment",
    "tasks not ready",
    *(f"but {state} instead" for state in ("created", "scheduled", "deploying", "initializing")),
)
"""Reasons of a rejected trigger while not all tasks were running, in lower case."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """One checkpoint or savepoint of one job; unknown values are None.

    triggered_ms, ended_ms, duration_ms  as stated; `start_ms` and `end_to_end_ms` derive missing ones
    state_bytes, checkpointed_bytes      full size, and the bytes that this checkpoint wrote
    reason                               why it failed, as printed
    path                                 where it lies, as REST states it
    late_ms                              times of acknowledgements that arrived after the checkpoint had expired
    """

    job_id: str | None
    number: int
    status: Status
    is_savepoint: bool = False
    unaligned: bool = False
    triggered_ms: int | None = None
    ended_ms: int | None = None
    duration_ms: float | None = None
    checkpointed_bytes: float | None = None
    state_bytes: float | None = None
    processed_bytes: float | None = None
    persisted_bytes: float | None = None
    subtasks: int | None = None
    acknowledged: int | None = None
    reason: str | None = None
    path: str | None = None
    late_ms: tuple[int, ...] = ()
    seen_by_rest: bool = False
    citations: tuple[Citation, ...] = ()

    @property
    def start_ms(self) -> int | None:
        """When it was triggered, as stated or derived from its end and duration."""
        if self.triggered_ms is None and self.ended_ms is not None:
            return round(self.ended_ms - (self.duration_ms or 0))
        return self.triggered_ms

    @property
    def end_to_end_ms(self) -> float | None:
        """How long it took, as stated or derived from its trigger and end."""
        if self.duration_ms is None and self.start_ms is not None and self.ended_ms is not None:
            return float(self.ended_ms - self.start_ms)
        return self.duration_ms

    @property
    def own_state_bytes(self) -> float | None:
        """Size of the full state without the in-flight data that an unaligned checkpoint persists beside it."""
        return None if self.state_bytes is None else max(self.state_bytes - (self.persisted_bytes or 0.0), 0.0)


@dataclass(frozen=True, slots=True)
class NotStarted:
    """The rejected checkpoint triggers of one job with the same reason, with the place of the last one.

    times_ms  when each of them was rejected, in order; fewer than `count` where a record has no time
    """

    reason: str
    count: int
    times_ms: tuple[int, ...]
    citation: Citation

    @property
    def first_ms(self) -> int | None:
        """When the first of them was rejected."""
        return self.times_ms[0] if self.times_ms else None

    @property
    def last_ms(self) -> int | None:
        """When the last of them was rejected."""
        return self.times_ms[-1] if self.times_ms else None

    @property
    def not_ready(self) -> bool:
        """Whether the triggers were rejected because not all tasks were running."""
        return _says(self.reason, NOT_READY)


@dataclass(frozen=True, slots=True)
class History:
    """The checkpoints of one job, ordered by checkpoint id.

    observed_until_ms  time of the last REST answer or log record about checkpoints
    """

    job_id: str | None
    checkpoints: tuple[Checkpoint, ...] = ()
    not_started: tuple[NotStarted, ...] = ()
    observed_until_ms: int | None = None

    def select_statuses(self, *statuses: Status) -> list[Checkpoint]:
        """The checkpoints, without savepoints, that have one of the statuses."""
        return [each for each in self.checkpoints if each.status in statuses and not each.is_savepoint]

    def as_observed(self, checkpoint: Checkpoint) -> Checkpoint:
        """The checkpoint; one in progress with its age, since REST states how long its last answer took so far."""
        if checkpoint.status != "in_progress" or checkpoint.triggered_ms is None or self.observed_until_ms is None:
            return checkpoint
        age_ms = float(max(self.observed_until_ms - checkpoint.triggered_ms, 0))
        return replace(checkpoint, duration_ms=max(age_ms, checkpoint.duration_ms or 0.0))

    def outcomes(self) -> list[bool]:
        """Whether each ended checkpoint failed, in order; those that a restart aborted are left out."""
        return [
            each.status != "completed" for each in self.select_statuses("completed", "expired", "declined", "failed")
        ]

    def failing_course(self) -> list[tuple[int, bool]]:
        """Trigger of each ended checkpoint, epoch ms, and whether it failed; those that a restart aborted did not."""
        return [
            (round(each.start_ms), each.status in ("expired", "declined", "failed"))
            for each in self.checkpoints
            if not each.is_savepoint and each.status != "in_progress" and each.start_ms is not None
        ]

    @property
    def running_ms(self) -> float | None:
        """How long the oldest checkpoint in progress had been running when it was last seen."""
        running = self.select_statuses("in_progress")
        if not running:
            return None
        oldest = running[0]
        if oldest.triggered_ms and self.observed_until_ms and self.observed_until_ms > oldest.triggered_ms:
            return float(self.observed_until_ms - oldest.triggered_ms)
        return oldest.duration_ms

    @property
    def usual_interval_ms(self) -> float | None:
        """The shortest time between two triggers, in tenths of a second; None for fewer than FEWEST_GAPS gaps."""
        triggers = sorted(known(each.triggered_ms for each in self.checkpoints if not each.is_savepoint))
        gaps = [later - earlier for earlier, later in pairwise(triggers) if later > earlier]
        return float(round(lowest(gaps) or 0, -2)) or None if len(gaps) >= FEWEST_GAPS else None


@read_once
def checkpoint_histories(evidence: Evidence) -> Mapping[str | None, History]:
    """The history of each job with checkpoints or rejected triggers, computed once for each Evidence.

    Reads   checkpoint (the last answer about each checkpoint), log_record (events of the CheckpointCoordinator).
    """
    return _read(evidence)


def _read(evidence: Evidence) -> Mapping[str | None, History]:
    rows: list[Report] = list(reports_of_rest(evidence.answer(checkpoints.AGGREGATOR).to_pylist()))
    rows += reports_of_log(evidence.answer(checkpoint_records.AGGREGATOR).to_pylist())
    jobs = cluster_of(evidence).job_names
    return histories_from_rows(rows, only_one(jobs))


@dataclass(slots=True)
class _Gathered:
    rest: dict[int, Report] = field(default_factory=dict)
    log: dict[int, Report] = field(default_factory=dict)
    not_started: list[NotStarted] = field(default_factory=list)
    until: list[int] = field(default_factory=list)


def histories_from_rows(rows: Iterable[Report], only_job: str | None = None) -> Mapping[str | None, History]:
    """The histories that result from reports.

    only_job  the job that rows without a job id belong to
    """
    jobs: dict[str | None, _Gathered] = defaultdict(_Gathered)
    for row in rows:
        gathered = jobs[row["job_id"] or only_job]
        if row["asked_ms"] is not None:
            gathered.until.append(row["asked_ms"])
        if row["origin"] == "not started":
            place = _citation(row["places"][0], "log", "")
            gathered.not_started.append(
                NotStarted(row["reason"] or "", row["count"], tuple(row["times_ms"] or ()), place)
            )
        else:
            (gathered.rest if row["origin"] == "rest" else gathered.log)[row["number"]] = row
    return {
        job_id: _history(job_id, gathered) for job_id, gathered in sorted(jobs.items(), key=lambda item: item[0] or "")
    }


def _history(job_id: str | None, gathered: _Gathered) -> History:
    numbers = sorted({*gathered.rest, *gathered.log})[-MOST_CHECKPOINTS:]
    last = numbers[-1] if numbers else 0
    merged = tuple(
        _merged(job_id, number, gathered.rest.get(number), gathered.log.get(number), is_last=number == last)
        for number in numbers
    )
    stamps = [*gathered.until, *(each.ended_ms or each.triggered_ms or 0 for each in merged)]
    not_started = tuple(sorted(gathered.not_started, key=lambda each: (each.first_ms or 0, each.reason)))
    return History(job_id, merged, not_started, max(stamps, default=0) or None)


def _merged(job_id: str | None, number: int, rest: Report | None, log: Report | None, *, is_last: bool) -> Checkpoint:
    """One checkpoint: values of REST take precedence, except that a logged end overrides a REST answer in progress."""
    preferred = rest or log or {}
    other = log or {}

    def value(name: str) -> Any:
        return preferred.get(name) if preferred.get(name) is not None else other.get(name)

    status = _status(rest, log, is_last=is_last)
    asked_too_early = rest is not None and rest["status"] not in FINAL_STATUSES and other.get("ended_ms") is not None
    ended_ms = other["ended_ms"] if asked_too_early else value("ended_ms")
    duration_ms = other["duration_ms"] if asked_too_early else value("duration_ms")
    triggered_ms = value("triggered_ms")
    if duration_ms is None and status != "in_progress" and ended_ms and triggered_ms:
        duration_ms = float(ended_ms - triggered_ms)
    return Checkpoint(
        job_id=job_id,
        number=number,
        status=status,
        is_savepoint=bool(preferred.get("is_savepoint")) or bool(other.get("is_savepoint")),
        unaligned=bool(preferred.get("unaligned")),
        triggered_ms=triggered_ms,
        ended_ms=None if status == "in_progress" else ended_ms,
        duration_ms=duration_ms,
        checkpointed_bytes=value("checkpointed_bytes"),
        state_bytes=value("state_bytes"),
        processed_bytes=value("processed_bytes"),
        persisted_bytes=value("persisted_bytes"),
        subtasks=value("subtasks"),
        acknowledged=value("acknowledged"),
        reason=value("reason"),
        path=value("path"),
        late_ms=tuple(other.get("late_ms") or ()),
        seen_by_rest=rest is not None,
        citations=tuple(_citations(number, status, rest, log, duration_ms)),
    )


def _status(rest: Report | None, log: Report | None, *, is_last: bool) -> Status:
    if rest is not None and rest["status"] == "COMPLETED":
        return "completed"
    reason = " ".join(str(row.get("reason") or "") for row in (rest, log) if row)
    logged = log["status"] if log else None
    if (rest is not None and rest["status"] == "FAILED") or logged not in (None, "pending"):
        return _failure(reason, logged)
    return "in_progress" if is_last or rest is not None else "unknown"


def _failure(reason: str, logged: str | None) -> Status:
    if logged in ("completed", "expired"):
        return "completed" if logged == "completed" else "expired"
    if _says(reason, ("expired before completing",)):
        return "expired"
    if logged == "declined" or _says(reason, ("was declined",)):
        return "declined"
    return "aborted" if _says(reason, ABORTING) else "failed"


def _says(text: str, parts: Iterable[str]) -> bool:
    lowered = text.lower()
    return any(part in lowered for part in parts)


def _citations(
    number: int,
    status: Status,
    rest: Report | None,
    log: Report | None,
    duration_ms: float | None,
) -> Iterable[Citation]:
    if log is not None:
        for place in log["places"][:2]:
            yield _citation(place, "log", place["text"] or cited_text(CHECKPOINT_NUMBER, number=number))
    if rest is not None:
        parts = []
        if duration_ms is not None:
            parts.append(f"end to end {duration(duration_ms)}")
        if rest["checkpointed_bytes"] is not None:
            parts.append(f"wrote {size(rest['checkpointed_bytes'])} of {size(rest['state_bytes'] or 0)}")
        if rest["reason"]:
            parts.append(str(rest["reason"]))
        form = CHECKPOINT if parts else CHECKPOINT_STATUS
        text = cited_text(form, number=number, status=rest["status"], parts=", ".join(parts))
        yield _citation(rest["places"][0], "rest", text, f"checkpoint {number}", rest["duration_ms"])


def _citation(
    place: Mapping[str, Any],
    kind: Literal["log", "rest"],
    text: str,
    name: str | None = None,
    value: float | None = None,
) -> Citation:
    return Citation.cite_row(place, kind, (text or place["text"] or "")[:400], name=name, value=value)
