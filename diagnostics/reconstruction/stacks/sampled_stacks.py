"""The sampled stacks of an analysis, for profiles, charts and the page of flame graphs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from diagnostics.aggregators import stack_samples
from diagnostics.aggregators.stack_samples import CODE, CODE_OCTETS, MOMENT
from diagnostics.evidence import Evidence, read_once

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ("MOMENT", "SampledStacks", "sampled_stacks")

MOST_THREADS = 30_000
"""Threads of dumps whose stacks are looked through. Our choice: some dumps of some TaskManagers."""


@dataclass(frozen=True, slots=True)
class SampledStacks:
    """The rows of stack_sample in the order of the files; frames are stored as CODEs, root first.

    samples   rows with at least one frame and a weight above 0
    threads   rows of thread dumps, which may have no frame
    names     CODE -> frame
    left_out  number of stacks that were not read because there were too many, the lightest ones
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
        """The samples with each stack cut to its `deepest` frames next to the root."""
        import pyarrow.compute as pc

        place = self.samples.column_names.index("frames")
        near_root = pc.binary_slice(self.samples["frames"], 0, deepest * CODE_OCTETS)
        return self.samples.set_column(place, "frames", near_root)

    def heaviest(self, keys: Sequence[str], samples: pa.Table | None = None) -> pa.Table:
        """The distinct stacks with their summed weights, the heaviest first, then by `keys` and `frames`.

        keys     columns that distinguish stacks besides their frames
        samples  the rows to sum; all samples by default
        Gives    `keys`, `frames`, `weight`, and `place`: the row of `samples` with the heaviest sample (the last one of
                 equal weight).
        """
        import numpy as np
        import pyarrow as pa
        import pyarrow.compute as pc

        counted = self.samples if samples is None else samples
        order = pc.sort_indices(counted["weight"])
        ordered = counted.select([*keys, "frames", "weight"]).take(order)
        ordered = ordered.append_column("rank", pa.array(np.arange(len(order))))
        grouped = ordered.group_by([*keys, "frames"], use_threads=False).aggregate([("weight", "sum"), ("rank", "max")])
        place = order.take(grouped["rank_max"].combine_chunks())
        summed = grouped.drop_columns("rank_max").rename_columns({"weight_sum": "weight"}).append_column("place", place)
        by = [("weight", "descending", "at_end"), *((name, "ascending", "at_start") for name in (*keys, "frames"))]
        return summed.take(pc.sort_indices(summed, sort_keys=by))

    def rows(self, table: pa.Table) -> Iterator[dict[str, Any]]:
        """The rows of a table as mappings, with their frames as text."""
        for batch in table.to_batches(max_chunksize=5_000):
            for row in batch.to_pylist():
                yield row | {"frames": self.frames(row["frames"])}


@read_once
def sampled_stacks(evidence: Evidence) -> SampledStacks | None:
    """The stacks of an analysis; None without any.

    Reads   stack_sample. Of very many rows, the aggregator combines equal stacks, except thread dumps of different
            times, and keeps the heaviest ones.
    """
    import pyarrow.compute as pc

    sampled = evidence.answer(stack_samples.AGGREGATOR)
    if not sampled.rows.num_rows:
        return None
    rows = sampled.rows
    counts = pc.and_(pc.greater(rows["weight"], 0), pc.greater(pc.binary_length(rows["frames"]), 0))
    is_dump = pc.equal(rows["profile"], "thread-dump")
    return SampledStacks(rows.filter(counts), rows.filter(is_dump), sampled.names, sampled.left_out)
