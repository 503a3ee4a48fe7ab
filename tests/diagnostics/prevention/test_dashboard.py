"""The dashboard of a case: titles, languages, and expressions that the real promtool reads."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from diagnostics.charts import CHARTS
from diagnostics.language import CHINESE, reading_in
from diagnostics.prevention.dashboard import dashboard


def test_the_dashboard_shows_the_charts_of_the_case_and_begins_with_its_job() -> None:
    told = json.loads(dashboard("Orders", [*CHARTS["watermarks"].panels, *CHARTS["log-volume"].panels]))
    assert [panel["title"] for panel in told["panels"]] == [
        "Watermark lag",
        "Late records dropped in 5 minutes",
        "Restarts",
    ]
    assert told["templating"]["list"][1]["current"]["value"] == "Orders"


def test_every_title_and_legend_of_the_dashboard_is_chinese_for_a_reader_of_chinese() -> None:
    with reading_in(CHINESE):
        text = dashboard("Orders", [panel for chart in CHARTS.values() for panel in chart.panels])
    assert "\\u" not in text, "letters, as a reader sees them on the page"
    panels = json.loads(text)["panels"]
    legends = {target["legendFormat"] for panel in panels for target in panel["targets"]}
    titles = {panel["title"] for panel in panels} | {each for each in legends if "{{" not in each}
    assert {each for each in titles if not re.search("[\u4e00-\u9fff]", each)} == set()


def test_prometheus_reads_every_expression_of_the_dashboard(tmp_path: Path) -> None:
    if shutil.which("promtool") is None:
        pytest.skip("no promtool found: install the package prometheus")
    every_panel = [panel for chart in CHARTS.values() for panel in chart.panels]
    panels = json.loads(dashboard("Orders", every_panel))["panels"]
    expressions = [target["expr"].replace("$job_name", "Orders") for panel in panels for target in panel["targets"]]
    rules = [{"record": f"panel:{number}", "expr": expr} for number, expr in enumerate(expressions)]
    (tmp_path / "panels.yaml").write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": rules}]}))
    ran = subprocess.run(["promtool", "check", "rules", "panels.yaml"], cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_prometheus_adds_the_times_of_all_collectors_in_the_dashboard(tmp_path: Path) -> None:
    """`rate` drops the metric's name, and Prometheus refuses two series with the same labels."""
    if shutil.which("promtool") is None:
        pytest.skip("no promtool found: install the package prometheus")
    (expr,) = CHARTS["garbage-collection"].panels[0].queries.values()
    grown = {"G1_Young_Generation": "0+3000x40", "G1_Old_Generation": "0+1500x40", "All": "0+4500x40"}
    series = [
        {"series": f'flink_taskmanager_Status_JVM_GarbageCollector_{each}_Time{{tm_id="a"}}', "values": values}
        for each, values in grown.items()
    ]
    asked = {"expr": expr, "eval_time": "10m", "exp_samples": [{"labels": '{tm_id="a"}', "value": 0.3}]}
    tests = [{"interval": "15s", "input_series": series, "promql_expr_test": [asked]}]
    (tmp_path / "test.yaml").write_text(yaml.safe_dump({"rule_files": [], "tests": tests}))
    ran = subprocess.run(["promtool", "test", "rules", "test.yaml"], cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_a_new_jobmanager_takes_no_completed_checkpoint_away(tmp_path: Path) -> None:
    """It counts from 0 again: the difference of the counts would be negative in the incident itself."""
    if shutil.which("promtool") is None:
        pytest.skip("no promtool found: install the package prometheus")
    panel = next(each for each in CHARTS["checkpoint-history"].panels if "completed and failed" in each.title)
    counts = {"Completed": "5+5x15 0+0x4", "Failed": "0+0x15 0+1x4"}
    series = [
        {"series": f'flink_jobmanager_job_numberOf{each}Checkpoints{{job_name="Orders"}}', "values": values}
        for each, values in counts.items()
    ]
    expected = [{"labels": '{job_name="Orders"}', "value": 1}]
    asked = [
        {"expr": f"{expr.replace('$job_name', 'Orders')} >= bool 0", "eval_time": "5m", "exp_samples": expected}
        for expr in panel.queries.values()
    ]
    tests = [{"interval": "15s", "input_series": series, "promql_expr_test": asked}]
    (tmp_path / "test.yaml").write_text(yaml.safe_dump({"rule_files": [], "tests": tests}))
    ran = subprocess.run(["promtool", "test", "rules", "test.yaml"], cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
