"""The pages of the calculators: fed from the evidence, values in the address."""

from __future__ import annotations

import pytest
from django.urls import reverse

from tests.workbench.diagnosed import diagnosed_case
from tests.workbench.people import People, signed_in
from workbench.analyses.models import Analysis


@pytest.fixture
def analysis(people: People, monkeypatch: pytest.MonkeyPatch) -> Analysis:
    """A finished analysis with a skewed task."""
    monkeypatch.setattr("workbench.analyses.services._send", lambda *args, **options: None)
    return diagnosed_case(people.alice)


def page_of(analysis: Analysis, calculator: str = "parallelism") -> str:
    return reverse("runbooks:calculator", args=[analysis.pk, 0, calculator])


VALUES = {"rate": "400", "ms_per_record": "32", "parallelism": "3", "target": "80", "skew_ratio": "1"}


def test_the_overview_asks_the_questions_of_the_class_first(people: People, analysis: Analysis) -> None:
    page = signed_in(people.bob).get(reverse("runbooks:what_if", args=[analysis.pk, 0])).content.decode()
    assert page.index("Salting a hot key") < page.index("Incremental checkpoints")


def test_a_question_about_what_the_case_has_not_is_not_asked(people: People, analysis: Analysis) -> None:
    page = signed_in(people.bob).get(reverse("runbooks:what_if", args=[analysis.pk, 0])).content.decode()
    assert "Kafka" not in page
    assert "look-ups" not in page


def test_measured_values_are_in_the_fields_and_missing_ones_say_so(people: People, analysis: Analysis) -> None:
    page = signed_in(people.bob).get(page_of(analysis)).content.decode()
    assert 'name="skew_ratio" value="4"' in page
    assert "Not measured here. Set it." in page


def test_values_in_the_address_are_calculated_with(people: People, analysis: Analysis) -> None:
    page = signed_in(people.bob).get(page_of(analysis), VALUES).content.decode()
    assert "400/s x 32 ms" in page
    assert "Set by you; otherwise 4" in page


def test_a_reason_against_it_is_said_once(people: People, analysis: Analysis) -> None:
    page = signed_in(people.bob).get(page_of(analysis), VALUES | {"skew_ratio": "2.7"}).content.decode()
    assert page.count("stays on one subtask") == 1


def test_the_script_gets_the_result_alone(people: People, analysis: Analysis) -> None:
    answer = signed_in(people.bob).get(page_of(analysis), VALUES, headers={"Accept": "application/json"})
    assert "16 subtasks in place of 3" in answer.json()["html"]


def test_nonsense_in_the_address_is_left_out(people: People, analysis: Analysis) -> None:
    nonsense = {"rate": "<b>", "parallelism": "nan", "skew_ratio": "-1", "target": "1e400"}
    page = signed_in(people.bob).get(page_of(analysis), nonsense)
    assert page.status_code == 200
    assert "<b>" not in page.content.decode().replace("<b></b>", "")


def test_strangers_and_unknown_calculators_get_404(people: People, analysis: Analysis) -> None:
    assert signed_in(people.charlie).get(page_of(analysis)).status_code == 404
    assert signed_in(people.bob).get(page_of(analysis, "no-such")).status_code == 404
    assert signed_in(people.bob).get(reverse("runbooks:what_if", args=[analysis.pk, 99])).status_code == 404


def test_the_script_that_reproduces_a_skew_is_a_download(people: People, analysis: Analysis) -> None:
    address = reverse("runbooks:reproduce", args=[analysis.pk, 0])
    assert signed_in(people.charlie).get(address).status_code == 404
    assert signed_in(people.bob).get(address).status_code == 404
    analysis.signals[0]["facts"]["hot_share_ratio"] = 0.91
    analysis.save(update_fields=["signals"])
    answer = signed_in(people.bob).get(address)
    assert "HOT_SHARE = 0.91" in answer.content.decode()
    assert answer.headers["Content-Disposition"].startswith("attachment")
