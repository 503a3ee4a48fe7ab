"""A panel of a Grafana dashboard, by which a chart of a case is watched on the running job."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

ONE_JOB = 'job_name=~"$job_name"'
"""The job that the dashboard's variable selects."""
BY_TASK = "by (task_name)"


@dataclass(frozen=True, slots=True)
class GrafanaPanel:
    """One panel.

    queries    legend -> PromQL
    unit       Grafana's name of it
    threshold  the threshold of an alert
    """

    title: str
    unit: str
    queries: Mapping[str, str]
    threshold: float | None = None
