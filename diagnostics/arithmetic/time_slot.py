"""Divides a time range into slots of equal length."""

from __future__ import annotations


def slot_ms(from_ms: int, to_ms: int, most_slots: int, least_ms: int) -> int:
    """Length of a slot in ms: at least `least_ms`, and such that both times fall into at most `most_slots` slots."""
    return max(least_ms, -(-(to_ms - from_ms + 1) // most_slots))
