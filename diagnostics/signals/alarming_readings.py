"""Readings that suffice for a judgement by themselves: of one moment, of a few subtasks, or aggregated by REST."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from diagnostics.aggregators import alarming_readings as answers
from diagnostics.aggregators import code_calls
from diagnostics.arithmetic.named_rows import named_rows
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence, read_once
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.notation.code_call import WITHOUT_IDLENESS
from diagnostics.notation.printed_name import normalised
from diagnostics.reconstruction.job.cluster import Cluster, cluster_of
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.vocabulary.alarming_readings import (
    BEHIND_METRIC,
    AlarmingReading,
    Reading,
    alarming_readings,
    reading_classes,
)
from diagnostics.wording import phrase
from diagnostics.wording.cited_text import sample_text

KEY = "alarming_readings"
MIB = 2**20
NANOSECONDS = 1e6
"""In a millisecond."""
SECOND = 1000
"""In milliseconds."""
MOST_CITED = 4
POD, HOST = "pod=", "instance="
"""Labels by which other exporters name what runs a process."""
FORMATS = {
    "memory": phrase.memory,
    "bytes": phrase.size,
    "s": lambda value: phrase.duration(value * SECOND),
    "ms": phrase.duration,
    "ns": lambda value: phrase.duration(value / NANOSECONDS),
    "per_second": lambda value: f"{phrase.number(value)} ms/s",
    "moment": lambda value: f"{value:.0f}",
    "count": phrase.number,
}
"""Unit of an entry -> how its value is printed."""

COUNTED = {"unknown": str(-(2**63)), "idle": "0"}
"""How series are counted -> the value that they have. A watermark that is not there yet is shown as Long.MIN_VALUE."""

Place = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class _Course:
    """The samples of one series that were kept, in time order where they have times."""

    rows: Sequence[Any]

    @property
    def name(self) -> str:
        """The metric with its aggregate or quantile."""
        row = self.rows[0]
        part = row.aggregate or (f"{row.quantile:g}" if row.quantile is not None else "")
        return f"{row.metric}{BEHIND_METRIC}{part}" if part else str(row.metric)

    @property
    def place(self) -> str:
        """The names of its task and operator."""
        return f"{self.rows[0].vertex or ''} {self.rows[0].operator or ''}"

    @property
    def known(self) -> Sequence[Any]:
        """The samples with a value."""
        return [row for row in self.rows if row.is_known]

    @property
    def last(self) -> float | None:
        """The last value; None where it is unknown."""
        return float(self.rows[-1].value) if self.rows[-1].is_known else None


@dataclass(slots=True)
class _Readings:
    """The series at one place by their metric."""

    job: str | None = None
    name: str | None = None
    courses: dict[str, list[_Course]] = field(default_factory=lambda: defaultdict(list))

    def of(self, reading: Reading) -> Sequence[_Course]:
        """The series of the first metric that was read, of tasks and operators with such a name."""
        courses = next((self.courses[each] for each in reading.metrics if each in self.courses), ())
        named = [each for each in courses if not reading.at or reading.at.search(each.place)]
        return [each for each in named if not reading.not_at or not reading.not_at.search(each.place)]


def measure(key: str, evidence: Evidence) -> Measured:
    """The readings of one class that stand out, for each job.

    Reads   metric_sample, code_call.
    Gives   one signal per job with such readings: of the first entry of the catalogue that holds.
    Empty   NotMeasured without metrics.
    """
    if not evidence.has("metric_sample"):
        yield NotMeasured(key, "metric-scrapes", "no file holds metrics")
        return
    courses, cluster = _courses(evidence), cluster_of(evidence)
    is_declared = WITHOUT_IDLENESS in evidence.answer(code_calls.AGGREGATOR)["kind"].to_pylist()
    concluded: set[str | None] = set()
    for kind, entry in alarming_readings().items():
        if key != f"{KEY}.{entry.symptom_class}" or _are_judged(entry, courses) or (entry.declared and not is_declared):
            continue
        places = _by_place(courses, entry)
        everywhere = _whole(places)
        for place in sorted(places, key=repr):
            job = places[place].job
            if job not in concluded and (values := _values(entry, places[place], everywhere[job])):
                concluded.add(job)
                yield _signal(key, kind, entry, values, places[place], cluster)


def _are_judged(entry: AlarmingReading, courses: Sequence[_Course]) -> bool:
    """Whether metrics are there by which rules over time judge; a TaskManager's show nothing of the JobManager."""
    judged = {each.name for each in courses if entry.scope is None or each.rows[0].scope in (None, entry.scope)}
    return not judged.isdisjoint(entry.unread)


