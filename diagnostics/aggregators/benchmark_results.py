"""Durations of benchmarks, in the order of their files."""

from __future__ import annotations

from functools import partial

from diagnostics.aggregators.aggregator import CITATION_ORDER, first_rows_aggregator
from diagnostics.arithmetic.row_choice import with_known

MOST_RESULTS = 20_000
"""Durations kept, the first. Our choice: as many as of one file."""

AGGREGATOR = first_rows_aggregator(
    "benchmark_results",
    "benchmark_result",
    ("benchmark", "measure", "place", "duration_ms"),
    partial(with_known, columns=("benchmark", "measure", "duration_ms")),
    order=(*CITATION_ORDER, ("place", "ascending")),
    most=MOST_RESULTS,
)
