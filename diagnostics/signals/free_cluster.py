"""Whether a session cluster runs no job and is ready for one: TaskManagers are registered, their slots free."""

from __future__ import annotations

from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.reconstruction.failures.incident_log import IncidentLog, LogEvent, incident_log
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.reconstruction.job.jobmanager_gauge import Gauge, gauge_of
from diagnostics.reconstruction.metrics.metric_series import metric_series
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts

SESSION = "SessionClusterEntrypoint"
"""End of the main class of a JobManager that waits for jobs, in the banner of its log. Source: Flink's
StandaloneSessionClusterEntrypoint, YarnSessionClusterEntrypoint and KubernetesSessionClusterEntrypoint.
"""
OF_PROMETHEUS = "/data/"
"""Where the answers of Prometheus' API have their values."""
ENDED = ("shut_down", "process_end", "lost", "no_resource", "failure", "submitted")
"""Events after which a log does not show a cluster that waits undisturbed for its first job."""


def measure(evidence: Evidence) -> Measured:
    """What the JobManager states of its cluster, where no file names a job.

    Reads   metric_sample (what REST states of running jobs, TaskManagers and slots); log_record
            (banner, registrations of TaskManagers, and the absence of a submission, a failure and an end).
    Gives   `free_cluster`, one of the case.
    Empty   NotMeasured where a file names a job, and where neither that answer nor a JobManager's log from its start on
            is there.
    """
    jobs = gauge_of(evidence, "numRunningJobs", None) if _is_stated_by_rest(evidence) else None
    total, free = gauge_of(evidence, "taskSlotsTotal", None), gauge_of(evidence, "taskSlotsAvailable", None)
    log = incident_log(evidence)
    started = _session_start(log)
    if cluster_of(evidence).job_names or not ((jobs and total and free) or started):
        yield NotMeasured("free_cluster", "job-rest", "no file shows a cluster without a job")
        return
    registered = gauge_of(evidence, "numRegisteredTaskManagers", None)
    facts: dict[str, FactValue] = {
        "running_jobs_most": jobs.most if jobs else None,
        "task_managers": registered.newest if registered else None,
        "slots": total.newest if total else None,
        "free_slots": free.newest if free else None,
        "slots_in_use_most": _most_in_use(total, free) if total and free else None,
    }
    joined = log.of("registered") if started else ()
    if started and joined:
        facts |= {
            "registrations": len({each.message for each in joined}),
            "disturbances": sum(log.count(kind) for kind in ENDED),
            "waited_ms": max(log.last_ms.get(each.file_id, each.ts_ms or 0) - (each.ts_ms or 0) for each in joined[:1]),
        }
    cited = [each.citations[0] for each in (jobs, free) if each and each.citations]
    cited += [each.cite() for each in joined[:2]]
    yield Signal("free_cluster", Subject(), known_facts(facts), tuple(cited))


def _is_stated_by_rest(evidence: Evidence) -> bool:
    """Whether REST states the number of running jobs: it lists the jobs that ended or failed beside it. A scrape and
    an answer of Prometheus do not show whether a submission failed.
    """
    places = [point.pointer for series in metric_series(evidence).of("numRunningJobs") for point in series.known]
    return any(place and not place.startswith(OF_PROMETHEUS) for place in places)


def _session_start(log: IncidentLog) -> LogEvent | None:
    """The banner of the only start of the JobManager of a session cluster."""
    banners = [each for each in log.of("version") if each.process == "jobmanager" or SESSION in each.message]
    return banners[0] if len(banners) == 1 and SESSION in banners[0].message else None


def _most_in_use(total: Gauge, free: Gauge) -> int:
    return total.most - round(min(value for _, value in free.levels))


SIGNALS = (
    SignalDefinition(
        key="free_cluster",
        level="case",
        facts={
            "running_jobs_most": "jobs that ran at most",
            "task_managers": "TaskManagers that are registered at the end",
            "slots": "slots of all TaskManagers at the end",
            "free_slots": "free slots at the end",
            "slots_in_use_most": "most slots that a job held at any time",
            "registrations": "TaskManagers that registered, by a JobManager's log from its start on",
            "disturbances": "submissions, failures, lost TaskManagers and ends of processes in that log",
            "waited_ms": "time from the first registration until the last record of that log, ms",
        },
        measure=measure,
    ),
)
