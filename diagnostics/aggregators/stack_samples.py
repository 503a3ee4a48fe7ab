"""Sampled stacks with frames as numbers; equal stacks are aggregated when there are many.

A stack has a hundred frames that a thousand other stacks share: as numbers it takes a tenth of its text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from diagnostics.aggregators.aggregator import Aggregator
from diagnostics.arithmetic.row_order import Order, sort_rows
from diagnostics.citation import CITATION_COLUMNS
from diagnostics.evidence.tables import TABLES

if TYPE_CHECKING:
    import pyarrow as pa

MOST_SAMPLES = 300_000
"""Rows kept unreduced; with more, equal stacks of all times are merged (thread dumps only within one dump) and the
heaviest are kept, without the weight of earlier merges that dropped them. Our choice: 90 MB.
"""

MOMENT = "ts_ms"
READ = tuple(column.name for column in TABLES["stack_sample"].own_columns)
COLUMNS = (*READ, *CITATION_COLUMNS)
OF_STACK = tuple(name for name in READ if name not in (MOMENT, "weight"))
"""Columns that equal stacks share."""

TEXTS = ("vertex", "thread", "state")
"""Columns that distinguish samples without a position in their file."""

CODE = ">u4"
CODE_OCTETS = 4
"""The number of a frame in big-endian bytes, so that their order is that of the texts."""


@dataclass(frozen=True, slots=True)
class StackSamples:
    """The rows of stack_sample in the order of the files, with frames as CODEs, root first.

    names     frame names by number, sorted
    left_out  number of stacks dropped, the lightest
    """

    rows: pa.Table
    names: Sequence[str]
    left_out: int


def _reduce(rows: pa.Table) -> pa.Table:
    import pyarrow as pa

    counts = {"samples": pa.repeat(1, rows.num_rows), "left_out": pa.repeat(0, rows.num_rows)}
    coded = pa.table({name: _as_codes(rows[name]) for name in COLUMNS} | counts)
    return coded if rows.num_rows <= MOST_SAMPLES else _heaviest(coded)


def _merge(states: pa.Table) -> pa.Table:
    import pyarrow as pa
    import pyarrow.compute as pc

    whole = pa.table({name: _as_codes(states[name]) for name in states.column_names})
    return whole if (pc.sum(whole["samples"]).as_py() or 0) <= MOST_SAMPLES else _heaviest(whole)


def _as_codes(column: pa.ChunkedArray) -> pa.Array:
    """Texts, also within lists, as dictionary codes; other columns unchanged."""
    import pyarrow as pa

    if pa.types.is_list(column.type):
        texts = pa.chunked_array([chunk.flatten() for chunk in column.chunks], column.type.value_type)
        return pa.ListArray.from_arrays(_bounds(column), _as_codes(texts), mask=column.is_null().combine_chunks())
    if pa.types.is_dictionary(column.type):
        return column.unify_dictionaries().combine_chunks()
    if pa.types.is_string(column.type):
        return column.dictionary_encode().combine_chunks()
    return column.combine_chunks()


def _bounds(lists: pa.ChunkedArray) -> pa.Array:
    """Offsets at which the lists begin among all values, and the end of the last one."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    lengths = pc.fill_null(pc.list_value_length(lists), 0).to_numpy()
    return pa.array(np.concatenate([[0], np.cumsum(lengths)]), pa.int32())


def _in_order(texts: pa.DictionaryArray) -> tuple[pa.Array, pa.Array]:
    """The distinct texts sorted, and the new number of each code."""
    import numpy as np
    import pyarrow.compute as pc

    used = pc.unique(texts.indices)
    names = texts.dictionary.take(used)
    order = pc.sort_indices(names)
    numbers = np.zeros(len(texts.dictionary), CODE)
    numbers[used.take(order).to_numpy()] = np.arange(len(names))
    return names.take(order), numbers


