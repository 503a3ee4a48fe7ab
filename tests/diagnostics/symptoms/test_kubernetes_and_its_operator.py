"""Causes from Kubernetes events and the operator's log, in addition to Flink's own logs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.diagnostics.written_log import diagnosed, jobmanager_log, line

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

TABLE = "LAST SEEN   TYPE      REASON         OBJECT                       MESSAGE\n"
POD = "orders-taskmanager-1-1"
RM = "org.apache.flink.runtime.resourcemanager.active.ActiveResourceManager"
LOST = line(30, RM, f"The heartbeat of TaskManager with id {POD} timed out.")


def pod_event(reason: str, message: str) -> str:
    return f"{TABLE}3m12s       Warning   {reason:<14} pod/{POD}   {message}\n"


def operators_log(message: str, level: str = "ERROR") -> str:
    logger = "o.a.f.k.o.c.FlinkDeploymentController"
    return "".join(
        f"2026-03-02 10:0{minute}:00,000 {logger:<30} [{level:<5}][flink/orders] {message}\n" for minute in (0, 1, 2)
    )


STATUS = (
    "Name:  orders\nKind:  FlinkDeployment\nStatus:\n"
    '  Error:  {"type":"org.apache.flink.kubernetes.operator.exception.ReconciliationException","message":"failed",'
    '"throwableList":[{"type":"com.amazonaws.services.s3.model.AmazonS3Exception","message":"Access Denied (Service: '
    'Amazon S3; Status Code: 403; Error Code: AccessDenied; Request ID: 7)"}]}\n  Lifecycle State:  FAILED\n'
)


@pytest.mark.parametrize(
    ("told", "verdict", "said"),
    [
        (STATUS, "outside_system", "it does not allow what the job asks for"),
        (pod_event("Evicted", "The node was low on resource: memory."), "resource_shortage", "evicted pods of Flink"),
        (
            operators_log("HA metadata not available to restore from last state. Manual restore required."),
            "restore_failure",
            "knows no state to start",
        ),
        (
            TABLE
            + "".join(
                f"{age}          Warning   FailedMount    pod/{POD}   MountVolume.SetUp failed for volume"
                ' "flink-config-volume" : configmap "flink-config-orders" not found\n'
                for age in ("2m", "4m", "6m")
            ),
            "misconfiguration",
            "Pods of Flink cannot start",
        ),
    ],
    ids=["status of a resource", "evicted", "no state for the operator", "no volume"],
)
def test_kubernetes_events_give_the_cause(
    spark: SparkSession, tmp_path: Path, told: str, verdict: str, said: str
) -> None:
    document = diagnosed(spark, tmp_path, told=told, log=jobmanager_log()).document
    assert document["verdict"]["symptom_class"] == verdict
    findings = "\n".join(f"{each['title']} {each['statement']}" for each in document["findings"])
    assert said in findings


def test_a_lost_node_explains_a_lost_task_manager(spark: SparkSession, tmp_path: Path) -> None:
    told = pod_event("NodeNotReady", "Node is not ready")
    document = diagnosed(spark, tmp_path, told=told, log=jobmanager_log(LOST)).document
    findings = "\n".join(each["statement"] for each in document["findings"])
    assert "The logs report how 1 of the processes ended: its host was lost." in findings
    assert document["verdict"]["symptom_class"] != "network_partition"


def test_the_operators_log_of_a_healthy_deployment_alarms_nobody(spark: SparkSession, tmp_path: Path) -> None:
    told = operators_log(">>> Status | Info    | STABLE          | The resource deployment is stable ", "INFO")
    document = diagnosed(spark, tmp_path, told=told, log=jobmanager_log()).document
    assert [each["title"] for each in document["findings"] if each["severity"] != "info"] == []
