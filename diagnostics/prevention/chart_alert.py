"""An alert rule made from one panel of a chart: its query, a bound, and how long it has to hold.

The proposed bound is the panel's threshold or, without one, a part of the largest value of the incident, so that the
same incident would fire it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from diagnostics.charting.grafana_panel import ONE_JOB, GrafanaPanel
from diagnostics.language import say
from diagnostics.prevention.alert import MINUTE, Alert, Condition, largest_of, means_of, sums_of
from diagnostics.prevention.series import STEP_MS, CaseSeries, Labels
from diagnostics.wording import phrase

PART_OF_LARGEST = 0.8
"""Of the largest value of the incident: it fires before the value is reached again. Our choice."""
MOST_MINUTES = 24 * 60
"""Longest time that an alert waits. Our choice."""
DIGITS = 3
"""Significant digits of a proposed bound."""

UNITS = {"ms": " ms", "bytes": " bytes"}
"""Grafana's name of a unit -> what follows the bound in a sentence."""
NAMED = ("task_name", "job_name")
"""Labels of a legend that a sentence can name."""
METRIC = r"(?P<metric>flink_\w+)\{[^{}]*\}"
BY = r"(?P<how>max|avg|sum) by \((?P<by>task_name|job_name)\)"
PLAIN = re.compile(METRIC)
GROUPED = re.compile(rf"{BY} \({METRIC}\)")
DELTA = re.compile(r"(?:delta|increase)\((?P<of>flink_\w+\{[^{}]*\})\[(?P<minutes>\d+)m\]\)")
INCREASE = re.compile(rf"{BY} \(increase\((?P<of>flink_\w+\{{[^{{}}]*\}})\[(?P<minutes>\d+)m\]\)\)")
GROWTH = re.compile(rf"(?P<now>{BY} \({METRIC}\)) - (?:.*) offset (?P<minutes>\d+)m\)")
ANY_METRIC = re.compile(r"\b(?:flink|node)_\w+")
"""Metrics of Flink, and of the node exporter, which knows the host."""
LABEL = re.compile(r"\{\{(\w+)\}\}")

Values = Mapping[Labels, Sequence[float | None]]


@dataclass(frozen=True, slots=True)
class PanelQuery:
    """One query of a panel of a chart.

    legend  of the panel, Grafana's notation
    """

    panel: GrafanaPanel
    legend: str
    query: str

    @property
    def title(self) -> str:
        """The panel's title, with the query's own name where the panel has several; in English."""
        return self.panel.title if len(self.panel.queries) == 1 else f"{self.panel.title}: {self.legend}"

    @property
    def read_title(self) -> str:
        """The same in the language of the reader."""
        title = say(self.panel.title)
        if len(self.panel.queries) == 1:
            return title
        return say("{title}: {legend}", title=title, legend=say(self.legend))

    @property
    def expr(self) -> str:
        """The query of an alert, in which a growth is a difference: `delta` and `increase` extrapolate, so that a count
        of 2 is 2.1 there, and a bound of 2 is met by chance.
        """
        if delta := DELTA.fullmatch(self.query):
            return _difference(f"max by (job_name) ({delta['of']})", delta["minutes"])
        if increase := INCREASE.fullmatch(self.query):
            grouped = f"{increase['how']} by ({increase['by']}) ({increase['of']})"
            return _difference(grouped, increase["minutes"])
        return self.query

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that it reads."""
        return tuple(dict.fromkeys(ANY_METRIC.findall(self.query)))


def _difference(grouped: str, minutes: str) -> str:
    return f"{grouped} - {grouped[:-1]} offset {minutes}m)"


def panel_queries(panels: Sequence[GrafanaPanel]) -> list[PanelQuery]:
    """The queries that an alert can be made from, in the order of the panels."""
    return [PanelQuery(panel, legend, query) for panel in panels for legend, query in panel.queries.items()]


def proposed_bound(query: PanelQuery, series: CaseSeries) -> float | None:
    """The threshold of the panel, else a part of the incident's largest value; None where neither is known."""
    if query.panel.threshold is not None:
        return query.panel.threshold
    values = values_of(query.expr, series) or {}
    known = [value for column in values.values() for value in column if value is not None]
    largest = max(known, default=0.0)
    return float(f"{largest * PART_OF_LARGEST:.{DIGITS}g}") if largest > 0 else None


def chart_alert(query: PanelQuery, bound: float, minutes: int, job: str | None) -> Alert:
    """The alert that fires when the query has exceeded the bound for the given minutes.

    job  label value of the job; None for all jobs
    """
    expr = query.expr.replace(ONE_JOB, f'job_name="{job}"' if job else 'job_name!=""')
    where = " ".join(f"{{{label}}}" for label in LABEL.findall(query.legend) if label in NAMED)
    unit = UNITS.get(query.panel.unit, "")
    name = "Flink" + "".join(word.capitalize() for word in re.findall(r"[A-Za-z0-9]+", query.title))
    return Alert(
        name=name,
        expr=f"{expr} > {bound:.15g}",
        for_ms=minutes * MINUTE,
        severity="warning",
        summary=say(
            "{title} of {where} exceeds {bound}",
            title=query.read_title,
            where=where or say("the job"),
            bound=f"{phrase.number(bound)}{unit}",
        ),
        why=_origin(query, bound),
        needs=query.metrics,
        condition=_over(query.expr, bound),
    )


def _origin(query: PanelQuery, bound: float) -> str:
    if query.panel.threshold == bound:
        return say("Made from a chart of a case. The bound is that of the panel.")
    return say("Made from a chart of a case. The bound was chosen for this alert.")


def values_of(expr: str, series: CaseSeries) -> Values | None:
    """The expression evaluated on the series of a case; None for one of another form than the panels' own."""
    if plain := PLAIN.fullmatch(expr):
        return {each.labels: each.values for each in series.of(plain["metric"])}
    if grouped := GROUPED.fullmatch(expr):
        return _grouped(grouped, series)
    if growth := GROWTH.fullmatch(expr):
        return _growth(_grouped(growth, series), int(growth["minutes"]) * MINUTE // STEP_MS)
    dividend, _, divisor = expr.partition(" / ")
    above, below = GROUPED.fullmatch(dividend), GROUPED.fullmatch(divisor)
    return _ratio(_grouped(above, series), _grouped(below, series)) if above and below else None


def _grouped(found: re.Match[str], series: CaseSeries) -> Values:
    how = {"max": largest_of, "avg": means_of, "sum": sums_of}[found["how"]]
    return how(series, found["metric"], (found["by"],))


def _growth(values: Values, steps: int) -> Values:
    """Growth within a number of steps; None where the value is unknown at one of both ends."""
    return {
        labels: [
            value - before if value is not None and before is not None else None
            for before, value in zip([*[None] * steps, *column], column, strict=False)
        ]
        for labels, column in values.items()
    }


def _ratio(above: Values, below: Values) -> Values:
    return {
        labels: [
            high / low if high is not None and low else None
            for high, low in zip(values, below.get(labels, [None] * len(values)), strict=True)
        ]
        for labels, values in above.items()
    }


def _over(expr: str, bound: float) -> Callable[[CaseSeries], Condition]:
    def condition(series: CaseSeries) -> Condition:
        values = values_of(expr, series) or {}
        return {labels: [value is not None and value > bound for value in column] for labels, column in values.items()}

    return condition