def _with_codes(lists: pa.ListArray) -> tuple[pa.Array, pa.Array]:
    """Lists of texts as CODEs, and the texts by number."""
    import numpy as np
    import pyarrow as pa

    texts = lists.flatten()
    names, numbers = _in_order(texts)
    octets = numbers[texts.indices.to_numpy()].tobytes()
    ends = (_bounds(pa.chunked_array([lists])).to_numpy() * CODE_OCTETS).astype(np.int32)
    codes = pa.Array.from_buffers(pa.binary(), len(lists), [None, pa.py_buffer(ends), pa.py_buffer(octets)])
    return codes, names


def _heaviest(samples: pa.Table) -> pa.Table:
    """Equal stacks aggregated at the position of their heaviest sample; the heaviest of them are kept."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    is_dump = pc.fill_null(pc.equal(samples["profile"].cast(pa.string()), "thread-dump"), False)
    moment = pc.if_else(is_dump, samples[MOMENT], pa.scalar(None, pa.int64()))
    samples = samples.set_column(samples.column_names.index(MOMENT), MOMENT, moment)
    keys = {name: _key(samples[name]) for name in (MOMENT, *OF_STACK)}
    order = _order(samples, ("weight", "file_id", "line", "pointer"))
    rank = np.empty(samples.num_rows, np.int64)
    rank[order.to_numpy()] = np.arange(samples.num_rows)
    sums = ("weight", "samples", "left_out")
    grouped = pa.table(keys | {name: samples[name] for name in sums} | {"rank": rank}).group_by(
        list(keys), use_threads=False
    )
    together = grouped.aggregate([*((name, "sum") for name in sums), ("rank", "max")])
    heaviest: Order = [("weight_sum", "descending"), *((name, "ascending") for name in keys)]
    first = sort_rows(together, heaviest)
    kept = first.slice(0, MOST_SAMPLES)
    found = samples.take(order.take(kept["rank_max"].combine_chunks()))
    left_out = kept["left_out_sum"].to_numpy().copy()
    left_out[:1] += first.num_rows - kept.num_rows + (pc.sum(first["left_out_sum"].slice(MOST_SAMPLES)).as_py() or 0)
    for name, column in (("weight", kept["weight_sum"]), ("samples", kept["samples_sum"]), ("left_out", left_out)):
        found = found.set_column(found.column_names.index(name), name, [column] if name == "left_out" else column)
    return found


def _key(column: pa.ChunkedArray) -> pa.Array:
    """The column in a form that Arrow can group and sort."""
    import pyarrow as pa

    whole = column.combine_chunks()
    if pa.types.is_list(whole.type):
        return _with_codes(whole)[0]
    return whole.cast(whole.type.value_type) if pa.types.is_dictionary(whole.type) else whole


def _finish(state: pa.Table) -> StackSamples:
    import pyarrow as pa
    import pyarrow.compute as pc

    left_out = pc.sum(state["left_out"]).as_py() or 0
    codes, names = _with_codes(state["frames"].combine_chunks())
    plain = {
        name: codes if name == "frames" else state[name].cast(field.type)
        for name, field in ((name, TABLES["stack_sample"].arrow_schema().field(name)) for name in COLUMNS)
    }
    rows = pa.table(plain)
    # Of two list indexes, the one with fewer digits comes first.
    digits = pc.binary_length(rows["pointer"])
    order = _order(
        rows.append_column("digits", digits), ("file_id", "line", "digits", "pointer", MOMENT, *TEXTS, "frames")
    )
    return StackSamples(rows.take(order), names.to_pylist(), left_out)


def _order(rows: pa.Table, columns: Sequence[str]) -> pa.Array:
    """Row indexes in the order of some columns."""
    import pyarrow as pa
    import pyarrow.compute as pc

    keys = pa.table({name: _key(rows[name]) for name in columns})
    return pc.sort_indices(keys, [(name, "ascending", "at_start") for name in columns])


AGGREGATOR: Aggregator[StackSamples] = Aggregator(
    name="stack_samples",
    table="stack_sample",
    columns=READ,
    reduce=_reduce,
    merge=_merge,
    finish=_finish,
)
