"""Samples of metrics in numbers that no one writes by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from diagnostics.evidence.tables import TABLES

SCHEMA = TABLES["metric_sample"].arrow_schema()


def many_samples(
    series: Sequence[Mapping[str, Any]], times: npt.NDArray[np.int64], values: npt.NDArray[np.float64]
) -> pa.Table:
    """Samples of all series at all times, each in a line of file 0.

    values  at each time
    """
    rows = pa.Table.from_pylist([{"file_id": 0, **each} for each in series], schema=SCHEMA)
    rows = rows.take(pa.array(np.tile(np.arange(len(series)), len(times))))
    columns = {
        "ts_ms": np.repeat(times, len(series)),
        "value": np.repeat(values, len(series)),
        "line": np.arange(1, rows.num_rows + 1),
    }
    for name, column in columns.items():
        rows = rows.set_column(rows.schema.get_field_index(name), SCHEMA.field(name), pa.array(column))
    return rows
