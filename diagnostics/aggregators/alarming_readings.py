"""Extremes of the metrics that the catalogue of alarming readings asks for, also of those that REST aggregated."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from diagnostics.aggregators.aggregator import Aggregator
from diagnostics.arithmetic.extremes import extreme_samples
from diagnostics.arithmetic.metric_samples import SAMPLE_COLUMNS, in_order
from diagnostics.notation.dictionary_encoding import dictionary_encoded
from diagnostics.vocabulary.alarming_readings import asked_metrics

if TYPE_CHECKING:
    import pyarrow as pa

MOST_SERIES = 50_000
"""Series kept. Our choice: 1,000 subtasks with fifty metrics."""

SERIES = (
    "metric",
    "scope",
    "job_id",
    "vertex_id",
    "vertex",
    "operator",
    "subtask",
    "task_manager",
    "labels",
    "aggregate",
    "quantile",
    "is_known",
)
"""Columns that identify a series; its unknown values count apart from the known ones."""


def _asked(samples: pa.Table) -> pa.Table:
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    names, codes = dictionary_encoded(samples["metric"])
    wanted = np.array([name is not None and name in asked_metrics() for name in names], bool)[codes]
    chosen = samples.filter(pa.array(wanted, pa.bool_()))
    is_known = pc.cast(pc.is_valid(chosen["value"]), pa.int8())
    place = chosen.schema.get_field_index("value")
    filled = chosen.set_column(place, "value", pc.fill_null(chosen["value"], 0.0))
    return filled.append_column("is_known", is_known)


_KEEP = partial(extreme_samples, series=SERIES, most=MOST_SERIES)

AGGREGATOR = Aggregator(
    name="alarming_readings",
    table="metric_sample",
    columns=(*SAMPLE_COLUMNS, "scope"),
    reduce=lambda rows: _KEEP(_asked(rows)),
    merge=_KEEP,
    finish=in_order,
)
