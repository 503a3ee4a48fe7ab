"""Quantities of load: back pressure, the busiest task, the share of the hottest subtask, processed records."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from statistics import fmean
from typing import Any

from diagnostics.language import say, to_say
from diagnostics.proof.quantity import Observed, Quantity
from diagnostics.proof.reading import (
    Reading,
    reading_of_course,
    reading_of_events,
    reading_of_number,
    reading_of_share,
)
from diagnostics.vocabulary.load_levels import LOW_MOST

HELD_BACK = 0.1
"""Flink's web interface calls back pressure up to a tenth of the time OK."""

COUNTERS = ("numRecordsIn", "numRecordsOut")
"""Counter of records read; for a source, of records emitted."""


def _highest_of(measure: str) -> Callable[[Observed], list[float]]:
    """The worst subtask of all tasks of the job at each moment, from the chart's points; missing ones are skipped."""

    def values(observed: Observed) -> list[float]:
        columns = [
            subtask[measure]
            for job in observed.jobs_of("subtask-activity")
            for vertex in job["vertices"]
            for subtask in vertex["subtasks"]
        ]
        moments = ([float(each) for each in moment if each is not None] for moment in zip(*columns, strict=False))
        return [max(known) for known in moments if known]

    return values


_back_pressure, _busy = _highest_of("back_pressured"), _highest_of("busy")


def _episodes(observed: Observed) -> Reading | None:
    """How often back pressure became HIGH: a moment above that bound after one that was not, or as the first."""
    course = _back_pressure(observed)
    if not course:
        return None
    slot_ms = observed.charts["subtask-activity"]["slot_ms"]
    began = sum(now > LOW_MOST >= before for before, now in pairwise([0.0, *course]))
    return reading_of_events(began, float(slot_ms) * len(course))


def _mean_busy(observed: Observed) -> list[float]:
    """The mean busy ratio of all subtasks of the job at each moment."""
    columns = [
        subtask["busy"]
        for job in observed.jobs_of("subtask-activity")
        for vertex in job["vertices"]
        for subtask in vertex["subtasks"]
    ]
    moments = ([float(each) for each in moment if each is not None] for moment in zip(*columns, strict=False))
    return [fmean(known) for known in moments if known]


def _slots(observed: Observed) -> Reading | None:
    """The share of the slots of all TaskManagers that are in use. They are counted, so that nothing scatters."""
    total, free = observed.number("slots.total_end"), observed.number("slots.free_end")
    if not total or free is None or not 0 <= free <= total:
        return None
    used = (total - free) / total
    basis = say("{used} of {total} slots at the end", used=f"{total - free:,.0f}", total=f"{total:,.0f}")
    return Reading(used, used, used, basis)


def _skew(observed: Observed) -> Reading | None:
    """The skew of the root cause's task, else the largest of the job."""
    vertices = [
        vertex
        for job in observed.jobs_of("load-by-subtask")
        for vertex in job["vertices"]
        if vertex["parallelism"] > 1 and any(each["records"] for each in vertex["subtasks"])
    ]
    own = [vertex for vertex in vertices if vertex["vertex"] == observed.vertex]
    readings = [reading for vertex in own or vertices if (reading := _hot_share(vertex))]
    return max(readings, key=lambda each: each.value, default=None)


def _hot_share(vertex: Mapping[str, Any]) -> Reading | None:
    records = [each["records"] or 0 for each in vertex["subtasks"]]
    return reading_of_share(round(max(records)), round(sum(records)))


def _rate(observed: Observed) -> Reading | None:
    """Records per second of all subtasks of the root cause's task, else of the job's task with the most."""
    parallelism = {
        vertex["vertex"]: len(vertex["subtasks"])
        for job in observed.jobs_of("subtask-activity")
        for vertex in job["vertices"]
    }
    courses = {
        (series["where"], series["metric"]): [
            each * parallelism[series["where"]] for each in series["mean"] if each is not None
        ]
        for series in (observed.charts.get("metrics") or {}).get("series", ())
        if series["is_rate"]
        and series["metric"] in COUNTERS
        and series["where"] in parallelism
        and series["job_id"] in (observed.job, None)
    }
    own = [courses[place] for place in ((observed.vertex, each) for each in COUNTERS) if courses.get(place)]
    readings = [reading for course in own[:1] or courses.values() if (reading := reading_of_course(course))]
    if readings:
        return max(readings, key=lambda each: each.value)
    rate = observed.number("record_rate.records_per_s")
    return reading_of_number(rate) if rate is not None else None


def _asked_for_less(observed: Observed) -> str | None:
    """Why a lower rate is no loss: without back pressure at the sources, fewer records arrived."""
    pressed = reading_of_course(_back_pressure(observed))
    if pressed is None or pressed.value > HELD_BACK:
        return None
    return say("Fewer records came: nothing holds the sources back.")


QUANTITIES = (
    Quantity(
        "back-pressure",
        to_say("Back pressure of the worst subtask"),
        "percent",
        lambda seen: reading_of_course(_back_pressure(seen)),
        sound=HELD_BACK,
        source=to_say("Flink's web interface calls up to 10 % OK"),
        least=0.05,
    ),
    Quantity(
        "busy",
        to_say("Busy time of the busiest subtask"),
        "percent",
        lambda seen: reading_of_course(_busy(seen)),
        better=None,
        least=0.05,
    ),
    Quantity("pressure-episodes", to_say("Times that back pressure became high"), "per hour", _episodes),
    Quantity(
        "mean-busy",
        to_say("Mean busy time of all subtasks"),
        "percent",
        lambda seen: reading_of_course(_mean_busy(seen)),
        better=None,
        least=0.05,
    ),
    Quantity("slots-used", to_say("Slots in use"), "percent", _slots, better=None, least=0.05),
    Quantity("hot-share", to_say("Share of the hottest subtask"), "percent", _skew, least=0.05),
    Quantity("rate", to_say("Records that are processed"), "rate", _rate, better="higher", excused=_asked_for_less),
)
