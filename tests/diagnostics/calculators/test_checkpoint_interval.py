"""The interval of checkpoints: their cost against what a failure loses."""

from __future__ import annotations

import math

import pytest

from tests.diagnostics.calculators.worked_example import outcome, shown


def test_the_interval_weighs_overhead_against_what_a_failure_loses() -> None:
    """sqrt(2 x 5 % x 6 s x 86,400 s / 2) = sqrt(25,920) s = 161 s."""
    found = outcome("checkpoint-interval", interval_ms=60_000.0, duration_ms=6000.0, failures_per_day=2.0, cost=0.05)
    assert shown(found)["Time with a checkpoint under way"] == "6 s / 60 s = 10 %"
    assert shown(found)["Processed again after a failure, at most"] == "60 s + 6 s = 66 s"
    assert found.results["best_ms"] == pytest.approx(math.sqrt(25_920) * 1000)
    assert outcome("checkpoint-interval", interval_ms=10_000.0, duration_ms=12_000.0).advice == "do not"


def test_what_a_source_cannot_read_again_is_lost_in_the_restart_too() -> None:
    """5 s + 200 ms + 17.2 s, where elsewhere the time of a restart is the same for every interval and loses nothing."""
    facts = {"delivery_guarantee.source": "at most once", "recovery.unread_longest_ms": 17_200}
    found = outcome("checkpoint-interval", facts, interval_ms=5_000.0, duration_ms=200.0)
    assert "a failure loses up to 22.4 s" in found.headline
    assert shown(found)["Lost with a failure, at most"] == "5 s + 200 ms + 17.2 s = 22.4 s"
    read_again = facts | {"delivery_guarantee.source": "exactly once"}
    again = outcome("checkpoint-interval", read_again, interval_ms=5_000.0, duration_ms=200.0)
    assert "Lost with a failure, at most" not in shown(again)
    assert "are processed again" in again.headline
    assert "loses" not in again.headline


def test_no_interval_is_tried_while_the_heap_is_full() -> None:
    full = {"heap_pressure.live_ratio": 0.98, "heap_pressure.full_gcs_for_room_most": 121}
    found = outcome("checkpoint-interval", full, interval_ms=10_000.0, duration_ms=2_300.0)
    assert (found.advice, found.headline) == ("do not", found.refusals[0])
    assert "heap is full" in found.headline
    freed = full | {"heap_pressure.live_ratio": 0.5}
    assert outcome("checkpoint-interval", freed, interval_ms=10_000.0, duration_ms=2_300.0).advice == "depends"


def test_a_checkpoint_that_expired_takes_its_timeout_or_more() -> None:
    facts = {"settings_check.usual_duration_ms": 60_000.0, "settings_check.usual_of_expired": True}
    found = outcome(
        "checkpoint-interval", facts | {"checkpoint_progress.median_duration_ms": 15_500}, interval_ms=10_000.0
    )
    assert found.headline.startswith("Do not shorten it: a checkpoint takes 60 s or more, longer than the interval")
    assert (found.lines[0].arithmetic, found.lines[0].result) == ("60 s / 10 s, at most all of it", "100 %")


@pytest.mark.parametrize(
    ("completed_ms", "said"),
    [
        (34_500, "Do not shorten it: a checkpoint takes 34.5 s or more, longer than the interval"),
        (4_000, "Do not shorten it: half of the checkpoints or more take 60 s or more, longer than the interval"),
    ],
)
def test_a_checkpoint_that_completed_beside_expired_ones_may_take_less(completed_ms: int, said: str) -> None:
    facts = {
        "settings_check.usual_duration_ms": 60_000.0,
        "settings_check.usual_of_expired": True,
        "checkpoint_progress.min_duration_ms": completed_ms,
    }
    assert outcome("checkpoint-interval", facts, interval_ms=10_000.0).headline.startswith(said)


def test_a_measured_duration_is_said_to_be_the_median_of_the_completed_ones() -> None:
    measured = outcome("checkpoint-interval", {"settings_check.usual_duration_ms": 258.0}, interval_ms=8_000.0)
    assert measured.headline.startswith("Every 8 s, 258 ms each, the median of the completed ones: checkpoints")
    entered = outcome("checkpoint-interval", {}, interval_ms=8_000.0, duration_ms=258.0)
    assert entered.headline.startswith("Every 8 s, 258 ms each: checkpoints")
    slow = outcome("checkpoint-interval", {"settings_check.usual_duration_ms": 12_800.0}, interval_ms=10_000.0)
    assert "a checkpoint takes 12.8 s (the median of the completed ones), longer than the interval" in slow.headline
    slower = outcome("checkpoint-interval", {}, interval_ms=10_000.0, duration_ms=12_800.0)
    assert "a checkpoint takes 12.8 s, longer than the interval" in slower.headline


def test_a_source_that_makes_its_records_loses_none_that_exist_elsewhere() -> None:
    facts = {"delivery_guarantee.source": "at most once", "job_code.makes_records": True}
    found = outcome("checkpoint-interval", facts, interval_ms=8_000.0, duration_ms=258.0)
    assert "a failure takes the state back by up to 8.3 s" in found.headline
    assert [line.label for line in found.lines if "Lost" in line.label] == []
