"""Small incidents with only a part of their evidence, as in practice.

Each folder holds `evidence.zip` (real files, or written by hand where no cluster has had the incident; `source` tells)
and `expected.yaml`: what the diagnosis must say and what it must not. Written like the corpus's own `must_find` and
`must_not_claim`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from diagnostics.analyze import Report, analyze
from diagnostics.intake import SourceFile
from diagnostics.reading.case import Case
from diagnostics.rules.rule import Ruleset
from diagnostics.rules.shipped import shipped_rules
from tests.architecture.test_shown_words import offence
from tests.reading.quantities import contradictions as two_numbers
from tests.reading.report_texts import texts_of_report
from tests.reading.runbook_faults import faults
from tests.reading.test_waits_of_corpus import contradictions

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

HERE = Path(__file__).parent
INCIDENTS = sorted(path.parent.name for path in HERE.glob("*/expected.yaml"))


@pytest.fixture(scope="module", params=INCIDENTS)
def diagnosed(
    request: pytest.FixtureRequest, spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> tuple[dict[str, Any], Report]:
    """What is expected of an incident, and its report."""
    folder = HERE / request.param
    expected = yaml.safe_load((folder / "expected.yaml").read_text("utf-8"))
    # A neutral name: nothing may be read out of it.
    source = SourceFile(folder / "evidence.zip", "upload.zip")
    workspace = tmp_path_factory.mktemp("incident")
    return expected, analyze(Case([source]), ruleset=Ruleset.of(shipped_rules()), spark=spark, workspace=workspace)


def test_the_verdict_is_right(diagnosed: tuple[dict[str, Any], Report]) -> None:
    expected, report = diagnosed
    verdict = report.document["verdict"]
    assert verdict["symptom_class"] == expected["verdict"]
    assert verdict["confidence"] <= expected.get("at_most_confidence", 1.0)


def test_it_says_the_facts_and_claims_nothing_wrong(diagnosed: tuple[dict[str, Any], Report]) -> None:
    expected, report = diagnosed
    findings = report.document["findings"]
    statements = "\n".join(each["statement"] for each in findings)
    for fact in expected.get("says", ()):
        assert fact in statements
    classes = {each["symptom_class"] for each in findings}
    assert not classes & set(expected["never"])
    assert set(expected.get("consequences", ())) <= {
        each["symptom_class"] for each in findings if each["role"] == "consequence"
    }


def test_no_task_that_others_wait_for_is_said_to_hold_none_back(diagnosed: tuple[dict[str, Any], Report]) -> None:
    _, report = diagnosed
    assert contradictions(report.document["findings"]) == []


def test_its_runbooks_can_be_followed(diagnosed: tuple[dict[str, Any], Report]) -> None:
    _, report = diagnosed
    assert faults(report.document["findings"], report.signals) == []


def test_its_sentences_read_well_and_state_one_number_for_a_quantity(diagnosed: tuple[dict[str, Any], Report]) -> None:
    _, report = diagnosed
    texts = texts_of_report(report)
    assert texts.faults == []
    assert [word for text in [*texts.captions, *texts.said, *texts.steps] if (word := offence(text))] == []
    assert two_numbers([*texts.captions, *texts.said, *texts.steps]) == {} or len(report.document["jobs"]) > 1


def test_every_finding_has_evidence_in_the_upload(diagnosed: tuple[dict[str, Any], Report]) -> None:
    _, report = diagnosed
    read = {each["file"] for each in report.document["inputs"]}
    for finding in report.document["findings"]:
        assert finding["evidence"]
        assert {each["file"] for each in finding["evidence"]} <= read


def test_nothing_of_ours_failed(diagnosed: tuple[dict[str, Any], Report]) -> None:
    _, report = diagnosed
    assert report.warnings == []


def test_every_incident_has_evidence_and_a_source() -> None:
    folders = {path.parent.name for path in HERE.glob("*/evidence.zip")}
    assert folders == set(INCIDENTS)
    told = [yaml.safe_load((HERE / name / "expected.yaml").read_text("utf-8"))["source"] for name in INCIDENTS]
    assert all(each.startswith(("corpus case ", "written by hand; ")) for each in told)
