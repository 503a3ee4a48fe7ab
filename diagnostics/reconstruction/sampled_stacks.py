"""The sampled stacks of an analysis, read once for its profiles, its charts and the page of its stacks.

A stack is a hundred frames that a thousand other stacks share: it travels and stays here as the numbers of its frames,
a tenth of its text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from diagnostics.arrow_cell import cell_of, cell_schema, rows_in
from diagnostics.citation import CITATION_COLUMNS
from diagnostics.evidence import TABLES, Evidence, read_once

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa
    from pyspark.sql import DataFrame

MOST_SAMPLES = 300_000
"""Rows that are read as they are; of more, equal stacks are put together and the heaviest count. Our choice: 90 MB."""

CELL_ROWS = 20_000
"""Rows that travel together. Our choice: 4 MB, and 80 MB where all stacks are as deep as a format reads them."""

MOMENT = "ts_ms"
COLUMNS = tuple(column.name for column in TABLES["stack_sample"].columns)
OF_STACK = tuple(name for name in COLUMNS if name not in (MOMENT, "weight", *CITATION_COLUMNS))
"""The columns that equal stacks share."""

CODE = ">u4"
CODE_OCTETS = 4
"""The number of a frame, such that octets of numbers have the order of the texts."""


@dataclass(frozen=True, slots=True)
class SampledStacks:
    """The rows of stack_sample in the order of the files; of frames there are their CODEs, root first.

    samples   those with any frame and a weight above 0
    threads   those of thread dumps, which may have no frame
    names     the frames by their number, which is their order
    left_out  stacks that were too many to be read, the lightest
    """

    samples: pa.Table
    threads: pa.Table
    names: Sequence[str]
    left_out: int = 0

    def frames(self, codes: bytes) -> list[str]:
        """The frames of a stack, root first."""
        import numpy as np

        return [self.names[code] for code in np.frombuffer(codes, CODE)]

    def cut(self, deepest: int) -> pa.Table:
        """The samples with so many frames of each stack at most, those at its root."""
        import pyarrow.compute as pc

        place = self.samples.column_names.index("frames")
        near_root = pc.binary_slice(self.samples["frames"], 0, deepest * CODE_OCTETS)
        return self.samples.set_column(place, "frames", near_root)

    def heaviest(self, keys: Sequence[str], samples: pa.Table | None = None) -> pa.Table:
        """The sums of the weights of equal stacks: `keys`, `frames`, `weight`, and the `place` of the heaviest
        sample, the last of several.

        keys     columns that tell stacks apart, beside their frames
        samples  those that count, all when nothing is said
        Gives    the heaviest first, then in the order of `keys` and `frames`; a place is a row of `samples`.
        """
        import numpy as np
        import pyarrow as pa
        import pyarrow.compute as pc

        told = self.samples if samples is None else samples
        order = pc.sort_indices(told["weight"])
        ordered = told.select([*keys, "frames", "weight"]).take(order)
        ordered = ordered.append_column("rank", pa.array(np.arange(len(order))))
        grouped = ordered.group_by([*keys, "frames"], use_threads=False).aggregate([("weight", "sum"), ("rank", "max")])
        place = order.take(grouped["rank_max"].combine_chunks())
        summed = grouped.drop_columns("rank_max").rename_columns({"weight_sum": "weight"}).append_column("place", place)
        by = [("weight", "descending", "at_end"), *((name, "ascending", "at_start") for name in (*keys, "frames"))]
        return summed.take(pc.sort_indices(summed, sort_keys=by))

    def rows(self, told: pa.Table) -> Iterator[dict[str, Any]]:
        """The rows of a table as mappings, with their frames as texts."""
        for batch in told.to_batches(max_chunksize=5_000):
            for row in batch.to_pylist():
                yield row | {"frames": self.frames(row["frames"])}


@read_once
def sampled_stacks(evidence: Evidence) -> SampledStacks | None:
    """The stacks of an analysis, None without any. One Spark job, done once for each Evidence.

    Reads   stack_sample. Of more than MOST_SAMPLES rows equal stacks are put together, but for thread dumps without
            their time, and the heaviest count.
    """
    rows = evidence.rows["stack_sample"]
    if not rows:
        return None
    if rows <= MOST_SAMPLES:
        return stacks_of(row.cell for row in evidence.worked("stack_sample", COLUMNS, _cells, cell_schema()).collect())
    together = _together(evidence["stack_sample"])
    kept = together.limit(MOST_SAMPLES).mapInArrow(evidence.for_workers(_cells), cell_schema())
    return replace(stacks_of(row.cell for row in kept.collect()), left_out=max(together.count() - MOST_SAMPLES, 0))


def _together(samples: DataFrame) -> DataFrame:
    """Equal stacks together, the heaviest first."""
    from pyspark.sql import functions as sf

    moment = sf.when(sf.col("profile") == "thread-dump", sf.col(MOMENT)).alias(MOMENT)
    place = sf.max_by(sf.struct(*CITATION_COLUMNS), "weight").alias("place")
    summed = (
        samples.select(moment, *OF_STACK, "weight", *CITATION_COLUMNS)
        .groupBy(MOMENT, *OF_STACK)
        .agg(sf.sum("weight").alias("weight"), place)
    )
    return summed.orderBy(sf.desc("weight"), MOMENT, *OF_STACK).select(
        *(f"place.{name}" if name in CITATION_COLUMNS else name for name in COLUMNS)
    )


def _cells(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """In a worker: the rows, some in each cell."""
    for batch in batches:
        for start in range(0, batch.num_rows, CELL_ROWS):
            part = batch.slice(start, CELL_ROWS)
            place = part.schema.get_field_index("frames")
            part = part.set_column(place, "frames", _with_own_names(part.column("frames")))
            yield cell_of(part)


def _with_own_names(frames: pa.ListArray) -> pa.ListArray:
    """Lists of texts as numbers of those different texts that they have."""
    import pyarrow as pa

    texts = frames.flatten()
    if pa.types.is_dictionary(texts.type):
        used = texts.indices.dictionary_encode()
        coded = pa.DictionaryArray.from_arrays(used.indices, texts.dictionary.take(used.dictionary))
    else:
        coded = texts.dictionary_encode()
    return pa.ListArray.from_arrays(_bounds(frames), coded)


def _bounds(frames: pa.ListArray) -> pa.Array:
    """Where each list begins among the values of all, and where the last one ends."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    lengths = pc.fill_null(pc.list_value_length(frames), 0).to_numpy(zero_copy_only=False)
    return pa.array(np.concatenate([[0], np.cumsum(lengths)]), pa.int32())


