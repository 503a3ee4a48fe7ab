from __future__ import annotations

import warnings

import numpy as np
import pyarrow as pa
import pytest

from diagnostics.arithmetic.row_groups import ends_of_runs, order_of, sorted_order
from diagnostics.arithmetic.thinning import bits_for


def test_rows_without_a_pointer_come_first_and_no_library_warns_about_it() -> None:
    rows = pa.table(
        {
            "pointer": pa.array(["/b", None, "/a"], pa.string()),
            "line": pa.array([1, 1, 1], pa.int64()),
            "file_id": pa.array([0, 0, 0], pa.int64()),
            "value": pa.array([1.0, 2.0, 3.0], pa.float64()),
        }
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert order_of(rows).tolist() == [1, 2, 0]


@pytest.mark.parametrize("groups", [3, 100_000])
def test_rows_are_sorted_as_by_all_keys_whatever_order_they_come_in(groups: int) -> None:
    chance = np.random.default_rng(groups)
    for times in (np.arange(500), np.arange(500) // 7, chance.integers(-50, 50, 500)):
        keys = chance.integers(0, 3, 500), times, chance.integers(0, groups, 500)
        assert sorted_order(*keys).tolist() == np.lexsort(keys).tolist()


@pytest.mark.parametrize("most", [1, 5, 60, 400])
def test_slots_are_the_shortest_of_which_there_are_few_enough(most: int) -> None:
    chance = np.random.default_rng(most)
    groups, times = np.sort(chance.integers(0, 4, 400)), chance.integers(-(10**6), 10**12, 400)
    order = np.lexsort((times, groups))
    bits = bits_for(most, groups, times[order], 2)
    counts = [len(ends_of_runs(groups, times[order] >> each)) for each in range(2, 48)]
    assert bits == 2 + next((place for place, count in enumerate(counts) if count <= most), 46)
