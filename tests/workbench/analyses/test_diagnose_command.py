"""What `manage.py diagnose` writes where; whole runs of it are in tests/hostile and tests/incidents."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.core.management.base import CommandError

from diagnostics.diagnosis.judge import judge
from diagnostics.rules.rule import Ruleset
from diagnostics.rules.shipped import shipped_rules
from tests.workbench.diagnosed import SKEW_RULE, published
from tests.workbench.people import People, signed_in
from workbench.analyses.management.commands.diagnose import Command, exported_ruleset, gate


def test_the_diagnosis_is_printed_though_its_file_cannot_be_written(tmp_path: Path) -> None:
    document = judge([], [], Ruleset.of(shipped_rules()))
    printed = io.StringIO()
    command = Command(stdout=printed)
    with pytest.raises(CommandError, match="cannot be written: No such file or directory") as refused:
        command._write(document, document, str(tmp_path / "gone" / "diagnosis.json"))
    assert refused.value.returncode == 1
    assert "inconclusive" in printed.getvalue()
    command._write(document, document, str(tmp_path / "diagnosis.json"))
    assert json.loads((tmp_path / "diagnosis.json").read_text("utf-8"))["schema"] == 1


def document_with(symptom_class: str, *severities: str, beside: str | None = None) -> dict[str, Any]:
    findings = [{"severity": severity, "title": f"A {severity} finding"} for severity in severities]
    jobs = [{"verdict": {"symptom_class": each}} for each in (symptom_class, beside) if each]
    return {"verdict": {"symptom_class": symptom_class}, "jobs": jobs, "findings": findings}


@pytest.mark.parametrize(
    ("document", "fail_on", "status"),
    [
        (document_with("data_skew", "critical"), "critical", 3),
        (document_with("data_skew", "warning"), "critical", None),
        (document_with("data_skew", "info", "warning"), "warning", 3),
        (document_with("healthy", "info"), "warning", None),
        (document_with("healthy", "info"), "info", 3),
        (document_with("healthy"), "info", None),
        (document_with("inconclusive"), "critical", 4),
        (document_with("inconclusive", "critical"), "critical", 3),
        (document_with("data_skew", "warning", beside="inconclusive"), "critical", 4),
        (document_with("data_skew", "warning", beside="healthy"), "critical", None),
    ],
)
def test_a_pipeline_is_stopped_by_a_status_of_its_own(
    document: dict[str, Any], fail_on: str, status: int | None
) -> None:
    if status is None:
        gate(document, fail_on)
        return
    with pytest.raises(CommandError) as stopped:
        gate(document, fail_on)
    assert stopped.value.returncode == status


def test_the_rules_exported_by_the_workbench_are_judged_with(people: People, tmp_path: Path) -> None:
    published(SKEW_RULE, people.rita)
    answer = signed_in(people.alice).get("/rules/export/")
    archive = tmp_path / "rules.zip"
    archive.write_bytes(answer.content)
    rules = {rule.id for rule in exported_ruleset(archive).rules}
    assert rules == {rule.id for rule in shipped_rules()} | {"skew.test"}


@pytest.mark.parametrize("content", [b"", b"no zip", None])
def test_rules_that_cannot_be_read_end_with_the_reason(tmp_path: Path, content: bytes | None) -> None:
    archive = tmp_path / "rules.zip"
    if content is not None:
        archive.write_bytes(content)
    with pytest.raises(CommandError, match=r"rules\.zip"):
        exported_ruleset(archive)


def test_a_rule_that_does_not_load_ends_with_every_reason(tmp_path: Path) -> None:
    archive = tmp_path / "rules.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("data_skew/rules/test.yaml", SKEW_RULE.replace("severity: critical", "severity: terrible"))
    with pytest.raises(CommandError, match="terrible"):
        exported_ruleset(archive)
