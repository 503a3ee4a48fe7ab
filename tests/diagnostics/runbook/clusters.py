"""Clusters of each kind, and how a job of one is stopped and started."""

from __future__ import annotations

from typing import Any

from diagnostics.runbook.restarting import stop_and_start
from tests.reading.command_faults import command_faults

JOB = "f" * 32
STANDALONE = {
    "deployment.kind": "standalone",
    "deployment.mode": "session",
    "deployment.rest_address": "10.0.0.1",
    "deployment.rest_port": 18_081,
    "deployment.home": "/opt/flink",
    "deployment.config_file": "/etc/flink/config.yaml",
    "deployment.jobmanager_log": "/var/log/flink/flink-root-standalonesession-0-a.log",
    "deployment.program": ["-c", "a.Job", "/jobs/a.jar", "--note", "two words; rm -rf /", "--token", "******"],
}
NATIVE = {
    "deployment.kind": "kubernetes",
    "deployment.mode": "application",
    "deployment.cluster_id": "orders",
    "deployment.namespace": "shop",
    "deployment.task_manager": "orders-taskmanager-1-1",
}
OPERATOR = {**NATIVE, "deployment.kind": "kubernetes operator"}
YARN = {
    "deployment.kind": "yarn",
    "deployment.mode": "session",
    "deployment.application_id": "application_1700000000000_0007",
}
EACH = "there, once for each of its TaskManagers, with the arguments (-D) and JVM options that it had"
"""The place of a start whose options nobody knows."""


def commands_of(facts: dict[str, Any], **more: Any) -> list[str]:
    """How a job of this cluster is stopped and started."""
    known = {**facts, "subject.job": JOB, "job_overview.flink_version": "1.20.1"} | more
    commands = stop_and_start(known.get)["command"].splitlines()
    assert [fault for each in commands for fault in command_faults(each)] == []
    return commands
