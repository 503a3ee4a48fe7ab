"""Packet loss between hosts: segments that the kernels retransmitted, and connections without an answer."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from diagnostics.aggregators import tcp_samples
from diagnostics.arithmetic.named_rows import named_rows
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.reconstruction.failures.incident_log import incident_log
from diagnostics.reconstruction.failures.task_manager_lost import losses
from diagnostics.reconstruction.failures.tcp_intervals import (
    Interval,
    connection_of,
    ends_of,
    intervals_of,
    is_stalled,
    long_intervals_of,
    place_of,
)
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition
from diagnostics.wording.cited_text import SENT_AGAIN, SENT_AGAIN_AND_WAITS, cited_text

LEAST_AGAIN = 5
"""With fewer retransmitted segments an interval does not count as growth. Our choice, for the same reason."""
SHOWN = 10
HARDWARE_ADDRESS = re.compile(r"(?i)^[0-9a-f]{2}(?::[0-9a-f]{2}){5}\b")


def measure(evidence: Evidence) -> Measured:
    """Retransmissions over time, by connection and by host.

    Reads   tcp_sample (counters of kernels, packets on the wire); log_record and failure (when TaskManagers were lost).
    Gives   one signal of the case, also when nothing was lost.
    Empty   NotMeasured without readings of the kernel's TCP counters.
    """
    if not evidence.has("tcp_sample"):
        yield NotMeasured("tcp_loss", "tcp-counters", "no file shows what the kernels count of TCP")
        return
    rows = named_rows(evidence.answer(tcp_samples.AGGREGATOR))
    of_connections = [row for row in rows if row.peer_address is not None]
    of_hosts = [row for row in rows if row.peer_address is None]
    connections, hosts = intervals_of(of_connections), intervals_of(of_hosts)
    stalled = [row for row in rows if is_stalled(row)]
    worst = max(
        (each for each in long_intervals_of(of_connections) if each.again >= LEAST_AGAIN),
        key=lambda each: each.ratio,
        default=None,
    )
    busiest = max(long_intervals_of(of_hosts), key=lambda each: each.ratio, default=None)
    times = [row.ts_ms for row in rows if row.ts_ms is not None]
    facts: dict[str, FactValue] = {
        "readings": len(rows),
        "connections": len({ends_of(row) for row in rows if row.peer_address is not None}),
        "connection_ratio": worst.ratio if worst else None,
        "connection_from": worst.to_row.local_address if worst else None,
        "connection_to": worst.to_row.peer_address if worst else None,
        "connection_again": worst.again if worst else None,
        "connection_sent": worst.sent if worst else None,
        **_period(worst),
        "host_ratio": busiest.ratio if busiest else None,
        "again": sum(each.again for each in hosts or connections),
        "stalled": len({connection_of(row) for row in stalled}),
        "stalled_ends": sorted({end for row in stalled for end in (row.local_address, row.peer_address) if end})[
            :SHOWN
        ],
        **_longest_timeout(stalled),
        "longest_silent_ms": max((row.silent_ms or 0.0 for row in stalled), default=None),
        "first_stalled_ms": min((row.ts_ms for row in stalled if row.ts_ms is not None), default=None),
        "onset_ms": _first_again_ms(stalled, [*hosts, *connections]),
        **_timeouts(rows),
        **_before_loss(evidence, rows, hosts or connections),
        **_worst_host(stalled, connections),
    }
    compared = [row for each in (worst, busiest) if each for row in (each.to_row, each.from_row) if row is not None]
    shown = compared + sorted(stalled, key=lambda row: -(row.rto_ms or 0.0))
    yield Signal(
        key="tcp_loss",
        subject=Subject(),
        facts={name: value for name, value in facts.items() if value is not None and value != []},
        citations=tuple(dict.fromkeys(_cite(row) for row in shown))[:SHOWN],
        citation_count=len(shown),
        window=(min(times), max(times)) if times else None,
    )


def _first_again_ms(stalled: Sequence[Any], intervals: Sequence[Interval]) -> int | None:
    """When segments were first seen to be sent again: at a reading, or at a packet without an answer."""
    counted = [each.to_row.ts_ms for each in intervals if each.from_row is not None and each.again >= LEAST_AGAIN]
    return min((ts_ms for ts_ms in (*counted, *(row.ts_ms for row in stalled)) if ts_ms is not None), default=None)


def _period(interval: Interval | None) -> dict[str, FactValue]:
    """The two readings between which segments were counted; none of them for a count since the start."""
    if interval is None or interval.from_row is None:
        return {}
    return {"connection_since_ms": interval.from_row.ts_ms, "connection_until_ms": interval.to_row.ts_ms}


def _timeouts(rows: Sequence[Any]) -> dict[str, FactValue]:
    """Retransmission timeouts of all hosts, at their first and at their last readings."""
    by_host = _timeouts_by_host(rows)
    if not by_host:
        return {}
    first, last = sum(each[0] for each in by_host.values()), sum(each[-1] for each in by_host.values())
    return {"timeouts_first": first, "timeouts_last": last, "timeouts_grown": max(last - first, 0)}


def _timeouts_by_host(rows: Iterable[Any]) -> Mapping[Hashable, list[int]]:
    by_host: dict[Hashable, list[int]] = defaultdict(list)
    for row in rows:
        if row.peer_address is None and row.timeouts is not None:
            by_host[place_of(row)].append(row.timeouts)
    return by_host


def _longest_timeout(stalled: Sequence[Any]) -> dict[str, FactValue]:
    """The connection with the longest timeout, and what was read of that one only.

    A captured packet shows how often a segment was sent again, which is not how often the kernel doubled its timeout: a
    kernel sends a first one again early, as a probe. The pause between two of them is longer than the timeout that the
    kernel states, because its timers are coarse; it counts where no kernel states one.
    """
    stated = [row for row in stalled if row.seen_by is None]
    longest = max(stated or stalled, key=lambda row: row.rto_ms or 0.0, default=None)
    if longest is None:
        return {}
    of_it = [row for row in stalled if ends_of(row) == ends_of(longest)]
    return {
        "longest_from": _end(longest.local_address, longest.local_port),
        "longest_to": _end(longest.peer_address, longest.peer_port),
        "longest_rto_ms": longest.rto_ms,
        "backoff": max((row.backoff or 0 for row in of_it if row.seen_by is None), default=None),
        "waiting_bytes": max((row.waiting_bytes for row in of_it if row.waiting_bytes is not None), default=None),
    }


def _end(address: str | None, port: int | None) -> str | None:
    return f"{address}:{port}" if address and port is not None else address


def _before_loss(evidence: Evidence, rows: Sequence[Any], intervals: Sequence[Interval]) -> dict[str, FactValue]:
    """Retransmissions in intervals that ended before the first TaskManager was lost, and timeouts until then."""
    stamps = [loss.ts_ms for loss in losses(incident_log(evidence)) if loss.ts_ms is not None]
    if not stamps:
        return {}
    before = [
        each
        for each in intervals
        if not each.since_start and each.to_row.ts_ms is not None and each.to_row.ts_ms <= min(stamps)
    ]
    if not before:
        return {}
    until = _timeouts_by_host(row for row in rows if row.ts_ms is not None and row.ts_ms <= min(stamps))
    grown = {"timeouts_before_loss": sum(each[-1] for each in until.values())}
    return {
        "again_before_loss": sum(each.again for each in before),
        **(grown if len(until) == len(_timeouts_by_host(rows)) > 0 else {}),
    }


def _worst_host(stalled: Sequence[Any], connections: Sequence[Interval]) -> dict[str, FactValue]:
    """The host with the most peers in stalled and lossy connections; none when two hosts tie."""
    troubled = [*stalled, *(each.to_row for each in connections if each.again >= LEAST_AGAIN and each.ratio >= LOSSY)]
    pairs = {frozenset((row.local_address, row.peer_address)) for row in troubled if row.local_address}
    counts = Counter(end for pair in pairs if len(pair) == 2 for end in pair)
    ranked: Mapping[str, int] = dict(counts.most_common(2))
    if len(ranked) == 2 and len(set(ranked.values())) == 2:
        name = max(ranked, key=lambda each: ranked[each])
        return {"host": name, "host_peers": ranked[name]}
    return {}


LOSSY = 0.01
"""From this share of retransmitted segments on a connection is lossy. Our choice: ten times the usual share in a wired
network within a data centre.
"""


def _name_of(host: str | None) -> str:
    """A host as people know it: addresses of network cards do not show which one it is, the file's name does."""
    return "host" if host is None or HARDWARE_ADDRESS.match(host) else host


