"""Event time in the input events: how late they arrive, and which devices have wrong clocks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from statistics import median

from diagnostics.aggregators import partition_lags
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.reconstruction.events.device_clocks import (
    LEAST_DELAY_MS,
    Clocks,
    DeviceLag,
    LagHistogram,
    agreed_bound_ms,
    clocks,
)
from diagnostics.reconstruction.events.device_lags import DeviceLags, device_lags
from diagnostics.reconstruction.events.disorder_bound import bound_estimates
from diagnostics.reconstruction.events.lag_counts import all_lags, lag_classes
from diagnostics.reconstruction.events.places import EventPlace, lag_extremes
from diagnostics.reconstruction.events.totals import EventTotals, event_totals
from diagnostics.reconstruction.metrics.metric_series import metric_series
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.wording.cited_text import EARLY_EVENT, LATE_EVENT, cited_text

FEWEST_EVENTS = 500
"""How many events with both times a sample must hold. Our choice: enough for a 99th percentile."""
SLICE_MS = 30_000
"""Length of a time slice: a clock may change during the sample. Our choice: far below the minutes that a sample usually
covers.
"""
MOST_SLICES = 64
USUAL_IN_SLICE = 8
"""How many events a slice should hold per device; sparse devices get longer slices. Our choice: with fewer, most slices
would be below FEWEST_IN_SLICE and their events unused.
"""
MOST_DEVICE_SLICES = 200_000
"""Slices of all devices together. Our choice: each needs a summary of its lags; 20,000 devices still get ten each."""
MOST_DEVICES = 2_000
"""How many devices are examined one by one, those that deviate most first. Our choice."""
MOST_CURVE_POINTS = 48
"""Points of the curve of lateness. Our choice: about seven for each factor of two, down to one event of a hundred."""
MOST_NAMED = 40
"""Devices of a kind that a runbook names one by one, since each has to be corrected. Our choice."""
SHOWN_DEVICES = 5
MOST_CITED = 4

Places = Mapping[str, tuple[EventPlace, EventPlace]]
"""Device -> its events with the lowest and the highest lag, where these are kept."""


def measure(evidence: Evidence) -> Measured:
    """Lag of the events, devices with wrong clocks, and the disorder bound that would cover them.

    Reads   event: one row per input event; metric_sample for the watermark at the same time.
    Gives   one signal of the case. Lag is arrival minus event time.
    Empty   NotMeasured without events that carry both times.
    """
    if not evidence.has("event"):
        yield NotMeasured("device_clocks", "event-sample", "no file holds input events")
        return
    totals = event_totals(evidence)
    if totals.timed < FEWEST_EVENTS:
        yield NotMeasured("device_clocks", "event-sample", f"fewer than {FEWEST_EVENTS} events carry both times")
        return
    lags = _lags(evidence, totals)
    found = clocks(lags.furthest, lags.usual_lag_ms)
    histograms = _histograms(evidence, found)
    bound = agreed_bound_ms(bound_estimates(evidence, metric_series(evidence)))
    yield _signal(lags, found, histograms, bound, _places(evidence, found), _slow_partitions(evidence))


def _lags(evidence: Evidence, totals: EventTotals) -> DeviceLags:
    from_ms, to_ms, keys = totals.from_ms or 0, totals.to_ms or 0, max(1, totals.timed_keys)
    most = max(1.0, min(MOST_SLICES, totals.timed / keys / USUAL_IN_SLICE, MOST_DEVICE_SLICES / keys))
    return device_lags(evidence, from_ms, max(SLICE_MS, (to_ms - from_ms) / most), MOST_DEVICES)


def _places(evidence: Evidence, found: Clocks) -> Places:
    """Device -> its events with the lowest and the highest lag, for the cited devices."""
    cited = [each.key for each in (*found.fast[:MOST_CITED], *found.slow[:MOST_CITED], *found.delayed[:MOST_CITED])]
    return lag_extremes(evidence, cited)


def _slow_partitions(evidence: Evidence) -> dict[str, FactValue]:
    """Partitions whose typical lag is clearly above the others': delay by partition, not by device."""
    lags = evidence.answer(partition_lags.AGGREGATOR)
    if len(lags) < 2:
        return {}
    usual = median(lags.values()) if len(lags) > 2 else min(lags.values())
    slow = sorted(name for name, lag in lags.items() if lag > usual + LEAST_DELAY_MS)
    facts: dict[str, FactValue] = {
        "partitions": len(lags),
        "slow_partitions": list(slow),
        "slow_partition_count": len(slow),
    }
    if slow:
        facts["slow_partition_by_ms"] = max(lags[name] for name in slow) - usual
    return facts


