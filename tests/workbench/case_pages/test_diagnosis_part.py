"""What a diagnosis shows on its case page is rendered once, and again when something of it changes."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from diagnostics.vocabulary.connectors import GUARANTEES
from tests.workbench.diagnosed import diagnosed_case, document_store
from tests.workbench.people import People, signed_in
from workbench.alerts.models import Alert, AlertSource
from workbench.analyses.health import weights_apply
from workbench.analyses.models import Analysis, RenderedDiagnosis
from workbench.analyses.retention import evidence_delete
from workbench.case_pages.diagnosis_part import SECTIONS, VERDICT
from workbench.history.models import Objective
from workbench.rules.health_weights import as_numbers, weights_now, weights_set
from workbench.rules.runbook_texts import runbook_identity
from workbench.rules.services import draft_publish, draft_save
from workbench.runbooks.models import StepRecord, StepState

INCLUDED = re.compile(r'\{% include "([^"]+)"')
OF_THE_READER_OR_THE_MOMENT = re.compile(r"\b(case\.|user\b|request\b|csrf_token|messages\b|perms\b)|\|age\b|% now")


@pytest.fixture
def analysis(people: People, monkeypatch: pytest.MonkeyPatch) -> Analysis:
    """A finished analysis whose first finding has the runbook for data skew."""
    monkeypatch.setattr("workbench.analyses.services._send", lambda *args, **options: None)
    monkeypatch.setattr("workbench.machine.broker.send_when_committed", lambda *args, **options: None)
    analysis = diagnosed_case(people.alice)
    analysis.document["findings"][0]["runbook"] = "data-skew"
    document_store(analysis)
    return analysis


def page_of(analysis: Analysis, client: Client) -> str:
    answer = client.get(analysis.case.get_absolute_url())
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_second_reader_gets_what_was_rendered_for_the_first(people: People, analysis: Analysis) -> None:
    first = page_of(analysis, signed_in(people.alice))

    with CaptureQueriesContext(connection) as asked:
        second = page_of(analysis, signed_in(people.bob))

    assert RenderedDiagnosis.objects.count() == 1
    statements = " ".join(each["sql"] for each in asked.captured_queries)
    assert '"document", "analyses_analysis"."signals"' not in statements
    assert "analyses_chartpoints" not in statements
    assert 'id="verdict-title"' in first
    for part in ("verdict-title", "charts", "findings", "files"):
        assert f'id="{part}"' in second


def test_who_may_not_change_the_case_is_not_shown_what_others_are(people: People, analysis: Analysis) -> None:
    assert "Analyse again" in page_of(analysis, signed_in(people.alice))
    assert "Analyse again" not in page_of(analysis, signed_in(people.vera))
    assert "Analyse again" in page_of(analysis, signed_in(people.bob))


def test_the_button_beside_the_files_sends_the_readers_own_form(people: People, analysis: Analysis) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(people.bob)
    page_of(analysis, signed_in(people.alice))
    page = page_of(analysis, client)
    token = re.search(
        r'<form id="analyse-again"[^>]*><input type="hidden" name="csrfmiddlewaretoken" value="(\w+)"', page
    )
    assert token is not None
    assert "csrfmiddlewaretoken" not in RenderedDiagnosis.objects.get().content.decode("latin-1")

    answer = client.post(f"{analysis.case.get_absolute_url()}analyse/", {"csrfmiddlewaretoken": token[1]})

    assert answer.status_code == 302


def a_step(people: People, analysis: Analysis) -> None:
    job = analysis.document["findings"][0]["subject"]["job"]
    StepRecord.objects.create(
        case=analysis.case,
        job=job,
        runbook="data-skew",
        step="confirm-the-hot-subtask",
        state=StepState.DONE,
        by=people.bob,
    )


def a_deletion(people: People, analysis: Analysis) -> None:
    evidence_delete(case=analysis.case, user=people.alice)


def an_alert(people: People, analysis: Analysis) -> None:
    heard = dt.datetime(2026, 11, 21, 1, 5, tzinfo=dt.UTC)
    source = AlertSource.objects.create(
        slug="prod", kind="alertmanager", team=people.team, owner=people.alice, added_by=people.ada
    )
    Alert.objects.create(name="LagGrows", received_at=heard, heard_at=heard, case=analysis.case, source=source)


def a_guarantee(people: People, analysis: Analysis) -> None:
    analysis.case.required_guarantee = str(GUARANTEES[-1])
    analysis.case.save(update_fields=["required_guarantee"])


def an_objective(people: People, analysis: Analysis) -> None:
    Objective.objects.create(team=people.team, failed_share=0.01, by=people.alice)


def other_weights(people: People, analysis: Analysis) -> None:
    numbers = {**as_numbers(weights_now()), "cause_critical": 90.0}
    weights_set(user=people.ada, numbers=numbers, reason="made up for the test")
    weights_apply()


def an_edited_runbook(people: People, analysis: Analysis) -> None:
    base = runbook_identity("data-skew")
    assert base is not None
    version = base.versions.latest("pk")
    text = re.sub(r"(?m)^title: .*$", "title: Ours against skew", version.text)
    draft = draft_save(user=people.rita, text=text, base=version)
    draft_publish(draft=draft, user=people.rita, reason="ours is clearer")


CHANGES = (a_step, a_deletion, an_alert, a_guarantee, an_objective, other_weights, an_edited_runbook)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_what_changed_is_shown_at_once(
    change: Callable[[People, Analysis], None], people: People, analysis: Analysis
) -> None:
    alice = signed_in(people.alice)
    page_of(analysis, alice)
    before = RenderedDiagnosis.objects.get()

    change(people, analysis)
    page_of(analysis, alice)

    after = RenderedDiagnosis.objects.get()
    assert after.state != before.state
    after.delete()
    page_of(analysis, alice)
    assert bytes(RenderedDiagnosis.objects.get().content) == bytes(after.content)


def test_nothing_is_kept_while_the_scores_are_computed_again(people: People, analysis: Analysis) -> None:
    numbers = {**as_numbers(weights_now()), "cause_critical": 90.0}
    weights_set(user=people.ada, numbers=numbers, reason="made up for the test")
    page_of(analysis, signed_in(people.alice))
    assert not RenderedDiagnosis.objects.exists()

    weights_apply()
    page_of(analysis, signed_in(people.alice))
    assert RenderedDiagnosis.objects.exists()


def test_it_goes_with_its_case(people: People, analysis: Analysis) -> None:
    page_of(analysis, signed_in(people.alice))
    analysis.delete()
    assert not RenderedDiagnosis.objects.exists()


def test_what_is_kept_knows_neither_its_reader_nor_the_time() -> None:
    templates = Path(settings.BASE_DIR) / "templates"
    open_names, seen = [VERDICT, SECTIONS], set()
    while open_names:
        name = open_names.pop()
        if name not in seen:
            seen.add(name)
            text = (templates / name).read_text()
            open_names += INCLUDED.findall(text)
            tags = " ".join(re.findall(r"\{[{%].*?[%}]\}", text))
            assert not OF_THE_READER_OR_THE_MOMENT.findall(tags), name
    assert len(seen) > 10


def test_a_case_without_a_cause_starts_with_the_runbook_of_what_is_seen(people: People, analysis: Analysis) -> None:
    analysis.document["findings"][0]["role"] = "consequence"
    analysis.document["verdict"]["symptom_class"] = "inconclusive"
    document_store(analysis)

    page = page_of(analysis, signed_in(people.alice))

    assert "Start the runbook" in page.partition('id="verdict-title"')[2].partition("</section>")[0]


def test_an_undecided_case_starts_with_what_nothing_explains_and_not_with_a_guess(
    people: People, analysis: Analysis
) -> None:
    findings = analysis.document["findings"]
    findings[0]["role"] = "root_cause"
    loss = {**findings[0], "role": "consequence", "caused_by": None, "runbook": "lost-task-managers"}
    findings.append(loss)
    analysis.document["verdict"]["symptom_class"] = "inconclusive"
    document_store(analysis)

    page = page_of(analysis, signed_in(people.alice))

    verdict = page.partition('id="verdict-title"')[2].partition("</section>")[0]
    assert f"/runbooks/{analysis.pk}/{len(findings) - 1}/" in verdict
