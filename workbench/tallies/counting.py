"""Adds to the counts. What is counted is stored after the transaction commits, and its failure fails nothing."""

from __future__ import annotations

import bisect
from collections.abc import Mapping

from django.db import transaction
from django.db.models import F

from workbench.tallies.models import Tally

ANALYSES = "analyses"
DELIVERIES = "deliveries"
SIGN_INS = "sign_ins"
STAGE_SECONDS = "stage_seconds"
STAGE_SUMS = "stage_seconds_sum"

BUCKETS = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 1800.0)
"""Upper bounds in seconds. Our choice: a small case takes less than a second, the time limit is half an hour."""


def count(name: str, label: str) -> None:
    """One more of it."""
    transaction.on_commit(lambda: _add({(name, label): 1.0}), robust=True)


def stages_count(stage_ms: Mapping[str, int]) -> None:
    """The durations of the stages of an analysis."""
    amounts: dict[tuple[str, str], float] = {}
    for stage, milliseconds in stage_ms.items():
        amounts[STAGE_SECONDS, f"{stage}|{bucket_of(milliseconds / 1000)}"] = 1.0
        amounts[STAGE_SUMS, stage] = milliseconds / 1000
    transaction.on_commit(lambda: _add(amounts), robust=True)


def bucket_of(seconds: float) -> str:
    """The upper bound of the smallest bucket that holds the duration."""
    place = bisect.bisect_left(BUCKETS, seconds)
    return str(BUCKETS[place]) if place < len(BUCKETS) else "+Inf"


def _add(amounts: Mapping[tuple[str, str], float]) -> None:
    with transaction.atomic():
        for (name, label), amount in sorted(amounts.items()):
            if not Tally.objects.filter(name=name, label=label).update(value=F("value") + amount):
                tally, is_new = Tally.objects.get_or_create(name=name, label=label, defaults={"value": amount})
                if not is_new:
                    Tally.objects.filter(pk=tally.pk).update(value=F("value") + amount)
