"""Share of time in garbage collection per JVM, and whether collections still free memory."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import median

from diagnostics.arithmetic.onset import ONSET_FACTS, Onset, onset, onset_facts
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.notation.garbage_collector import COLLECTORS
from diagnostics.notation.printed_name import normalised
from diagnostics.reconstruction.configuration.stated_settings import settings_of, stated_options
from diagnostics.reconstruction.gc.heap_floor import heap_floor
from diagnostics.reconstruction.gc.pauses import SLICE_MS
from diagnostics.reconstruction.gc.timeline import (
    JOB_MANAGER,
    OLD_COLLECTORS,
    WORST_WINDOW_MS,
    FullCollection,
    Slice,
    Timeline,
    collector_of,
    collector_series,
    live_bytes,
    longest_run,
    timelines,
    worst_window_share,
)
from diagnostics.reconstruction.job.cluster import Cluster, cluster_of
from diagnostics.reconstruction.metrics.metric_series import MetricSeries, metric_series
from diagnostics.reconstruction.metrics.series import Series, increase
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts

RATE = "TimeMsPerSecond"
"""A collector's meter over the last minute. Source: Flink documentation, Metrics, since Flink 1.19."""
SHORTEST_SPAN_MS = 20_000.0
"""A shorter log or series gives no share of time. Our choice."""
SHOWN_FULL = 8
MINUTE_MS = 60_000
COPYING = ("Serial", "Parallel")
"""Collectors that keep one of two survivor spaces empty; a log states their heap without it. Source: HotSpot's
DefNewGeneration::capacity and PSYoungGen::capacity_in_bytes.
"""
LEAST_USABLE = 0.9
"""A smaller part of the largest heap means that the heap has not grown to it. Our choice: by HotSpot's default ratios a
survivor space is a thirtieth of the heap.
"""
HEARTBEAT_TIMEOUT_MS = 50_000.0
"""Default of heartbeat.timeout. Source: Flink documentation, Configuration."""
LOST_RATIO = 0.1
"""From this part of a minute in pauses on a process loses time. Source: rules-of-thumb.csv, res.gc."""


def measure(evidence: Evidence) -> Measured:
    """Garbage collections of each JVM, from its GC log or else its process metrics."""
    cluster = cluster_of(evidence)
    from_logs = {normalised(each.process): each for each in timelines(evidence)}
    stated = [each.value for each in stated_options(evidence) if each.key == "gc.log.file" and each.value]
    paths = {path.rpartition("/")[2]: path for path in stated}
    signals = [
        _signal_of_log(each, cluster, _gc_log(evidence.file_name(each.file_id), paths)) for each in from_logs.values()
    ]
    signals += [
        signal for process, signal in _signals_of_metrics(metric_series(evidence), cluster) if process not in from_logs
    ]
    if not signals:
        yield NotMeasured("garbage_collection", "gc-log", "neither a GC log nor GC metrics were given")
    timeout = settings_of(stated_options(evidence), None)[0].get("heartbeat_timeout_ms")
    for signal in signals:
        yield replace(signal, facts={**signal.facts, **_heartbeat_facts(signal.facts.get("max_pause_ms"), timeout)})


def _heartbeat_facts(pause_ms: FactValue, timeout_ms: FactValue) -> dict[str, FactValue]:
    """The longest pause as a part of the heartbeat timeout that a file states, or else of Flink's default."""
    timeout = float(timeout_ms) if isinstance(timeout_ms, (int, float)) and timeout_ms > 0 else HEARTBEAT_TIMEOUT_MS
    return {"pause_to_heartbeat_ratio": pause_ms / timeout} if isinstance(pause_ms, (int, float)) else {}


def _gc_log(file: str, paths: Mapping[str, str]) -> str:
    """The path that the JVM states for a log of this name; without one the name."""
    name = file.rpartition("/")[2].removesuffix(".gz")
    return paths.get(name, name)


def _subject(process: str, cluster: Cluster) -> Subject:
    job = cluster.job_of(process) if process != JOB_MANAGER else None
    return Subject(job=job, task_manager=process, host=cluster.hosts.get(normalised(process)))


