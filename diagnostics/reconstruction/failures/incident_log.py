"""The events of an incident from logs and REST: failures, state changes, lost TaskManagers, ends of processes.

They are read once for all signals about restarts, failures, memory and resources.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from diagnostics.aggregators import failures, incident_records, log_ends
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence, read_once
from diagnostics.reconstruction.job.deployments import Deployments, deployments_of


@dataclass(frozen=True, slots=True)
class LogEvent:
    """One log record of a kind of vocabulary/incident_kinds.yaml."""

    kind: str
    ts_ms: int | None
    level: str | None
    message: str
    process: str | None
    job_id: str | None
    vertex: str | None
    subtask: int | None
    attempt: int | None
    state_from: str | None
    state_to: str | None
    task_manager: str | None
    exception_class: str | None
    exception_message: str | None
    root_cause_class: str | None
    root_cause_message: str | None
    root_cause_frame: str | None
    user_frame: str | None
    file_id: int
    line: int | None
    last_line: int | None
    event: str | None = None
    reason: str | None = None
    thrown_in: str | None = None
    own_frames: str | None = None
    causes: str | None = None
    frames: str | None = None
    host: str | None = None
    duration_ms: float | None = None
    count: float | None = None
    deployment: str | None = None

    def cite(self, text: str | None = None) -> Citation:
        """The citation of the record."""
        return Citation(
            file_id=self.file_id,
            line=self.line,
            last_line=self.last_line,
            kind="log",
            ts_ms=self.ts_ms,
            text=(text or self.message)[:300],
        )

    @property
    def texts(self) -> str:
        """All its texts, one below the other."""
        parts = (self.message, self.reason, self.exception_message, self.root_cause_message)
        return "\n".join(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class Failure:
    """One failure from a REST answer."""

    ts_ms: int | None
    job_id: str | None
    vertex: str | None
    subtask: int | None
    task_manager: str | None
    exception_class: str | None
    exception_message: str | None
    root_cause_class: str | None
    root_cause_message: str | None
    root_cause_frame: str | None
    user_frame: str | None
    file_id: int
    line: int | None
    last_line: int | None
    pointer: str | None
    thrown_in: str | None = None
    own_frames: str | None = None
    causes: str | None = None
    frames: str | None = None

    def cite(self) -> Citation:
        """The citation of the entry."""
        name = self.root_cause_class or self.exception_class
        said = self.root_cause_message or self.exception_message
        return Citation.of(self, "rest", f"{name}: {said}"[:300])

    @property
    def texts(self) -> str:
        """All its texts, one below the other."""
        return "\n".join(part for part in (self.exception_message, self.root_cause_message) if part)


@dataclass(frozen=True, slots=True)
class IncidentLog:
    """The events by kind, each in time order.

    counts     kind -> number of its records, including those beyond the kept events
    failures   the failures of REST answers
    last_ms    file -> time of its last record
    is_log     false when the only records are pasted text, such as a single stack trace: few, and without a level
    processes  the kinds of processes that wrote the logs
    apart      the events of other deployments, and those that were over before a job: of no job
    """

    events: Mapping[str, Sequence[LogEvent]] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    failures: Sequence[Failure] = ()
    last_ms: Mapping[int, int] = field(default_factory=dict)
    is_log: bool = True
    processes: frozenset[str] = frozenset()
    apart: Sequence[LogEvent] = ()

    def of(self, kind: str) -> Sequence[LogEvent]:
        """The events of a kind in time order."""
        return self.events.get(kind, ())

    def count(self, kind: str) -> int:
        """The number of records of a kind."""
        return self.counts.get(kind, 0)


@read_once
def incident_log(evidence: Evidence) -> IncidentLog:
    """The events of an analysis, computed once for each Evidence.

    Reads   log_record, log_count, failure.
    """
    return _read(evidence)


def _read(evidence: Evidence) -> IncidentLog:
    import pyarrow.compute as pc

    deployments = deployments_of(evidence)
    events: dict[str, list[LogEvent]] = defaultdict(list)
    apart: list[LogEvent] = []
    counts: dict[str, int] = {}
    records = evidence.answer(incident_records.AGGREGATOR)
    messages = pc.fill_null(records["message"], "")
    records = records.set_column(records.schema.get_field_index("message"), "message", messages)
    columns = (records[name].to_pylist() for name in LogEvent.__slots__)
    for of_kind, values in zip(records["of_kind"].to_pylist(), zip(*columns, strict=True), strict=True):
        if of_kind is None:
            event = LogEvent(*values)
            if deployments.is_apart(event.deployment, event.file_id):
                name = deployments.named(event.deployment, event.file_id)
                apart.append(replace(event, deployment=name))
            else:
                events[event.kind].append(_with_its_job(event, deployments))
        else:
            counts[values[0]] = of_kind
    for event in apart:
        counts[event.kind] -= 1
    ends = evidence.answer(log_ends.AGGREGATOR).to_pylist()
    answered = evidence.answer(failures.AGGREGATOR).to_pylist()
    ordered = {kind: sorted(found, key=_when) for kind, found in events.items()}
    return IncidentLog(
        ordered,
        counts,
        _without_repeats(Failure(**row) for row in answered),
        last_ms={end["file_id"]: end["last_ms"] for end in ends if end["last_ms"] is not None},
        is_log=any(end["level"] is not None or end["records"] > MOST_COPIED for end in ends),
        processes=frozenset(end["process"] or "" for end in ends),
        apart=sorted(apart, key=_when),
    )


def _with_its_job(event: LogEvent, deployments: Deployments) -> LogEvent:
    """The event with the job of its deployment, where the case has several."""
    job = deployments.job_of(event.deployment, event.file_id)
    return replace(event, job_id=job) if job and event.job_id is None else event


MOST_COPIED = 50
"""Up to this number, records without a level are taken as pasted text. Our choice."""


def _when(event: LogEvent) -> tuple[float, int, int]:
    return (event.ts_ms if event.ts_ms is not None else float("inf"), event.file_id, event.line or 0)


def _without_repeats(failures: Iterable[Failure]) -> list[Failure]:
    """Each failure once: successive REST answers of a job list the same failures."""
    seen: dict[tuple[Any, ...], Failure] = {}
    for each in failures:
        place = (each.ts_ms, each.job_id, each.vertex, each.subtask, each.exception_class, each.root_cause_message)
        seen.setdefault(place, each)
    return list(seen.values())
