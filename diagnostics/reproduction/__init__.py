"""A script that makes records as skewed, as late and with such clocks as a case has, and checks its distribution."""

from __future__ import annotations

import json
import re
from pathlib import Path

from diagnostics.evidence.subject import Lookup

GENERATOR = Path(__file__).parent / "generator.py"
MOST_KEYS = 1_000_000
"""Different keys that a script makes. Our choice: a memory that every machine has."""
HOT_FROM = 1.5
"""A key, or a subtask, that has less than this multiple of its even share is not hot. Source: the exit condition of the
runbook for data skew.
"""
OFFSETS = (
    ("FAST_BY_LEAST_MS", "device_clocks.fast_by_min_ms"),
    ("FAST_BY_MOST_MS", "device_clocks.fast_by_max_ms"),
    ("SLOW_BY_LEAST_MS", "device_clocks.slow_by_min_ms"),
    ("SLOW_BY_MOST_MS", "device_clocks.slow_by_max_ms"),
)


def reproduction(lookup: Lookup) -> str | None:
    """The script with the measured shares; None when no hot key, no wrong clock and no late records were measured."""
    clocks, hot = _clocks(lookup), _hot_share(lookup)
    late = _late_share(lookup, has_wrong_clocks=bool(clocks))
    if hot is None and late is None and not clocks:
        return None
    keys = _number(lookup, "key_distribution.distinct_keys")
    bound, lag = _number(lookup, "device_clocks.bound_ms"), _number(lookup, "device_clocks.lag_max_ms")
    key = lookup("key_distribution.top_key")
    values: dict[str, str | float] = {"HOT_SHARE": round(hot or 0.0, 4), "LATE_SHARE": round(late or 0.0, 4)}
    if isinstance(key, str) and hot is not None:
        values["HOT_KEY"] = key
    if keys is not None and keys > 1:
        values["OTHER_KEYS"] = min(int(keys) - (hot is not None), MOST_KEYS)
    if bound is not None and bound > 0:
        values["BOUND_MS"] = round(bound)
        if lag is not None and lag > bound:
            values["LATE_BY_MS"] = round(lag - bound)
    text = GENERATOR.read_text("utf-8")
    for name, value in (values | clocks).items():
        line = f"{name} = {json.dumps(value)}"
        text = re.sub(rf"^{name} = .*$", line.replace("\\", "\\\\"), text, count=1, flags=re.M)
    return text


def _clocks(lookup: Lookup) -> dict[str, str | float]:
    """The devices, and how many of them have which wrong clocks; empty where all are right."""
    devices, fast, slow = (
        int(_number(lookup, f"device_clocks.{fact}") or 0) for fact in ("devices", "fast_devices", "slow_devices")
    )
    if not 0 < fast + slow <= devices <= MOST_KEYS:
        return {}
    offsets = {name: round(ms) for name, fact in OFFSETS if (ms := _number(lookup, fact)) is not None}
    return {"OTHER_KEYS": devices, "FAST_KEYS": fast, "SLOW_KEYS": slow, **offsets}


def _hot_share(lookup: Lookup) -> float | None:
    """The share of the hot key, or of the hot subtask where keys are not known; None where the shares are even."""
    by_key = _share(lookup, "key_distribution.top_key_share_ratio")
    multiple = _number(lookup, "load_balance.skew_ratio" if by_key is None else "key_distribution.top_multiple_ratio")
    if multiple is not None and multiple < HOT_FROM:
        return None
    return _share(lookup, "load_balance.hot_share_ratio") if by_key is None else by_key


def _late_share(lookup: Lookup, *, has_wrong_clocks: bool) -> float | None:
    """The share of late records; where clocks are wrong only that of the right ones: the others are late by theirs."""
    if has_wrong_clocks:
        return _share(lookup, "device_clocks.right_over_bound_ratio")
    return _share(lookup, "late_records.dropped_ratio", "device_clocks.over_bound_ratio")


def _share(lookup: Lookup, *facts: str) -> float | None:
    return next((share for fact in facts if (share := _number(lookup, fact)) is not None and 0 <= share <= 1), None)


def _number(lookup: Lookup, fact: str) -> float | None:
    value = lookup(fact)
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
