"""What a reader grades: the text of the pages, and the grades that are kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.benchmarks.fixes import KEPT, Grade, digest_of, keep_grades, state_of, to_read
from tests.incidents.gathered_incidents import PARTS, gathered_incidents
from tests.incidents.page_text import page_text
from tests.incidents.public_background import analyzed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.spark
def test_two_runs_give_one_text_that_names_the_steps_shown(spark: SparkSession, tmp_path: Path) -> None:
    incident = gathered_incidents("learning5")[2]
    texts = []
    for run in ("first", "second"):
        (tmp_path / run).mkdir()
        texts.append(page_text(analyzed(incident, spark, tmp_path / run)))
    assert digest_of(texts[0]) == digest_of(texts[1])
    assert texts[0].startswith("Verdict: outside_system. ")
    assert "\nDo first: " in texts[0]
    assert "\n2. What does the failure say, and what repairs it?" in texts[0]
    assert "\n   - [this case] " in texts[0]


def test_a_completed_line_becomes_a_grade_that_holds_for_its_text(tmp_path: Path) -> None:
    written, kept = tmp_path / "open.txt", tmp_path / "grades.jsonl"
    written.write_text(
        to_read("gat-002", "Fix: a\n").replace('"grade": ""', '"grade": "yes"').replace('"holds": ""', '"holds": "yes"')
        + to_read("gat-001", "b")
    )
    grades = keep_grades(kept, [written])
    assert list(grades) == ["gat-002"]
    assert grades == keep_grades(kept)
    assert state_of(grades["gat-002"], "Fix: a\n") == "yes"
    assert state_of(grades["gat-002"], "Fix: b\n") == "changed"
    assert state_of(None, "Fix: a\n") == "not graded"


def test_a_later_grade_of_an_incident_replaces_the_former(tmp_path: Path) -> None:
    written, kept = tmp_path / "open.txt", tmp_path / "grades.jsonl"
    kept.write_text('{"id": "gat-001", "digest": "0", "grade": "no", "reason": "not_led", "holds": "no"}\n')
    written.write_text('{"id": "gat-001", "digest": "1", "grade": "yes", "reason": "", "holds": "yes"}\nFix: a\n')
    assert keep_grades(kept, [written]) == {"gat-001": Grade("gat-001", "1", "yes", "", "yes")}


@pytest.mark.parametrize(("grade", "reason"), [("good", ""), ("no", ""), ("part", "unlucky"), ("yes", "other")])
def test_a_grade_without_its_reason_or_of_another_name_is_refused(grade: str, reason: str) -> None:
    with pytest.raises(ValueError, match="gat-001"):
        Grade("gat-001", "0", grade, reason, "yes")


@pytest.mark.parametrize("holds", ["", "no", "perhaps"])
def test_a_page_that_leads_to_the_fix_holds_it(holds: str) -> None:
    with pytest.raises(ValueError, match="gat-001"):
        Grade("gat-001", "0", "yes", "", holds)


def test_what_is_kept_are_grades_of_gathered_incidents_and_nothing_else() -> None:
    rows = [json.loads(line) for line in KEPT.read_text("utf-8").splitlines()]
    known = {incident.id for half in PARTS for incident in gathered_incidents(half)}
    assert all(set(row) == {"id", "digest", "grade", "reason", "holds"} for row in rows)
    assert [Grade(**row).id for row in rows] == sorted({row["id"] for row in rows} & known)
