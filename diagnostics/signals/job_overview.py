"""Overview of a job: name, state, size, version, time covered by the evidence, and signs of normal operation."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from diagnostics.aggregators import jobs, logged_job_names, logged_jobs
from diagnostics.arithmetic.quantiles import highest, lowest, middle
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.reconstruction.checkpoints.history import History, checkpoint_histories
from diagnostics.reconstruction.configuration.deployment import SUBMITTED, submitted_ms
from diagnostics.reconstruction.configuration.stated_settings import settings_of, stated_options
from diagnostics.reconstruction.failures.incident_log import IncidentLog, incident_log
from diagnostics.reconstruction.failures.job_states import newest_states
from diagnostics.reconstruction.job.channels import barriers_waited_for, exchanges
from diagnostics.reconstruction.job.cluster import Cluster, cluster_of
from diagnostics.reconstruction.job.graph import JobGraph, job_graph
from diagnostics.reconstruction.job.planner_names import SQL_OPERATOR
from diagnostics.reconstruction.load.timeline import Timeline, load_timelines, printed_names
from diagnostics.reconstruction.metrics.metric_series import MetricSeries, metric_series
from diagnostics.reconstruction.metrics.series import increase
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.wording.cited_text import JOB, JOB_STATE, cited_text

MOST_LISTED = 20
"""How many task names are listed. Our choice."""
VERSION = re.compile(r"\(Version: ([0-9]{1,3}\.[0-9]{1,3}[.0-9]{0,8})")
"""Version in the start-up banner of every process."""


def measure(evidence: Evidence) -> Measured:
    """Overview of each job, and observations of its operation.

    Reads   job, vertex, edge, log_record (submission, version, times), metric_sample (numRestarts, uptime), checkpoint.
    Gives   `job_overview` per known job; `job_overview.operation` with observations.
    Units   milliseconds; ratios of time 0 to 1.
    Empty   NotMeasured when no file names a job.
    """
    rows_by_source = _jobs_in_files(evidence)
    job_ids = _jobs(evidence, rows_by_source)
    if not job_ids:
        for key in ("job_overview", "job_overview.operation"):
            yield NotMeasured(key, "job-rest", "no file names a job")
        return
    cluster = cluster_of(evidence)
    series = metric_series(evidence)
    histories = checkpoint_histories(evidence)
    timelines = load_timelines(evidence)
    only, logged_names = len(job_ids) == 1, evidence.answer(logged_job_names.AGGREGATOR)
    for job_id in job_ids:
        timeline = timelines.get(job_id) or (timelines.get(None, {}) if only else {})
        history = histories.get(job_id) or (histories.get(None) if only else None) or History(job_id)
        graph = job_graph(cluster, job_id, printed_names(evidence, timeline))
        window = _window(rows_by_source, job_id, history, timeline)
        stated, _ = settings_of(stated_options(evidence), job_id)
        facts, citations = _overview(rows_by_source, job_id, graph, _restarts(series, job_id, only=only), window)
        if state := newest_states(evidence).get(job_id):
            facts["state"] = state
        if "flink_version" not in facts and "flink_version" in stated:
            facts["flink_version"] = stated["flink_version"]
        if name := cluster.job_names.get(job_id) or logged_names.get(job_id):
            facts.setdefault("name", name)
        if (submitted := submitted_ms(evidence).get(job_id)) is not None:
            facts["submitted_ms"] = submitted
        facts |= _barriers(cluster, job_id)
        yield Signal("job_overview", Subject(job=job_id), facts, tuple(citations), window=window)
        operation = _operation(history, timeline, stated, window)
        if operation:
            places = [each.citations[0] for each in history.select_statuses("completed")[-3:] if each.citations]
            yield Signal("job_overview.operation", Subject(job=job_id), operation, tuple(places), window=window)


def _jobs_in_files(evidence: Evidence) -> Mapping[str, list[Mapping[str, Any]]]:
    """Rows about jobs by kind: `job` (newest answer first), `submitted`, `version`, and `log` for times."""
    rows_by_source: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in evidence.answer(jobs.AGGREGATOR).to_pylist():
        times = {"first_ms": row["start_ms"], "last_ms": row["end_ms"] or row["ts_ms"]}
        rows_by_source["job"].append({**row, "version": row["flink_version"], **times})
    rows_by_source |= _jobs_in_log(incident_log(evidence))
    rows_by_source["log"] = [
        {"job_id": job_id, "first_ms": first_ms, "last_ms": last_ms}
        for job_id, (first_ms, last_ms) in evidence.answer(logged_jobs.AGGREGATOR).items()
    ]
    return rows_by_source


def _jobs_in_log(log: IncidentLog) -> dict[str, list[Mapping[str, Any]]]:
    """Submissions of jobs and versions of processes in the log; records without a time first."""
    rows_by_kind: dict[str, list[Mapping[str, Any]]] = {"submitted": [], "version": []}
    told = {(event.file_id, event.line, event.message): event for event in (*log.of("version"), *log.of("submitted"))}
    for event in sorted(told.values(), key=lambda each: (each.ts_ms or 0, each.file_id, each.line or 0)):
        submitted, version = SUBMITTED.search(event.message), VERSION.search(event.message)
        row = {
            "name": (submitted["name"] or submitted["old_name"]) if submitted else "",
            "job_id": (submitted["id"] or submitted["old_id"]) if submitted else "",
            "version": version[1] if version else None,
            **{name: getattr(event, name) for name in ("ts_ms", "file_id", "line", "last_line")},
        }
        times = {"first_ms": event.ts_ms, "last_ms": event.ts_ms, "state": None, "pointer": None}
        rows_by_kind["submitted" if submitted else "version"].append({**row, **times})
    return rows_by_kind


def _jobs(evidence: Evidence, told: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[str]:
    """Ids of all jobs that any file names."""
    ids = {row["job_id"] for kind in ("job", "submitted", "log") for row in told.get(kind, ())}
    ids |= set(cluster_of(evidence).job_names) | set(load_timelines(evidence))
    ids |= set(checkpoint_histories(evidence))
    return sorted(each for each in ids if each)


def _overview(
    rows_by_source: Mapping[str, Sequence[Mapping[str, Any]]],
    job_id: str,
    graph: JobGraph,
    restarts: float | None,
    window: tuple[int, int] | None,
) -> tuple[dict[str, FactValue], list[Citation]]:
    rows = [row for kind in ("job", "submitted") for row in rows_by_source.get(kind, ()) if row["job_id"] == job_id]
    started = lowest(row["first_ms"] for row in rows_by_source.get("job", ()) if row["job_id"] == job_id)
    version = next((row["version"] for row in [*rows, *rows_by_source.get("version", ())] if row["version"]), None)
    facts: dict[str, FactValue] = {
        "name": next((row["name"] for row in rows if row["name"]), None),
        "flink_version": version,
        "vertices": len(graph.names) or None,
        "vertex_names": [graph.name(each) for each in sorted(graph.names)][:MOST_LISTED] or None,
        "parallelism": highest(graph.parallelism.values()),
        "is_sql": any(map(SQL_OPERATOR.search, map(graph.name, graph.names))) if graph.names else None,
        "observed_ms": window[1] - window[0] if window else None,
        "started_ms": lowest(row["first_ms"] for row in rows) if started is None else started,
        "restarts": restarts,
    }
    citations = [_cite(row) for row in rows[:3]]
    return known_facts(facts), citations


def _barriers(cluster: Cluster, job_id: str) -> dict[str, FactValue]:
    """How many barriers a checkpoint sends, and the task whose subtasks wait for most of them."""
    waited = barriers_waited_for(cluster, job_id)
    if not waited:
        return {}
    widest = max(sorted(waited), key=lambda each: waited[each])
    return {
        "barriers": sum(each.channels for each in exchanges(cluster, job_id)),
        "barriers_waited_for": waited[widest],
        "barriers_task": job_graph(cluster, job_id).name(widest),
    }


def _cite(row: Mapping[str, Any]) -> Citation:
    text = cited_text(JOB_STATE if row["state"] else JOB, job=row["name"] or row["job_id"], state=row["state"])
    return Citation.cite_row(row, "rest" if "start_ms" in row else "log", text, name="name", value=row["name"])


def _restarts(series: MetricSeries, job_id: str, *, only: bool) -> float | None:
    counted = [
        increase(each.points)
        for metric in ("numRestarts", "fullRestarts")
        for each in series.of(metric)
        if each.known and (each.job_id == job_id or (only and each.job_id is None))
    ]
    last = [
        max((each.known[-1].value or 0.0) - each.counted_before, 0.0)
        for metric in ("numRestarts", "fullRestarts")
        for each in series.of(metric)
        if each.known and (each.job_id == job_id or (only and each.job_id is None))
    ]
    return highest([*counted, *last])


def _window(
    rows_by_source: Mapping[str, Sequence[Mapping[str, Any]]], job_id: str, history: History, timeline: Timeline
) -> tuple[int, int] | None:
    """First and last epoch ms of the evidence about the job."""
    stamps = [
        stamp
        for kind in ("job", "submitted", "log")
        for row in rows_by_source.get(kind, ())
        if row["job_id"] == job_id
        for stamp in (row["first_ms"], row["last_ms"])
    ]
    stamps += [stamp for each in history.checkpoints for stamp in (each.triggered_ms, each.ended_ms)]
    stamps += [moment.ts_ms for moments in timeline.values() for moment in moments]
    known = [stamp for stamp in stamps if stamp is not None and stamp > 0]
    return (min(known), max(known)) if known else None


def _operation(
    history: History, timeline: Timeline, stated: Mapping[str, FactValue], window: tuple[int, int] | None
) -> dict[str, FactValue]:
    """Observations as numbers: the evidence for calling a job healthy."""
    completed = history.select_statuses("completed")
    failed = history.select_statuses("expired", "declined", "failed")
    held = [moment.held_max for moments in timeline.values() for moment in moments]
    by_vertex = [middle(moment.held_max for moment in moments) for moments in timeline.values()]
    busy = [middle(moment.busy_max for moment in moments) for moments in timeline.values()]
    facts: dict[str, FactValue] = {
        "observed_ms": window[1] - window[0] if window else None,
        "completed": len(completed) if history.checkpoints else None,
        "failed": len(failed) if history.checkpoints else None,
        "longest_ms": highest(each.duration_ms for each in completed),
        "last_ms": completed[-1].duration_ms if completed else None,
        "timeout_ms": stated.get("timeout_ms"),
        "interval_ms": stated.get("interval_ms"),
        "back_pressured_ratio": highest(by_vertex),
        "back_pressured_highest_ratio": highest(held),
        "busy_ratio": highest(busy),
        "tasks": len(timeline) or None,
    }
    if all(facts[name] is None for name in ("completed", "back_pressured_ratio", "busy_ratio")):
        return {}
    return known_facts(facts)


FACTS = {
    "name": "the job's name",
    "state": "state of the job when last seen",
    "flink_version": "Flink's version",
    "vertices": "tasks of the job graph",
    "vertex_names": "their names",
    "is_sql": "whether the names of its tasks are those of a SQL or Table API plan",
    "parallelism": "highest parallelism of a task",
    "observed_ms": "time between the first and the last evidence of the job",
    "started_ms": "when the job was started, by REST, else by its first submission in a log",
    "submitted_ms": "first submission of the job in a log, epoch ms",
    "restarts": "restarts as counted by Flink",
    "barriers": "barriers that one checkpoint sends, one on each channel between two subtasks",
    "barriers_waited_for": "barriers that a subtask of the task with most input channels waits for",
    "barriers_task": "task whose subtasks have most input channels",
}
OPERATION_FACTS = {
    "observed_ms": "time between the first and the last evidence of the job",
    "completed": "completed checkpoints",
    "failed": "failed checkpoints",
    "longest_ms": "longest duration of a completed checkpoint",
    "last_ms": "duration of the last completed checkpoint",
    "timeout_ms": "checkpoint timeout as stated",
    "interval_ms": "checkpoint interval as stated",
    "back_pressured_ratio": "usual back-pressured time of the worst task",
    "back_pressured_highest_ratio": "highest back-pressured time of a subtask at any moment",
    "busy_ratio": "usual busy time of the busiest task",
    "tasks": "tasks whose load is known",
}

SIGNALS = (
    SignalDefinition("job_overview", "job", FACTS, measure),
    SignalDefinition("job_overview.operation", "job", OPERATION_FACTS, measure),
)
