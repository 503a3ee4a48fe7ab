"""Whether a TaskManager's GC pauses fall into the time in which tasks of the job are back-pressured."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean

from diagnostics.arithmetic.quantiles import ratio
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.notation.printed_name import normalised
from diagnostics.reconstruction.gc.timeline import JOB_MANAGER, FullCollection, timelines
from diagnostics.reconstruction.gc.timeline import Timeline as Collections
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.reconstruction.load.timeline import MOMENT_MS, Reading, Timeline, load_timelines
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.vocabulary.load_levels import LOW_MOST
from diagnostics.wording.cited_text import FULL_COLLECTION, cited_text

MOST_CITED = 6
"""Full collections that are cited. Our choice."""

Held = Mapping[int, Reading]
"""Moment (epoch ms, MOMENT_MS long) -> the most back-pressured reading of the job."""


@dataclass(frozen=True, slots=True)
class _Overlap:
    """The pauses of one JVM in the moments of one job."""

    collections: Collections
    blocked: Mapping[int, float]
    free: Mapping[int, float]


def measure(evidence: Evidence) -> Measured:
    """Share of back-pressured and of other time that the JVM with most overlap spent in GC pauses.

    A moment of ten seconds is back-pressured when Flink calls its most back-pressured subtask HIGH (above half of the
    time). Only moments with both a reading and a GC log count.

    Reads   gc_pause, metric_sample and back_pressure.
    Gives   one signal per job that was back-pressured in a moment that a TaskManager's GC log with times covers.
    Units   milliseconds; ratios of time.
    Empty   NotMeasured without GC logs, or without back pressure over time.
    """
    jvms = [each for each in timelines(evidence) if each.has_clock and each.slices and each.role != JOB_MANAGER]
    loads = load_timelines(evidence)
    if not jvms:
        yield NotMeasured("pauses_and_back_pressure", "gc-log", "no GC log of a TaskManager with times was given")
        return
    if not loads:
        yield NotMeasured("pauses_and_back_pressure", "metric-scrapes", "no file shows back pressure over time")
        return
    jobs_on = cluster_of(evidence).jobs_on
    for job_id, timeline in sorted(loads.items(), key=lambda item: str(item[0])):
        held = _held(timeline)
        own = [each for each in jvms if len(loads) == 1 or job_id in jobs_on.get(normalised(each.process), ())]
        overlaps = [found for each in own if (found := _overlap(each, held)).blocked]
        if overlaps:
            worst = max(overlaps, key=lambda each: (fmean(each.blocked.values()), each.collections.process))
            yield _signal(job_id, worst, held)


def _held(timeline: Timeline) -> Held:
    held: dict[int, Reading] = {}
    for moments in timeline.values():
        for moment in moments:
            if moment.ts_ms >= 0 and moment.most_held is not None:
                before = held.get(moment.ts_ms)
                if before is None or moment.most_held.ratio > before.ratio:
                    held[moment.ts_ms] = moment.most_held
    return held


def _overlap(collections: Collections, held: Held) -> _Overlap:
    """Moment -> share of it in pauses, for back-pressured and for other moments that the GC log covers."""
    paused: dict[int, float] = defaultdict(float)
    for each in collections.slices:
        paused[int(each.start_ms) // MOMENT_MS * MOMENT_MS] += each.pause_ms
    first, last = min(paused), max(paused)
    shares = {moment: min(paused.get(moment, 0.0) / MOMENT_MS, 1.0) for moment in held if first <= moment <= last}
    return _Overlap(
        collections,
        {moment: share for moment, share in shares.items() if held[moment].ratio > LOW_MOST},
        {moment: share for moment, share in shares.items() if held[moment].ratio <= LOW_MOST},
    )


def _signal(job_id: str | None, worst: _Overlap, held: Held) -> Signal:
    blocked, free = worst.blocked, worst.free
    in_blocked = fmean(blocked.values())
    in_free = fmean(free.values()) if free else None
    paused = [moment for moment, share in blocked.items() if share > 0]
    within = [each for each in worst.collections.full if int(each.ts_ms) // MOMENT_MS * MOMENT_MS in blocked]
    most = max(blocked, key=lambda moment: (blocked[moment], -moment))
    facts: dict[str, FactValue] = {
        "process": worst.collections.process,
        "blocked_ms": len(blocked) * MOMENT_MS,
        "blocked_pause_ratio": in_blocked,
        "blocked_pause_ms": round(sum(blocked.values()) * MOMENT_MS),
        "paused_blocked_ratio": len(paused) / len(blocked),
        "free_pause_ratio": in_free,
        "times_as_much": ratio(in_blocked, in_free) if in_free else None,
        "worst_ms": most,
        "worst_pause_ratio": blocked[most],
    }
    return Signal(
        "pauses_and_back_pressure",
        Subject(job=job_id),
        known_facts(facts),
        (held[most].citation, *map(_cite, within[:MOST_CITED])),
        citation_count=1 + len(within),
        window=(min(blocked), max(blocked) + MOMENT_MS),
    )


def _cite(full: FullCollection) -> Citation:
    return Citation(
        file_id=full.file_id,
        line=full.line,
        last_line=full.last_line,
        kind="gc",
        ts_ms=round(full.ts_ms),
        text=cited_text(FULL_COLLECTION, pause=f"{full.pause_ms:.0f}"),
        name="pause_ms",
        value=full.pause_ms,
    )


FACTS = {
    "process": "the TaskManager whose pauses take most of the back-pressured time",
    "blocked_ms": "time in which a subtask was back-pressured for more than half of it, and that the GC log covers",
    "blocked_pause_ratio": "share of the back-pressured time that this TaskManager spent in GC pauses",
    "blocked_pause_ms": "GC pauses within the back-pressured time",
    "paused_blocked_ratio": "share of the back-pressured moments of ten seconds that hold a GC pause",
    "free_pause_ratio": "share of the other time in GC pauses",
    "times_as_much": "share of the back-pressured time in GC pauses over that of the other time",
    "worst_ms": "back-pressured moment with most pauses, epoch ms",
    "worst_pause_ratio": "share of that moment in GC pauses",
}

SIGNALS = (SignalDefinition("pauses_and_back_pressure", "job", FACTS, measure),)
