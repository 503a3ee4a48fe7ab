"""Where a snapshot of a case begins: when the change took effect, else where the evidence before the change ends."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from diagnostics.formats import FORMATS
from diagnostics.reading.beginning import Beginning
from workbench.analyses.models import Analysis


def beginning_of(analysis: Analysis) -> Beginning | None:
    """The moment before which evidence does not count for the snapshot of an analysis; None for the incident."""
    snapshot = analysis.case.snapshots.filter(number=analysis.snapshot).first()
    if snapshot is None:
        return None
    if snapshot.begins_at is not None:
        return Beginning(_epoch_ms(snapshot.begins_at))
    before = analysis.case.analyses.done().filter(snapshot__lt=analysis.snapshot).defer("document", "signals").first()
    end = evidence_end(before.inputs or ()) if before else None
    return Beginning(_epoch_ms(end) + 1, is_stated=False) if end else None


def evidence_end(inputs: Iterable[Mapping[str, Any]]) -> datetime | None:
    """When the evidence of a diagnosis ends; None when none of it has a time.

    Logs often have local times, all else has UTC. Where the two end at different times the earlier one counts, so that
    a log ahead of UTC does not make evidence from after the change look old.
    """
    ends: dict[bool, datetime] = {}
    for entry in inputs:
        known = FORMATS.get(entry.get("format") or "")
        if known is None or not entry.get("last_ts"):
            continue
        last = datetime.fromisoformat(entry["last_ts"])
        ends[known.is_log] = max(ends.get(known.is_log, last), last)
    return min(ends.values(), default=None)


def _epoch_ms(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)