def _cite(row: Any) -> Citation:
    place = f"{row.local_address} to {row.peer_address}" if row.peer_address else _name_of(row.host)
    sent = {"host": place, "again": row.segments_retransmitted, "segments": row.segments_out}
    if row.rto_ms is None:
        return Citation.of(row, "metric", cited_text(SENT_AGAIN, **sent))
    waits = f"timeout {row.rto_ms:.0f} ms" + (f" after {row.backoff} doublings" if row.backoff else "")
    return Citation.of(row, "metric", cited_text(SENT_AGAIN_AND_WAITS, parts=waits, **sent))


SIGNALS = (
    SignalDefinition(
        key="tcp_loss",
        level="case",
        facts={
            "readings": "readings of connections and hosts",
            "connections": "connections that were read",
            "connection_ratio": "largest part of one connection's segments that was sent again, 0 to 1",
            "connection_from": "the side that sent them",
            "connection_to": "the other side",
            "connection_again": "how many segments that were",
            "connection_sent": "of how many",
            "connection_since_ms": "the earlier of the two readings between which these were counted, epoch ms",
            "connection_until_ms": "the later one, epoch ms",
            "host_ratio": "largest part of the segments of a host that was retransmitted, 0 to 1",
            "again": "segments sent again in all while it was watched",
            "stalled": "connections that retransmitted again and again without an answer",
            "stalled_ends": "their addresses",
            "longest_rto_ms": "longest retransmission timeout, of a kernel where one states it, else as captured, ms",
            "longest_from": "the side of that connection which sent again",
            "longest_to": "the other side of that connection",
            "backoff": "number of times that the kernel doubled the timeout of that connection",
            "longest_silent_ms": "longest time without an acknowledgement on them, ms",
            "waiting_bytes": "most bytes that waited on that connection",
            "first_stalled_ms": "when the first of them was seen, epoch ms",
            "onset_ms": "when segments were first seen to be sent again, epoch ms",
            "timeouts_first": "retransmission timeouts of all hosts at the first reading",
            "timeouts_last": "at the last reading",
            "timeouts_grown": "growth of the count of retransmission timeouts",
            "timeouts_before_loss": "at the last reading before the first TaskManager was lost",
            "again_before_loss": "segments retransmitted before the first TaskManager was lost",
            "host": "address that the troubled connections have in common",
            "host_peers": "other hosts that have trouble with it",
        },
        measure=measure,
    ),
)
