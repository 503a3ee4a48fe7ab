"""Limits samples over time: all of them, or the last one of each time slot when there are too many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from diagnostics.arithmetic.row_groups import ends_of_runs, order_of, row_groups
from diagnostics.arithmetic.row_order import first_rows

if TYPE_CHECKING:
    import pyarrow as pa

    from diagnostics.arithmetic.row_groups import Numbers

ALL = -1
"""`slot_bits` of unthinned samples. Above it a slot is 2^slot_bits ms long and begins at a multiple of its length."""

MOST_BITS = 48
"""Slots that hold all years before and after 1970."""


def unthinned(samples: pa.Table) -> pa.Table:
    """The samples with the column `slot_bits`, unthinned."""
    import pyarrow as pa

    return samples.append_column("slot_bits", pa.repeat(pa.scalar(ALL, pa.int8()), samples.num_rows))


def slot_bits(samples: pa.Table) -> int:
    """The `slot_bits` of samples."""
    import pyarrow.compute as pc

    bits: int | None = pc.max(samples["slot_bits"]).as_py()
    return ALL if bits is None else bits


def thin_samples(samples: pa.Table, series: Sequence[str], most: int) -> pa.Table:
    """At most `most` samples: all, or the last one of each series in slots as short as possible.

    samples  rows with `ts_ms`, `value`, `slot_bits`, the columns of `series` and the citation

    The result does not depend on how the samples were cut and thinned before: slots are powers of two, so that longer
    ones are unions of shorter ones, and more samples never need shorter slots. Samples without a time form one slot. Of
    more series than `most` the first by name are kept.
    """
    import pyarrow as pa

    bits = slot_bits(samples)
    if samples.num_rows <= most and bits == ALL:
        return samples
    _, groups = row_groups(samples, series)
    times = samples["ts_ms"].fill_null(0).to_numpy()
    groups = 2 * groups + samples["ts_ms"].is_valid().to_numpy()
    order = order_of(samples, times, groups)
    groups, times = groups[order], times[order]
    bits = bits_for(most, groups, times, max(bits, 0))
    last = ends_of_runs(groups, times >> bits)
    kept = samples.take(pa.array(order[last]))
    place = kept.schema.get_field_index("slot_bits")
    kept = kept.set_column(place, "slot_bits", pa.repeat(pa.scalar(bits, pa.int8()), kept.num_rows))
    return first_rows(kept, [*((name, "ascending") for name in series), ("ts_ms", "ascending")], most)


def bits_for(most: int, groups: Numbers, times: Numbers, least: int) -> int:
    """The least `slot_bits`, not below `least`, with which sorted rows fill at most `most` slots.

    Two times are in one slot when it is longer than the highest bit in which they differ.
    """
    import numpy as np

    apart = np.frexp((times[1:] ^ times[:-1])[groups[1:] == groups[:-1]].astype(np.float64))[1]
    slots = len(times) - np.cumsum(np.bincount(apart, minlength=MOST_BITS + 1))
    fitting = np.flatnonzero(slots[least:MOST_BITS] <= most)
    return least + int(fitting[0]) if len(fitting) else MOST_BITS
