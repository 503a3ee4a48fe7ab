"""The pages of the walk-throughs, alone and with a case's numbers."""

from __future__ import annotations

import pytest
from django.urls import reverse

from tests.workbench.diagnosed import diagnosed_case
from tests.workbench.people import People, signed_in
from workbench.analyses.models import Analysis


@pytest.fixture
def analysis(people: People, monkeypatch: pytest.MonkeyPatch) -> Analysis:
    """A case that measured three restarts."""
    monkeypatch.setattr("workbench.analyses.services._send", lambda *args, **options: None)
    made = diagnosed_case(people.alice)
    restarts = {"key": "restarts", "level": "job", "subject": {"job": "a" * 32}, "facts": {"restarts": 3}}
    made.signals.append({**restarts, "citations": [], "citation_count": 0, "window": None})
    made.save(update_fields=["signals"])
    return made


RECOVERY = reverse("runbooks:walk_through", args=["recovery"])


def test_every_step_is_on_the_page_without_a_script(people: People) -> None:
    page = signed_in(people.vera).get(RECOVERY).content.decode()
    assert page.count('class="walk-step"') == 7
    assert "Records 4 and 5 are replayed" in page
    assert "In this case" not in page


def test_a_case_adds_its_own_numbers(people: People, analysis: Analysis) -> None:
    page = signed_in(people.bob).get(RECOVERY, {"analysis": analysis.pk, "finding": 0}).content.decode()
    assert "In this case the job restarted 3 times." in page


def test_the_overview_leads_to_all_of_them(people: People) -> None:
    page = signed_in(people.bob).get(reverse("runbooks:walk_throughs")).content.decode()
    assert page.index("A checkpoint through a job") < page.index("Aligned barriers") < page.index("Two-phase commit")


def test_strangers_see_no_numbers_of_a_case(people: People, analysis: Analysis) -> None:
    asked = {"analysis": analysis.pk, "finding": 0}
    assert signed_in(people.charlie).get(RECOVERY, asked).status_code == 404
    assert signed_in(people.bob).get(RECOVERY, {**asked, "finding": 99}).status_code == 404
    assert signed_in(people.bob).get(RECOVERY, {"analysis": "x", "finding": "<b>"}).status_code == 200
    assert signed_in(people.bob).get(reverse("runbooks:walk_through", args=["no-such"])).status_code == 404
