"""Splits that alignment pauses."""

from __future__ import annotations

from diagnostics.signals import watermark_alignment
from tests.diagnostics.hand_made import JOB, SOURCE, START, hand_made, line_of_jobs, needs, only


def test_the_most_and_the_least_paused_split_are_reported() -> None:
    about = {"job_id": JOB, "vertex_id": SOURCE, "operator": "orders", "subtask": 0, "ts_ms": START}
    rows = [
        {**about, "metric": "watermark.pausedTimeMsPerSecond", "labels": f"split={split}", "value": value}
        for split, value in enumerate((980.0, 940.0, 0.0))
    ]
    rows.append({**about, "metric": "watermarkAlignmentDrift", "labels": None, "value": 65_000.0})
    evidence = hand_made(**line_of_jobs(), metric_sample=rows)
    facts = only(watermark_alignment.measure(evidence), "watermark_alignment").facts
    assert (facts["splits"], facts["paused_splits"], facts["drift_max_ms"]) == (3, 2, 65_000)
    assert (facts["paused_ratio"], facts["paused_min_ratio"]) == (0.98, 0.0)


def test_without_alignment_nothing_is_measured() -> None:
    assert needs(watermark_alignment.measure(hand_made())) == {"watermark_alignment": "metric-scrapes"}
