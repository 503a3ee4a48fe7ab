"""A healthy job stays healthy whatever its logs say on the side: known noise, and a restart that somebody asked for."""

from __future__ import annotations

import datetime as dt
import itertools
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from diagnostics.analyze import analyze
from diagnostics.intake import SourceFile
from diagnostics.reading.case import Case
from diagnostics.rules.rule import Ruleset
from diagnostics.rules.shipped import shipped_rules
from tests.incidents.public_background import BACKGROUND, GRAPH, JOB, JOB_NAME, LOGS, log_record

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

NOISE = yaml.safe_load((Path(__file__).parent / "known_noise.yaml").read_text("utf-8"))
WITHIN = dt.datetime(2026, 11, 21, 1, 35, 40, tzinfo=dt.UTC)
"""While the job of the background runs."""


def diagnosed(
    added: Mapping[str, Sequence[tuple[dt.datetime, str]]], spark: SparkSession, place: Path
) -> dict[str, Any]:
    """The diagnosis of the healthy incident with more records in its logs, each where its time says."""
    target = place / "upload.zip"
    with zipfile.ZipFile(BACKGROUND) as healthy, zipfile.ZipFile(target, "w") as written:
        for name in healthy.namelist():
            content = healthy.read(name)
            for role, part in LOGS.items():
                if part in name and name.endswith(".log") and "gc" not in name:
                    content = with_records(content.decode(), added.get(role, ())).encode()
            written.writestr(name, content)
    workspace = place / "workspace"
    workspace.mkdir()
    source = SourceFile(target, target.name)
    return analyze(Case([source]), ruleset=Ruleset.of(shipped_rules()), spark=spark, workspace=workspace).document


def with_records(log: str, added: Sequence[tuple[dt.datetime, str]]) -> str:
    lines = log.splitlines(keepends=True)
    for now, text in reversed(added):
        stamp = f"{now:%Y-%m-%d %H:%M:%S}"
        at = next(
            (number for number, line in enumerate(lines) if line[:4] == stamp[:4] and line[:19] > stamp), len(lines)
        )
        lines.insert(at, text)
    return "".join(lines)


def alarming(document: Mapping[str, Any]) -> list[str]:
    return [f"{each['rule']['id']}: {each['statement']}" for each in document["findings"] if each["severity"] != "info"]


def test_known_noise_is_no_finding(spark: SparkSession, tmp_path: Path) -> None:
    added: dict[str, list[tuple[dt.datetime, str]]] = {}
    for number, each in enumerate(NOISE):
        now = WITHIN + dt.timedelta(seconds=number)
        text = each["text"].rstrip("\n").replace("{job}", JOB)
        added.setdefault(each["log"], []).append((now, log_record(now, each["level"], each["logger"], text)))
    document = diagnosed(added, spark, tmp_path)
    assert document["verdict"]["symptom_class"] == "healthy", document["verdict"]
    assert alarming(document) == []


PRINTED = """\
sed: couldn't open temporary file /opt/flink/conf/sedKYHQYN: Read-only file system
/docker-entrypoint.sh: line 73: /opt/flink/conf/flink-conf.yaml: Permission denied
/docker-entrypoint.sh: line 89: /opt/flink/conf/flink-conf.yaml.tmp: Read-only file system
Starting Job Manager
"""
"""How the log of each container begins whose conf/ is a ConfigMap, as in Flink's manifests of standalone Kubernetes.
Source: docker-entrypoint.sh of Flink's image, prepare_configuration.
"""


def test_a_configuration_that_is_mounted_read_only_is_no_finding(spark: SparkSession, tmp_path: Path) -> None:
    document = diagnosed({"jobmanager": [(WITHIN - dt.timedelta(days=1), PRINTED)]}, spark, tmp_path)
    assert document["verdict"]["symptom_class"] == "healthy", document["verdict"]
    assert alarming(document) == []


def test_a_restart_that_nothing_failed_for_leaves_a_healthy_job_healthy(spark: SparkSession, tmp_path: Path) -> None:
    states = ("RUNNING", "RESTARTING", "CREATED", "RUNNING")
    records = []
    for number, (before, after) in enumerate(itertools.pairwise(states)):
        now = WITHIN + dt.timedelta(seconds=number)
        said = f"Job {JOB_NAME} ({JOB}) switched from state {before} to {after}."
        records.append((now, log_record(now, "INFO", GRAPH, said)))
    document = diagnosed({"jobmanager": records}, spark, tmp_path)
    assert document["verdict"]["symptom_class"] == "healthy", document["verdict"]
    assert alarming(document) == []
