"""Values counted by group: exact while they are few, in classes above that, and the same however they were cut."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pyarrow as pa
import pytest

from diagnostics.arithmetic import value_classes
from diagnostics.arithmetic.value_classes import Spread, Total, count_values, merge_classes, spreads

KEYS = ("group",)
TOTALS: dict[str, Total] = {"bytes": "sum", "first_ms": "min"}
MOST_GROUPS = 5


def rows(values: Sequence[tuple[str | None, float]], first_line: int = 1) -> pa.Table:
    columns = {
        "group": pa.array([group for group, _ in values], pa.string()),
        "value": pa.array([value for _, value in values], pa.float64()),
        "bytes": pa.array([10.0] * len(values), pa.float64()),
        "first_ms": pa.array([first_line] * len(values), pa.int64()),
        "ts_ms": pa.array([0] * len(values), pa.int64()),
        "file_id": pa.array([0] * len(values), pa.int32()),
        "line": pa.array(range(first_line, first_line + len(values)), pa.int64()),
        "last_line": pa.array([None] * len(values), pa.int64()),
        "pointer": pa.array([None] * len(values), pa.string()),
    }
    return pa.table(columns)


def counted(values: Sequence[tuple[str | None, float]], first_line: int = 1) -> pa.Table:
    return count_values(rows(values, first_line), KEYS, "value", TOTALS, MOST_GROUPS)


def spread(classes: pa.Table) -> list[Spread]:
    return spreads(classes, KEYS, TOTALS)


def test_few_values_are_exact() -> None:
    found = spread(counted([("a", 3.0), ("b", 7.5), ("a", 1.0), ("a", 3.0), ("a", 2.0)]))
    assert [(each.key, each.samples, each.median) for each in found] == [(("a",), 4, 2.0), (("b",), 1, 7.5)]
    assert (found[0].least, found[0].most, found[0].total, found[0].totals["bytes"]) == (1.0, 3.0, 9.0, 40.0)
    assert found[0].place.line == 4, "of equal values the last one stands for them"


def test_a_group_may_have_no_name() -> None:
    assert [each.key for each in spread(counted([(None, 1.0), ("a", 1.0)]))] == [(None,), ("a",)]


def test_many_values_are_classed_the_same_however_they_were_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(value_classes, "MOST_CLASSES", 60)
    chance = random.Random(1)
    values: list[tuple[str | None, float]] = [
        (chance.choice("abc"), chance.lognormvariate(6, 0.03)) for _ in range(2_000)
    ]
    whole = counted(values)
    assert whole.num_rows <= 60
    exact = sorted(value for group, value in values if group == "a")
    middle = spread(whole)[0]
    assert middle.median <= exact[len(exact) // 2] < middle.median * (1 + 2**-4)
    assert (middle.samples, middle.least, middle.most) == (len(exact), exact[0], exact[-1]), "these stay exact"
    for cut in (1, 700, 1_990):
        parts = pa.concat_tables([counted(values[cut:], 1 + cut), counted(values[:cut])])
        merged = spread(merge_classes(parts, KEYS, TOTALS, MOST_GROUPS))
        assert [(each.key, each.median, each.total, each.place.line) for each in merged] == [
            (each.key, each.median, each.total, each.place.line) for each in spread(whole)
        ]


def test_with_too_many_groups_the_first_by_name_are_kept() -> None:
    found = spread(counted([(f"{number:02}", 1.0) for number in range(20)] * 2))
    assert [(each.key[0], each.samples) for each in found] == [(f"{number:02}", 2) for number in range(MOST_GROUPS)]


def test_zero_and_no_values() -> None:
    assert [(each.median, each.most) for each in spread(counted([("a", 0.0), ("a", -0.0)]))] == [(0.0, 0.0)]
    assert spread(counted([])) == []
