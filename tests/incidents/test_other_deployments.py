"""A healthy job stays healthy beside the trouble of another deployment, and is ill with trouble that may be its own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from diagnostics.analyze import analyze
from diagnostics.intake import sources_in
from diagnostics.reading.case import Case
from diagnostics.rules.rule import Ruleset
from diagnostics.rules.shipped import shipped_rules
from tests.incidents.public_background import BACKGROUND

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FORBIDDEN = (
    'pods "settlement-6c7f9d5b8-" is forbidden: exceeded quota: team-payments, requested: limits.memory=4Gi, '
    "used: limits.memory=30Gi, limited: limits.memory=32Gi"
)
OPERATOR = "\n".join(
    f"2026-11-21 01:37:{second},301 o.a.f.k.o.{logger} {head}[payments/settlement] {message}"
    for second, logger, head, message in (
        (12, "c.FlinkDeploymentController", "[INFO ]", "Starting reconciliation"),
        (13, "l.AuditUtils        ", "[INFO ]", f">>> Event  | Warning | CLUSTERDEPLOYMENTEXCEPTION | {FORBIDDEN}"),
        (14, "r.ReconciliationUtils", "[WARN ]", "Attempt count: 3, last attempt: false"),
    )
)
KILLED = """\
NAME                                READY   STATUS      RESTARTS     AGE
flink-taskmanager-7d8f6c5b9-x2x4q   0/1     OOMKilled   4 (2m ago)   3h
"""

pytestmark = pytest.mark.spark


def _document(folder: Path, spark: SparkSession, *others: Path, **texts: str) -> dict[str, Any]:
    (evidence := folder / "evidence").mkdir()
    for name, text in texts.items():
        (evidence / f"{name}.txt").write_text(text, encoding="utf-8")
    sources, _ = sources_in([evidence, *others])
    return analyze(Case(sources), ruleset=Ruleset.of(shipped_rules()), spark=spark, workspace=folder).document


def test_the_operators_log_alone_is_judged(spark: SparkSession, tmp_path: Path) -> None:
    assert _document(tmp_path, spark, operator=OPERATOR)["verdict"]["symptom_class"] == "resource_shortage"


def test_a_job_that_the_operator_did_not_deploy_stays_healthy_and_the_page_says_whose_trouble_it_is(
    spark: SparkSession, tmp_path: Path
) -> None:
    document = _document(tmp_path, spark, BACKGROUND, operator=OPERATOR)
    assert document["verdict"]["symptom_class"] == "healthy"
    (finding,) = [each for each in document["findings"] if each["rule"]["id"] == "warning.other-deployment"]
    assert "Kept away from the job: payments/settlement" in finding["statement"]


def test_a_killed_pod_of_a_cluster_without_names_of_kubernetes_may_be_the_jobs(
    spark: SparkSession, tmp_path: Path
) -> None:
    document = _document(tmp_path, spark, BACKGROUND, pods=KILLED)
    assert document["verdict"]["symptom_class"] == "resource_shortage"
