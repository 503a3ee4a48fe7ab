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


NO_SESSION = "Session 0x0 "
"""How ZooKeeper's client names the session of a connection that it never had. Source: ZooKeeper's ClientCnxn."""


@dataclass(frozen=True, slots=True)
class Outage:
    """One outage: log events of lost connections to the coordination service, in time order.

    answered_ms      when the service answered again: the first session, or the first start of a server, after the last
                     sign, epoch ms; None while no evidence shows it
    never_connected  the logs (file ids) of processes that started during the outage and got no connection
    """

    signs: tuple[LogEvent, ...]
    answered_ms: int | None = None
    never_connected: frozenset[int] = frozenset()

    @property
    def began_ms(self) -> int:
        """The last moment at which a client heard of the service, epoch ms; the first sign where no record states it. A
        client notices the silence only when its read timeout is over.
        """
        heard = [
            each.ts_ms - round(each.duration_ms)
            for each in self.signs
            if each.event == "zk.client.timeout" and each.ts_ms is not None and each.duration_ms is not None
        ]
        return max((each for each in heard if each < self.first_ms), default=self.first_ms)

    @property
    def lasted_ms(self) -> int:
        """From its begin until the service answered again, ms; until the last sign where nothing shows an answer."""
        return (self.last_ms if self.answered_ms is None else self.answered_ms) - self.began_ms

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
        """The logs (file ids) of the processes that lost their connection in it."""
        return frozenset(each.file_id for each in self.signs) - self.never_connected

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
    nexts = [*(group[0].ts_ms for group in groups[1:]), None]
    return [
        Outage(tuple(group), _answered(log, group[-1].ts_ms or 0, before_ms), _never_connected(log, group))
        for group, before_ms in zip(groups, nexts, strict=False)
    ]


def _answered(log: IncidentLog, after_ms: int, before_ms: int | None) -> int | None:
    """When the service first answered after the last sign of an outage, and before the next outage."""
    starts = [each for each in log.of("coordination_server") if each.event == "zk.server.start"]
    answers = [each.ts_ms for each in [*log.of("coordination_back"), *starts] if each.ts_ms is not None]
    return min((each for each in answers if after_ms <= each < (before_ms or each + 1)), default=None)


def _never_connected(log: IncidentLog, signs: Sequence[LogEvent]) -> frozenset[int]:
    """The logs whose process had no connection to lose: it began to write, and connected for the first time during the
    outage.
    """
    first: dict[int, LogEvent] = {}
    for sign in signs:
        first.setdefault(sign.file_id, sign)
    return frozenset(
        file_id
        for file_id, sign in first.items()
        if NO_SESSION in sign.message
        and any(each.file_id == file_id and _is_before(each, sign) for each in log.of("process_start"))
        and not any(each.file_id == file_id and _is_before(each, sign) for each in log.of("coordination_back"))
    )


def _is_before(event: LogEvent, sign: LogEvent) -> bool:
    return event.ts_ms is not None and event.ts_ms <= (sign.ts_ms or 0)


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
