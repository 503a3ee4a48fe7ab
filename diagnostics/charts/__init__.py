"""The charts, one a file. The folder listing is the registry."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from diagnostics.charting.chart import Chart
from diagnostics.registry import registered


def _charts() -> dict[str, Chart]:
    found = [value for _, value in registered(sys.modules[__name__], "CHART")]
    return {each.id: each for each in sorted(found, key=lambda each: each.order)}


CHARTS: Mapping[str, Chart] = _charts()
"""Every chart by id, in the order of the page."""
