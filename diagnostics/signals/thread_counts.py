"""Threads of a process that become more and more, and the name that most of them share in a thread dump."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.reconstruction.metrics.metric_series import metric_series
from diagnostics.reconstruction.metrics.series import Series
from diagnostics.reconstruction.stacks.sampled_stacks import sampled_stacks
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts

METRIC = "Status.JVM.Threads.Count"
PART = 4
"""The samples are cut into this number of parts; the first and the last are compared. Our choice: quarters."""
FEWEST_SAMPLES = 8
"""With fewer, a quarter is one sample. Our choice."""
MOST_ROWS = 100_000
"""Threads whose names are counted. Our choice: more than of those whose stacks are read, as they may be too many."""
_NUMBERS = re.compile(r"\d+")
"""Parts of a thread's name by which the threads of one pool differ."""


def measure(evidence: Evidence) -> Measured:
    """The process whose threads grew most, and the largest group of threads with one name in a dump.

    Reads   metric_sample (Status.JVM.Threads.Count), stack_sample (thread dumps).
    Gives   one signal of the case.
    Empty   NotMeasured without either.
    """
    series = [each for each in metric_series(evidence).of(METRIC) if len(each.known) >= FEWEST_SAMPLES]
    facts: dict[str, FactValue] = {}
    cited: list[Citation] = []
    if series:
        worst = max(series, key=lambda each: (_growth(each), each.task_manager or ""))
        early, late = _quarters(worst)
        facts = {
            "process": worst.task_manager,
            "threads_early": max(early),
            "threads_late": min(late),
            "growth_ratio": min(late) / max(max(early), 1.0),
        }
        cited.append(worst.cite(worst.known[-1]))
    facts |= _largest_group(evidence)
    if not facts:
        yield NotMeasured("thread_counts", "metric-scrapes", "no file shows how many threads a process has")
        return
    yield Signal("thread_counts", Subject(), known_facts(facts), tuple(cited), citation_count=len(cited))


def _quarters(series: Series) -> tuple[list[float], list[float]]:
    values = [point.value for point in series.known if point.value is not None]
    part = max(len(values) // PART, 1)
    return values[:part], values[-part:]


def _growth(series: Series) -> float:
    early, late = _quarters(series)
    return min(late) - max(early)


def _largest_group(evidence: Evidence) -> Mapping[str, FactValue]:
    """The name without its numbers that most threads of one dump share, and how many have it."""
    stacks = sampled_stacks(evidence)
    if stacks is None or not stacks.threads.num_rows:
        return {}
    counts: Counter[tuple[int, int, str]] = Counter()
    for row in stacks.threads.select(("file_id", "ts_ms", "thread"))[:MOST_ROWS].to_pylist():
        counts[row["file_id"], row["ts_ms"] or 0, _NUMBERS.sub("*", row["thread"] or "")] += 1
    (_, _, name), threads = max(counts.items(), key=lambda each: (each[1], each[0]))
    return {"group": name, "group_threads": threads}


SIGNALS = (
    SignalDefinition(
        key="thread_counts",
        level="case",
        facts={
            "process": "process whose threads grew most",
            "threads_early": "most threads of it in the first quarter of the samples",
            "threads_late": "least threads of it in the last quarter of the samples",
            "growth_ratio": "threads in the last quarter as a multiple of those in the first",
            "group": "name that most threads of a dump share, without its numbers",
            "group_threads": "threads of a dump that share this name",
        },
        measure=measure,
    ),
)
