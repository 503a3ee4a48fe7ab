"""Selects rows of `metric_sample`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from diagnostics.arithmetic.row_order import sort_rows
from diagnostics.notation.dictionary_encoding import dictionary_encoded

if TYPE_CHECKING:
    import pyarrow as pa

SUMMED_UP = ("aggregate", "quantile")

SAMPLE_COLUMNS = (
    "metric",
    "job_id",
    "vertex_id",
    "vertex",
    "operator",
    "subtask",
    "task_manager",
    "labels",
    "ts_ms",
    "value",
    *SUMMED_UP,
)
"""Columns, besides the citation, that aggregators of metrics read."""


def single_samples(samples: pa.Table, is_wanted: Callable[[str], bool]) -> pa.Table:
    """Samples of the wanted metrics, without aggregates over subtasks and quantiles, and without the columns that mark
    those.
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    names, codes = dictionary_encoded(samples["metric"])
    wanted = np.array([name is not None and is_wanted(name) for name in names])[codes]
    summed_up = pc.or_(pc.is_valid(samples["aggregate"]), pc.is_valid(samples["quantile"]))
    chosen = pc.and_not(pa.array(wanted), summed_up)
    return samples.drop_columns(list(SUMMED_UP)).filter(chosen)


def in_order(samples: pa.Table) -> pa.Table:
    """The samples sorted by citation; ties by all columns."""
    cited = ("file_id", "line", "pointer")
    told = [name for name in SAMPLE_COLUMNS if name in samples.column_names]
    return sort_rows(samples, [(name, "ascending") for name in (*cited, *told)])
