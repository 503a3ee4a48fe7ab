"""A file that may be cut gives the same rows wherever it is cut, and the same answers however its parts are merged."""

from __future__ import annotations

import random
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from diagnostics.aggregators import AGGREGATORS
from diagnostics.evidence.rows import Rows
from diagnostics.evidence.tables import TABLES
from diagnostics.formats import FORMATS
from diagnostics.formats.format import Format, Sample
from diagnostics.notation.file_range import Range
from diagnostics.reading.reduction import reduce_tables
from diagnostics.reading.row_batch import row_batch

ROUNDS = 6
"""Random ways to cut a sample in two to five parts, beside each single cut. Our choice."""

CASES = [
    pytest.param(one, sample, id=f"{one.id}-{number}")
    for one in FORMATS.values()
    if one.splittable
    for number, sample in enumerate(one.samples)
]


def rows_in(one: Format, path: Path, name: str, cuts: list[int]) -> dict[str, pa.Table]:
    """The rows of each table, of ranges between the cuts, with lines counted through the file."""
    parts = [rows_between(one, path, name, *ends) for ends in pairwise([0, *cuts, path.stat().st_size])]
    tables = {table: None for part in parts for table in part}
    return {table: pa.concat_tables([part[table] for part in parts if table in part]) for table in tables}


def rows_between(one: Format, path: Path, name: str, start: int, end: int) -> dict[str, pa.Table]:
    """The rows of each table of one range, with lines counted through the file."""
    content = path.read_bytes()
    lines_before = content[:start].count(b"\n")
    batches: dict[str, list[pa.RecordBatch]] = {}
    for read in one.read(Range(0, name, str(path), start, end, len(content))):
        if isinstance(read, Rows):
            batches.setdefault(read.table, []).append(row_batch(read, 0, lines_before, None)[0])
    return {name: pa.Table.from_batches(parts, TABLES[name].arrow_schema()) for name, parts in batches.items()}


def comparable(tables: dict[str, pa.Table]) -> dict[str, list[str]]:
    return {name: sorted(map(repr, table.to_pylist())) for name, table in tables.items() if table.num_rows}


def answers(tables: dict[str, pa.Table]) -> dict[str, Any]:
    return finished(reduce_tables(tables))


def finished(states: Mapping[str, pa.Table]) -> dict[str, Any]:
    found = {name: AGGREGATORS[name].finish(state) for name, state in states.items()}
    return {name: each.to_pylist() if isinstance(each, pa.Table) else each for name, each in found.items()}


def written_sample(sample: Sample, folder: Path) -> tuple[Path, list[int]]:
    """The sample as a file, and where its lines but the first begin."""
    path = folder / "sample"
    path.write_bytes(sample.content)
    return path, [place + 1 for place, octet in enumerate(sample.content) if octet == ord("\n")][:-1]


@pytest.mark.parametrize(("one", "sample"), CASES)
def test_a_sample_cut_at_any_line_gives_the_rows_and_the_answers_of_the_whole(
    one: Format, sample: Sample, tmp_path: Path
) -> None:
    path, starts = written_sample(sample, tmp_path)
    whole = rows_in(one, path, sample.name, [])
    for cuts in ([start] for start in starts):
        parts = rows_in(one, path, sample.name, cuts)
        assert comparable(parts) == comparable(whole), f"cut at {cuts}"
        assert answers(parts) == answers(whole), f"cut at {cuts}"


@pytest.mark.parametrize(("one", "sample"), CASES)
def test_parts_of_a_sample_reduced_apart_and_merged_in_any_order_give_the_answers_of_the_whole(
    one: Format, sample: Sample, tmp_path: Path
) -> None:
    path, starts = written_sample(sample, tmp_path)
    whole = answers(rows_in(one, path, sample.name, []))
    for seed in range(ROUNDS):
        chance = random.Random(seed)
        cuts = sorted(chance.sample(starts, min(len(starts), chance.randint(1, 4))))
        ends = list(pairwise([0, *cuts, len(sample.content)]))
        chance.shuffle(ends)
        parts = [reduce_tables(rows_between(one, path, sample.name, *each)) for each in ends]
        names = {name for part in parts for name in part}
        merged = {
            name: AGGREGATORS[name].merge_states([part[name] for part in parts if name in part]) for name in names
        }
        assert finished(merged) == whole, f"cut at {cuts}, seed {seed}"
