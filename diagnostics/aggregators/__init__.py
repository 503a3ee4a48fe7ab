"""Aggregators: reductions of one evidence table each, computed while the files are read; the only access to evidence.

A file in this folder is registered by its `AGGREGATOR`. `aggregator.py` defines the type.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from diagnostics.aggregators.aggregator import Aggregator
from diagnostics.registry import registered

AGGREGATORS: Mapping[str, Aggregator[Any]] = dict(registered(sys.modules[__name__], "AGGREGATOR"))
"""Every aggregator by name."""

BY_TABLE: Mapping[str, tuple[Aggregator[Any], ...]] = {
    table: tuple(each for each in AGGREGATORS.values() if each.table == table)
    for table in sorted({each.table for each in AGGREGATORS.values()})
}
"""The aggregators of each evidence table that has any."""
