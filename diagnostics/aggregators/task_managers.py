"""TaskManagers in REST answers, newest first."""

from __future__ import annotations

from functools import partial

from diagnostics.aggregators.aggregator import CITATION_ORDER, first_rows_aggregator
from diagnostics.arithmetic.row_choice import with_known

MOST_ANSWERS = 20_000
"""Answers about TaskManagers kept, the newest. Our choice: 100 of them, polled 200 times."""

AGGREGATOR = first_rows_aggregator(
    "task_managers",
    "task_manager",
    (
        "ts_ms",
        "task_manager",
        "host",
        "heap_used_bytes",
        "heap_max_bytes",
        "direct_used_bytes",
        "metaspace_max_bytes",
        "managed_bytes",
        "network_bytes",
        "framework_heap_bytes",
        "task_heap_bytes",
        "framework_off_heap_bytes",
        "task_off_heap_bytes",
        "configured_network_bytes",
        "configured_managed_bytes",
        "jvm_overhead_bytes",
        "process_bytes",
        "segments_total",
        "segments_used",
        "cpu_cores",
        "slots",
        "free_slots",
    ),
    partial(with_known, columns=("task_manager",)),
    order=(("ts_ms", "descending"), ("task_manager", "ascending"), *CITATION_ORDER),
    most=MOST_ANSWERS,
)
