"""A script that makes records as skewed and as late as those of a case, and checks its own distribution."""

from __future__ import annotations

import json
import re
from pathlib import Path

from diagnostics.evidence.subject import Lookup

GENERATOR = Path(__file__).parent / "generator.py"
MOST_KEYS = 1_000_000
"""Different keys that a script makes. Our choice: a memory that every machine has."""


def reproduction(lookup: Lookup) -> str | None:
    """The script with the measured shares; None when neither a hot key nor late records were measured."""
    hot = _share(lookup, "key_distribution.top_key_share_ratio", "load_balance.hot_share_ratio")
    late = _share(lookup, "late_records.dropped_ratio", "device_clocks.over_bound_ratio")
    if hot is None and late is None:
        return None
    keys = _number(lookup, "key_distribution.distinct_keys")
    bound, lag = _number(lookup, "device_clocks.bound_ms"), _number(lookup, "device_clocks.lag_max_ms")
    key = lookup("key_distribution.top_key")
    values: dict[str, str | float] = {"HOT_SHARE": round(hot or 0.0, 4), "LATE_SHARE": round(late or 0.0, 4)}
    if isinstance(key, str):
        values["HOT_KEY"] = key
    if keys is not None and keys > 1:
        values["OTHER_KEYS"] = min(int(keys) - 1, MOST_KEYS)
    if bound is not None and bound > 0:
        values["BOUND_MS"] = round(bound)
        if lag is not None and lag > bound:
            values["LATE_BY_MS"] = round(lag - bound)
    text = GENERATOR.read_text("utf-8")
    for name, value in values.items():
        line = f"{name} = {json.dumps(value)}"
        text = re.sub(rf"^{name} = .*$", line.replace("\\", "\\\\"), text, count=1, flags=re.M)
    return text


def _share(lookup: Lookup, *facts: str) -> float | None:
    return next((share for fact in facts if (share := _number(lookup, fact)) is not None and 0 <= share <= 1), None)


def _number(lookup: Lookup, fact: str) -> float | None:
    value = lookup(fact)
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
