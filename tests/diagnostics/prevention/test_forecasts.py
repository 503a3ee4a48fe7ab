"""Alerts that look ahead: exported where the case foresees the same, and promtool agrees with what they do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from diagnostics.prevention.alert import Alert
from diagnostics.prevention.alerts import alerts_for
from diagnostics.prevention.case_series import case_series
from diagnostics.prevention.promtool import RULES_FILE, outcome, rules_file
from diagnostics.prevention.series import CaseSeries
from tests.diagnostics.prevention.alert_evidence import JOB_ID, checkpoint, fired, history, promtool, told_by_promtool

SETTINGS = {"key": "settings", "subject": {"job": JOB_ID}, "facts": {"interval_ms": 60_000, "timeout_ms": 60_000}}
DISK: dict[str, Any] = {
    "key": "disk_forecast",
    "subject": {},
    "facts": {
        "metric": "node_filesystem_avail_bytes",
        "place_label": "mountpoint",
        "place": "/ckpt",
        "host_label": "instance",
        "host": "h7:9100",
        "full_in_ms": 4_800_000,
    },
}
RISING = {"key": "checkpoint_forecast", "subject": {"job": JOB_ID}, "facts": {"timeout_in_ms": 1_200_000}}


def exported(*signals: dict[str, Any]) -> dict[str, Alert]:
    """Name -> alert of a case with these signals."""
    document: dict[str, Any] = {"findings": [], "jobs": [{"job_id": JOB_ID, "name": "Orders"}]}
    return {each.name: each for each in alerts_for(document, [SETTINGS, *signals], JOB_ID)}


def course(step_ms: int) -> CaseSeries:
    """Checkpoints of a job for 40 minutes, each so much longer than the one before it."""
    checkpoints = [checkpoint(n, n * 60_000, lasted=5_000 + step_ms * n) for n in range(40)]
    return case_series(history(*checkpoints, until=2_400_000), JOB_ID, "Orders")


def test_a_disk_that_fills_exports_predict_linear_for_its_place_f054(tmp_path: Path) -> None:
    alert = exported(DISK)["FlinkDiskFullAhead"]

    assert alert.expr == (
        'predict_linear(node_filesystem_avail_bytes{mountpoint="/ckpt", instance="h7:9100"}[6h], 86400) < 0'
    )
    assert "/ckpt is full 80 min after the last sample" in alert.why
    (tmp_path / RULES_FILE).write_text(rules_file([alert], "the test"))
    assert promtool(tmp_path, "check", RULES_FILE) == ""
    told = "Not tested: the charts of this case hold no series of node_filesystem_avail_bytes."
    assert outcome(alert, course(0)) == told


def test_durations_that_rise_fire_before_they_reach_the_timeout_and_promtool_agrees(tmp_path: Path) -> None:
    alert, series = exported(RISING)["FlinkCheckpointTimeoutAhead"], course(700)

    assert "predict_linear(flink_jobmanager_job_lastCheckpointDuration" in alert.expr
    [minute] = fired([alert], series)[alert.name]
    assert minute < 35, "then a checkpoint takes 30 s of the 60 s"
    told_by_promtool(tmp_path, [alert], series)


def test_durations_that_stay_do_not_fire(tmp_path: Path) -> None:
    alert, series = exported(RISING)["FlinkCheckpointTimeoutAhead"], course(0)

    assert fired([alert], series) == {}
    told_by_promtool(tmp_path, [alert], series)


@pytest.mark.parametrize(
    "signal", [{**DISK, "facts": {"file_systems": 3}}, {**RISING, "facts": {"duration_rise_ms_per_h": 5.0}}]
)
def test_a_case_that_foresees_nothing_exports_no_forecast(signal: dict[str, Any]) -> None:
    assert not {"FlinkDiskFullAhead", "FlinkCheckpointTimeoutAhead"} & set(exported(signal))


def test_a_hostile_mount_point_stays_a_value(tmp_path: Path) -> None:
    facts = {**DISK["facts"], "place": 'a"} or vector(1) # {{ $labels.x }}\n', "host": "\\"}
    alert = exported({**DISK, "facts": facts})["FlinkDiskFullAhead"]

    written = rules_file([alert], "the test")
    (tmp_path / RULES_FILE).write_text(written)
    assert promtool(tmp_path, "check", RULES_FILE) == ""
    [rule] = yaml.safe_load(written)["groups"][0]["rules"]
    assert not [text for text in rule["annotations"].values() if "{{" in text]
