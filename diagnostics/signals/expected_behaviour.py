"""What a job does by design and people take for a trouble: one reader of a log, rows that wait for a checkpoint."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from diagnostics.aggregators import code_calls, consumer_positions
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import Subject
from diagnostics.notation.code_call import TRAP, trap_of
from diagnostics.reconstruction.configuration.enabled_checkpoints import takes_checkpoints
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.reconstruction.job.declared_tables import declared_tables
from diagnostics.reconstruction.job.graph import job_graph
from diagnostics.reconstruction.job.record_totals import record_totals
from diagnostics.reconstruction.load.subtasks import load_snapshots
from diagnostics.reconstruction.metrics.metric_series import metric_series
from diagnostics.reconstruction.metrics.series import Series
from diagnostics.signals.signal import Measured, Signal, SignalDefinition, known_facts
from diagnostics.vocabulary.expected_behaviour import expected_behaviour
from diagnostics.vocabulary.operators_at_limit import reads_change_log
from diagnostics.vocabulary.statement_traps import statement_traps

PENDING = "pendingRecords"
FLOWS = ("numRecordsIn", "numRecordsOut")
OF_PROCESSES = "Status."
MANAGED = ("Status.Flink.Memory.Managed.Used", "Status.Flink.Memory.Managed.Total")
OF_CHANGES = "-cdc"
"""End of the connectors that read the log of a database."""
SOURCE = "Source"
PRINTS = "Print to Std. "
"""Part of the name of a sink that prints. Source: Flink's DataStream.print (`Sink: Print to Std. Out`)."""
FEWEST_BEHIND = 1_000
"""Records of a group's lag that are asked about. Our choice: fewer come between two commits of a quiet topic, too."""
FEWEST_RECORDS = 100
"""Records of the one reader from which the others' zeros count. Our choice: a hundred records are no first fetch."""

Job = str | None


def measure(evidence: Evidence) -> Measured:
    """The behaviour by design that the evidence shows, in the order of the catalogue.

    Reads   subtask, vertex, metric_sample, code_call, config_option, consumer_position, histories of checkpoints.
    Gives   one signal for each job that shows some; what a statement shows is of all jobs.
    Empty   nothing without it.
    """
    shown = {name: set(SHAPES[entry.shape](evidence)) for name, entry in expected_behaviour().items()}
    named = {*cluster_of(evidence).job_names, *(job for of_jobs in shown.values() for job in of_jobs if job)}
    jobs: Sequence[Job] = sorted(named) or [None]
    for job in jobs:
        known = [name for name, of_jobs in shown.items() if job in of_jobs or None in of_jobs]
        if known:
            says = [expected_behaviour()[name].says for name in known[:1]]
            yield Signal("expected_behaviour", Subject(job=job), known_facts({"kinds": known, "says": says}))


def _one_of_many(evidence: Evidence) -> Iterator[Job]:
    """Jobs whose source of changes has one subtask that hands out all records, and others that hand out none."""
    names = _names_of_sources(evidence)
    for (job, vertex), taken in load_snapshots(evidence).items():
        counts = [load.records_out or 0 for load in taken[-1].values()] if taken else []
        handed = [count for count in counts if count > 0]
        is_one = len(counts) > 1 and len(handed) == 1 and handed[0] >= FEWEST_RECORDS
        if is_one and _reads_changes(names.get((job, vertex), vertex), evidence):
            yield job


def _one_task(evidence: Evidence) -> Iterator[Job]:
    """Jobs whose source of changes has one subtask, while others have more or nothing else of the job is known."""
    # Metrics show as many subtasks as somebody copied.
    tasks = cluster_of(evidence).tasks if evidence.has("vertex") else {}
    for (job, vertex), task in tasks.items():
        others = [each.parallelism or 1 for (of_job, name), each in tasks.items() if of_job == job and name != vertex]
        if task.parallelism == 1 and max(others, default=2) > 1 and _reads_changes(task.name, evidence):
            yield job


def _all_read(evidence: Evidence) -> Iterator[Job]:
    """Jobs whose sources have no record before them, and hand out none either."""
    series = metric_series(evidence)
    pending = [each for each in series.of(PENDING) if each.known]
    for job in {each.job_id for each in pending}:
        flows = [
            each
            for metric in FLOWS
            for name in (metric, f"{metric}PerSecond")
            for each in series.of(name)
            if each.job_id == job and each.known
        ]
        none_wait = all(not point.value for each in pending if each.job_id == job for point in each.known)
        if none_wait and flows and all(map(_stands, flows)):
            yield job


def _stands(series: Series) -> bool:
    """Whether a counter does not grow, or a rate is 0."""
    values = [point.value or 0.0 for point in series.known]
    return max(values) == 0 or (not series.metric.endswith("PerSecond") and values[0] == values[-1] and len(values) > 1)


def _committed_by_checkpoints(evidence: Evidence) -> Iterator[Job]:
    """All jobs, where a statement writes a table that shows rows with checkpoints, and checkpoints are enabled."""
    rows = evidence.answer(code_calls.AGGREGATOR).to_pylist()
    committing = {name for name, trap in statement_traps().items() if trap.commits}
    if any(row["kind"] == TRAP and trap_of(row["name"])[0] in committing for row in rows) and takes_checkpoints(
        evidence
    ):
        yield None


