"""The health of a stored document by other weights."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from diagnostics.diagnosis.health import USUAL_WEIGHTS, HealthWeights
from diagnostics.diagnosis.judge import judge
from diagnostics.diagnosis.reweighing import reweighed
from diagnostics.rules.rule import Ruleset
from diagnostics.rules.shipped import shipped_rules
from tests.workbench.diagnosed import inputs_of, report_of

MILD = HealthWeights(
    cause={"critical": 20.0, "warning": 10.0, "info": 0.0},
    consequence={"critical": 5.0, "warning": 2.0, "info": 0.0},
    most_in_trouble=70,
)


def points(document: dict[str, Any]) -> list[float]:
    return [each["points"] for each in document["health"]["deductions"]]


def test_the_usual_weights_leave_a_document_unchanged() -> None:
    document = report_of(4.0).document
    assert reweighed(document, USUAL_WEIGHTS) == document


def test_the_score_is_a_hundred_minus_the_listed_deductions_s090() -> None:
    """A sure critical cause: 20 x 0.9 = 18 leaves 82; a job in trouble has no more than 70."""
    document = reweighed(report_of(4.0).document, MILD)

    assert points(document) == [18.0, 12.0]
    assert document["health"]["score"] == document["jobs"][0]["health"] == round(100 - sum(points(document))) == 70
    assert document["health"]["deductions"][-1]["title"].startswith("Never above 70: ")


def test_there_and_back_is_the_same_document() -> None:
    document = report_of(4.0).document
    assert reweighed(reweighed(document, MILD), USUAL_WEIGHTS) == document


def test_a_document_without_stated_trouble_is_bounded_by_its_findings() -> None:
    document = report_of(4.0).document
    del document["health"]["trouble"]
    for job in document["jobs"]:
        del job["deductions"], job["trouble"]

    again = reweighed(document, replace(MILD, most_in_trouble=30))

    assert again["health"]["score"] == again["jobs"][0]["health"] == 30


def test_other_jobs_of_an_earlier_document_keep_their_score() -> None:
    document = report_of(4.0).document
    other = {**document["jobs"][0], "job_id": "c" * 32, "health": 93}
    del other["deductions"], other["trouble"]

    again = reweighed({**document, "jobs": [*document["jobs"], other]}, MILD)

    assert [each["health"] for each in again["jobs"]] == [70, 93]


def failed_checkpoints(expired: int) -> dict[str, Any]:
    """Eight checkpoints of which none completed."""
    facts = {"triggered": 8, "completed": 0, "failed": 8, "expired": expired, "timeout_ms": 600_000.0}
    facts |= {"consecutive_failed": 8, "recent_failed": 5, "recent_count": 5, "success_ratio": 0.0}
    signal = {"key": "checkpoint_progress", "subject": {"job": "a" * 32}, "facts": facts, "citations": []}
    stored = [{"level": "job", "window": None, "citation_count": 0, **signal}]
    return judge(stored, inputs_of("rest/checkpoints.json"), Ruleset.of(shipped_rules()))


def test_a_job_whose_eight_checkpoints_all_failed_is_in_the_band_act() -> None:
    for expired in (0, 3, 8):
        assert failed_checkpoints(expired)["health"]["score"] <= 60, expired
