"""Resolved public incidents, written into a healthy background: the stated class leads or comes second.

Here the first one of each class runs, so that the tests stay quick; `make bench` runs all of them and prints how many
are found.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.incidents.public_background import PublicIncident, analyzed, not_written, public_incidents
from tests.reading.runbook_faults import faults

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

REFERENCE = Path(__file__).parents[3] / "shared" / "reference" / "incidents-public.jsonl"
FIRST_OF_CLASS = {each.symptom_class: each for each in reversed(public_incidents())}


@pytest.mark.spark
@pytest.mark.parametrize("incident", FIRST_OF_CLASS.values(), ids=lambda each: f"{each.symptom_class}-{each.id}")
def test_the_stated_class_leads_or_comes_second(incident: PublicIncident, spark: SparkSession, tmp_path: Path) -> None:
    report = analyzed(incident, spark, tmp_path)
    assert incident.is_served_by(report.document), report.document["verdict"]
    assert faults(report.document["findings"], report.signals) == []


def test_every_incident_of_the_reference_is_written_or_has_a_reason() -> None:
    if not REFERENCE.is_file():
        pytest.skip("the reference is not on this machine")
    known = {json.loads(line)["id"] for line in REFERENCE.read_text("utf-8").splitlines()}
    written = {each.id for each in public_incidents()}
    assert written | set(not_written()) == known
    assert written & set(not_written()) == set()
