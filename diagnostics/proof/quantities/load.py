"""Load: back pressure, the busiest task, and the share of the hottest subtask."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from diagnostics.proof.quantity import Observed, Quantity
from diagnostics.proof.reading import Reading, reading_of_number, reading_of_samples

FLINK = "Flink calls up to 10 % OK"


def _activity(measure: str) -> Callable[[Observed], Reading | None]:
    """The worst subtask at each moment, of all tasks of the job, by the chart's points; missing ones are left out."""

    def read(observed: Observed) -> Reading | None:
        jobs = observed.charts.get("subtask-activity", {}).get("jobs", ())
        columns = [
            subtask[measure]
            for job in jobs
            if job["job_id"] in (observed.job, None)
            for vertex in job["vertices"]
            for subtask in vertex["subtasks"]
        ]
        return reading_of_samples(_highest(columns))

    return read


def _highest(columns: list[Any]) -> list[float]:
    found = []
    for moment in zip(*columns, strict=False):
        known = [float(each) for each in moment if each is not None]
        if known:
            found.append(max(known))
    return found


def _number(fact: str, least: float) -> Callable[[Observed], Reading | None]:
    def read(observed: Observed) -> Reading | None:
        value = observed.number(fact)
        return reading_of_number(value, least) if value is not None else None

    return read


def _skew(observed: Observed) -> Reading | None:
    """Of the task of the root cause, else the largest of the job."""
    vertices = [
        vertex
        for job in observed.charts.get("load-by-subtask", {}).get("jobs", ())
        if job["job_id"] in (observed.job, None)
        for vertex in job["vertices"]
        if vertex["parallelism"] > 1 and vertex["subtasks"]
    ]
    own = [vertex for vertex in vertices if vertex["vertex"] == observed.vertex]
    shares = [_hot_share(vertex) for vertex in own or vertices]
    known = [each for each in shares if each is not None]
    return reading_of_number(max(known), 0.05) if known else None


def _hot_share(vertex: Mapping[str, Any]) -> float | None:
    shares = [each["share"] for each in vertex["subtasks"] if each["share"] is not None]
    return float(max(shares)) if shares else None


QUANTITIES = (
    Quantity(
        "back-pressure",
        "Back pressure, usual",
        "percent",
        _activity("back_pressured"),
        sound=0.1,
        source=FLINK,
        least=0.05,
    ),
    Quantity("busy", "Busiest subtask, usual", "percent", _activity("busy"), least=0.05),
    Quantity("hot-share", "Share of the hottest subtask", "percent", _skew, least=0.05),
    Quantity("rate", "Records per second of the task", "rate", _number("record_rate.records_per_s", 1.0), lower=False),
    Quantity(
        "refused",
        "Requests that the outside system refused",
        "number",
        _number("outside_system.refused", 0.5),
        sound=0.0,
        source="a system below its limit refuses nothing",
        least=0.5,
    ),
)
