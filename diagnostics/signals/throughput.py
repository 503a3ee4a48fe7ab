"""Records that the sources of each job emit: rate, change over time, and bursts."""

from __future__ import annotations

from collections.abc import Sequence

from diagnostics.arithmetic.bursts import bursts
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.reconstruction.checkpoints.history import History, checkpoint_histories
from diagnostics.reconstruction.load.source_rates import Readings, SourceRate, source_rates
from diagnostics.reconstruction.metrics.counted_time import RESTARTED
from diagnostics.reconstruction.metrics.series import Series
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition


def measure(evidence: Evidence) -> Measured:
    """Records that the sources of a job emit in its last attempt.

    Reads   metric_sample (numRecordsOut of tasks without input).
    Gives   one signal for each job with enough samples.
    Empty   NotMeasured without metrics over time, or when the job graph is not known.
    """
    histories = checkpoint_histories(evidence)
    measured = [
        signal
        for job, rate in source_rates(evidence).items()
        if (signal := _signal(job, rate, _last_trigger_ms(histories.get(job))))
    ]
    if not measured:
        yield NotMeasured("throughput", "metric-scrapes", "no samples over time of what the sources emit")
    yield from measured


def _last_trigger_ms(history: History | None) -> float | None:
    """When the last completed checkpoint, from which a restart starts, was triggered; epoch ms."""
    completed = history.select_statuses("completed") if history else ()
    return completed[-1].start_ms if completed else None


def _since(trigger_ms: float | None, readings: Sequence[Readings]) -> dict[str, FactValue]:
    """The rate at which the sources emitted between the trigger of a checkpoint and their last reading: the sum over
    subtasks, which are read at different moments where they are in different processes.
    """
    rates = []
    for each in readings:
        after = [(ts_ms, value) for ts_ms, value in each if trigger_ms is not None and ts_ms >= trigger_ms]
        if len(after) < 2:
            return {}
        (first_ms, first), (last_ms, last) = after[0], after[-1]
        rates.append((last - first) / (last_ms - first_ms) * 1000)
    return {"since_checkpoint_per_s": sum(rates)} if rates else {}


def _emitting(counters: Sequence[Series]) -> dict[str, FactValue]:
    """The mean rate of the time in which a subtask emitted something, summed over the subtasks, in all attempts.

    An answer of REST may be older than a scrape before it: only what passes the highest count so far has grown.
    """
    total_per_s = 0.0
    for counter in counters:
        grown, spent_ms, highest, since_ms = 0.0, 0, 0.0, None
        for point in counter.known:
            value, ts_ms = point.value or 0.0, point.ts_ms or 0
            if since_ms is not None and value > highest:
                grown, spent_ms = grown + value - highest, spent_ms + ts_ms - since_ms
            if since_ms is None or value >= highest or value < RESTARTED * highest:
                highest, since_ms = value, ts_ms
        total_per_s += grown / spent_ms * 1000 if spent_ms else 0.0
    return {"emitting_per_s": total_per_s} if total_per_s else {}


def _signal(job: str | None, rate: SourceRate, trigger_ms: float | None) -> Signal | None:
    facts: dict[str, FactValue] = {
        "source_subtasks": len(rate.counters),
        **_burst_facts(rate.readings),
        **_since(trigger_ms, rate.readings),
        **_emitting(rate.counters),
    }
    if rate.unheld_per_s is not None:
        held = {"held_at_checkpoint": rate.held_at(trigger_ms) if trigger_ms is not None else None}
        held |= {"unheld_per_s": rate.unheld_per_s, "held_at_end": rate.held_at()}
        facts |= {name: value for name, value in held.items() if value is not None}
    change = rate.change
    if change is not None:
        facts |= {
            "before_per_s": change.before_per_s,
            "after_per_s": change.after_per_s,
            "changed_at_ms": change.at_ms,
        }
        if change.before_per_s > 0:
            facts["change_ratio"] = change.after_per_s / change.before_per_s
    if len(facts) == 1:
        return None
    shown = [each for each in rate.counters if each.known][:2]
    stamps = [ts_ms for readings in rate.readings for ts_ms, _ in readings]
    return Signal(
        key="throughput",
        subject=Subject(job=job),
        facts=facts,
        citations=tuple(each.cite(point) for each in shown for point in (each.known[0], each.known[-1])),
        citation_count=sum(len(each.points) for each in rate.counters),
        window=(min(stamps), max(stamps)),
    )


def _burst_facts(readings: Sequence[Sequence[tuple[int, float]]]) -> dict[str, FactValue]:
    """Bursts of the subtask with most readings; processes are scraped at different moments and receive the same
    arrivals.
    """
    found = bursts(max(readings, key=len))
    if found is None:
        return {}
    return {"bursts": found.count, "burst_interval_ms": found.interval_ms, "still_ratio": found.still_ratio}


SIGNALS = (
    SignalDefinition(
        key="throughput",
        level="job",
        facts={
            "source_subtasks": "subtasks of all sources",
            "before_per_s": "records that the sources emit before the rate changed most, 1/s",
            "after_per_s": "the same after it, 1/s",
            "changed_at_ms": "when it changed, epoch ms",
            "unheld_per_s": "records that the sources emit while nothing holds them back, 1/s",
            "held_at_checkpoint": "records that the sources could not emit by the last completed checkpoint's trigger",
            "held_at_end": "records that the sources could not emit by their last samples",
            "emitting_per_s": "records that the sources emit on average while they emit any, 1/s",
            "since_checkpoint_per_s": "records that they emit since the trigger of the last completed checkpoint, 1/s",
            "change_ratio": "records per second of the sources after the rate changed most, divided by the rate before",
            "bursts": "times at which records began to come after a pause, of a source that gets them in bursts",
            "burst_interval_ms": "mean time between bursts, ms",
            "still_ratio": "part of the time in which it emitted nothing, 0 to 1",
        },
        measure=measure,
    ),
)
