"""Distribution of a load over subtasks."""

from __future__ import annotations

import math
import random

import pytest

from diagnostics.arithmetic.balance import (
    SALTED_MULTIPLE,
    balance,
    busyness,
    implied_key_groups,
    key_group_skew,
    salts_needed,
)


def test_one_subtask_with_nine_tenths_of_the_load_is_hot() -> None:
    spread = balance({0: 900, 1: 40, 2: 30, 3: 30})
    assert spread is not None
    assert (spread.hot, spread.hot_subtasks, spread.others) == (0, (0,), (1, 2, 3))
    assert spread.share_ratio == pytest.approx(900 / 1000)
    assert spread.skew_ratio == pytest.approx(900 / (1000 / 4))
    assert spread.concentration_ratio == pytest.approx((900 - 250) / (1000 - 250))


def test_two_hot_subtasks_are_both_named() -> None:
    spread = balance({0: 450, 1: 10, 2: 450, 3: 10, 4: 20, 5: 20, 6: 20, 7: 20})
    assert spread is not None
    assert spread.hot_subtasks == (0, 2)


def test_of_two_subtasks_a_share_of_three_quarters_is_hot_although_it_is_not_twice_the_even_one() -> None:
    spread = balance({0: 250, 1: 750})
    assert spread is not None
    assert (spread.skew_ratio, spread.concentration_ratio) == (1.5, 0.5)
    assert spread.hot_subtasks == (1,)


def test_an_even_load_has_a_skew_of_one() -> None:
    spread = balance({0: 100, 1: 100})
    assert spread is not None
    assert (spread.skew_ratio, spread.concentration_ratio, spread.hot_subtasks) == (1.0, 0.0, (0,))


def test_subtasks_with_hardly_any_load_are_idle() -> None:
    spread = balance({0: 500, 1: 500, 2: 0})
    assert spread is not None
    assert spread.idle_subtasks == (2,)


def test_a_single_subtask_or_no_load_has_no_balance() -> None:
    assert balance({0: 100}) is None
    assert balance({0: 0, 1: 0}) is None


def test_the_needed_salts_keep_the_fullest_subtask_below_the_wanted_multiple() -> None:
    parallelism, share = 4, 0.9
    salts = salts_needed(share, parallelism)
    assert salts == math.ceil(2 * 4 * math.log(4) * (0.9 / 0.5) ** 2)
    dice = random.Random(7)
    fullest = []
    for _ in range(2000):
        bins = [0] * parallelism
        for _ in range(salts):
            bins[dice.randrange(parallelism)] += 1
        fullest.append(share * max(bins) / salts + (1 - share) / parallelism)
    assert sum(fullest) / len(fullest) <= SALTED_MULTIPLE / parallelism


def test_there_are_never_fewer_salts_than_subtasks() -> None:
    assert salts_needed(0.01, 8) == 8


def test_key_groups_that_do_not_divide_evenly_make_a_skew_of_their_own() -> None:
    assert key_group_skew(128, 4) == 1.0
    assert key_group_skew(128, 100) == pytest.approx(2 * 100 / 128)


def test_busy_ratios_are_compared_while_the_busiest_is_busy() -> None:
    step = 10_000
    hot = {moment * step: 1.0 if moment >= 5 else 0.1 for moment in range(10)}
    cold = {moment * step: 0.08 if moment >= 5 else 0.9 for moment in range(10)}
    found = busyness({0: hot, 1: cold})
    assert found is not None
    assert found.busiest == 0
    assert found.by_subtask == {0: 1.0, 1: 0.08}


def test_initialising_subtasks_do_not_count_as_busy() -> None:
    step = 10_000
    both = {moment * step: 1.0 if moment < 2 else 0.02 for moment in range(12)}
    found = busyness({0: both, 1: dict(both)})
    assert found is not None
    assert found.by_subtask == {0: 0.02, 1: 0.02}


def test_samples_of_two_processes_are_matched_by_slots() -> None:
    one = {moment * 10_000: ratio for moment, ratio in enumerate([0.1, 0.1, 0.9, 0.9])}
    other = {moment * 10_000 + 3_000: ratio for moment, ratio in enumerate([0.2, 0.2, 0.3, 0.3])}
    found = busyness({0: one, 1: other})
    assert found is not None
    assert found.by_subtask == {0: 0.9, 1: 0.3}


def test_without_samples_nothing_is_busy() -> None:
    assert busyness({}) is None
    assert busyness({0: {}}) is None


def test_whole_steps_between_subtasks_show_the_number_of_key_groups() -> None:
    assert implied_key_groups([240, 241, 120, 119.5, 120, 121]) == 8
    assert implied_key_groups([300, 300, 200, 200]) == 10


def test_other_loads_show_no_number_of_key_groups() -> None:
    assert implied_key_groups([240, 120, 120, 120]) is None, "one hot key makes it too"
    assert implied_key_groups([240, 200, 160, 120]) is None
    assert implied_key_groups([120, 120, 120]) is None
    assert implied_key_groups([480, 480, 0, 0]) is None
