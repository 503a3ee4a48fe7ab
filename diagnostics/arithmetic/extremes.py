"""Reduces series to their lowest, highest, first and last sample."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from diagnostics.arithmetic.row_groups import group_starts, order_of, row_groups
from diagnostics.arithmetic.row_order import first_rows

if TYPE_CHECKING:
    import pyarrow as pa


def extreme_samples(samples: pa.Table, series: Sequence[str], most: int) -> pa.Table:
    """Lowest, highest, first and last sample of each series; among equal ones the first cited.

    samples  rows with `ts_ms`, a known `value`, the columns of `series` and the citation
    most     series that are kept, the first by name
    """
    import numpy as np
    import pyarrow as pa

    first, groups = row_groups(samples, series)
    values = samples["value"].to_numpy()
    dated = samples["ts_ms"].is_valid().to_numpy()
    times = samples["ts_ms"].fill_null(0).to_numpy()
    kept = np.zeros(samples.num_rows, bool)
    for keys in ((values,), (-values,), (times, ~dated), (-times, ~dated)):
        order = order_of(samples, *keys, groups)
        kept[order[group_starts(groups[order])]] = True
    if len(first) > most:
        names = samples.take(pa.array(first)).append_column("group", pa.array(np.arange(len(first))))
        chosen = first_rows(names, [(name, "ascending") for name in series], most)["group"].to_numpy()
        kept &= np.isin(groups, chosen)
    return samples.filter(pa.array(kept))
