"""Tables arrive as they were sent, whatever their size and however the pieces of several tasks are mixed."""

from __future__ import annotations

import random

import pyarrow as pa

from diagnostics.reading.transport import PIECE_BYTES, pack_table, unpack_tables

LARGE = pa.table({"text": [random.Random(1).randbytes(1000).hex()] * (3 * PIECE_BYTES // 2000)})
SMALL = pa.table({"number": [1, None]})


def test_a_table_larger_than_a_piece_arrives_whole() -> None:
    packed = list(pack_table(0, "large", LARGE))
    assert len(packed) > 1
    assert max(batch.nbytes for batch in packed) < PIECE_BYTES + 1000
    assert unpack_tables(pa.Table.from_batches(packed)) == {"large": [LARGE]}


def test_pieces_of_several_tasks_are_told_apart() -> None:
    packed = [*pack_table(1, "a", LARGE), *pack_table(0, "a", SMALL), *pack_table(1, "b", SMALL)]
    random.Random(2).shuffle(packed)
    assert unpack_tables(pa.Table.from_batches(packed)) == {"a": [SMALL, LARGE], "b": [SMALL]}


def test_a_table_without_rows_arrives() -> None:
    empty = SMALL.slice(0, 0)
    assert unpack_tables(pa.Table.from_batches(list(pack_table(0, "empty", empty)))) == {"empty": [empty]}
