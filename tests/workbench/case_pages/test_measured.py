"""Each measured value beside its bound links to the line or sample that it comes from."""

from __future__ import annotations

import pytest

from tests.workbench.diagnosed import diagnosed_case
from tests.workbench.people import People, signed_in
from workbench.analyses.models import Citation
from workbench.case_pages.measured import Measurements


@pytest.fixture(autouse=True)
def no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing runs what is queued here."""
    monkeypatch.setattr("workbench.analyses.services._send", lambda *args, **options: None)


def test_a_value_that_was_computed_links_to_the_first_line_it_was_measured_from(people: People) -> None:
    analysis = diagnosed_case(people.alice)
    page = signed_in(people.alice).get(analysis.case.get_absolute_url()).content.decode()

    (citation,) = Citation.objects.filter(finding__analysis=analysis)
    assert f'<a href="{citation.get_absolute_url()}#L2" title="The first line that this was measured from">4' in page


def test_a_value_that_stands_in_a_line_links_to_that_line(people: People) -> None:
    analysis = diagnosed_case(people.alice)
    citations = list(Citation.objects.filter(finding__analysis=analysis))
    entry = analysis.document["findings"][0]
    analysis.signals[0]["facts"]["skew_ratio"] = citations[0].value = entry["checks"][0]["value"] = 9

    (shown,) = Measurements(analysis).checks_shown(entry, citations)
    assert (shown.citation, shown.is_exact) == (citations[0], True)


def test_a_value_of_another_signal_is_not_linked(people: People) -> None:
    analysis = diagnosed_case(people.alice)
    entry = analysis.document["findings"][0]
    entry["checks"][0]["fact"] = "record_rate.skew_ratio"
    (shown,) = Measurements(analysis).checks_shown(entry, Citation.objects.filter(finding__analysis=analysis))
    assert shown.citation is None
