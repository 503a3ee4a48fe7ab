"""The page that compares two snapshots, or two cases."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.urls import reverse

import diagnostics.proof
from diagnostics.charts import CHARTS
from diagnostics.language import CHINESE, reading_in
from tests.workbench.diagnosed import diagnosed_case, finish, stored_file
from tests.workbench.people import People, signed_in
from workbench.analyses.models import Analysis
from workbench.analyses.services import analysis_request
from workbench.cases.services import snapshot_start
from workbench.runbooks.models import Verification
from workbench.runbooks.proof import CHARTS as LOADED
from workbench.runbooks.verifying import verifications_update


@pytest.fixture
def pair(people: People, monkeypatch: pytest.MonkeyPatch) -> tuple[Analysis, Analysis]:
    """An incident and what was seen after the key was salted."""
    monkeypatch.setattr("workbench.analyses.services._send", lambda *args, **options: None)
    before = diagnosed_case(people.alice)
    snapshot_start(case=before.case, user=people.alice, change="Key <i>salted</i>")
    stored_file(before.case, people.alice, snapshot=2)
    return before, finish(analysis_request(case=before.case, user=people.alice), skew_ratio=1.0)


def address(before: Analysis, after: Analysis) -> str:
    return reverse("runbooks:proof", args=[before.pk, after.pk])


def test_the_judgement_comes_first_and_names_are_escaped(people: People, pair: tuple[Analysis, Analysis]) -> None:
    page = signed_in(people.bob).get(address(*pair)).content.decode()

    assert "Was it fixed?" in page
    assert "One subtask takes most of the records" in page
    assert "Key &lt;i&gt;salted&lt;/i&gt;" in page
    assert "<i>salted" not in page


def test_the_case_leads_to_it(people: People, pair: tuple[Analysis, Analysis]) -> None:
    assert address(*pair) in signed_in(people.bob).get(pair[0].case.get_absolute_url()).content.decode()


def test_both_sides_are_asked_for_permission(people: People, pair: tuple[Analysis, Analysis]) -> None:
    own = diagnosed_case(people.charlie)
    charlie = signed_in(people.charlie)
    assert [charlie.get(address(*sides)).status_code for sides in (pair, (own, pair[0]), (pair[0], own))] == [404] * 3


def test_two_cases_are_compared_by_their_titles(people: People, pair: tuple[Analysis, Analysis]) -> None:
    other = diagnosed_case(people.alice, title="Another night")
    assert "Another night" in signed_in(people.bob).get(address(pair[0], other)).content.decode()


def test_closing_a_verified_case_offers_the_cause_of_the_incident(
    people: People, pair: tuple[Analysis, Analysis]
) -> None:
    page = signed_in(people.alice).get(reverse("cases:close", args=[pair[0].case_id]), {"fixed": "Salted"})
    assert '<option value="data_skew">Data skew (as diagnosed)</option>' in page.content.decode()
    assert ">Salted</textarea>" in page.content.decode()


def test_every_chart_that_a_quantity_names_is_loaded() -> None:
    code = "".join(path.read_text("utf-8") for path in Path(diagnostics.proof.__file__).parent.rglob("*.py"))
    assert sorted(chart for chart in CHARTS if f'"{chart}"' in code and chart not in LOADED) == []


@pytest.mark.usefixtures("both_languages")
def test_a_comparison_is_read_in_chinese_and_stored_in_english(people: People, pair: tuple[Analysis, Analysis]) -> None:
    browser = signed_in(people.alice)
    page = browser.get(address(*pair), headers={"Accept-Language": "zh-CN"}).content.decode()
    assert "后一份证据不足以说明问题已经消失" in page
    assert "does not suffice to say" not in page
    with reading_in(CHINESE):
        verifications_update(analysis_id=pair[1].pk)
    assert Verification.objects.get(after=pair[1]).headline.startswith("“One subtask takes most of the records”")
    case = pair[0].case.get_absolute_url()
    assert "后一份证据不足以说明" in browser.get(case, headers={"Accept-Language": "zh-CN"}).content.decode()
    assert "后一份" not in browser.get(case, headers={"Accept-Language": "en"}).content.decode()
