"""Outages of the coordination service (ZooKeeper, Kubernetes), combined from the logs of all processes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from diagnostics.reconstruction.failures.incident_log import IncidentLog, LogEvent
from diagnostics.reconstruction.gc.pauses import SLICE_MS
from diagnostics.reconstruction.gc.timeline import Timeline

SAME_OUTAGE_MS = 30_000
"""Signs of an outage that follow within this time belong to the same outage. Our choice: several session timeouts."""
AFTER_OUTAGE_MS = 60_000
"""The end of a process, or a lost leadership, within this time after the last sign belongs to the outage. Our choice:
Flink's default session timeout of Curator, after which a suspended connection is lost."""
BEFORE_SIGN_MS = 20_000
"""Time before the first sign in which garbage collections are considered as its cause. Our choice."""


@dataclass(frozen=True, slots=True)
class Outage:
    """One outage: log events of lost connections to the coordination service, in time order."""

    signs: tuple[LogEvent, ...]

    @property
    def first_ms(self) -> int:
        """Time of the first sign, epoch ms."""
        return self.signs[0].ts_ms or 0

    @property
    def last_ms(self) -> int:
        """Time of the last sign, epoch ms."""
        return self.signs[-1].ts_ms or 0

    @property
    def files(self) -> frozenset[int]:
        """The logs (file ids) of the processes that noticed it."""
        return frozenset(each.file_id for each in self.signs)

    def covers(self, ts_ms: int | None) -> bool:
        """Whether something happened during the outage or shortly after its last sign."""
        return ts_ms is not None and self.first_ms <= ts_ms <= self.last_ms + AFTER_OUTAGE_MS


def outages(log: IncidentLog) -> list[Outage]:
    """The outages in time order; events without a time are left out."""
    groups: list[list[LogEvent]] = []
    for event in log.of("coordination_lost"):
        if event.ts_ms is None:
            continue
        if groups and event.ts_ms - (groups[-1][-1].ts_ms or 0) <= SAME_OUTAGE_MS:
            groups[-1].append(event)
        else:
            groups.append([event])
    return [Outage(tuple(group)) for group in groups]


def pause_ratio_before(known: Sequence[Timeline], outages_of_log: Sequence[Outage]) -> float | None:
    """The largest share of BEFORE_SIGN_MS before an outage that a JVM spent in GC pauses; None if unknown."""
    shares = [
        sum(each.pause_ms for each in timeline.slices if -BEFORE_SIGN_MS <= each.start_ms - outage.first_ms < SLICE_MS)
        / BEFORE_SIGN_MS
        for timeline in known
        if timeline.has_clock
        for outage in outages_of_log
    ]
    return min(max(shares), 1.0) if shares else None
