"""Tables arrive as they were sent, whatever their size and however the pieces of several tasks are mixed."""

from __future__ import annotations

import random
from itertools import chain

import pyarrow as pa

from diagnostics.reading.transport import PIECE_BYTES, pack_table, unpack_tables

CHANCE = random.Random(1)
LARGE = pa.table({"text": [CHANCE.randbytes(1000).hex() for _ in range(3 * PIECE_BYTES // 2000)]})
"""Its texts do not repeat: compressed it is half as large, and still larger than a piece."""
SMALL = pa.table({"number": [1, None]})


def unpacked(packed: list[pa.RecordBatch]) -> dict[str, list[pa.Table]]:
    return {name: list(tables) for name, tables in unpack_tables(pa.Table.from_batches(packed)).items()}


def test_a_table_larger_than_a_piece_arrives_whole() -> None:
    packed = list(pack_table(0, "large", LARGE))
    assert len(packed) > 1
    assert max(batch.nbytes for batch in packed) < PIECE_BYTES + 1000
    assert unpacked(packed) == {"large": [LARGE]}


def test_pieces_of_several_tasks_are_distinguished() -> None:
    packed = [*pack_table(1, "a", LARGE), *pack_table(0, "a", SMALL), *pack_table(1, "b", SMALL)]
    random.Random(2).shuffle(packed)
    assert unpacked(packed) == {"a": [SMALL, LARGE], "b": [SMALL]}


def test_a_table_without_rows_arrives() -> None:
    empty = SMALL.slice(0, 0)
    assert unpacked(list(pack_table(0, "empty", empty))) == {"empty": [empty]}


def test_tables_are_unpacked_one_at_a_time() -> None:
    packed = pa.Table.from_batches([*pack_table(0, "a", LARGE), *pack_table(1, "a", LARGE), *pack_table(0, "b", LARGE)])
    before = pa.total_allocated_bytes()
    tables, held = chain.from_iterable(unpack_tables(packed).values()), []
    while next(tables, None) is not None:
        held.append(pa.total_allocated_bytes() - before)

    assert len(held) == 3
    assert max(held) < LARGE.nbytes / 2


def test_texts_that_repeat_travel_compressed() -> None:
    table = pa.table({"message": [f"Completed checkpoint {number} for job orders." for number in range(10_000)]})
    [packed] = pack_table(0, "records", table)
    assert packed.nbytes < table.nbytes / 5