@read_once
def _courses(evidence: Evidence) -> Sequence[_Course]:
    """The series, read once for the signals of all classes."""
    samples: dict[tuple[Any, ...], list[Any]] = defaultdict(list)
    identity = [name for name in answers.SERIES if name != "is_known"]
    for row in named_rows(evidence.answer(answers.AGGREGATOR)):
        samples[tuple(getattr(row, name) for name in identity)].append(row)
    return [_Course(sorted(rows, key=lambda row: (row.ts_ms is not None, row.ts_ms or 0))) for rows in samples.values()]


def _by_place(courses: Sequence[_Course], entry: AlarmingReading) -> Mapping[Place, _Readings]:
    asked = {name for each in entry.readings for name in (*each.metrics, *each.over)}
    places: dict[Place, _Readings] = defaultdict(_Readings)
    for course in courses:
        row = course.rows[0]
        if course.name not in asked or (entry.scope and row.scope not in (None, entry.scope)):
            continue
        place, name = _place(row, entry.by)
        there = places[place]
        there.job, there.name = row.job_id, there.name or name
        there.courses[course.name].append(course)
    return places


def _place(row: Any, by: str) -> tuple[Place, str | None]:
    """What the reading is about, and its name."""
    if by == "job":
        return (row.job_id,), None
    if by == "process":
        name = row.task_manager or _labelled(row.labels)
        return (name,), name
    name = row.vertex or row.operator
    place: Place = (row.job_id, row.vertex_id or normalised(name or ""))
    return (*place, row.subtask) if by == "subtask" else place, name


def _labelled(labels: str | None) -> str | None:
    parts = (labels or "").split(",")
    return next((each.partition("=")[2] for part in (POD, HOST) for each in parts if each.startswith(part)), None)


def _whole(places: Mapping[Place, _Readings]) -> Mapping[str | None, _Readings]:
    """All readings of each job."""
    whole: dict[str | None, _Readings] = defaultdict(_Readings)
    for there in places.values():
        for metric, courses in there.courses.items():
            whole[there.job].courses[metric] += courses
    return whole


def _values(entry: AlarmingReading, here: _Readings, everywhere: _Readings) -> list[float] | None:
    """The value of each reading; None where one is not there or out of its bounds."""
    name = here.name or ""
    if (entry.named and not entry.named.search(name)) or (entry.not_named and entry.not_named.search(name)):
        return None
    values = []
    for each in entry.readings:
        there = everywhere if each.anywhere else _without(everywhere, here) if each.elsewhere else here
        value = _value(each, there)
        if value is None or not each.fits(value):
            return None
        values.append(value)
    return values


def _without(everywhere: _Readings, here: _Readings) -> _Readings:
    """The readings of a job at all other places."""
    own = {id(course) for courses in here.courses.values() for course in courses}
    rest = _Readings()
    for metric, courses in everywhere.courses.items():
        if left := [course for course in courses if id(course) not in own]:
            rest.courses[metric] = left
    return rest


def _value(reading: Reading, there: _Readings) -> float | None:
    courses = there.of(reading)
    taken = _taken(reading.take, courses) if courses else None
    if taken is None or not reading.over:
        return taken
    whole = _limit(reading, there)
    return taken / whole if whole else None


def _limit(reading: Reading, there: _Readings) -> float | None:
    """The sum of the last values of the metrics that the reading is a part of; None where one was not read."""
    lasts = [_taken("last", there.courses[metric]) for metric in reading.over if metric in there.courses]
    known = [each for each in lasts if each is not None]
    return sum(known) if len(known) == len(reading.over) else None