def _histograms(evidence: Evidence, found: Clocks) -> Mapping[str, LagHistogram]:
    """Lags of all events, and of the events of devices with right, slow and fast clocks."""
    keys = {"slow": [each.key for each in found.slow], "fast": [each.key for each in found.fast]}
    by_kind: dict[str, dict[float, int]] = defaultdict(lambda: defaultdict(int))
    for (kind, lag), events in lag_classes(evidence, keys).items():
        kind = kind or "right"
        by_kind[kind][lag] += events
        if kind != "fast":
            by_kind["not fast"][lag] += events
    return {name: LagHistogram(counts) for name, counts in by_kind.items()} | {"all": LagHistogram(all_lags(evidence))}


def _signal(
    lags: DeviceLags,
    clocks: Clocks,
    histograms: Mapping[str, LagHistogram],
    bound_ms: int | None,
    places: Places,
    partitions: dict[str, FactValue],
) -> Signal:
    everything = histograms["all"]
    facts: dict[str, FactValue] = {
        "events": lags.events,
        "devices": lags.devices,
        "usual_lag_ms": clocks.usual_lag_ms,
        "usual_scatter_ms": clocks.usual_scatter_ms,
        "lag_min_ms": lags.lowest_lag_ms,
        "lag_max_ms": lags.highest_lag_ms,
        "fast_devices": len(clocks.fast),
        "slow_devices": len(clocks.slow),
        "delayed_devices": len(clocks.delayed),
    }
    for name, share in (("p1", 0.01), ("p5", 0.05), ("p50", 0.5), ("p95", 0.95), ("p99", 0.99)):
        facts[f"lag_{name}_ms"] = everything.percentile(share)
    if clocks.fast:
        facts |= {
            "fast_by_min_ms": -clocks.fast[-1].lowest_ms,
            "fast_by_max_ms": -clocks.fast[0].lowest_ms,
            "fast_examples": [each.key for each in clocks.fast[:SHOWN_DEVICES]] + _smallest(clocks.fast),
            **_named(clocks.fast, "fast"),
            "fast_events_ratio": sum(each.events for each in clocks.fast) / lags.events,
            "fast_from_ms": min(each.fast_from_ms for each in clocks.fast if each.fast_from_ms is not None),
        }
    if clocks.slow:
        facts |= {
            "slow_by_min_ms": clocks.slow[-1].highest_ms,
            "slow_by_max_ms": clocks.slow[0].highest_ms,
            "slow_examples": [each.key for each in clocks.slow[:SHOWN_DEVICES]] + _smallest(clocks.slow),
            **_named(clocks.slow, "slow"),
            "slow_events_ratio": sum(each.events for each in clocks.slow) / lags.events,
        }
    facts |= partitions
    facts |= _bound_facts(histograms, bound_ms)
    citations = tuple(_citations(clocks, places))
    return Signal(
        key="device_clocks",
        subject=Subject(),
        facts=known_facts(facts),
        citations=citations,
        citation_count=max(len(citations), sum(each.events for each in (*clocks.fast, *clocks.slow))),
    )


def _named(devices: tuple[DeviceLag, ...], kind: str) -> dict[str, FactValue]:
    """Their names, and how many are left out."""
    left_out = len(devices) - MOST_NAMED
    names: dict[str, FactValue] = {f"{kind}_names": [each.key for each in devices[:MOST_NAMED]]}
    return names | ({f"{kind}_unnamed": left_out} if left_out > 0 else {})


def _smallest(devices: tuple[DeviceLag, ...]) -> list[str]:
    return [devices[-1].key] if len(devices) > SHOWN_DEVICES else []


def _bound_facts(histograms: Mapping[str, LagHistogram], bound_ms: int | None) -> dict[str, FactValue]:
    """Disorder behind the leading edge of the right clocks, and the latency that waiting for it would cost."""
    facts: dict[str, FactValue] = {"bound_ms": bound_ms}
    right = histograms.get("right") or histograms["all"]
    edge = right.percentile(0.01) or 0.0
    for name, kind in (("", "not fast"), ("right_", "right")):
        histogram = histograms.get(kind)
        for share_name, share in (("99", 0.99), ("999", 0.999)):
            lag = histogram.percentile(share) if histogram else None
            if lag is not None:
                facts[f"needed_{name}bound_{share_name}_ms"] = max(0.0, lag - edge)
    if curved := histograms.get("not fast"):
        curve = [(max(0.0, lag - edge), late) for lag, late in curved.curve(MOST_CURVE_POINTS)]
        facts |= {"curve_bound_ms": [bound for bound, _ in curve], "curve_late_ratio": [late for _, late in curve]}
    if bound_ms is not None:
        over = histograms["not fast"].share_over(bound_ms + edge) if "not fast" in histograms else None
        right_over = right.share_over(bound_ms + edge)
        facts |= {"over_bound_ratio": over, "right_over_bound_ratio": right_over}
        of_right = facts.get("needed_right_bound_999_ms")
        facts["kept_bound_ms"] = max(float(bound_ms), of_right) if isinstance(of_right, float) else float(bound_ms)
        for fact, cost in (("needed_bound_99_ms", "latency_cost_ms"), ("needed_bound_999_ms", "latency_cost_999_ms")):
            needed = facts.get(fact)
            if isinstance(needed, float):
                facts[cost] = max(0.0, needed - bound_ms)
    return facts


