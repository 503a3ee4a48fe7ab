"""What logs and REST tell of an incident as single events: failures, state changes, lost TaskManagers.

Read once for all signals about restarts, failures, memory and resources.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING, Any

from pyspark.sql import Window
from pyspark.sql import functions as sf

from diagnostics.citation import Citation
from diagnostics.evidence import TABLES, Evidence, read_once
from diagnostics.table import SPARK_TYPES

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MOST_OF_A_KIND = 2_000
"""How many events of a kind are read, the earliest; they are counted all. Our choice."""


@dataclass(frozen=True, slots=True)
class LogEvent:
    """One log record of a kind."""

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
    host: str | None = None
    duration_ms: float | None = None
    count: float | None = None

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
    """One failure that REST tells."""

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
    """The events by kind, each in time order; `counts` has their true numbers.

    last_ms    file -> time of its last record
    is_log     whether records have a level, or are more than anybody copies by hand, as a stack trace alone is
    processes  the kinds of processes that logs are there of
    """

    events: Mapping[str, Sequence[LogEvent]] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    failures: Sequence[Failure] = ()
    last_ms: Mapping[int, int] = field(default_factory=dict)
    is_log: bool = True
    processes: frozenset[str] = frozenset()

    def of(self, kind: str) -> Sequence[LogEvent]:
        """The events of a kind, the earliest first."""
        return self.events.get(kind, ())

    def count(self, kind: str) -> int:
        """How many there were."""
        return self.counts.get(kind, 0)


@read_once
def incident_log(evidence: Evidence) -> IncidentLog:
    """The events of an analysis. Two Spark jobs, done once for each Evidence.

    Reads   log_record, failure.
    """
    return _read(evidence)


def _read(evidence: Evidence) -> IncidentLog:
    events: dict[str, list[LogEvent]] = defaultdict(list)
    counts: dict[str, int] = {}
    last_ms: dict[int, int] = {}
    is_log, processes = False, set()
    if evidence.has("log_record"):
        for row in _records(evidence):
            if row.all_of_kind is not None:
                counts[row.kind] = row.all_of_kind
            elif row.kind == LAST:
                is_log = is_log or row.level is not None or row["count"] > MOST_COPIED
                processes.add(row.process or "")
                if row.ts_ms is not None:
                    last_ms[row.file_id] = row.ts_ms
            else:
                events[row.kind].append(_event(row))
    failures = []
    if evidence.has("failure"):
        rows = evidence["failure"].orderBy("ts_ms", "file_id", "pointer").limit(MOST_OF_A_KIND).collect()
        failures = _without_repeats(Failure(**row.asDict()) for row in rows)
    counts = {kind: len(found) for kind, found in events.items()} | counts
    ordered = {kind: sorted(found, key=_when) for kind, found in events.items()}
    return IncidentLog(ordered, counts, failures, last_ms, is_log, frozenset(processes))


LAST = "last"
"""Kind of a pseudo event: last time, any level, the process and the number of records of a file."""

MOST_COPIED = 50
"""Records without a level that somebody copied: exceptions and the lines around them. Our choice."""


def _records(evidence: Evidence) -> Iterable[Any]:
    """The earliest records of each kind, one row for the end of each file, and one for each kind with their number.

    Without the last where the table has too few rows for any record to be left out.
    """
    telling = evidence["log_record"].where("kinds IS NOT NULL")
    told = telling.withColumn("kind", sf.explode(sf.split("kinds", " ")))
    of_file = ("ts_ms", "level", "process")
    measures = [*(sf.max(name).alias(name) for name in of_file), sf.count("*").alias("count")]
    ends = evidence["log_record"].groupBy("file_id").agg(*measures)
    columns = {name: name for name in LogEvent.__slots__}
    of_end = {"kind": f"'{LAST}'", **{name: name for name in ("file_id", "count", *of_file)}}
    parts = [_columns(ends, of_end)]
    if evidence.rows["log_record"] <= MOST_OF_A_KIND:
        parts.append(_columns(told, columns))
    else:
        # The count is a part of no window: Spark would have to sort all records of a kind and not the earliest only.
        number = sf.row_number().over(Window.partitionBy("kind").orderBy("ts_ms", "file_id", "line"))
        earliest = told.withColumn("number", number).where(f"number <= {MOST_OF_A_KIND}")
        counted = told.groupBy("kind").agg(sf.count("*").alias("all_of_kind"))
        parts += [_columns(earliest, columns), _columns(counted, {"kind": "kind", "all_of_kind": "all_of_kind"})]
    return reduce(lambda left, right: left.unionByName(right), parts).collect()


def _columns(rows: DataFrame, told: Mapping[str, str]) -> DataFrame:
    """The rows as events with `all_of_kind`; what they do not tell is null."""
    types = {column.name: SPARK_TYPES[column.type] for column in TABLES["log_record"].columns}
    types |= {"kind": "STRING", "all_of_kind": "BIGINT"}
    names = [*LogEvent.__slots__, "all_of_kind"]
    return rows.selectExpr(*(f"CAST({told.get(name, 'NULL')} AS {types[name]}) AS {name}" for name in names))


def _event(row: Any) -> LogEvent:
    values = {name: row[name] for name in LogEvent.__slots__}
    return LogEvent(**{**values, "message": values["message"] or ""})


def _when(event: LogEvent) -> tuple[float, int, int]:
    return (event.ts_ms if event.ts_ms is not None else float("inf"), event.file_id, event.line or 0)


def _without_repeats(failures: Iterable[Failure]) -> list[Failure]:
    """Several answers of one job list the same failure again and again."""
    seen: dict[tuple[Any, ...], Failure] = {}
    for each in failures:
        place = (each.ts_ms, each.job_id, each.vertex, each.subtask, each.exception_class, each.root_cause_message)
        seen.setdefault(place, each)
    return list(seen.values())