def _signal_of_log(timeline: Timeline, cluster: Cluster, file: str) -> Signal:
    facts: dict[str, FactValue] = {
        "basis": "GC log",
        "gc_log": file,
        "process": timeline.process,
        "role": timeline.role,
        "collector": timeline.collector,
        "heap_max_bytes": timeline.heap_max_bytes,
        "span_ms": timeline.span_ms,
        "collections": sum(each.collections for each in timeline.slices),
        "full_gcs": len(timeline.full),
        "full_gc_ms": sum(each.pause_ms for each in timeline.full),
        "full_gcs_for_room": len(timeline.for_room),
        "max_pause_ms": max((each.longest_ms for each in timeline.slices), default=None),
        "total_pause_ms": timeline.pause_ms,
    }
    if timeline.span_ms >= SHORTEST_SPAN_MS:
        facts["share_ratio"] = timeline.pause_ms / timeline.span_ms
        worst = worst_window_share(timeline.slices)
        if worst:
            facts |= {"worst_minute_ratio": worst[0], "worst_minute_ms": worst[1] if timeline.has_clock else None}
    if timeline.has_clock:
        facts |= onset_facts(_pausing_since(timeline))
    facts |= _full_facts(timeline)
    run = longest_run(timeline.for_room)
    shown = _shown(timeline.for_room or timeline.full, run)
    return Signal(
        key="garbage_collection",
        subject=_subject(timeline.process, cluster),
        facts=known_facts(facts),
        citations=tuple(_cite(each, timeline.has_clock) for each in shown),
        citation_count=len(timeline.full),
        window=_window(timeline),
    )


