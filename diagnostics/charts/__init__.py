"""The charts, one per file. A file in this folder is registered by its `CHART`."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from diagnostics.charting.chart import Chart
from diagnostics.registry import registered


def _charts() -> dict[str, Chart]:
    found = [value for _, value in registered(sys.modules[__name__], "CHART")]
    return {each.id: each for each in sorted(found, key=lambda each: each.order)}


CHARTS: Mapping[str, Chart] = _charts()
"""Every chart by id, in page order."""
