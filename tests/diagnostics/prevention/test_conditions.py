"""Conditions of alerts on series, which PromQL has to agree with."""

from __future__ import annotations

import pytest

from diagnostics.prevention.alert import has_increased
from diagnostics.prevention.series import STEP_MS, CaseSeries, Series

RESTARTS = "flink_jobmanager_job_numRestarts"
LABELS = (("job_name", "orders"),)


@pytest.mark.parametrize(
    ("counts", "grew"),
    [
        ([5, 5, 5], [False, False, False]),
        ([5, 6, 6], [False, True, True]),
        # A new JobManager counts from 0: Prometheus' increase() takes what comes after a smaller value as growth.
        ([5, 0, 1], [False, False, True]),
        ([5, 2, 2], [False, True, True]),
        ([5, None, 6], [False, False, True]),
    ],
)
def test_a_count_has_increased_as_prometheus_counts_it(counts: list[float | None], grew: list[bool]) -> None:
    series = CaseSeries("orders", len(counts), [Series(RESTARTS, LABELS, counts)])
    assert has_increased(series, RESTARTS, 3 * STEP_MS) == {LABELS: grew}
