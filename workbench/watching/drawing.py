"""Lines over time as SVG, drawn by the server: a trend of a hundred points needs no chart library."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from diagnostics.arithmetic.trend import NoTrend, Trend, trend_of
from diagnostics.wording.phrase import duration, number, size
from workbench.languages.sentences import say, say_later
from workbench.watching.models import JobCheck, WatchedJob

SMALL = (96, 24)
LARGE = (640, 120)
"""Width and height of a picture, px."""
POINTS_DRAWN = 400
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Line:
    """A line in a picture.

    points  of an SVG polyline, the largest value on top
    words   the line as text, for readers who do not see it
    """

    points: str
    width: int
    height: int
    words: str


@dataclass(frozen=True, slots=True)
class Course:
    """One measure of a job over its checks.

    now, most  the last and the largest value, as text
    bound      the line of the bound: its height and its name; None where the measure stays far below it
    trend      the trend as a sentence, with its error, or why there is none
    """

    title: str
    line: Line
    now: str
    most: str
    first_at: dt.datetime
    last_at: dt.datetime
    bound: tuple[float, str] | None
    trend: str


@dataclass(frozen=True, slots=True)
class _Measure:
    column: str
    title: str
    shown: Callable[[float], str]


MEASURES = (
    _Measure("checkpoint_ms", say_later("Duration of the last checkpoint"), duration),
    _Measure("checkpoint_bytes", say_later("State in the last checkpoint"), size),
    _Measure("backlog", say_later("Records that wait in the sources"), number),
    _Measure("restarts", say_later("Restarts since the deployment"), number),
)


def line_of(
    points: Sequence[Point], most: float | None = None, shown: Callable[[float], str] = duration
) -> Line | None:
    """The line of points (time, value) from zero to `most`, by default the largest value; None without two points.

    A picture with a given top is a large one.
    """
    width, height = SMALL if most is None else LARGE
    if len(points) < 2:
        return None
    drawn = points[:: -(-len(points) // POINTS_DRAWN)]
    first, last = drawn[0][0], drawn[-1][0]
    top = most or max(value for _, value in drawn) or 1.0
    placed = (
        f"{(at - first) / max(last - first, 1e-9) * width:.1f},{height * (1 - value / top):.1f}" for at, value in drawn
    )
    ends = [shown(points[0][1]), shown(points[-1][1])]
    words = ends[0] if ends[0] == ends[1] else say("from {first} to {last}", first=ends[0], last=ends[1])
    return Line(" ".join(placed), width, height, words)


def courses_of(job: WatchedJob, checks: Sequence[JobCheck]) -> list[Course]:
    """Every measure that was taken twice at least since the last deployment; checks are oldest first."""
    bounds = {"checkpoint_ms": job.known.get("timeout_ms")}
    if job.watch.state_limit_mb:
        bounds["checkpoint_bytes"] = job.watch.state_limit_mb * 1e6
    same = [check for check in checks if check.deployment == job.job_id]
    courses = (_course(measure, same, bounds.get(measure.column)) for measure in MEASURES)
    return [course for course in courses if course is not None]


def _course(measure: _Measure, checks: Sequence[JobCheck], bound: float | None) -> Course | None:
    known = [(each.at, getattr(each, measure.column)) for each in checks]
    points = [(at.timestamp() * 1000, float(value)) for at, value in known if value is not None]
    if len(points) < 2:
        return None
    largest = max(value for _, value in points)
    is_near = bound is not None and largest * 3 >= bound
    top = max(largest, bound or 0.0) if is_near else largest
    line = line_of(points, top or 1.0, measure.shown)
    if line is None:
        return None
    at_bound = (LARGE[1] * (1 - bound / top), measure.shown(bound)) if is_near and bound else None
    moments = [at for at, value in known if value is not None]
    return Course(
        title=measure.title,
        line=line,
        now=measure.shown(points[-1][1]),
        most=measure.shown(largest),
        first_at=moments[0],
        last_at=moments[-1],
        bound=at_bound,
        trend=_trend_in_words(trend_of(points), measure),
    )


def _trend_in_words(trend: Trend | NoTrend, measure: _Measure) -> str:
    if isinstance(trend, NoTrend):
        return say("No trend: {because}.", because=trend.because)
    hourly = [abs(each) * 3_600_000 for each in (trend.slope, trend.slope_low, trend.slope_high)]
    low, high = sorted(hourly[1:])
    values = {"by": measure.shown(hourly[0]), "low": measure.shown(low), "high": measure.shown(high)}
    if trend.slope > 0:
        return say("Rises by {by} an hour ({low} to {high}).", **values)
    return say("Falls by {by} an hour ({low} to {high}).", **values)
