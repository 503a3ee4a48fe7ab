"""What concerns a whole cluster concerns each of its jobs, and no job of another cluster."""

from __future__ import annotations

from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import Subject
from diagnostics.measuring import ClusterEvidence, measure_signals
from diagnostics.signals.signal import Signal
from tests.diagnostics.hand_made import JOB, START, hand_made

SECOND, OTHER = (f"0000000000000000000000000000000{digit}" for digit in "bc")
HEAP = "java.lang.OutOfMemoryError: Java heap space"


def out_of_memory() -> Evidence:
    record = {"message": HEAP, "exception_class": "java.lang.OutOfMemoryError", "exception_message": "Java heap space"}
    return hand_made(log_record=[{**record, "level": "ERROR", "ts_ms": START, "process": "taskmanager"}])


def errors(*clusters: ClusterEvidence) -> dict[str | None, object]:
    signals, _ = measure_signals(clusters, lambda _share, _detail: None, [])
    return {each.subject.job: each.facts["errors"] for each in signals if each.key == "out_of_memory"}


def test_the_only_cluster_of_a_case_is_measured_as_a_whole() -> None:
    assert errors(ClusterEvidence(out_of_memory())) == {None: 1}


def test_memory_that_ran_out_in_one_cluster_is_none_of_the_jobs_of_another() -> None:
    jobs, others = frozenset({JOB, SECOND}), frozenset({OTHER})
    quiet = hand_made(log_record=[{"message": "Starting", "level": "INFO", "ts_ms": START, "process": "taskmanager"}])
    measured = errors(ClusterEvidence(out_of_memory(), jobs, others), ClusterEvidence(quiet, others, jobs))
    assert measured == {JOB: 1, SECOND: 1, OTHER: 0}


def test_a_job_of_another_cluster_in_a_shared_file_is_measured_there() -> None:
    cluster = ClusterEvidence(out_of_memory(), frozenset({JOB}), frozenset({OTHER}))
    foreign, unknown = (Signal("load_balance", Subject(job=job), {}) for job in (OTHER, SECOND))
    assert list(cluster.own(foreign)) == []
    assert list(cluster.own(unknown)) == [unknown]