def _taken(take: str, courses: Sequence[_Course]) -> float | None:
    if take == "series":
        return float(len(courses))
    if take == "unknown":
        return float(sum(each.last is None for each in courses))
    known = [each.known for each in courses if each.known]
    if not known:
        return None
    if take == "idle":
        return float(sum(rows[-1].value == 0 for rows in known)) if any(rows[-1].value for rows in known) else 0.0
    if take == "grown":
        return float(sum(rows[-1].value - rows[0].value for rows in known))
    if take in ("first", "last"):
        return float(sum(rows[0 if take == "first" else -1].value for rows in known))
    values = [row.value for rows in known for row in rows]
    return float(min(values) if take == "least" else max(values))


def _signal(
    key: str, kind: str, entry: AlarmingReading, values: Sequence[float], here: _Readings, cluster: Cluster
) -> Signal:
    main, value = entry.main, values[0]
    limit = _limit(main, here) if main.over else None
    own = value * limit if limit is not None else value
    courses = here.of(main)
    rows = [row for each in courses for row in (each.known or each.rows)]
    stamps = [row.ts_ms for row in rows if row.ts_ms]
    metric = courses[0].name if courses else main.metrics[0]
    known = cluster.task_manager(here.name) if entry.by == "process" else here.name
    facts: dict[str, FactValue] = {
        "kind": kind,
        "place": known or here.name,
        "metric": metric,
        "read": f"{metric} {_read(entry, own, limit, [row.value for row in rows])}",
        "stands_still": entry.stands_still,
        "what": entry.what,
        "advice": entry.advice,
        "proposed": _proposed(entry, limit if limit is not None else own),
        "span_ms": float(max(stamps) - min(stamps)) if stamps else None,
    }
    shown = sorted(courses, key=lambda each: -(each.last or 0.0))[:MOST_CITED]
    cited = tuple(_cite((each.known or each.rows)[-1]) for each in shown)
    return Signal(key, Subject(job=here.job), known_facts(facts), cited, len(courses))


def _read(entry: AlarmingReading, value: float, limit: float | None, values: Sequence[float]) -> str:
    """What was read, as it would be written behind the metric; of several values the least and the most."""
    form, take = FORMATS[entry.unit], entry.main.take
    if take in COUNTED:
        return f"= {COUNTED[take]} ({value:.0f}x)"
    if limit is None:
        most = form(max(values)) if take == "least" and values else form(value)
        return f"= {form(value)}" if most == form(value) else f"= {form(value)} … {most}"
    shown = f"{form(value)} / {form(limit)} ({phrase.percent(value / limit)})"
    return f"+{shown}" if take == "grown" else f"= {shown}"


def _proposed(entry: AlarmingReading, of: float) -> str | None:
    """The option with a value that follows from the readings."""
    if entry.option is None:
        return None
    amount = of * entry.option_times
    shown = f"{max(round(amount / MIB), 1)}m" if entry.option_unit == "memory" else f"{max(round(amount), 1)}"
    return f"{entry.option}: {shown}"


def _cite(row: Any) -> Citation:
    value = float(row.value) if row.is_known else None
    text = sample_text(
        row.metric, row.subtask, row.operator or row.vertex, f"{value:.15g}" if value is not None else "NaN"
    )
    return Citation.of(row, "metric", text, name=row.metric, value=value)


FACTS = {
    "kind": "id of what the reading is known for",
    "place": "task or process that was read",
    "metric": "metric that was read",
    "read": "the metric with its value, and the value that it is a part of",
    "stands_still": "whether it says that the watermark does not arrive or does not advance",
    "what": "what the reading says",
    "advice": "what to do",
    "proposed": "option with a value that follows from the readings",
    "span_ms": "time between the first and the last reading",
}

SIGNALS = tuple(
    SignalDefinition(key, "job", FACTS, partial(measure, key))
    for key in (f"{KEY}.{symptom_class}" for symptom_class in reading_classes())
)
