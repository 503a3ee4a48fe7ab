"""Trouble of another deployment in the same files is not the job's; that of its own is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from diagnostics.evidence import Evidence
from diagnostics.reconstruction.failures.incident_log import incident_log
from diagnostics.signals import kubernetes, other_deployments
from tests.diagnostics.hand_made import JOB, START, hand_made, only, signals_of_key

OTHER = "0000000000000000000000000000000b"
ILL = "payments/settlement"
NATIVE, SESSION, STANDALONE = (
    *("KubernetesApplicationClusterEntrypoint", "KubernetesSessionClusterEntrypoint"),
    "StandaloneSessionClusterEntrypoint",
)


def missing(deployment: str | None = ILL, **rest: Any) -> dict[str, Any]:
    text = ">>> Event  | Warning | MISSING | Missing JobManager deployment"
    return {"event": "op.missing", "message": text, "ts_ms": START, "deployment": deployment, "file_id": 9, **rest}


def submitted(second: int, job: str = JOB, file_id: int = 0) -> dict[str, Any]:
    text = f"Received JobGraph submission 'orders' ({job})."
    return {"event": "job.submitted", "message": text, "job_id": job, "file_id": file_id, "process": "jobmanager"} | {
        "ts_ms": START + second * 1000
    }


def started(entry_point: str, file_id: int = 0, **stated: str) -> list[dict[str, Any]]:
    options = [{"key": "process.entrypoint", "value": entry_point, "scope": "environment"}]
    options += [{"key": f"option.{number}", "value": "1", "scope": "cluster"} for number in range(5)]
    named = {key.replace("__", ".").replace("_", "-"): value for key, value in stated.items()}
    options += [{"key": key, "value": value, "scope": "cluster"} for key, value in named.items()]
    return [{"process": "jobmanager", "file_id": file_id, **each} for each in options]


def case(options: Sequence[dict[str, Any]], *records: dict[str, Any], end_ms: int = START + 900_000) -> Evidence:
    ends = [{"file_id": 9, "last_ms": end_ms, "records": 5, "level": "INFO"}]
    return hand_made(config_option=options, log_record=[submitted(0), *records], log_count=ends)


@pytest.mark.parametrize(
    ("entry_point", "cluster", "namespace", "deployment", "apart"),
    [
        (NATIVE, "orders", "payments", ILL, True),
        (NATIVE, "settlement", "payments", ILL, False),
        (NATIVE, "settlement", "staging", ILL, True),
        (NATIVE, "orders", "payments", "settlement", True),
        (NATIVE, "settlement", "payments", "settlement", False),
        (NATIVE, "orders", "payments", None, False),
        (SESSION, "orders", "payments", ILL, False),  # it may be a job of the session
        (SESSION, "orders", "payments", "settlement", True),
        (STANDALONE, "my-cluster", "payments", "flink", False),  # pods have any names there
    ],
)
def test_a_deployment_of_another_name_is_apart(
    entry_point: str, cluster: str, namespace: str, deployment: str | None, apart: bool
) -> None:
    options = started(entry_point, kubernetes__cluster_id=cluster, kubernetes__namespace=namespace)
    log = incident_log(case(options, missing(deployment)))
    assert (len(log.of("kubernetes")), len(log.apart)) == ((0, 1) if apart else (1, 0))
    assert log.count("kubernetes") == (0 if apart else 1)


def test_a_cluster_that_lists_no_option_of_kubernetes_is_no_deployment_of_the_operator() -> None:
    assert len(incident_log(case(started(STANDALONE), missing())).apart) == 1


def test_what_nothing_tells_apart_stays_and_is_called_unclear() -> None:
    evidence = case([], missing())
    assert len(incident_log(evidence).of("kubernetes")) == 1
    facts = only(other_deployments.measure(evidence), "other_deployments").facts
    assert (facts["unclear"], facts.get("apart")) == ([ILL], None)


def test_a_log_of_the_operator_that_ends_before_the_job_began_is_none_of_it() -> None:
    evidence = case([], missing(ts_ms=START - 900_000), end_ms=START - 800_000)
    facts = only(other_deployments.measure(evidence), "other_deployments").facts
    assert (facts["apart"], facts["records"], facts["last_ms"]) == ([ILL], 1, START - 900_000)


def test_the_operators_log_alone_is_judged_and_nothing_is_said_of_others() -> None:
    evidence = hand_made(log_record=[missing()])
    assert only(kubernetes.measure(evidence), "kubernetes").facts["operator_warnings"] == 1
    assert signals_of_key(other_deployments.measure(evidence), "other_deployments") == []


def test_of_two_own_clusters_the_trouble_is_that_of_the_job_that_runs_there() -> None:
    options = started(NATIVE, kubernetes__cluster_id="orders")
    options += started(NATIVE, 1, kubernetes__cluster_id="settlement")
    evidence = case(options, submitted(0, OTHER, 1), missing())
    assert only(kubernetes.measure(evidence), "kubernetes").subject.job == OTHER


def test_a_container_of_yarn_is_of_the_job_of_its_application() -> None:
    files = [
        f"app.txt/container_e17_1605_000{number}_01_00000{part}_on_h/x.log" for number in (1, 2) for part in (1, 2)
    ]
    logs = [submitted(0, OTHER), missing(None, file_id=1), submitted(9, JOB, 2)]
    (event,) = incident_log(hand_made(files=files, log_record=logs)).of("kubernetes")
    assert event.job_id == OTHER
    log = incident_log(hand_made(files=files, log_record=logs[1:]))
    assert [each.deployment for each in log.apart] == ["application_1605_0001"]
