"""Look-ups: calls in flight, and a cache."""

from __future__ import annotations

from tests.diagnostics.calculators.worked_example import outcome, shown

LOOK_UP = {"blocking_calls.role": "look-up"}


def test_asynchronous_calls_are_not_advised_without_a_look_up() -> None:
    found = outcome("look-up", rate=400.0, call_ms=30.0, parallelism=3.0, hits=0.0, capacity=100.0)
    assert found.advice == "not known"


def test_littles_law_shows_the_calls_in_flight() -> None:
    """400/s x 30 ms = 12 calls in flight, 4 for each of 3 subtasks; one at a time 3 / 30 ms = 100/s."""
    found = outcome("look-up", LOOK_UP, rate=400.0, call_ms=30.0, parallelism=3.0, hits=0.0, capacity=100.0)
    assert (found.results["in_flight"], found.results["needed"]) == (12, 4)
    assert (found.results["one_by_one_per_s"], found.advice) == (100, "do")


def test_a_cache_of_three_quarters_makes_four_times_as_many_records_pass() -> None:
    """3 / 30 ms / (1 - 75 %) = 400/s."""
    found = outcome("look-up", LOOK_UP, rate=400.0, call_ms=30.0, parallelism=3.0, hits=0.75, capacity=100.0)
    assert (found.results["one_by_one_per_s"], found.advice) == (400, "depends")
    refusing = {"outside_system.refused": 3}
    assert outcome("look-up", refusing, rate=400.0, call_ms=30.0, parallelism=3.0).advice == "do not"


def test_one_call_at_a_time_passes_what_was_measured() -> None:
    """The task passed 97.2/s at 30.859 ms a record, of which the call took 30.756 ms: not 3 / 30.756 ms = 97.5/s."""
    measured = LOOK_UP | {"record_rate.ms_per_record": 30.859, "blocking_calls.call_ms": 30.756}
    found = outcome("look-up", measured, rate=400.0, parallelism=3.0, hits=0.0, capacity=9.0)
    assert "One call at a time carries 97.2/s of 400/s" in found.headline
    assert shown(found)["Records, one call at a time"] == "3 x 1 / (31 ms x (1 - 0 %) + 0.103 ms) = 97.2/s"
