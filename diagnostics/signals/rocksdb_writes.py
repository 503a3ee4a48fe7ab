"""RocksDB write stalls: share of time, reasons, and the number of SST files."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from diagnostics.aggregators import rocksdb_metrics, rocksdb_stalls
from diagnostics.aggregators.rocksdb_metrics import ERRORS, FILES, INTERVAL, PENDING, SLOWED, STALLED, STOPPED
from diagnostics.aggregators.rocksdb_stalls import EVENTS
from diagnostics.arithmetic.named_rows import named_rows
from diagnostics.arithmetic.quantiles import highest, known
from diagnostics.citation import CITATION_COLUMNS, Citation
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject, only_one
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.wording.cited_text import sample_text

SHOWN = 4
PLACE = ("ts_ms", *CITATION_COLUMNS)
LONGEST_COUNTED_MICROS = 1e15

Place = tuple[str | None, str | None, int | None]
"""Job, operator, subtask."""


@dataclass(frozen=True, slots=True)
class _Course:
    """Extremes of one series: `highest`, the first sample of the highest value; `last`, the last sample with a time."""

    least: float
    highest: Any
    from_ms: int | None
    last: Any

    @property
    def most(self) -> float:
        value: float = self.highest.value
        return value


@dataclass(slots=True)
class _Instance:
    """Metrics and log records of the RocksDB instances of one operator's subtask."""

    values: dict[str, list[_Course]] = field(default_factory=lambda: defaultdict(list))
    records: list[Mapping[str, Any]] = field(default_factory=list)

    def most(self, metric: str) -> float | None:
        return highest(row.most for row in self.values.get(metric, ()))

    @property
    def stalled_ratio(self) -> float | None:
        """Share of time with stalled or delayed writes, from the counter's growth or RocksDB's log."""
        grown = [
            (each.most - each.least) / 1000 / (each.last.ts_ms - each.from_ms)
            for each in self.values.get(STALLED, ())
            if each.from_ms is not None and each.last.ts_ms > each.from_ms
        ]
        interval = self.most(INTERVAL)
        shares = known([max(grown, default=None), interval / 100 if interval is not None else None])
        return min(max(shares), 1.0) if shares else None

    @property
    def files(self) -> float | None:
        """Files of all levels and column families at the last moment."""
        counts = known(
            each.last.value
            for metric, courses in self.values.items()
            if metric.startswith(FILES)
            for each in courses
            if each.last
        )
        return sum(counts) if counts else None


def measure(evidence: Evidence) -> Measured:
    """Write stalls of RocksDB in each job, in its worst subtask.

    Reads   log_record (RocksDB's warnings), metric_sample (its metrics, and its own log's statistics).
    Gives   one signal per job with either.
    Units   ratios of time 0 to 1; bytes; counts of files.
    Empty   NotMeasured without a log of RocksDB and without its metrics.
    """
    instances: dict[Place, _Instance] = defaultdict(_Instance)
    for each in _courses(evidence):
        row = each.highest
        instances[row.job_id, row.operator, row.subtask].values[row.metric].append(each)
    for record in evidence.answer(rocksdb_stalls.AGGREGATOR).to_pylist():
        instances[record["job_id"], None, record["subtask"]].records.append(record)
    if not instances:
        yield NotMeasured("rocksdb_writes", "rocksdb-log", "no log of RocksDB and none of its metrics were given")
        return
    jobs = {place[0] for place in instances if place[0]}
    only = only_one(jobs)
    by_job: dict[str | None, dict[Place, _Instance]] = defaultdict(dict)
    for place, instance in instances.items():
        by_job[place[0] or only][place] = instance
    for job in sorted(by_job, key=repr):
        yield _signal(job, by_job[job])


