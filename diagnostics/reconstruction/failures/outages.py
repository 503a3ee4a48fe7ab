"""Jobs that do not run when their metrics end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from diagnostics.citation import Citation
from diagnostics.reconstruction.metrics.metric_series import MetricSeries

OUTAGES = ("restartingTime", "downtime")
"""Gauges that grow as long as a job does not run. `restartingTime` keeps the length of the last restart afterwards.
Source: Flink documentation, Metrics (availability).
"""


@dataclass(frozen=True, slots=True)
class Outage:
    """How long a job has not run at its last sample, ms."""

    lasted_ms: int
    citation: Citation


def outages_at_end(series: MetricSeries) -> Mapping[str | None, Outage]:
    """Job -> the outage that its last samples show; none of a job that runs then or has ended."""
    uptimes = {each.job_id: each.known[-1].value for each in series.of("uptime") if each.known}
    outages: dict[str | None, Outage] = {}
    for metric in OUTAGES:
        for gauge in series.of(metric):
            before, last = (None, *gauge.known)[-2:] if gauge.known else (None, None)
            grows = before and last and (last.value or 0.0) > (before.value or 0.0)
            if last and grows and uptimes.get(gauge.job_id, 0.0) == 0.0:
                outages[gauge.job_id] = Outage(round(last.value or 0.0), gauge.cite(last))
    return outages
