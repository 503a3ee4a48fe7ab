"""When the file system that fills first is full, if the trend of its free bytes lasts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from diagnostics.aggregators import free_space
from diagnostics.arithmetic.trend import NoTrend, Reached, Trend, trend_of
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import Subject
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts

HOUR_MS = 3_600_000
NOT_A_DISK = ("fstype=tmpfs", "fstype=ramfs", "fstype=overlay", "fstype=squashfs")
"""Labels of file systems in memory, or that repeat another one. Source: the node exporter's own example alerts."""
PLACES = ("mountpoint", "persistentvolumeclaim", "device")
HOSTS = ("node", "nodename", "instance")
"""Labels that name the place and the host, the plainest first."""

Rows = Sequence[Mapping[str, Any]]


def measure(evidence: Evidence) -> Measured:
    """The trend of the free bytes of each file system, extrapolated to zero.

    A trend is extrapolated to five times the observed time at most, and there is none of fewer than eight points,
    through a plateau or a break (`diagnostics/arithmetic/trend.py`).

    Reads   metric_sample (node_filesystem_avail_bytes, kubelet_volume_stats_available_bytes).
    Gives   one signal of the case: the file system that is full first; without one that fills, `file_systems` alone.
    Units   bytes; milliseconds after the last sample; bytes per hour.
    Empty   NotMeasured without such metrics.
    """
    by_series: dict[tuple[Any, ...], list[Mapping[str, Any]]] = defaultdict(list)
    for row in evidence.answer(free_space.AGGREGATOR).to_pylist():
        is_disk = not any(part in (row["labels"] or "") for part in NOT_A_DISK)
        if is_disk and row["ts_ms"] is not None and row["value"] is not None:
            by_series[row["metric"], row["labels"], row["file_id"]].append(row)
    if not by_series:
        yield NotMeasured("disk_forecast", "disk-space", "no metric shows the free bytes of a file system")
        return
    filling = [(reached.expected - trend.last, rows, trend, reached) for rows, trend, reached in _filling(by_series)]
    count = len({key[:2] for key in by_series})
    if filling:
        _, rows, trend, reached = min(filling, key=lambda each: each[0])
        yield _signal(rows, trend, reached, count)
        return
    first = next(iter(by_series.values()))[-1]
    yield Signal("disk_forecast", Subject(), {"file_systems": count}, (_cite(first),), citation_count=count)


def _filling(by_series: Mapping[tuple[Any, ...], Rows]) -> list[tuple[Rows, Trend, Reached]]:
    filling: list[tuple[Rows, Trend, Reached]] = []
    for rows in by_series.values():
        ordered = sorted(rows, key=lambda row: row["ts_ms"])
        trend = trend_of([(float(row["ts_ms"]), row["value"]) for row in ordered])
        if not isinstance(trend, NoTrend) and trend.slope < 0 and (reached := trend.reaches(0.0)):
            filling.append((ordered, trend, reached))
    return filling


def _signal(rows: Rows, trend: Trend, reached: Reached, count: int) -> Signal:
    labels = dict(part.partition("=")[::2] for part in (rows[-1]["labels"] or "").split(","))
    place, host = (next((name for name in names if name in labels), None) for names in (PLACES, HOSTS))
    facts = {
        "file_systems": count,
        "metric": rows[-1]["metric"],
        "place_label": place,
        "place": labels.get(place or ""),
        "host_label": host,
        "host": labels.get(host or ""),
        "free_bytes": rows[-1]["value"],
        "falls_bytes_per_h": -trend.slope * HOUR_MS,
        "falls_low_bytes_per_h": max(-trend.slope_high, 0.0) * HOUR_MS,
        "falls_high_bytes_per_h": -trend.slope_low * HOUR_MS,
        "error_bytes": trend.error,
        "samples": len(rows),
        "full_in_ms": reached.expected - trend.last,
        "full_earliest_ms": reached.earliest - trend.last,
        "full_latest_ms": reached.latest - trend.last if reached.latest is not None else None,
    }
    window = (round(trend.first), round(trend.last))
    cited = (_cite(rows[0]), _cite(rows[-1]))
    return Signal("disk_forecast", Subject(), known_facts(facts), cited, citation_count=len(rows), window=window)


def _cite(row: Mapping[str, Any]) -> Citation:
    text = f"{row['metric']}{{{row['labels']}}} = {row['value']:.15g}"
    return Citation.cite_row(row, "metric", text[:400])


FACTS = {
    "file_systems": "file systems whose free bytes are known",
    "metric": "metric of its free bytes",
    "place_label": "label that names the place",
    "place": "mount point or volume that is full first",
    "host_label": "label that names the host",
    "host": "its host",
    "free_bytes": "bytes free there at last",
    "falls_bytes_per_h": "fall of the free bytes per hour, median slope",
    "falls_low_bytes_per_h": "least fall within 95 %",
    "falls_high_bytes_per_h": "largest fall within 95 %",
    "error_bytes": "median distance of a sample from the line",
    "samples": "samples that the trend rests on",
    "full_in_ms": "time from the last sample until it is full",
    "full_earliest_ms": "earliest time until it is full",
    "full_latest_ms": "latest time until it is full, where it can be foreseen",
}

SIGNALS = (SignalDefinition("disk_forecast", "case", FACTS, measure),)
