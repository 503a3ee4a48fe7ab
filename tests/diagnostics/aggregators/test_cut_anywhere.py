"""The answer does not depend on how a table's rows are cut and in which order their states are merged."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pytest

from diagnostics.aggregators import AGGREGATORS, BY_TABLE
from diagnostics.aggregators.aggregator import Aggregator
from diagnostics.citation import CITATION_COLUMNS
from diagnostics.evidence.rows import Rows
from diagnostics.evidence.tables import TABLES
from diagnostics.formats import FORMATS
from diagnostics.notation.file_range import Range
from diagnostics.reading.log_counts import count_records
from diagnostics.reading.row_batch import row_batch
from diagnostics.vocabulary.incident_kinds import kinds_of

ROUNDS = 12
"""Random ways to cut and merge, beside one cut at every row. Our choice."""


@cache
def sample_rows() -> dict[str, pa.Table]:
    """All rows of all formats' samples by table: each sample is a file of its own, and each file is there twice."""
    batches: dict[str, list[pa.RecordBatch]] = {}
    samples = [(one, sample) for one in FORMATS.values() for sample in one.samples]
    with TemporaryDirectory() as folder:
        for file_id, (one, sample) in enumerate([*samples, *samples]):
            path = Path(folder) / "sample"
            path.write_bytes(sample.content)
            size = len(sample.content)
            for read in one.read(Range(file_id, sample.name, str(path), 0, size, size, {})):
                if isinstance(read, Rows):
                    batches.setdefault(read.table, []).append(row_batch(read, file_id, 0, None)[0])
    tables = {name: pa.Table.from_batches(parts).combine_chunks() for name, parts in batches.items()}
    records = tables["log_record"]
    tables["log_record"] = records.set_column(records.schema.get_field_index("kinds"), "kinds", kinds_of(records))
    tables["log_count"] = count_records(records)
    return tables


def rows_of(aggregator: Aggregator[Any]) -> pa.Table:
    return sample_rows().get(aggregator.table, TABLES[aggregator.table].arrow_schema().empty_table())


def answered(aggregator: Aggregator[Any], state: pa.Table) -> Any:
    answer = aggregator.finish(state)
    return answer.to_pylist() if isinstance(answer, pa.Table) else answer


@pytest.mark.parametrize("aggregator", AGGREGATORS.values(), ids=lambda each: each.name)
def test_parts_in_any_order_give_the_answer_of_the_whole(aggregator: Aggregator[Any]) -> None:
    rows = rows_of(aggregator)
    whole = answered(aggregator, aggregator.reduce_rows(rows))
    for seed in range(ROUNDS):
        chance = random.Random(seed)
        cuts = sorted(chance.randint(0, rows.num_rows) for _ in range(chance.randint(1, 4)))
        states = [
            aggregator.reduce_rows(rows.slice(start, end - start))
            for start, end in zip([0, *cuts], [*cuts, rows.num_rows], strict=True)
        ]
        while len(states) > 1:
            chance.shuffle(states)
            some = chance.randint(1, len(states))
            states = [aggregator.merge_states(states[:some]), *states[some:]]
        assert answered(aggregator, states[0]) == whole, f"cut at {cuts}, seed {seed}"


@pytest.mark.parametrize("aggregator", AGGREGATORS.values(), ids=lambda each: each.name)
def test_a_state_for_each_row_gives_the_answer_of_the_whole(aggregator: Aggregator[Any]) -> None:
    rows = rows_of(aggregator)
    states = [aggregator.reduce_rows(rows.slice(row, 1)) for row in range(rows.num_rows)]
    assert answered(aggregator, aggregator.merge_states(states)) == answered(aggregator, aggregator.reduce_rows(rows))


@pytest.mark.parametrize("aggregator", AGGREGATORS.values(), ids=lambda each: each.name)
def test_no_rows_have_an_answer_too(aggregator: Aggregator[Any]) -> None:
    empty = aggregator.merge_states([])
    some = aggregator.reduce_rows(rows_of(aggregator))
    assert empty.schema == some.schema
    assert answered(aggregator, aggregator.merge_states([empty, some])) == answered(aggregator, some)


@pytest.mark.parametrize("aggregator", AGGREGATORS.values(), ids=lambda each: each.name)
def test_an_aggregator_is_named_as_its_file_and_asks_for_columns_that_exist(aggregator: Aggregator[Any]) -> None:
    assert AGGREGATORS[aggregator.name] is aggregator
    assert aggregator in BY_TABLE[aggregator.table]
    assert set(aggregator.columns) <= {column.name for column in TABLES[aggregator.table].own_columns}
    assert set(aggregator.columns).isdisjoint(CITATION_COLUMNS)
