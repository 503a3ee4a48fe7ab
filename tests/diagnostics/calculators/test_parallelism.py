"""Subtasks that a rate needs."""

from __future__ import annotations

import pytest

from tests.diagnostics.calculators.worked_example import outcome, shown

LOOK_UP_OF_63 = {
    "blocking_calls.role": "look-up",
    "blocking_calls.call_ms": 47.31,
    "blocking_calls.async_capacity": 8,
    "record_rate.offered_per_s": 239.83,
    "record_rate.highest_per_s": 63.19,
    "record_rate.ms_per_record": 47.31,
    "record_rate.parallelism": 3,
    "record_rate.slots_total": 6,
}

LOOK_UP = {"blocking_calls.role": "look-up"}


def test_subtasks_are_rate_times_cost_over_the_target() -> None:
    """400/s x 32 ms = 12.8 busy subtasks; at 80 % busy 12.8 / 0.8 = 16.

    Of three subtasks the hottest has 2.7 / 3 = 90 % of the records: it is full at 1,000 / (0.9 x 32) = 34.7/s, and
    all three only at 3 x 1,000 / 32 = 93.75/s.
    """
    values = {"rate": 400.0, "ms_per_record": 32.0, "parallelism": 3.0, "target": 0.8}
    found = outcome("parallelism", skew_ratio=1.0, **values)
    assert found.results["needed"] == 16
    skewed = outcome("parallelism", skew_ratio=2.7, **values)
    assert (skewed.advice, "stays on one subtask" in skewed.refusals[0]) == ("do not", True)
    assert shown(skewed)["Passes until it is busy all the time"] == "1,000 ms / (90 % x 32 ms) = 34.7/s"
    assert shown(skewed)["Part of what comes in that passes"] == "34.7/s / 400/s = 8.7 %"
    assert shown(skewed)["Would pass evenly spread"] == "3 x 1,000 ms / 32 ms = 93.8/s"
    refused = outcome("parallelism", {"outside_system.refused": 14}, skew_ratio=1.0, **values)
    assert "more subtasks send it more" in refused.refusals[0]


def test_a_hot_subtask_passes_what_was_measured_and_the_mean_cost_of_a_record_is_not_its_own() -> None:
    """One key has 91 %; three idle subtasks pay 5 ms to wake up for a record, so that the mean says 262/s for 725/s."""
    facts = {"record_rate.offered_per_s": 2617.0, "record_rate.highest_per_s": 723.5}
    facts |= {"record_rate.ceiling_total_per_s": 725.0, "record_rate.ms_per_record": 4.19, "record_rate.slots_total": 4}
    facts |= {"record_rate.parallelism": 4, "load_balance.skew_ratio": 3.65}
    found = outcome("parallelism", facts)
    assert found.refusals == [found.headline]
    assert "the task passes at most 725/s of the 2,617/s that come in." in found.headline
    assert list(shown(found).values()) == ["3.65 / 4 = 91 %", "measured = 725/s", "725/s / 2,617/s = 28 %"]


def test_a_task_has_to_keep_up_with_what_is_offered_not_with_what_it_reads_while_it_holds_back() -> None:
    """239.83/s x 47.31 ms = 11.3 subtasks busy all the time, 17 at 70 %; of the slots there are 6."""
    found = outcome("parallelism", LOOK_UP_OF_63)
    assert found.advice == "do not"
    assert "239.8/s keep 12 subtasks busy all the time and need 17 at 70 % busy, and the cluster" in found.headline
    assert outcome("parallelism", LOOK_UP_OF_63 | {"record_rate.slots_total": 12}).advice == "do"
    calls = outcome("look-up", LOOK_UP_OF_63)
    assert calls.advice == "do"
    assert "One call at a time carries 63.4/s of 239.8/s." in calls.headline
    assert "4 in flight for each subtask, and up to 507.3/s with 8;" in calls.headline


@pytest.mark.parametrize("calculator", ["parallelism", "look-up"])
def test_what_a_task_that_holds_the_stream_back_has_read_is_not_what_comes_in(calculator: str) -> None:
    """It read 63.2/s and looked as if it kept up, while the sources had offered 239.8/s."""
    facts = {"record_rate.highest_per_s": 63.2, "record_rate.offered_per_s": 239.8, "record_rate.ms_per_record": 47.3}
    facts |= {"record_rate.parallelism": 3, "blocking_calls.async_capacity": 8, "blocking_calls.call_ms": 47.3}
    found = outcome(calculator, facts | LOOK_UP)
    assert found.advice == "do"
    assert "239.8/s" in found.headline
    assert found.results["needed"] == {"parallelism": 17, "look-up": 4}[calculator]


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (None, "If that is one key, it stays on one subtask"),
        (0.9, "Key M-17 alone has 90 % of the events: it stays on one subtask"),
        (0.01, "It is not one key: the most frequent one, M-17, has 1 % of the events."),
    ],
)
def test_the_share_of_the_most_frequent_key_says_whether_an_uneven_load_is_one_key(
    share: float | None, said: str
) -> None:
    facts = {"key_distribution.top_key": "M-17", "key_distribution.top_key_share_ratio": share}
    values = {"rate": 3_000.0, "ms_per_record": 1.6, "parallelism": 4.0, "skew_ratio": 3.65}
    found = outcome("parallelism", facts, **values)
    assert found.advice == "do not"
    assert said in found.headline


def test_a_task_that_has_enough_subtasks_is_named_and_left_alone() -> None:
    found = outcome("parallelism", {"subject.vertex": "Window"}, rate=6_060.0, ms_per_record=0.1, parallelism=4.0)
    assert (found.advice, found.headline) == ("do not", "Window needs no more: parallelism 4 suffices for 6,060/s.")
    seen = {"subject.vertex": "Window", "record_rate.highest_per_s": 6_060.0}
    most = outcome("parallelism", seen, ms_per_record=0.1, parallelism=4.0)
    assert most.headline.endswith("suffices for 6,060/s, the highest rate seen.")
    more = outcome("parallelism", {"subject.vertex": "Window"}, rate=6_060.0, ms_per_record=1.0, parallelism=4.0)
    assert more.headline.startswith("Window: 9 subtasks in place of 4")