def stacks_of(cells: Iterable[bytes]) -> SampledStacks:
    """The stacks of at least one of these cells."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    numbers: dict[str, int] = {}
    coded = []
    for cell in cells:
        rows = rows_in(cell)
        frames = rows["frames"].combine_chunks()
        texts = frames.flatten()
        of_text = [numbers.setdefault(text, len(numbers)) for text in texts.dictionary.to_pylist()]
        coded.append((rows, np.array(of_text, CODE)[texts.indices.to_numpy()], _bounds(frames)))
    names = sorted(numbers)
    in_order = np.empty(len(names), CODE)
    in_order[[numbers[name] for name in names]] = np.arange(len(names))
    parts = [_with_codes(rows, in_order[codes], bounds) for rows, codes, bounds in coded]
    whole = pa.concat_tables(parts)
    counts = pc.and_(pc.greater(whole["weight"], 0), pc.greater(pc.binary_length(whole["frames"]), 0))
    return SampledStacks(whole.filter(counts), whole.filter(pc.equal(whole["profile"], "thread-dump")), names)


def _with_codes(rows: pa.Table, codes: npt.NDArray[np.uint32], bounds: pa.Array) -> pa.Table:
    """The rows with their texts plain and the codes of their frames."""
    import numpy as np
    import pyarrow as pa

    ends = pa.py_buffer((bounds.to_numpy() * CODE_OCTETS).astype(np.int32))
    octets = pa.Array.from_buffers(pa.binary(), rows.num_rows, [None, ends, pa.py_buffer(codes.tobytes())])
    schema = TABLES["stack_sample"].arrow_schema()
    place = schema.get_field_index("frames")
    return rows.set_column(place, "frames", octets).cast(schema.set(place, pa.field("frames", pa.binary())))
