"""The sampled stacks of an analysis, for its profiles, its charts and the page of its stacks."""

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
    """The stacks of an analysis, None without any.

    Reads   stack_sample. Of very many rows equal stacks are put together, but for thread dumps without their time, and
            the heaviest count.
    """
    import pyarrow.compute as pc

    told = evidence.answer(stack_samples.AGGREGATOR)
    if not told.rows.num_rows:
        return None
    rows = told.rows
    counts = pc.and_(pc.greater(rows["weight"], 0), pc.greater(pc.binary_length(rows["frames"]), 0))
    is_dump = pc.equal(rows["profile"], "thread-dump")
    return SampledStacks(rows.filter(counts), rows.filter(is_dump), told.names, told.left_out)
