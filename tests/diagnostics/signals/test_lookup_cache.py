"""Hit rate of a look-up's cache."""

from __future__ import annotations

from typing import Any

from diagnostics.signals import lookup_cache
from tests.diagnostics.hand_made import JOB, MIDDLE, START, hand_made, line_of_jobs, needs, only


def counted(metric: str, first: float, last: float, subtask: int = 0) -> list[dict[str, Any]]:
    about = {"job_id": JOB, "vertex_id": MIDDLE, "operator": "enrich", "subtask": subtask, "metric": metric}
    return [{**about, "value": first, "ts_ms": START}, {**about, "value": last, "ts_ms": START + 60_000}]


def test_the_share_is_that_of_the_look_ups_while_it_was_watched() -> None:
    rows = [*counted("cache.hitCount", 9_000, 9_200), *counted("cache.missCount", 100, 900)]
    evidence = hand_made(**line_of_jobs(), metric_sample=rows)
    facts = only(lookup_cache.measure(evidence), "lookup_cache").facts
    assert (facts["asked"], facts["misses"], facts["hit_ratio"]) == (1_000, 800, 0.2)


def test_a_job_without_a_cache_gives_no_signal() -> None:
    assert needs(lookup_cache.measure(hand_made())) == {"lookup_cache": "vertex-metrics"}
