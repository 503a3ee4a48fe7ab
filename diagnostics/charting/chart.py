"""The type of a chart: points reduced from the evidence in Spark, and a figure drawn from them in the web process."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from diagnostics.language import say

if TYPE_CHECKING:
    from diagnostics.charting.grafana_panel import GrafanaPanel
    from diagnostics.evidence import Evidence

Points = Mapping[str, Any]
"""JSON values, at most a few thousand points; times are epoch milliseconds UTC."""

THUMBNAIL = (72, 18)
"""Width and height of a thumbnail, in pixels."""

Axis = Literal["time", "own"]


@dataclass(frozen=True, slots=True)
class Theme:
    """Colour scheme of a figure: `light` or `dark`; every colour comes from `diagnostics/charting/theme.py`."""

    name: Literal["light", "dark"]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several objects that a chart shows one at a time, e.g. a checkpoint.

    key     value of the points' entry `chosen` when selected
    details text for the tooltip
    is_bad  whether it is marked as conspicuous
    group   heading under which similar ones are listed; empty without groups
    thumbnail  its course as the path of an SVG of THUMBNAIL pixels; empty without one
    """

    key: str
    title: str
    details: str
    is_bad: bool = False
    job_id: str | None = None
    group: str = ""
    thumbnail: str = ""


StoredSignals = Sequence[Mapping[str, Any]]
"""The signals of an analysis as they are stored: `key` and, of a measured one, `facts`."""


def not_read(_signals: StoredSignals) -> str | None:
    """For charts that are empty only without their evidence."""
    return None


def facts_of(signals: StoredSignals, key: str) -> list[Mapping[str, Any]]:
    """The facts of the measured signals of a key."""
    return [each["facts"] for each in signals if each["key"] == key and "facts" in each]


def one_view(_points: Points) -> Sequence[Choice]:
    """For charts that show everything at once."""
    return ()


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart; `CHART` of one module in `diagnostics/charts`.

    id       stable id, e.g. `checkpoint-history`
    title    for people, in Flink's words; marked by `to_say`, as `missing` and the texts of the panels
    order    position on the page
    axis     `time` charts share one time axis; `own` charts do not
    missing  the file that would fill it, as a sentence with the command that collects it
    panels   Grafana panels that show the same of the running job; empty, with the reason in a comment, where none can
    points   from the evidence to points, None without suitable evidence; runs once, in the worker
    figure   from points to a Plotly figure as a JSON mapping (`data`, `layout`), for a phone with the entry
             `narrow` in the points; runs in the web process, without Spark
    summary  one or two sentences that say what the chart shows, for people who cannot see it
    table    the same as rows for the data table and CSV: header first
    choices  the objects shown one at a time; figure, summary and table read the selected key from `chosen`
    nothing  from the stored signals to the reason why it is empty although its evidence was read; None where it was not
    """

    id: str
    title: str
    order: int
    axis: Axis
    missing: str
    panels: Sequence[GrafanaPanel]
    points: Callable[[Evidence], Points | None]
    figure: Callable[[Points, Theme], Mapping[str, Any]]
    summary: Callable[[Points], str]
    table: Callable[[Points], list[list[Any]]]
    choices: Callable[[Points], Sequence[Choice]] = one_view
    nothing: Callable[[StoredSignals], str | None] = not_read

    @property
    def read_title(self) -> str:
        """The title in the language of its reader."""
        return say(self.title)

    @property
    def read_missing(self) -> str:
        """The file that would fill it, in the language of its reader."""
        return say(self.missing)

    def why_empty(self, signals: StoredSignals) -> str:
        """Why it has no points: what the evidence answers, else the file that would fill it."""
        return self.nothing(signals) or self.read_missing