def _counted_between_tasks(evidence: Evidence) -> Iterator[Job]:
    """Jobs of one task whose answers count nothing."""
    cluster = cluster_of(evidence)
    for (job, vertex), totals in record_totals(evidence).items():
        counted = [each for each in (totals.read, totals.written) if each is not None]
        names = job_graph(cluster, job).names
        if len(names) <= 1 and counted and not any(counted) and names.get(vertex, "").startswith("Source"):
            yield job


def _printed(evidence: Evidence) -> Iterator[Job]:
    """Jobs whose sink that prints has read records."""
    tasks = cluster_of(evidence).tasks
    for vertex, totals in record_totals(evidence).items():
        if totals.read and vertex in tasks and PRINTS in tasks[vertex].name:
            yield vertex[0]


def _doubled_count(evidence: Evidence) -> Iterator[Job]:
    """Jobs whose source counts twice as many records as each of the operators behind it has read."""
    series = metric_series(evidence)
    handed: dict[Job, set[float]] = {}
    read: dict[Job, set[float]] = {}
    for metric, counts in ((FLOWS[1], handed), (FLOWS[0], read)):
        totals: dict[tuple[Job, str], float] = {}
        for each in series.of(metric):
            if each.known and each.operator and (SOURCE in each.operator) == (metric == FLOWS[1]):
                place = (each.job_id, each.operator)
                totals[place] = totals.get(place, 0.0) + (each.known[-1].value or 0.0)
        for (job, _), total in totals.items():
            counts.setdefault(job, set()).add(total)
    for job in handed.keys() & read.keys():
        [*sources], [*others] = handed[job], read[job]
        if len(sources) == len(others) == 1 and sources[0] == 2 * others[0] > 0:
            yield job


def _partitions_not_read(evidence: Evidence) -> Iterator[Job]:
    """All jobs, where a consumer group has a position in some partitions of a topic and none in others."""
    groups: dict[tuple[str, str], dict[int, bool]] = {}
    for row in evidence.answer(consumer_positions.AGGREGATOR).to_pylist():
        known = groups.setdefault((row["consumer_group"], row["topic"]), {})
        known.setdefault(row["partition"], row["lag"] is not None)
    if any(len(set(known.values())) > 1 for known in groups.values()):
        yield None


def _managed_memory_full(evidence: Evidence) -> Iterator[Job]:
    """All jobs, where a process has used all of its managed memory, and nothing but processes was read: a scrape of
    everything is no question about memory.
    """
    series = metric_series(evidence)
    if not all(metric.startswith(OF_PROCESSES) for metric in series.metrics()):
        return
    used, total = (
        {each.task_manager: each.known[-1].value for each in series.of(metric) if each.known} for metric in MANAGED
    )
    if any(total[process] and used[process] == total[process] for process in used.keys() & total.keys()):
        yield None


def _committed_behind(evidence: Evidence) -> Iterator[Job]:
    """All jobs, where a consumer group lags while no source has a record before it."""
    lags: dict[tuple[str, str, int], int] = {}
    for row in evidence.answer(consumer_positions.AGGREGATOR).to_pylist():
        lags.setdefault((row["consumer_group"], row["topic"], row["partition"]), row["lag"] or 0)
    pending = [each.known[-1].value for each in metric_series(evidence).of(PENDING) if each.known]
    if pending and not any(pending) and sum(lags.values()) >= FEWEST_BEHIND:
        yield None


def _names_of_sources(evidence: Evidence) -> Mapping[tuple[Job, str], str]:
    series = metric_series(evidence)
    tasks = cluster_of(evidence).tasks
    named = {vertex: series.name_of(vertex) or vertex[1] for vertex in load_snapshots(evidence)}
    return {**named, **{vertex: task.name for vertex, task in tasks.items()}}


def _reads_changes(task: str, evidence: Evidence) -> bool:
    """Whether a task is a source of changes, by its name or by the table that its name has."""
    if reads_change_log(task):
        return True
    connectors = declared_tables(evidence).connectors
    return "ource" in task and any(
        kind.endswith(OF_CHANGES) and name.lower() in task.lower() for name, kind in connectors.items()
    )


SHAPES: Mapping[str, Callable[[Evidence], Iterator[Job]]] = {
    "one-of-many": _one_of_many,
    "one-task": _one_task,
    "all-read": _all_read,
    "committed-by-checkpoints": _committed_by_checkpoints,
    "counted-between-tasks": _counted_between_tasks,
    "printed": _printed,
    "doubled-count": _doubled_count,
    "partitions-not-read": _partitions_not_read,
    "managed-memory-full": _managed_memory_full,
    "committed-behind": _committed_behind,
}
"""Name of what shows a behaviour -> the jobs that show it; None means all of them."""

FACTS = {
    "kinds": "ids of the behaviour by design that the evidence shows",
    "says": "that it is by design, and what to set where something else is wanted",
}

SIGNALS = (SignalDefinition("expected_behaviour", "job", FACTS, measure),)
