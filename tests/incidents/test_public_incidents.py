"""Resolved public incidents, written into a healthy background: the stated class leads or comes second.

An incident with `missed` says why the program does not find it from what the report names; it may then say less than
the truth, but nothing wrong.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from diagnostics.analyze import analyze
from diagnostics.intake import sources_in
from diagnostics.rule import Ruleset, shipped_rules
from diagnostics.symptoms import symptom
from tests.incidents.public_background import PublicIncident, public_incidents

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

INCIDENTS = public_incidents()


@pytest.mark.parametrize("incident", INCIDENTS, ids=lambda each: f"{each.symptom_class}-{each.id}")
def test_the_stated_class_leads_or_comes_second(incident: PublicIncident, spark: SparkSession, tmp_path: Path) -> None:
    evidence, workspace = tmp_path / "evidence", tmp_path / "workspace"
    evidence.mkdir()
    workspace.mkdir()
    incident.write(evidence)
    sources, _ = sources_in([evidence])
    document = analyze(sources, ruleset=Ruleset.of(shipped_rules()), spark=spark, workspace=workspace).document
    findings = [each for each in document["findings"] if symptom(each["symptom_class"]).kind == "cause"]
    classes = list(dict.fromkeys(each["symptom_class"] for each in findings))
    if "missed" in incident.told:
        assert document["verdict"]["symptom_class"] in ("inconclusive", incident.symptom_class)
    else:
        assert incident.symptom_class in classes[:2], (document["verdict"], classes)
