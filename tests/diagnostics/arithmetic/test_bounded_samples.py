"""Thinned samples: the result does not depend on how they were cut and merged."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial

import numpy as np
import pyarrow as pa
import pytest

from diagnostics.aggregators import gauge_slots
from diagnostics.arithmetic.exact_sum import sums_of_groups
from diagnostics.arithmetic.extremes import extreme_samples
from diagnostics.arithmetic.metric_samples import in_order
from diagnostics.arithmetic.thinning import slot_bits, thin_samples, unthinned
from tests.diagnostics.many_samples import many_samples

SERIES = ("metric", "subtask")
TIMES = 1_000 * np.arange(400)


def samples(series: int = 6) -> pa.Table:
    """Samples of some series each second, in any order, with values of any size."""
    chance = np.random.default_rng(7)
    names = [{"metric": "m", "subtask": number} for number in range(series)]
    rows = many_samples(names, TIMES, 10.0 ** chance.uniform(-8, 12, len(TIMES)))
    return rows.take(pa.array(chance.permutation(rows.num_rows)))


def thinned(most: int) -> Callable[[pa.Table], pa.Table]:
    return partial(thin_samples, series=SERIES, most=most)


@pytest.mark.parametrize(
    ("first", "merge"),
    [
        (unthinned, thinned(100_000)),
        (unthinned, thinned(500)),
        (unthinned, thinned(7)),
        (unthinned, thinned(3)),
        (lambda rows: rows, partial(extreme_samples, series=SERIES, most=100)),
        (lambda rows: rows, partial(extreme_samples, series=SERIES, most=4)),
    ],
)
def test_what_is_kept_does_not_depend_on_cuts_and_order(
    first: Callable[[pa.Table], pa.Table], merge: Callable[[pa.Table], pa.Table]
) -> None:
    rows = samples()
    whole = in_order(merge(first(rows))).to_pylist()
    for seed in range(5):
        chance = random.Random(seed)
        cuts = sorted(chance.randint(0, rows.num_rows) for _ in range(9))
        parts = [
            merge(first(rows.slice(start, end - start)))
            for start, end in zip([0, *cuts], [*cuts, rows.num_rows], strict=True)
        ]
        while len(parts) > 1:
            chance.shuffle(parts)
            parts = [merge(pa.concat_tables(parts[:3])), *parts[3:]]
        assert in_order(parts[0]).to_pylist() == whole


def test_few_samples_stay_as_they_are() -> None:
    rows = samples()
    assert thinned(rows.num_rows)(unthinned(rows)).num_rows == rows.num_rows


def test_of_many_samples_the_last_one_of_each_slot_stays() -> None:
    kept = thinned(1_000)(unthinned(samples()))

    assert slot_bits(kept) == 12
    width = 2**12
    of_one = sorted(row["ts_ms"] for row in kept.to_pylist() if row["subtask"] == 0)
    last = {time // width: time for time in TIMES.tolist()}
    assert of_one == list(last.values())


def test_samples_without_a_time_are_one_slot() -> None:
    rows = samples(1)
    place = rows.schema.get_field_index("ts_ms")
    undated = rows.set_column(place, rows.schema.field(place), pa.nulls(rows.num_rows, pa.int64()))
    kept = thinned(50)(unthinned(pa.concat_tables([rows, undated])))
    assert kept["ts_ms"].null_count == 1
    assert 25 < kept.num_rows <= 50


def test_of_too_many_series_the_first_ones_stay() -> None:
    kept = thinned(3)(unthinned(samples()))
    assert sorted(kept["subtask"].to_pylist()) == [0, 1, 2]


def test_the_ends_of_a_series_are_its_lowest_highest_first_and_last_sample() -> None:
    rows = samples(1)
    kept = extreme_samples(rows, SERIES, 10)
    values = rows["value"].to_pylist()
    assert {min(values), max(values)} <= set(kept["value"].to_pylist())
    assert {TIMES[0], TIMES[-1]} <= set(kept["ts_ms"].to_pylist())
    assert kept.num_rows <= 4


def test_a_sum_is_that_of_all_digits() -> None:
    numbers = np.array([1e16, 1.0, -1e16, 1e-3, 3.0])
    sums, rests = sums_of_groups(np.array([0, 0, 0, 0, 1]), numbers, np.zeros(5))
    assert (sums + rests).tolist() == [1.001, 3.0]


def test_no_numbers_have_no_sum() -> None:
    sums, rests = sums_of_groups(np.empty(0, np.int64), np.empty(0), np.empty(0))
    assert (len(sums), len(rests)) == (0, 0)


@pytest.mark.parametrize("most", [100_000, 100, 1])
def test_slots_of_gauges_do_not_depend_on_cuts_and_order(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gauge_slots, "MOST_SLOTS", most)
    aggregator, rows = gauge_slots.AGGREGATOR, samples()
    whole = aggregator.finish(aggregator.reduce_rows(rows))
    for seed in range(5):
        chance = random.Random(seed)
        cuts = sorted(chance.randint(0, rows.num_rows) for _ in range(9))
        parts = [
            aggregator.reduce_rows(rows.slice(start, end - start))
            for start, end in zip([0, *cuts], [*cuts, rows.num_rows], strict=True)
        ]
        chance.shuffle(parts)
        merged = aggregator.merge_states([aggregator.merge_states(parts[:4]), *parts[4:]])
        assert aggregator.finish(merged).to_pylist() == whole.to_pylist()
    assert whole.num_rows <= most
    assert sum(whole["count"].to_pylist()) == rows.num_rows
