"""Segments that kernels sent, and sent again, between two readings of a connection or a host."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

LEAST_SEGMENTS = 50
"""With fewer segments a share is chance. Our choice."""
STALLED_BACKOFF = 3
"""From this many doublings of the timeout on a connection has no answer. Our choice: 200 ms doubled three times is 3 s
without an acknowledgement; a single lost packet needs one or two doublings.
"""
STALLED_RTO_MS = 5_000.0
"""The same for readings without the number of doublings. Our choice: far above any round trip in a data centre."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Segments of one connection or host between two readings, or since its start when there is one reading.

    from_row  the earlier reading; None of a connection that is counted since its start
    """

    sent: int
    again: int
    to_row: Any
    from_row: Any = None

    @property
    def since_start(self) -> bool:
        """Whether they are counted since the start of the connection or host."""
        return self.from_row is None

    @property
    def ratio(self) -> float:
        """Share of retransmitted segments."""
        return min(self.again / max(self.sent, 1), 1.0)


def place_of(row: Any) -> Hashable:
    """Key of a connection or host, by its addresses and not by the file's name.

    Captured packets are counted from the start of the capture and are never mixed with a kernel's counters.
    """
    if row.peer_address is not None:
        return row.seen_by, *ends_of(row)
    return str(row.host) if row.host else int(row.file_id)


def ends_of(row: Any) -> tuple[Hashable, ...]:
    """A connection's two ends, the sending side first."""
    return row.local_address, row.local_port, row.peer_address, row.peer_port


def connection_of(row: Any) -> Hashable:
    """Key of a connection whichever of its two sides a row is of: both hosts read, and capture, the same one."""
    return frozenset({(row.local_address, row.local_port), (row.peer_address, row.peer_port)})


def long_intervals_of(rows: Iterable[Any]) -> list[Interval]:
    """Intervals of at least LEAST_SEGMENTS segments: shorter ones of a connection or host are joined with the next, the
    last ones with those before, so that a connection which sends little while it is cut off counts too.
    """
    joined: list[Interval] = []
    for of_place in _by_place(intervals_of(rows)):
        enough: list[Interval] = []
        rest: Interval | None = None
        for each in of_place:
            rest = each if rest is None or each.since_start else _joined(rest, each)
            if rest.sent >= LEAST_SEGMENTS:
                enough.append(rest)
                rest = None
        if rest is not None and enough and not rest.since_start:
            enough[-1] = _joined(enough[-1], rest)
        joined += enough
    return joined


def _by_place(intervals: Iterable[Interval]) -> Iterable[list[Interval]]:
    by_place: dict[Hashable, list[Interval]] = defaultdict(list)
    for each in intervals:
        by_place[place_of(each.to_row)].append(each)
    return by_place.values()


def _joined(earlier: Interval, later: Interval) -> Interval:
    return Interval(earlier.sent + later.sent, earlier.again + later.again, later.to_row, earlier.from_row)


def intervals_of(rows: Iterable[Any]) -> list[Interval]:
    """Intervals between readings; a counter that fell belongs to a new connection and counts from its start."""
    by_place: dict[Hashable, list[Any]] = defaultdict(list)
    for row in rows:
        if row.segments_out is not None and row.segments_retransmitted is not None:
            by_place[place_of(row)].append(row)
    intervals = []
    for readings in by_place.values():
        if len(readings) == 1:
            only = readings[0]
            intervals.append(Interval(only.segments_out, only.segments_retransmitted, only))
        for before, after in itertools.pairwise(readings):
            grown = after.segments_out >= before.segments_out
            sent = after.segments_out - (before.segments_out if grown else 0)
            again = after.segments_retransmitted - (before.segments_retransmitted if grown else 0)
            intervals.append(Interval(sent, max(again, 0), after, before if grown else None))
    return intervals


def is_stalled(row: Any) -> bool:
    """Whether a connection retransmits repeatedly without an answer."""
    if row.peer_address is None:
        return False
    return (row.backoff or 0) >= STALLED_BACKOFF or (row.rto_ms or 0.0) >= STALLED_RTO_MS