def _pausing_since(timeline: Timeline) -> Onset | None:
    """When the process began to lose a tenth of each minute, or more, to pauses: the first such slice of the minute.

    Where the full collections for room begin around that time, the first of them is the beginning.
    """
    by_minute: dict[int, float] = defaultdict(float)
    for each in timeline.slices:
        by_minute[int(each.start_ms // MINUTE_MS)] += each.pause_ms
    began = onset((minute * MINUTE_MS, lost >= LOST_RATIO * MINUTE_MS) for minute, lost in by_minute.items())
    if began is None:
        return None
    within = range(began.ts_ms, began.ts_ms + MINUTE_MS)
    starts = (each.start_ms for each in timeline.slices if each.pause_ms >= LOST_RATIO * SLICE_MS)
    first = min((round(start) for start in starts if round(start) in within), default=began.ts_ms)
    for_room = (round(each.ts_ms - each.pause_ms) for each in timeline.for_room[:1])
    spell = [start for start in for_room if first - MINUTE_MS <= start <= first + SLICE_MS]
    return replace(began, ts_ms=min(spell, default=first))


def _full_facts(timeline: Timeline) -> dict[str, FactValue]:
    """Facts about full collections for lack of room; empty when there are none."""
    for_room = timeline.for_room
    if not for_room:
        return {}
    run = longest_run(for_room)
    first, last = for_room[0], for_room[-1]
    spell_ms = max(last.ts_ms - first.ts_ms + first.pause_ms, first.pause_ms)
    paused = sum(each.pause_ms for each in timeline.slices if each.start_ms >= first.ts_ms - first.pause_ms - 5_000)
    gaps = [after.ts_ms - before.ts_ms for before, after in itertools.pairwise(for_room)]
    facts: dict[str, FactValue] = {
        "longest_run": len(run),
        "longest_run_ms": run[-1].ts_ms - run[0].ts_ms + run[0].pause_ms,
        "first_full_ms": first.ts_ms - first.pause_ms if timeline.has_clock else None,
        "first_full_uptime_ms": None if first.uptime_ms is None else first.uptime_ms - first.pause_ms,
        "full_gc_max_ms": max(each.pause_ms for each in for_room),
        "full_gc_median_ms": median(each.pause_ms for each in for_room),
        "spell_ms": spell_ms,
        "full_gc_interval_ms": median(gaps) if gaps else None,
        "cause": for_room[-1].cause,
    }
    if spell_ms >= SHORTEST_SPAN_MS:
        facts["spell_share_ratio"] = min(paused / spell_ms, 1.0)
    live = live_bytes(for_room)
    total = next((each.total_bytes for each in reversed(for_room) if each.total_bytes), None)
    if live and total:
        facts |= {
            "live_bytes": live[0],
            "live_max_bytes": live[1],
            "heap_total_bytes": total,
            "live_ratio": live[0] / total,
            "live_basis": "left after full collections",
            "survivor_bytes": _survivor_bytes(timeline, total),
        }
    freed = [
        (each.before_bytes - each.after_bytes) / each.total_bytes
        for each in for_room[-20:]
        if each.before_bytes is not None and each.after_bytes is not None and each.total_bytes
    ]
    if freed:
        facts["freed_ratio"] = median(freed)
    return facts


def _survivor_bytes(timeline: Timeline, usable: float) -> float | None:
    """The part of the largest heap that a copying collector keeps empty; None where the rest may not be committed."""
    largest = timeline.heap_max_bytes
    if timeline.collector not in COPYING or largest is None or not LEAST_USABLE * largest <= usable < largest:
        return None
    return largest - usable


def _shown(full: Sequence[FullCollection], run: Sequence[FullCollection]) -> list[FullCollection]:
    """The first, the last and the longest full collection, without duplicates."""
    if not full:
        return []
    longest = sorted(full, key=lambda each: (-each.pause_ms, each.ts_ms))[:SHOWN_FULL]
    picked = [full[0], full[-1], longest[0], *run[-2:], *longest]
    return list(dict.fromkeys(picked))[:SHOWN_FULL]


def _cite(full: FullCollection, has_clock: bool) -> Citation:
    sizes = ""
    if full.before_bytes is not None and full.after_bytes is not None and full.total_bytes:
        mib = [round(size / 2**20) for size in (full.before_bytes, full.after_bytes, full.total_bytes)]
        sizes = f" {mib[0]}M->{mib[1]}M({mib[2]}M)"
    return Citation(
        file_id=full.file_id,
        line=full.line,
        last_line=full.last_line,
        kind="gc",
        ts_ms=round(full.ts_ms) if has_clock else None,
        text=f"Pause Full ({full.cause or 'cause not printed'}){sizes} {full.pause_ms:.0f} ms",
        name="pause_ms",
        value=full.pause_ms,
    )


def _window(timeline: Timeline) -> tuple[int, int] | None:
    if not timeline.has_clock or not timeline.slices:
        return None
    return round(timeline.slices[0].start_ms), round(timeline.slices[-1].start_ms)


def _signals_of_metrics(series: MetricSeries, cluster: Cluster) -> Iterator[tuple[str, Signal]]:
    """One signal per process, from its collectors' counts and times and its heap usage."""
    processes: dict[str, dict[str, list[Series]]] = defaultdict(lambda: defaultdict(list))
    for what in ("Count", "Time", RATE):
        for each in collector_series(series, what):
            processes[normalised(each.task_manager)][what].append(each)
    used = {normalised(each.task_manager): each for each in series.of("Status.JVM.Memory.Heap.Used")}
    most = {normalised(each.task_manager): each for each in series.of("Status.JVM.Memory.Heap.Max")}
    for process in sorted(processes):
        known = [each.task_manager for found in processes[process].values() for each in found]
        printed = next((name for name in known if name), None)
        name = cluster.task_manager(printed) or JOB_MANAGER
        signal = _signal_of_metrics(name, processes[process], used.get(process), most.get(process), cluster)
        if signal:
            yield normalised(name), signal


def _signal_of_metrics(
    name: str,
    collectors: Mapping[str, Sequence[Series]],
    used: Series | None,
    most: Series | None,
    cluster: Cluster,
) -> Signal | None:
    old = [each for each in collectors["Count"] if any(part in each.metric for part in OLD_COLLECTORS)]
    old_time = [each for each in collectors["Time"] if any(part in each.metric for part in OLD_COLLECTORS)]
    slices = _slices_of_times(collectors["Time"])
    span = slices[-1].start_ms - slices[0].start_ms if slices else 0.0
    facts: dict[str, FactValue] = {
        "basis": "metrics",
        "process": name,
        "role": JOB_MANAGER if name == JOB_MANAGER else "taskmanager",
        "collector": collector_of(each for of_kind in collectors.values() for each in of_kind),
        "span_ms": span,
        "full_gcs": _last_total(old),
        "full_gc_ms": _last_total(old_time),
        "collections": _last_total(collectors["Count"]),
        "total_pause_ms": _last_total(collectors["Time"]),
    }
    if span >= SHORTEST_SPAN_MS:
        facts["share_ratio"] = sum(each.pause_ms for each in slices) / span
        worst = worst_window_share(slices)
        if worst and span >= WORST_WINDOW_MS / 2:
            facts |= {"worst_minute_ratio": worst[0], "worst_minute_ms": worst[1], **_collecting_since(slices)}
    rates, citations = _rates(collectors[RATE])
    if rates and "worst_minute_ratio" not in facts:
        moment = max(rates, key=lambda ts_ms: (rates[ts_ms], -ts_ms))
        facts |= {"worst_minute_ratio": rates[moment], "worst_minute_ms": moment}
        facts |= onset_facts(onset((ts_ms, rate >= LOST_RATIO) for ts_ms, rate in rates.items()))
        facts.setdefault("share_ratio", median(rates.values()))
    if used and most and (heap := max((point.value or 0 for point in most.known), default=0)) > 0:
        facts |= {"heap_max_bytes": heap, "heap_total_bytes": heap}
        floor = heap_floor(used.known, old)
        if floor is not None and floor.value is not None:
            facts |= {
                "live_bytes": floor.value,
                "live_ratio": floor.value / heap,
                "live_basis": "lowest heap use in the last minute",
            }
            citations.append(used.cite(floor))
    citations += [each.cite(each.known[-1]) for each in (*old, *old_time, *collectors["Time"]) if each.known]
    if not citations:
        return None
    return Signal(
        key="garbage_collection",
        subject=_subject(name, cluster),
        facts=known_facts(facts),
        citations=tuple(dict.fromkeys(citations))[:SHOWN_FULL],
        citation_count=sum(len(each.points) for each in collectors["Time"]),
    )


def _collecting_since(slices: Sequence[Slice]) -> Mapping[str, int | bool]:
    """The onset: the first scrape after which collections take a tenth of the time, or more."""
    return onset_facts(
        onset(
            (round(before.start_ms), after.pause_ms >= LOST_RATIO * (after.start_ms - before.start_ms))
            for before, after in itertools.pairwise(slices)
        )
    )


def _rates(series: Sequence[Series]) -> tuple[Mapping[int, float], list[Citation]]:
    """Epoch ms -> share (0 to 1) of the preceding minute spent in collections, from the collectors' meters."""
    rates: dict[int, float] = defaultdict(float)
    for each in series:
        for point in each.known:
            rates[point.ts_ms or 0] += (point.value or 0.0) / 1000
    cited = [each.cite(max(each.known, key=lambda point: point.value or 0.0)) for each in series if each.known]
    return {ts_ms: min(rate, 1.0) for ts_ms, rate in rates.items()}, cited


def _slices_of_times(times: Sequence[Series]) -> list[Slice]:
    """Growth of the collectors' times between scrapes; a slice begins at the scrape that showed the growth."""
    grown: dict[int, float] = defaultdict(float)
    for each in times:
        for before, after in itertools.pairwise(each.known):
            if before.ts_ms is not None and after.ts_ms is not None:
                grown[before.ts_ms] += 0.0
                grown[after.ts_ms] += increase((before, after))
    return [Slice(moment, grown[moment], grown[moment], 0) for moment in sorted(grown)]


def _last_total(series: Sequence[Series]) -> float | None:
    last = [each.known[-1].value for each in series if each.known]
    return sum(value for value in last if value is not None) if last else None


FACTS = {
    **ONSET_FACTS,
    "basis": "source of the pauses: GC log or metrics",
    "gc_log": "path of the GC log on its host; its name where no log states the path",
    "process": "resource id of the TaskManager, `jobmanager`, or which GC log it is",
    "role": "process: taskmanager or jobmanager",
    "collector": f"garbage collector: {', '.join(collector.name for collector in COLLECTORS)}",
    "heap_max_bytes": "largest heap of the JVM, bytes",
    "heap_total_bytes": "usable heap at the last full collection, bytes",
    "span_ms": "time for which the JVM was observed, ms",
    "collections": "young, mixed and full collections",
    "full_gcs": "full collections",
    "full_gc_ms": "time in full collections, ms",
    "full_gcs_for_room": "full collections made because the heap was full (not for metadata or on request)",
    "max_pause_ms": "longest pause, ms",
    "pause_to_heartbeat_ratio": "longest pause, divided by the heartbeat timeout",
    "total_pause_ms": "all pauses together, ms",
    "share_ratio": "part of the observed time in pauses, 0 to 1",
    "worst_minute_ratio": "part of the worst 60 s in pauses, 0 to 1",
    "worst_minute_ms": "when those 60 s began, epoch ms",
    "longest_run": "full collections for room with under 5 s between them, in the longest run",
    "longest_run_ms": "length of that run, ms",
    "first_full_ms": "beginning of the first full collection for room, epoch ms",
    "first_full_uptime_ms": "JVM's uptime at the beginning of the first full collection for room, ms",
    "full_gc_max_ms": "longest full collection for room, ms",
    "full_gc_median_ms": "median length of a full collection for room, ms",
    "full_gc_interval_ms": "median time from one full collection for room to the next, ms",
    "spell_ms": "from the first to the last full collection for room, ms",
    "spell_share_ratio": "part of that time in pauses, 0 to 1",
    "cause": "cause of the last full collection for room, as printed",
    "live_bytes": "bytes that collections do not free",
    "live_max_bytes": "the most that was left after one of the last twenty full collections, bytes",
    "live_ratio": "live data as part of the usable heap, 0 to 1",
    "live_basis": "what live_bytes was read from",
    "survivor_bytes": "the part of the largest heap that the collector keeps empty, bytes",
    "freed_ratio": "part of the heap that a full collection frees (median), 0 to 1",
}

SIGNALS = (SignalDefinition(key="garbage_collection", level="task_manager", facts=FACTS, measure=measure),)
