"""Maximum heap of the JVM that wrote each file, where the file states it."""

from __future__ import annotations

from diagnostics.aggregators.aggregator import jvm_statements_aggregator

MOST_STATEMENTS = 20_000
"""Statements kept. Our choice: a process states it once, at its start."""

AGGREGATOR = jvm_statements_aggregator("heap_sizes", "heap.max", most=MOST_STATEMENTS)