def _courses(evidence: Evidence) -> Sequence[_Course]:
    """Extremes of each series of RocksDB's metrics, largest values first."""
    samples: dict[tuple[Any, ...], list[Any]] = defaultdict(list)
    for row in named_rows(evidence.answer(rocksdb_metrics.AGGREGATOR)):
        samples[tuple(getattr(row, name) for name in rocksdb_metrics.SERIES)].append(row)
    courses = {}
    for key, rows in samples.items():
        highest = max(rows, key=lambda row: row.value)
        if highest.value < LONGEST_COUNTED_MICROS:
            dated = [row for row in rows if row.ts_ms is not None]
            least = min(row.value for row in rows)
            first, last = (end(dated, key=lambda row: row.ts_ms, default=None) for end in (min, max))
            courses[key] = _Course(least, highest, first.ts_ms if first else None, last)
    order = sorted(courses, key=lambda key: (-courses[key].most, *((name is not None, name) for name in key)))
    return [courses[key] for key in order]


def _signal(job: str | None, instances: Mapping[Place, _Instance]) -> Signal:
    records = [row for each in instances.values() for row in each.records]
    stops = [row for row in records if ".stop." in row["event"]]
    waits = Counter(EVENTS[row["event"]] for row in records)
    facts: dict[str, FactValue] = {
        "instances": len(instances),
        "stops": len(stops),
        "slowdowns": len(records) - len(stops),
        "waits_for": waits.most_common(1)[0][0] if waits else None,
        "background_errors": highest(each.most(ERRORS) for each in instances.values()),
        "write_stopped": _any_is(instances.values(), STOPPED),
        "write_slowed": _any_is(instances.values(), SLOWED),
        "pending_compaction_bytes": highest(each.most(PENDING) for each in instances.values()),
        "level0_files": highest(each.most(f"{FILES}0") for each in instances.values()),
    }
    shares = {place: share for place, each in instances.items() if (share := each.stalled_ratio) is not None}
    if shares:
        worst = max(sorted(shares, key=repr), key=lambda place: shares[place])
        facts |= {"stalled_share_ratio": shares[worst], "operator": worst[1], "subtask": worst[2]}
    counted = {place: count for place, each in instances.items() if (count := each.files) is not None}
    if counted:
        most = max(sorted(counted, key=repr), key=lambda place: counted[place])
        facts |= {"files_most": counted[most], "files_operator": most[1], "files_subtask": most[2]}
    stamps = [row["ts_ms"] for row in records if row["ts_ms"] is not None]
    return Signal(
        "rocksdb_writes",
        Subject(job=job),
        known_facts(facts),
        tuple(_citations(stops or records, instances.values())),
        citation_count=len(records),
        window=(min(stamps), max(stamps)) if stamps else None,
    )


def _any_is(instances: Iterable[_Instance], metric: str) -> bool | None:
    """Whether a gauge was above 0 at any moment; None when it was not measured."""
    seen = known(each.most(metric) for each in instances)
    return max(seen) > 0 if seen else None


def _citations(records: Sequence[Mapping[str, Any]], instances: Iterable[_Instance]) -> Iterable[Citation]:
    for record in records[:SHOWN]:
        yield Citation(kind="log", text=record["message"], **{name: record[name] for name in PLACE})
    rows = [course.highest for each in instances for found in each.values.values() for course in found]
    high = [row for row in rows if row.value > 0]
    for row in sorted(high, key=lambda row: (row.metric, -row.value))[: 2 * SHOWN]:
        text = sample_text(row.metric, row.subtask, row.operator, f"{row.value:.15g}")
        yield Citation.of(row, "metric", text, name=row.metric, value=row.value)


FACTS = {
    "instances": "subtasks with RocksDB metrics or events",
    "stops": "times that RocksDB's log reports that it stopped all writes",
    "slowdowns": "times that RocksDB's log reports that it slowed writes down",
    "waits_for": "what it waited for most often then",
    "background_errors": "errors of flushes and compactions of one RocksDB instance, the most",
    "write_stopped": "whether the metric is-write-stopped was 1 at any moment",
    "write_slowed": "whether the metric actual-delayed-write-rate was above 0 at any moment",
    "stalled_share_ratio": "part of the time in which writes were held back, in the worst subtask",
    "operator": "operator of that subtask",
    "subtask": "its index",
    "pending_compaction_bytes": "most bytes that waited for compaction",
    "level0_files": "most files of level 0 in one column family",
    "files_most": "files of one subtask's state at the end, the most of any subtask",
    "files_operator": "operator of that subtask",
    "files_subtask": "its index",
}

SIGNALS = (SignalDefinition("rocksdb_writes", "job", FACTS, measure),)
