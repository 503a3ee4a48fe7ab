"""Throughput of a task, the cost of a record, and the highest rate of one subtask."""

from __future__ import annotations

import math

from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.reconstruction.job.graph import job_graph
from diagnostics.reconstruction.load.task_rates import task_rates
from diagnostics.reconstruction.stacks.task_threads import subject_of
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts

MOST_LISTED = 16
"""Up to how many subtasks are listed one by one. Our choice."""
FEWEST_RECORDS = 20.0
"""With fewer records the cost of one is unreliable. Our choice."""
LEAST_BUSY = 0.1
"""A less busy task shows neither the cost of a record nor a limit, because other work dominates. Our choice."""


def measure(evidence: Evidence) -> Measured:
    """Throughput of each task that reads records, at its busiest time.

    Reads   subtask: records read and busy time since the attempt began.
    Gives   one signal per task that read records.
    Units   records and bytes per second; milliseconds of busy time per record.
    Source  Little's law: a fully busy subtask processes 1000 / (busy milliseconds per record) records per second.
    Empty   NotMeasured without REST's answers about the subtasks.
    """
    rates = task_rates(evidence)
    if not rates:
        yield NotMeasured("record_rate", "job-rest", "no file shows the records that each subtask read")
        return
    cluster = cluster_of(evidence)
    for task in sorted(rates, key=repr):
        rate = rates[task]
        graph = job_graph(cluster, task[0])
        facts: dict[str, FactValue] = {
            "position": graph.position(task[1]),
            "parallelism": graph.parallelism.get(task[1]),
            "records_per_s": rate.records_per_s,
            "highest_per_s": rate.highest_per_s,
            "latest_per_s": rate.latest_per_s,
            "bytes_per_s": rate.bytes_per_s,
            "busy_ratio": rate.busy_ratio,
            "interval_ms": rate.interval_ms,
            "subtasks": len(rate.by_subtask_per_s),
        }
        if sum(rate.records_by_subtask) >= FEWEST_RECORDS and (rate.busy_ratio or 0.0) >= LEAST_BUSY:
            facts |= {"ms_per_record": rate.ms_per_record, "ceiling_per_s": rate.ceiling_per_s}
            if rate.ceiling_per_s is not None:
                facts["ceiling_total_per_s"] = rate.ceiling_per_s * len(rate.by_subtask_per_s)
                facts["needed_parallelism"] = math.ceil(rate.highest_per_s / rate.ceiling_per_s)
        if len(rate.by_subtask_per_s) <= MOST_LISTED:
            facts["by_subtask_per_s"] = [round(each, 1) for each in rate.by_subtask_per_s]
            facts["records_by_subtask"] = [round(each) for each in rate.records_by_subtask]
        yield Signal(
            "record_rate",
            subject_of(task, cluster),
            known_facts(facts),
            rate.citations[:8],
            len(rate.citations),
            (round(rate.until_ms - rate.interval_ms), rate.until_ms),
        )


FACTS = {
    "position": "source, middle, sink or whole job",
    "parallelism": "number of subtasks",
    "records_per_s": "records read, all subtasks",
    "highest_per_s": "records read, all subtasks, in the interval with the highest rate",
    "latest_per_s": "records read, all subtasks, in the last interval",
    "needed_parallelism": "subtasks that would pass that rate at the present cost of a record",
    "bytes_per_s": "bytes read, all subtasks",
    "busy_ratio": "busy time over these",
    "interval_ms": "length of the time looked at",
    "subtasks": "subtasks seen",
    "ms_per_record": "busy time for each record",
    "ceiling_per_s": "records that one subtask can pass",
    "ceiling_total_per_s": "records that all subtasks can pass",
    "by_subtask_per_s": "records read a second by each subtask",
    "records_by_subtask": "records read by each subtask in that time",
}

SIGNALS = (SignalDefinition("record_rate", "vertex", FACTS, measure),)
