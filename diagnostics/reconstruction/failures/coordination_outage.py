"""Outages of the coordination service (ZooKeeper, Kubernetes), put together from what all processes say of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from diagnostics.reconstruction.failures.incident_log import IncidentLog, LogEvent
from diagnostics.reconstruction.gc.pauses import SLICE_MS
from diagnostics.reconstruction.gc.timeline import Timeline

SAME_OUTAGE_MS = 30_000
"""Signs of trouble with less than this between them are one outage. Our choice: some session timeouts' slack."""
AFTER_OUTAGE_MS = 60_000
"""A process that ends, or a leadership that is lost, within this time after a sign belongs to the outage. Our choice:
Flink's default session timeout of Curator, after which a suspended connection is given up."""
BEFORE_SIGN_MS = 20_000
"""How long before the first sign the collections are looked at. Our choice."""


@dataclass(frozen=True, slots=True)
class Outage:
    """Signs of trouble that follow one another."""

    signs: tuple[LogEvent, ...]

    @property
    def first_ms(self) -> int:
        """When the first process noticed."""
        return self.signs[0].ts_ms or 0

    @property
    def last_ms(self) -> int:
        """The last sign."""
        return self.signs[-1].ts_ms or 0

    @property
    def files(self) -> frozenset[int]:
        """The processes that noticed, by their logs."""
        return frozenset(each.file_id for each in self.signs)

    def covers(self, ts_ms: int | None) -> bool:
        """Whether something happened during the outage or shortly after its last sign."""
        return ts_ms is not None and self.first_ms <= ts_ms <= self.last_ms + AFTER_OUTAGE_MS


def outages(log: IncidentLog) -> list[Outage]:
    """The times of trouble, in order. What has no time belongs to none."""
    groups: list[list[LogEvent]] = []
    for event in log.of("coordination_lost"):
        if event.ts_ms is None:
            continue
        if groups and event.ts_ms - (groups[-1][-1].ts_ms or 0) <= SAME_OUTAGE_MS:
            groups[-1].append(event)
        else:
            groups.append([event])
    return [Outage(tuple(group)) for group in groups]


def pause_ratio_before(known: Sequence[Timeline], found: Sequence[Outage]) -> float | None:
    """The largest share of BEFORE_SIGN_MS before an outage that a JVM stood still for collections; None if unknown."""
    shares = [
        sum(each.pause_ms for each in timeline.slices if -BEFORE_SIGN_MS <= each.start_ms - outage.first_ms < SLICE_MS)
        / BEFORE_SIGN_MS
        for timeline in known
        if timeline.has_clock
        for outage in found
    ]
    return min(max(shares), 1.0) if shares else None
