"""A team's objectives for failed checkpoints and latency, and what its incidents attained."""

from __future__ import annotations

from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection

from tests.workbench.diagnosed import diagnosed_case
from tests.workbench.people import People, case_of, signed_in
from workbench.analyses.models import Analysis
from workbench.audit.models import AuditEntry
from workbench.cases.models import Case
from workbench.cases.service_levels import ServiceLevel, service_levels
from workbench.history.models import Objective
from workbench.history.objectives import attained, objective_set, team_objectives

ORDERS, CLICKS = "a" * 32, "b" * 32


@pytest.fixture(autouse=True)
def no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing runs what is queued here."""
    monkeypatch.setattr("workbench.analyses.services._send", lambda *args, **options: None)


def level(completed: int, failed: int, latency_ms: float | None = None) -> ServiceLevel:
    return ServiceLevel(job="Orders", completed=completed, failed=failed, latency_ms=latency_ms)


@pytest.mark.parametrize(
    ("completed", "failed", "state", "burn"),
    [
        (99, 1, "missed", 1.0),
        (100, 1, "met", 0.99),
        (7, 1, "missed", 12.5),
        (8, 0, "too few", 0.0),
        (100, 0, "met", 0.0),
    ],
)
def test_an_objective_of_one_percent_is_met_below_it_s086(completed: int, failed: int, state: str, burn: float) -> None:
    (found,) = attained(Objective(failed_share=0.01), [level(completed, failed)])

    assert found.state == state
    assert found.burn == pytest.approx(burn, rel=0.01)
    assert found.target == "below 1 %"


@pytest.mark.parametrize(("latency_ms", "state"), [(100.0, "met"), (100.1, "missed"), (42.0, "met")])
def test_a_latency_objective_is_met_up_to_it_s076(latency_ms: float, state: str) -> None:
    found = attained(Objective(latency_ms=100.0), [level(5, 0, 20.0), level(5, 0, latency_ms)])

    assert [(each.state, each.target) for each in found] == [(state, "at most 100 ms")]


def test_without_an_objective_nothing_is_judged() -> None:
    assert attained(None, [level(0, 8, 9_000.0)]) == []
    assert attained(Objective(), [level(0, 8, 9_000.0)]) == []
    assert attained(Objective(failed_share=0.01, latency_ms=100.0), []) == []


def test_levels_are_read_from_the_signals_of_each_job() -> None:
    document = {"jobs": [{"job_id": ORDERS, "name": "Orders"}, {"job_id": CLICKS, "name": None}]}
    signals = [
        {"key": "checkpoint_progress", "subject": {"job": CLICKS}, "facts": {"completed": 3, "failed": 1}},
        {"key": "end_to_end_latency", "subject": {"job": ORDERS}, "facts": {"p99_ms": 80.5}},
        {"key": "checkpoint_progress", "needs": "checkpoint-history", "reason": "none"},
    ]
    assert service_levels(document, signals) == [
        ServiceLevel(job="Orders", completed=None, failed=None, latency_ms=80.5),
        ServiceLevel(job=CLICKS, completed=3, failed=1, latency_ms=None),
    ]


def test_a_member_sets_and_removes_the_objectives_of_a_team(people: People) -> None:
    address = f"/history/objectives/{people.team.pk}/"
    signed_in(people.bob).post(address, {"failed_percent": "0.5", "latency_ms": ""})
    stored = Objective.objects.get()
    assert (stored.failed_share, stored.latency_ms, stored.by) == (0.005, None, people.bob)
    entry = AuditEntry.objects.get(action="history:objective")
    assert entry.details == {"failed_percent": "0.5", "latency_ms": ""}
    assert signed_in(people.vera).post(address, {"failed_percent": "5"}).status_code == 403
    assert signed_in(people.charlie).post(address, {"failed_percent": "5"}).status_code == 404
    signed_in(people.bob).post(address, {"failed_percent": "", "latency_ms": ""})
    assert not Objective.objects.exists()


@pytest.mark.parametrize("written", ["0", "100", "-1", "nan", "1e400", "x", "9" * 50])
def test_impossible_objectives_are_refused_with_the_reason(people: People, written: str) -> None:
    address = f"/history/objectives/{people.team.pk}/"
    page = signed_in(people.bob).post(address, {"failed_percent": written}, follow=True)
    assert "message error" in page.content.decode()
    assert not Objective.objects.exists()


def test_the_statistics_show_what_the_incidents_of_a_team_attained(people: People) -> None:
    objective_set(team=people.team, user=people.alice, failed_share=0.01, latency_ms=None)
    for case, failed in ((case_of(people.alice), 1), (case_of(people.bob), 3)):
        Case.objects.filter(pk=case.pk).update(service_levels=[level(50 - failed, failed)])

    (streaming,) = team_objectives(people.vera)

    assert [(each.measured, each.burn) for each in streaming.attained] == [("4 of 100 (4 %)", 4.0)]
    page = signed_in(people.vera).get("/history/").content.decode()
    assert "Objectives of Streaming" in page
    assert "4 of 100 (4 %)" in page
    assert "Set the objectives" not in page


def test_the_case_page_compares_its_diagnosis_with_the_objective_only_where_one_is_set(people: People) -> None:
    analysis = diagnosed_case(people.alice)
    progress = {
        "key": "checkpoint_progress",
        "level": "job",
        "subject": {"job": ORDERS},
        "facts": {"completed": 7, "failed": 1},
        "citations": [],
        "citation_count": 0,
    }
    Analysis.objects.filter(pk=analysis.pk).update(signals=[*analysis.signals, progress])
    browser, address = signed_in(people.bob), analysis.case.get_absolute_url()
    assert "Objectives of Streaming" not in browser.get(address).content.decode()

    objective_set(team=people.team, user=people.alice, failed_share=0.01, latency_ms=None)

    page = browser.get(address).content.decode()
    assert "1 of 8 (12 %), target below 1 %" in page
    assert "burn 12.5" in page


def test_incidents_of_earlier_versions_get_their_levels_from_the_stored_signals(people: People) -> None:
    analysis = diagnosed_case(people.alice)
    facts = {"completed": 7, "failed": 1}
    progress = {"key": "checkpoint_progress", "level": "job", "subject": {"job": ORDERS}, "facts": facts}
    Analysis.objects.filter(pk=analysis.pk).update(signals=[*analysis.signals, progress])
    Case.objects.update(service_levels=[])

    import_module("workbench.analyses.migrations.0014_service_levels").fill(apps, connection.schema_editor())

    assert Case.objects.get().service_levels == [level(7, 1)]