def _citations(clocks: Clocks, places: Places) -> Iterator[Citation]:
    for fast, slow in zip(
        (*clocks.fast[:MOST_CITED], *[None] * (MOST_CITED - len(clocks.fast))),
        (*clocks.slow[:MOST_CITED], *[None] * (MOST_CITED - len(clocks.slow))),
        strict=True,
    ):
        if fast and fast.key in places:
            yield _event(places[fast.key][0])
        if slow and slow.key in places:
            yield _event(places[slow.key][1])
    for delayed in clocks.delayed[:2]:
        if delayed.key in places:
            yield _event(places[delayed.key][1])


def _event(place: EventPlace) -> Citation:
    lag_ms = place.lag_ms or 0
    form = EARLY_EVENT if lag_ms < 0 else LATE_EVENT
    return Citation(
        file_id=place.file_id,
        line=place.line,
        last_line=place.last_line,
        pointer=place.pointer,
        kind="event",
        ts_ms=place.arrival_ms,
        text=cited_text(form, key=place.key, seconds=f"{abs(lag_ms) / 1000:.1f}"),
        name="lag_ms",
        value=lag_ms,
    )


SIGNALS = (
    SignalDefinition(
        key="device_clocks",
        level="case",
        facts={
            "events": "events with event time and arrival time",
            "devices": "different keys or devices",
            "usual_lag_ms": "median over the devices of their typical lag, ms",
            "usual_scatter_ms": "median over the devices of p90 - p10 of their lag, ms",
            "lag_min_ms": "lowest lag (arrival minus event time), ms; negative is the future",
            "lag_p1_ms": "1st percentile of the lag, ms",
            "lag_p5_ms": "5th percentile of the lag, ms",
            "lag_p50_ms": "median lag, ms",
            "lag_p95_ms": "95th percentile of the lag, ms",
            "lag_p99_ms": "99th percentile of the lag, ms",
            "lag_max_ms": "highest lag, ms",
            "fast_devices": "devices whose clock runs ahead",
            "fast_by_min_ms": "the smallest of their offsets, ms",
            "fast_by_max_ms": "largest offset of a device whose clock runs ahead, ms",
            "fast_examples": "some of them, the largest offset first, the smallest last",
            "fast_names": "devices whose clock runs ahead by name, the largest offset first",
            "fast_unnamed": "how many more there are than are named",
            "fast_events_ratio": "their part of the events, 0 to 1",
            "fast_from_ms": "when the first of them began to run ahead, epoch ms",
            "slow_devices": "devices whose clock runs behind by a constant amount",
            "slow_by_min_ms": "the smallest of their offsets, ms",
            "slow_by_max_ms": "largest offset of a device whose clock runs behind, ms",
            "slow_examples": "some of them, the largest offset first, the smallest last",
            "slow_names": "devices whose clock runs behind by name, the largest offset first",
            "slow_unnamed": "how many more there are than are named",
            "slow_events_ratio": "their part of the events, 0 to 1",
            "delayed_devices": "devices whose events come late by amounts that scatter: delayed delivery, not a clock",
            "partitions": "partitions of the source in the sample",
            "slow_partitions": "partitions whose typical lag is over 5 s above that of the others",
            "slow_partition_count": "partitions whose median lag is over 5 s above that of the others",
            "slow_partition_by_ms": "how far the slowest of them is above the others, ms",
            "bound_ms": "the disorder bound in effect: highest event time so far minus watermark, ms",
            "over_bound_ratio": "part of the events (fast devices aside) that come later than the bound, 0 to 1",
            "right_over_bound_ratio": "part of the events of devices with right clocks that come later than the "
            "bound, 0 to 1",
            "needed_bound_99_ms": "bound that would keep 99 % of the events of devices that are not fast, ms",
            "needed_bound_999_ms": "bound that would keep 99.9 % of them, ms",
            "needed_right_bound_99_ms": "bound that would keep 99 % of the events of devices with right clocks, ms",
            "needed_right_bound_999_ms": "bound that would keep 99.9 % of those, ms",
            "kept_bound_ms": "the bound in effect, or the one for 99.9 % of those where it is larger, ms",
            "curve_bound_ms": "disorder bounds at which the share of late events is known, rising",
            "curve_late_ratio": "share of the events, fast devices aside, that are later than each of them",
            "latency_cost_ms": "how much later results would come with needed_bound_99_ms, ms",
            "latency_cost_999_ms": "how much later results would come with needed_bound_999_ms, ms",
        },
        measure=measure,
    ),
)
