"""The one door to the evidence: one question to one table a file, answered while the files are read.

The folder listing is the registry. `aggregator.py` states what an aggregator is.
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
"""The aggregators of each evidence table that is asked anything."""
