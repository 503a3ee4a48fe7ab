"""Rows are grouped alike whether their values fit into one number or not."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

from diagnostics.arithmetic.coarse_cells import truncated
from diagnostics.arithmetic.sorted_rows import counted_rows, highest_rows
from diagnostics.arithmetic.text_codes import coded_texts, in_name_order

FURTHEST = 2**63 - 1
VALUES = (
    ("small", [-2, 0, 1, 5]),
    ("in slots of 2^20", [place << 20 for place in (-7, 3, 4)]),
    ("as far apart as can be", [-FURTHEST - 1, 0, FURTHEST]),
    ("one value", [9]),
)


@pytest.mark.parametrize("rows", [0, 1, 500])
@pytest.mark.parametrize("values", [pytest.param(values, id=name) for name, values in VALUES])
def test_each_combination_has_the_sum_and_the_highest_of_its_rows(values: list[int], rows: int) -> None:
    chance = random.Random(rows)
    columns = [np.array(chance.choices(values, k=rows), np.int64) for _ in range(2)]
    counts = np.array(chance.choices([1, 2, 70], k=rows), np.int64)
    summed: Counter[tuple[int, ...]] = Counter()
    highest: dict[tuple[int, ...], int] = {}
    for *row, count in zip(*(column.tolist() for column in (*columns, counts)), strict=True):
        summed[tuple(row)] += count
        highest[tuple(row)] = max(count, highest.get(tuple(row), 0))
    for found, expected in ((counted_rows(columns, counts), summed), (highest_rows(columns, counts), highest)):
        distinct, of_each = found
        assert list(zip(*(column.tolist() for column in distinct), strict=True)) == sorted(expected)
        assert of_each.tolist() == [expected[row] for row in sorted(expected)]


def test_values_keep_their_most_significant_bits_and_their_sign() -> None:
    values = np.array([0, 31, 32, 1_000, 1_023, -1, -1_001, 2**52, FURTHEST])
    assert truncated(values, 3, 5).tolist() == [0, 0, 32, 896, 896, -1, -897, 2**52, 2**52]


def test_texts_of_rows_that_were_left_out_are_not_among_the_names() -> None:
    column = pa.chunked_array([pa.array(["b", "c", None, "a"]).dictionary_encode().slice(0, 3)])
    names, codes = in_name_order(column)
    assert (names.to_pylist(), codes.tolist()) == (["b", "c"], [0, 1, 2])
    assert coded_texts(names, codes[1:]).dictionary.to_pylist() == ["c"]
    assert coded_texts(names, codes[1:]).to_pylist() == ["c", None]
