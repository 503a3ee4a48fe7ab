"""Network buffers that debloating has shrunk to the least size it may give them."""

from __future__ import annotations

from collections import defaultdict

from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import Subject
from diagnostics.notation.flink_values import size_bytes
from diagnostics.reconstruction.configuration.stated_settings import stated_options
from diagnostics.reconstruction.metrics.metric_series import metric_series
from diagnostics.reconstruction.metrics.series import Series
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts

DEBLOATED, LEAST_SIZE = "debloatedBufferSize", "taskmanager.memory.min-segment-size"
LEAST_BYTES = 256
"""The default of `taskmanager.memory.min-segment-size` since Flink 1.15. Source: Flink documentation, Configuration."""
MOST_CITED = 4


def measure(evidence: Evidence) -> Measured:
    """The smallest buffers of each job, as they were read last.

    Reads   metric_sample (`debloatedBufferSize`), config_option.
    Gives   one signal per job that reports the size, also where it is large.
    Units   bytes.
    Empty   NotMeasured without that metric, which Flink reports since 1.14.
    """
    by_job: dict[str | None, list[Series]] = defaultdict(list)
    for each in metric_series(evidence).of(DEBLOATED):
        if each.known:
            by_job[each.job_id].append(each)
    if not by_job:
        yield NotMeasured("debloated_buffers", "vertex-metrics", "no metric shows the size of network buffers")
        return
    sizes = (size_bytes(each.value) for each in stated_options(evidence) if each.key == LEAST_SIZE and each.value)
    least = next((each for each in sizes if each is not None), LEAST_BYTES)
    for job in sorted(by_job, key=repr):
        ordered = sorted(by_job[job], key=lambda each: (each.known[-1].value or 0.0, repr(each.subtask_key)))
        first = ordered[0]
        at_least = [each for each in ordered if (each.known[-1].value or 0.0) <= least]
        yield Signal(
            "debloated_buffers",
            Subject(job=job),
            known_facts(
                {
                    "bytes": first.known[-1].value,
                    "least_bytes": least,
                    "vertex": first.vertex,
                    "at_least": len(at_least),
                    "subtasks": len(ordered),
                }
            ),
            tuple(each.cite(each.known[-1]) for each in ordered[:MOST_CITED]),
            citation_count=len(ordered),
        )


FACTS = {
    "bytes": "smallest size of a subtask's buffers when it was last read",
    "least_bytes": "least size that debloating may give them",
    "vertex": "task of the subtask with the smallest buffers",
    "at_least": "subtasks whose buffers have the least size",
    "subtasks": "subtasks whose buffers' size is known",
}

SIGNALS = (SignalDefinition("debloated_buffers", "job", FACTS, measure),)
