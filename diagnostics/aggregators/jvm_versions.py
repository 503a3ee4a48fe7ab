"""Version of the JVM that each file states."""

from __future__ import annotations

from diagnostics.aggregators.aggregator import jvm_statements_aggregator

MOST_STATEMENTS = 20_000
"""Statements kept. Our choice: a process states it once, at its start."""

AGGREGATOR = jvm_statements_aggregator("jvm_versions", "jvm.version", most=MOST_STATEMENTS)
