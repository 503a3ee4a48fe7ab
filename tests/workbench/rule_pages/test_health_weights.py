"""The weights of the health score: set by an administrator, recorded, and applied to the whole history."""

from __future__ import annotations

from typing import Any

import pytest

from tests.workbench.diagnosed import diagnosed_case, finish
from tests.workbench.people import People, signed_in
from workbench.analyses.health import weights_apply
from workbench.analyses.models import Analysis
from workbench.analyses.services import analysis_request
from workbench.audit.models import AuditEntry
from workbench.rules.health_weights import APPLY_WEIGHTS, weights_resume
from workbench.rules.models import HealthWeighting

FORM = {
    "cause_critical": "20",
    "cause_warning": "10",
    "cause_info": "0",
    "consequence_critical": "5",
    "consequence_warning": "2.5",
    "consequence_info": "0",
    "most_in_trouble": "70",
    "reason": "Nobody is paged for warnings",
}
ADDRESS = "/rules/health/"


@pytest.fixture(autouse=True)
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The tasks that are sent; nothing runs them here."""
    names: list[str] = []
    monkeypatch.setattr("workbench.analyses.services._send", lambda *args, **options: None)
    monkeypatch.setattr("workbench.machine.broker.current_app.send_task", lambda name, _arguments: names.append(name))
    return names


def test_new_weights_are_applied_to_the_scores_of_the_history(
    people: People, sent: list[str], django_capture_on_commit_callbacks: Any
) -> None:
    """100 - 50 x 0.9 = 55 before; 100 - 20 x 0.9 = 82 and no more than 70 after."""
    first, second = diagnosed_case(people.alice), diagnosed_case(people.charlie)
    assert {first.document["health"]["score"], second.document["health"]["score"]} == {55}

    with django_capture_on_commit_callbacks(execute=True):
        signed_in(people.ada).post(ADDRESS, FORM)
    assert sent == [APPLY_WEIGHTS]
    assert "being computed" in signed_in(people.vera).get(ADDRESS).content.decode()
    weights_apply()

    for analysis in (first, second):
        case, changed_at = analysis.case, analysis.case.updated_at
        analysis.refresh_from_db()
        case.refresh_from_db()
        assert analysis.document["health"]["score"] == case.health_score == case.job_verdicts[0]["health"] == 70
        assert case.updated_at >= changed_at
    row = HealthWeighting.objects.get()
    assert row.applied_at is not None
    assert (row.by, row.reason, row.before["cause_critical"]) == (people.ada, FORM["reason"], 50.0)
    page = signed_in(people.vera).get(ADDRESS).content.decode()
    assert "Cause of severity critical: 50 to 20" in page


def test_a_new_diagnosis_follows_the_weights_in_force(people: People) -> None:
    signed_in(people.ada).post(ADDRESS, FORM)
    analysis = diagnosed_case(people.alice)
    assert analysis.document["health"]["score"] == analysis.case.health_score == 70
    quiet = finish(analysis_request(case=analysis.case, user=people.alice), 1.0).document["health"]
    assert (quiet["score"], quiet["trouble"]["finding"]) == (70, None)


def test_the_change_is_in_the_audit_log_with_its_values(people: People) -> None:
    signed_in(people.ada).post(ADDRESS, FORM)
    assert AuditEntry.objects.get(action="rules:health").details == FORM


@pytest.mark.parametrize(
    "wrong", [{"cause_info": "30"}, {"most_in_trouble": "101"}, {"cause_critical": "nan"}, {"reason": " "}]
)
def test_impossible_weights_are_refused(people: People, wrong: dict[str, str]) -> None:
    page = signed_in(people.ada).post(ADDRESS, {**FORM, **wrong}).content.decode()
    assert "message error" in page
    assert not HealthWeighting.objects.exists()


def test_only_administrators_change_them(people: People) -> None:
    assert signed_in(people.rita).post(ADDRESS, FORM).status_code == 403
    assert "Save, and compute" not in signed_in(people.rita).get(ADDRESS).content.decode()


def test_weights_that_are_not_applied_yet_are_sent_again(
    people: People, sent: list[str], django_capture_on_commit_callbacks: Any
) -> None:
    signed_in(people.ada).post(ADDRESS, FORM)
    with django_capture_on_commit_callbacks(execute=True):
        weights_resume()
    assert sent == [APPLY_WEIGHTS]
    weights_apply()
    with django_capture_on_commit_callbacks(execute=True):
        weights_resume()
    assert sent == [APPLY_WEIGHTS]
    assert Analysis.objects.count() == 0
