"""The median and 99th percentile of latency markers: at each time those of the slowest pair of source and operator of a
job.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from diagnostics.aggregators.aggregator import CITATION_ORDER, Aggregator
from diagnostics.arithmetic.row_groups import group_starts, order_of, row_groups
from diagnostics.arithmetic.row_order import Order, first_rows, sort_rows
from diagnostics.notation.dictionary_encoding import dictionary_encoded

if TYPE_CHECKING:
    import pyarrow as pa

MOST_TIMES = 50_000
"""Times kept over all jobs, the first. Our choice: five days of scrapes every ten seconds."""
QUANTILE = 0.99
MEDIAN = 0.5
MARKER = re.compile(
    r"latency[._](?:source_id[._].{0,200})?operator_id[._].{0,200}operator_subtask_index.{0,20}[._]latency$"
)
"""Identifier of a latency metric in each granularity. Source: Flink documentation, "Metrics", End-to-End latency
tracking.
"""
COLUMNS = ("metric", "job_id", "ts_ms", "value", "quantile")
IN_TIME: Order = (("ts_ms", "ascending"), ("job_id", "ascending"), ("quantile", "ascending"), *CITATION_ORDER)


def _markers(samples: pa.Table) -> pa.Table:
    """The known percentiles of latency markers that have a time."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    names, codes = dictionary_encoded(samples["metric"])
    wanted = np.array([name is not None and MARKER.match(name) is not None for name in names])[codes]
    known = pc.and_(pc.is_valid(samples["value"]), pc.is_valid(samples["ts_ms"]))
    quantiles = pc.or_(pc.equal(samples["quantile"], QUANTILE), pc.equal(samples["quantile"], MEDIAN))
    asked = pc.and_(pa.array(wanted), pc.fill_null(quantiles, False))
    return samples.drop_columns(["metric"]).filter(pc.and_(asked, known))


def _slowest(samples: pa.Table) -> pa.Table:
    """The highest value of each job, time and percentile; among equal ones the first cited."""
    import pyarrow as pa

    _, groups = row_groups(samples, ("job_id", "ts_ms", "quantile"))
    order = order_of(samples, -samples["value"].to_numpy(), groups)
    kept = samples.take(pa.array(order[group_starts(groups[order])]))
    return first_rows(kept, IN_TIME, MOST_TIMES)


AGGREGATOR = Aggregator(
    name="latency_markers",
    table="metric_sample",
    columns=COLUMNS,
    reduce=lambda rows: _slowest(_markers(rows)),
    merge=_slowest,
    finish=partial(sort_rows, order=IN_TIME),
)
