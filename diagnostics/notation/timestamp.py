"""Times in ISO 8601."""

from __future__ import annotations

import datetime as dt


def timestamp(ts_ms: int | None) -> str | None:
    """Epoch milliseconds as ISO 8601 in UTC with milliseconds; None for None and for times outside the calendar."""
    if ts_ms is None:
        return None
    try:
        moment = dt.datetime.fromtimestamp(ts_ms / 1000, tz=dt.UTC)
    except (OverflowError, ValueError, OSError):
        return None
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
