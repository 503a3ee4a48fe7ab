"""Exchanges through which nothing gets, told from slow tasks, bursts and barriers that wait."""

from __future__ import annotations

from typing import Any

from diagnostics.signals.stalled_exchange import measure
from tests.diagnostics.hand_made import SOURCE, hand_made, line_of_jobs, only, ratios, signals_of_key


def looks(seconds: range, **by_vertex: tuple[float | None, float]) -> list[dict[str, Any]]:
    """The load of each task, as `ratios`, at each of these seconds."""
    return [row for second in seconds for row in ratios(second, **by_vertex)]


CALM = looks(range(0, 20, 10), source=(0.2, 0.0), middle=(0.1, 0.0), sink=(0.2, 0.0))


def test_both_sides_of_a_shut_exchange_wait() -> None:
    shut = looks(range(20, 70, 10), source=(0.0, 1.0), middle=(0.0, 0.0), sink=(0.0, 0.0))

    found = only(measure(hand_made(**line_of_jobs(), back_pressure=CALM + shut)), "stalled_exchange")

    assert found.subject.vertex == "enrich"
    assert found.facts["upstream_vertices"] == ["Source: orders"]
    assert (found.facts["upstream_ratio"], found.facts["busy_ratio"], found.facts["moments"]) == (1.0, 0.0, 5)
    assert found.facts["lasted_ms"] == 50_000


def test_a_slow_task_is_no_shut_exchange() -> None:
    slow = looks(range(20, 70, 10), source=(0.0, 1.0), middle=(1.0, 0.0), sink=(0.0, 0.0))

    assert not signals_of_key(measure(hand_made(**line_of_jobs(), back_pressure=CALM + slow)), "stalled_exchange")


def test_an_exchange_that_opened_again_is_none() -> None:
    shut = looks(range(20, 40, 10), source=(0.0, 1.0), middle=(0.0, 0.0), sink=(0.0, 0.0))
    open_again = looks(range(40, 70, 10), source=(0.3, 0.0), middle=(0.2, 0.0), sink=(0.1, 0.0))

    evidence = hand_made(**line_of_jobs(), back_pressure=CALM + shut + open_again)

    assert not signals_of_key(measure(evidence), "stalled_exchange")


def test_one_subtask_upstream_that_goes_on_keeps_the_exchange_open() -> None:
    shut = looks(range(20, 70, 10), source=(0.0, 1.0), middle=(0.0, 0.0), sink=(0.0, 0.0))
    for each in shut:
        if each["vertex_id"] == SOURCE and each["subtask"] == 1:
            each["back_pressured_ratio"] = 0.4

    assert not signals_of_key(measure(hand_made(**line_of_jobs(), back_pressure=CALM + shut)), "stalled_exchange")
