"""Throughput of a task, the cost of a record, and the highest rate of one subtask."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from diagnostics.aggregators import outside_requests, task_managers
from diagnostics.arithmetic.named_rows import named_rows
from diagnostics.arithmetic.quantiles import total
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.reconstruction.job.clusters import clusters_of
from diagnostics.reconstruction.job.graph import JobGraph, job_graph
from diagnostics.reconstruction.job.jobmanager_gauge import gauge_of
from diagnostics.reconstruction.load.offered_rate import bearable_ms, emitted_rate, offered_rate
from diagnostics.reconstruction.load.task_rates import (
    TaskKey,
    TaskRate,
    intervals,
    rates_around,
    standing_tasks,
    task_rates,
)
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

    Reads   subtask: records read and busy time since the attempt began; task_manager: slots and cores; log_record:
            requests that an outside system refused.
    Gives   one signal per task that read records; of one that read none in all of its intervals, that it stands.
    Units   records and bytes per second; milliseconds of busy time per record.
    Source  Little's law: a fully busy subtask processes 1000 / (busy milliseconds per record) records per second. All
            subtasks together pass what they do when the busiest one is busy all the time.
    Empty   NotMeasured without REST's answers about the subtasks.
    """
    rates, standing = task_rates(evidence), standing_tasks(evidence)
    if not rates and not standing:
        yield NotMeasured("record_rate", "job-rest", "no file shows the records that each subtask read")
        return
    cluster = cluster_of(evidence)
    around = _around_refusal(evidence)
    for task, last in sorted(standing.items(), key=repr):
        cites = tuple(each.cite() for each in last)
        rate_of_none: dict[str, FactValue] = {
            "position": job_graph(cluster, task[0]).position(task[1]),
            "latest_per_s": 0.0,
            "subtasks": len(last),
        }
        yield Signal("record_rate", subject_of(task, cluster), known_facts(rate_of_none), cites[:8], len(cites))
    for task in sorted(rates, key=repr):
        rate = rates[task]
        graph = job_graph(cluster, task[0])
        room = _room_of_job(_room(evidence, task[0]), graph)
        facts: dict[str, FactValue] = {
            "position": graph.position(task[1]),
            "parallelism": graph.parallelism.get(task[1]),
            "records_per_s": rate.records_per_s,
            "highest_per_s": rate.highest_per_s,
            "highest_ms": rate.highest_ms,
            "latest_per_s": rate.latest_per_s,
            "usual_per_s": rate.usual_per_s,
            "mean_per_s": rate.mean_per_s,
            "bytes_per_s": rate.bytes_per_s,
            "busy_ratio": rate.busy_ratio,
            "interval_ms": rate.interval_ms,
            "subtasks": len(rate.by_subtask_per_s),
        }
        if sum(rate.records_by_subtask) >= FEWEST_RECORDS and (rate.busy_ratio or 0.0) >= LEAST_BUSY:
            facts |= {"ms_per_record": rate.ms_per_record, "ceiling_per_s": rate.ceiling_per_s}
            if rate.ceiling_per_s is not None:
                facts["ceiling_total_per_s"] = rate.passes_per_s
                needed = math.ceil(rate.highest_per_s / rate.ceiling_per_s)
                emitted = emitted_rate(evidence, graph, task[1])
                offered = offered_rate(emitted, rate)
                most = max(needed, math.ceil((offered or 0.0) / rate.ceiling_per_s))
                facts |= {"needed_parallelism": needed, **_within(room, most, len(rate.by_subtask_per_s))}
                facts |= {"emitted_per_s": emitted, **_offered(offered, rate, room)}
        if task in around and graph.position(task[1]) == "sink":
            facts["unrefused_per_s"], facts["refused_per_s"] = around[task]
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


def _around_refusal(evidence: Evidence) -> Mapping[TaskKey, tuple[float, float]]:
    """Before requests were refused and while they were; empty where an outside system refused none."""
    rows = evidence.answer(outside_requests.AGGREGATOR).to_pylist()
    stamps = [row["ts_ms"] for row in rows if row["refused"] and row["ts_ms"] is not None]
    return rates_around(intervals(evidence), min(stamps), max(stamps)) if stamps else {}


def _offered(offered_per_s: float | None, rate: TaskRate, room: Mapping[str, float | None]) -> dict[str, FactValue]:
    """The subtasks that the offered rate needs, whether slots lack, the share that does not pass, and the cost of a
    record in the subtask that reads most.
    """
    if offered_per_s is None or not rate.ceiling_per_s:
        return {}
    subtasks = math.ceil(offered_per_s / rate.ceiling_per_s)
    spared = 1 - rate.records_per_s / offered_per_s
    fullest = rate.fullest
    bearable = bearable_ms(offered_per_s, rate)
    return {
        "offered_per_s": offered_per_s,
        "offered_parallelism": subtasks,
        "offered_lacks_slots": subtasks > room["usable"] if room["usable"] else None,
        "offered_excess_ratio": spared if spared > 0 else None,
        "fullest_ms": fullest.ms_per_record if fullest else None,
        "fullest_bearable_ms": bearable,
        "fullest_excess_ratio": fullest.ms_per_record / bearable if fullest and bearable else None,
    }


