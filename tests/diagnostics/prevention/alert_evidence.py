"""Charts and findings of small cases for the tests of alerts, and the real promtool that judges them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from diagnostics.prevention.alert import Alert
from diagnostics.prevention.alerts import alerts_for
from diagnostics.prevention.case_series import case_series
from diagnostics.prevention.promtool import RULES_FILE, TEST_FILE, rules_file, unit_test
from diagnostics.prevention.series import STEP_MS, CaseSeries

MINUTE = 60_000
JOB_ID = "a" * 32


def checkpoint(number: int, trigger_ms: int, status: str = "completed", lasted: int = 5_000) -> dict[str, Any]:
    return {"id": number, "status": status, "trigger_ms": trigger_ms, "end_to_end_ms": lasted, "savepoint": False}


def history(*checkpoints: dict[str, Any], until: int) -> dict[str, Any]:
    job = {"job_id": JOB_ID, "name": "Orders", "timeout_ms": 60_000, "checkpoints": list(checkpoints)}
    return {"checkpoint-history": {"from_ms": 0, "to_ms": until, "jobs": [job]}}


def activity(until: int, **shares: list[float | None]) -> dict[str, Any]:
    subtask = {"subtask": 0, "busy": shares.get("busy", [None]), "back_pressured": shares.get("back_pressured", [None])}
    vertex = {"vertex": "Sink: orders-sink", "subtasks": [subtask]}
    job = {"job_id": JOB_ID, "name": "Orders", "vertices": [vertex]}
    slot = until // max(len(each) for each in shares.values())
    return {"subtask-activity": {"from_ms": 0, "to_ms": until, "slot_ms": slot, "jobs": [job]}}


def finding(symptom_class: str, rule: str = "some.rule", **subject: Any) -> dict[str, Any]:
    return {
        "symptom_class": symptom_class,
        "rule": {"id": rule, "version": 1},
        "role": "root_cause",
        "title": "It is so",
        "subject": {"job": JOB_ID, **subject},
        "facts": {},
    }


def made(points: dict[str, Any], *findings: dict[str, Any]) -> tuple[list[Alert], CaseSeries]:
    settings = {"key": "settings", "subject": {"job": JOB_ID}, "facts": {"interval_ms": 60_000, "timeout_ms": 60_000}}
    document = {"findings": list(findings), "jobs": [{"job_id": JOB_ID, "name": "Orders"}]}
    return alerts_for(document, [settings], JOB_ID), case_series(points, JOB_ID, "Orders")


def fired(alerts: list[Alert], series: CaseSeries) -> dict[str, list[int]]:
    """Alert -> minutes at which it fires, only those that do."""
    found = {alert.name: sorted(step * STEP_MS // MINUTE for step in alert.firing(series).values()) for alert in alerts}
    return {name: minutes for name, minutes in found.items() if minutes}


def told_by_promtool(folder: Path, alerts: list[Alert], series: CaseSeries) -> str:
    """What the real promtool says of both files; its exit status has to be 0."""
    if shutil.which("promtool") is None:
        pytest.skip("no promtool found: install the package prometheus")
    test = unit_test(alerts, series, "the test")
    assert test is not None
    (folder / RULES_FILE).write_text(rules_file(alerts, "the test"))
    (folder / TEST_FILE).write_text(test)
    ran = subprocess.run(["promtool", "test", "rules", TEST_FILE], cwd=folder, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr + test
    return test


def promtool(folder: Path, does: str, file: str) -> str:
    """What promtool complains of."""
    if shutil.which("promtool") is None:
        pytest.skip("no promtool found: install the package prometheus")
    ran = subprocess.run(["promtool", does, "rules", file], cwd=folder, capture_output=True, text=True)
    return "" if ran.returncode == 0 else ran.stdout + ran.stderr


def silent(test: str) -> str:
    """The same unit test, which expects no alert at any time that it asks for."""
    content = yaml.safe_load(test)
    for asked in content["tests"][0]["alert_rule_test"]:
        asked["exp_alerts"] = []
    return str(yaml.safe_dump(content))


def watched(metric: str, values: list[float | None], **place: str | int) -> dict[str, Any]:
    """What the chart of every metric keeps of one that alerts watch, a value a slot."""
    of_cluster = metric == "numRegisteredTaskManagers" or "Heap" in metric
    job = None if of_cluster else JOB_ID
    return {"metric": metric, "job_id": job, "vertex": None, "task_manager": None, "values": values, **place}


def metrics(slot_ms: int, *found: dict[str, Any], running: list[float | None] | None = None) -> dict[str, Any]:
    """The chart of every metric; `running` is the time for which the job has run."""
    slots = max(len(each["values"]) for each in found)
    course = {"metric": "runningTime", "job_id": JOB_ID, "where": "the cluster", "mean": running}
    span = {"from_ms": 0, "to_ms": slots * slot_ms, "slot_ms": slot_ms}
    return {"metrics": {**span, "series": [course] if running else [], "watched": list(found)}}


FAILING = history(
    checkpoint(1, 0),
    checkpoint(2, 60_000),
    *(checkpoint(n, n * 60_000, "expired", 60_000) for n in (3, 4, 5)),
    until=420_000,
)
