"""What the sources offer a task, which nothing shows where they are held back all the time."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.reconstruction.job.graph import job_graph
from diagnostics.reconstruction.load.offered_rate import emitted_rate
from tests.diagnostics.hand_made import JOB, MIDDLE, SOURCE, START, hand_made, line_of_jobs


def source(rates: list[float], held: list[float]) -> list[dict[str, Any]]:
    """Samples every ten seconds of one subtask of the source: records a second, and ms a second it is held back."""
    place = {"scope": "task", "job_id": JOB, "vertex_id": SOURCE, "vertex": "Source: orders", "subtask": 0}
    rows, count = [], 0.0
    for step, (rate, held_ms) in enumerate(zip(rates, held, strict=True)):
        count += rate * 10
        moment = {**place, "ts_ms": START + step * 10_000}
        rows.append({**moment, "metric": "numRecordsOut", "value": count})
        rows.append({**moment, "metric": "backPressuredTimeMsPerSecond", "value": held_ms})
    return rows


@pytest.mark.parametrize(
    ("rates", "held", "emitted"),
    [
        ([270.0] * 12, [940.0] * 12, None),  # what the task takes
        ([270.0] * 12, [0.0] * 12, 270.0),
        ([900.0] * 6 + [270.0] * 6, [400.0] * 6 + [940.0] * 6, 900.0),  # it slowed down
        ([900.0] * 6 + [270.0] * 6, [0.0] * 6 + [940.0] * 6, 900.0),
    ],
)
def test_the_rate_of_sources_that_are_always_held_back_is_not_what_they_offer(
    rates: list[float], held: list[float], emitted: float | None
) -> None:
    evidence = hand_made(**line_of_jobs(), metric_sample=source(rates, held))
    found = emitted_rate(evidence, job_graph(cluster_of(evidence), JOB), MIDDLE)
    assert found == (emitted if emitted is None else pytest.approx(emitted))