def _room(evidence: Evidence, job: str | None) -> Mapping[str, float | None]:
    """The slots of all TaskManagers of a job's cluster, the free ones, and the cores of their hosts, as last seen;
    None when no file shows them.
    """
    latest: dict[str, Any] = {}
    for row in sorted(named_rows(evidence.answer(task_managers.AGGREGATOR)), key=lambda row: row.ts_ms or 0):
        if not clusters_of(evidence).is_of_another(job, row.task_manager):
            latest[row.task_manager] = row
    cores: dict[str, float] = {}
    for row in latest.values():
        if row.cpu_cores is not None:
            cores[row.host or row.task_manager] = row.cpu_cores
    metered, free = (gauge_of(evidence, metric, job) for metric in ("taskSlotsTotal", "taskSlotsAvailable"))
    slots, unused = total(row.slots for row in latest.values()), total(row.free_slots for row in latest.values())
    return {
        "slots": slots if slots is not None or not metered else metered.newest,
        "free": unused if unused is not None or not free else free.newest,
        "cores": sum(cores.values()) if cores else None,
    }


def _room_of_job(room: Mapping[str, float | None], graph: JobGraph) -> Mapping[str, float | None]:
    """The room of one job: other jobs of the cluster keep their slots.

    A task may have as many subtasks as the job has slots, its highest parallelism, and as many more as are free.
    Source: Flink documentation, Flink Architecture (Task Slots and Resources).
    """
    slots, free, own = room["slots"], room["free"], max(graph.parallelism.values(), default=0)
    usable = min(slots, own + free) if slots is not None and free is not None and own else slots
    return {**room, "usable": usable}


def _within(room: Mapping[str, float | None], needed: int, subtasks: int) -> dict[str, FactValue]:
    """The parallelism that slots, and slots and cores, leave room for, and whether that is more than now."""
    slots, cores = room["usable"], room["cores"]
    by_slots = min(needed, math.floor(slots)) if slots else needed
    by_cores = min(by_slots, math.floor(cores)) if cores else by_slots
    return {
        "slots_total": room["slots"],
        "slots_usable": slots,
        "cores_total": cores,
        "parallelism_by_slots": by_slots,
        "parallelism_by_cores": by_cores,
        "room_by_slots": by_slots > subtasks,
        "room_by_cores": by_cores > subtasks,
        "lacks_slots": by_slots <= subtasks < needed,
        "lacks_cores": by_cores <= subtasks < needed,
    }


FACTS = {
    "position": "source, middle, sink or whole job",
    "parallelism": "number of subtasks",
    "records_per_s": "records read, all subtasks",
    "highest_per_s": "records read, all subtasks, in the interval with the highest rate",
    "highest_ms": "length of that interval",
    "unrefused_per_s": "records a sink read while busy nearly all the time, before the first refused request",
    "refused_per_s": "records a sink read while busy nearly all the time, from the first refused request to the last",
    "latest_per_s": "records read, all subtasks, in the last interval",
    "usual_per_s": "records read, all subtasks, in the median interval",
    "mean_per_s": "records read, all subtasks, mean over all intervals",
    "needed_parallelism": "subtasks that would pass that rate at the present cost of a record, evenly spread",
    "emitted_per_s": "records that the sources emit to it",
    "offered_per_s": "records that the sources emit to it, at least what it read in its best interval",
    "offered_parallelism": "subtasks that would pass what the sources emit to it, at the present cost of a record",
    "offered_lacks_slots": "more subtasks needed for what the sources emit than there are slots",
    "offered_excess_ratio": "share of what the sources emit to it that it does not pass when it is busiest",
    "fullest_ms": "busy time for each record of the subtask that reads most, over all intervals",
    "fullest_bearable_ms": "busy time for each record with which that subtask, busy 80 % of the time, would pass its "
    "part of what the sources emit",
    "fullest_excess_ratio": "busy time for each record of the subtask that reads most, over what it may be",
    "slots_total": "slots of all TaskManagers",
    "cores_total": "cores of the TaskManagers' hosts",
    "slots_usable": "slots that this job can have: its own and the free ones",
    "parallelism_by_slots": "the parallelism that what is read or offered needs, at most the slots there are",
    "parallelism_by_cores": "the parallelism that what is read or offered needs, at most the slots and cores there are",
    "room_by_slots": "room for a higher parallelism in the existing slots",
    "room_by_cores": "room for a higher parallelism in the existing slots and cores",
    "lacks_slots": "more subtasks needed than there are slots",
    "lacks_cores": "more subtasks needed than there are slots or cores",
    "bytes_per_s": "bytes read, all subtasks",
    "busy_ratio": "busy time over these",
    "interval_ms": "length of the time looked at",
    "subtasks": "subtasks seen",
    "ms_per_record": "busy time for each record",
    "ceiling_per_s": "records that one subtask can pass",
    "ceiling_total_per_s": "records that all subtasks pass when the busiest one is busy all the time",
    "by_subtask_per_s": "records read a second by each subtask",
    "records_by_subtask": "records read by each subtask in that time",
}

SIGNALS = (SignalDefinition("record_rate", "vertex", FACTS, measure),)
