"""Each measured value beside its bound links to the line or sample that it comes from."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.template import Context
from django.urls import reverse

from tests.workbench.diagnosed import diagnosed_case, document_store
from tests.workbench.people import People, signed_in
from workbench.analyses.measured import Measurements, ValueSource
from workbench.analyses.models import Citation
from workbench.analyses.templatetags.citations import citation_address, linked_value
from workbench.runbooks.linked_values import linked_values


@pytest.fixture(autouse=True)
def no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing runs what is queued here."""
    monkeypatch.setattr("workbench.analyses.services._send", lambda *args, **options: None)


def test_a_value_that_was_computed_links_to_the_first_line_it_was_measured_from(people: People) -> None:
    analysis = diagnosed_case(people.alice)
    page = signed_in(people.alice).get(analysis.case.get_absolute_url()).content.decode()

    (citation,) = Citation.objects.filter(finding__analysis=analysis)
    assert f'<a href="{citation.get_absolute_url()}#L2" title="The first line that this was measured from">4' in page


def test_a_value_in_the_sentence_of_the_verdict_links_to_its_line_and_what_to_do_first_follows(people: People) -> None:
    analysis = diagnosed_case(people.alice)
    page = signed_in(people.alice).get(analysis.case.get_absolute_url()).content.decode()

    (citation,) = Citation.objects.filter(finding__analysis=analysis)
    title = "The first line that this was measured from"
    link = f'<a class="value" href="{citation.get_absolute_url()}#L2" title="{title}" data-whole>'
    assert f'<p class="sentence">Orders: Window has a skew of {link}4</a>.</p>' in page
    assert "(bound: at least 2" in page
    assert "<strong>Do first:</strong> Find the keys that Window gets." in page


def test_a_diagnosis_of_an_earlier_version_shows_its_statement_without_links(people: People) -> None:
    analysis = diagnosed_case(people.alice)
    for entry in analysis.document["findings"]:
        del entry["sentences"], entry["first_step"]
    document_store(analysis)

    page = signed_in(people.alice).get(analysis.case.get_absolute_url()).content.decode()
    assert '<p class="sentence">Orders: Window has a skew of 4.</p>' in page


def test_a_value_in_a_line_links_to_that_line(people: People) -> None:
    analysis = diagnosed_case(people.alice)
    citations = list(Citation.objects.filter(finding__analysis=analysis))
    entry = analysis.document["findings"][0]
    analysis.signals[0]["facts"]["skew_ratio"] = citations[0].value = entry["checks"][0]["value"] = 9

    source = Measurements(analysis, citations).source_of("load_balance.skew_ratio", 9, entry["subject"])
    assert source == ValueSource(citations[0], is_exact=True)


def test_a_value_inside_an_answer_of_rest_opens_at_the_value_and_not_at_the_line_that_is_all_of_it(
    people: People,
) -> None:
    citation = Citation.objects.filter(finding__analysis=diagnosed_case(people.alice)).get()
    citation.kind = "rest"
    assert citation_address(Context(), citation).endswith("#L2")
    citation.pointer = "/18/value"
    assert citation_address(Context(), citation).endswith("pointer=%2F18%2Fvalue#value")


def test_a_value_of_another_signal_is_not_linked(people: People) -> None:
    analysis = diagnosed_case(people.alice)
    subject = analysis.document["findings"][0]["subject"]
    measurements = Measurements(analysis, Citation.objects.filter(finding__analysis=analysis))
    assert measurements.source_of("load_balance.skew_ratio", 4.0, subject)
    assert measurements.source_of("record_rate.skew_ratio", 4.0, subject) is None
    assert measurements.source_of("load_balance.skew_ratio", 5.0, subject) is None


def test_values_in_the_sentences_of_a_runbook_have_their_source(people: People) -> None:
    analysis = diagnosed_case(people.alice)
    pieces = [{"text": "The skew is "}, {"text": "4", "fact": "load_balance.skew_ratio", "value": 4.0}, {"text": "."}]
    check = {"fact": "load_balance.skew_ratio", "op": "<", "bound": 1.5, "value": 4.0, "holds": False}
    unknown = check | {"fact": "load_balance.busiest_ratio", "value": None, "holds": None}
    content = {
        "id": "look",
        "measured_pieces": [pieces],
        "answers": [{"checks": [check]}],
        "done": {"checks": [unknown]},
    }

    linked = linked_values(analysis, analysis.document["findings"][0], [content])
    (sentence,) = linked.sentences["look"]
    assert [each.text for each in linked.lead if each.source] == ["4"], "above the steps, too"

    assert {fact: source.citation.line for fact, source in linked.checks.items()} == {"load_balance.skew_ratio": 2}

    assert [each.text for each in sentence] == ["The skew is ", "4", "."]
    assert [each.source.citation.line if each.source else None for each in sentence] == [None, 2, None]


def test_a_value_beside_its_unit_is_not_parted_at_the_end_of_a_line_on_any_page(people: People) -> None:
    analysis = diagnosed_case(people.alice)
    check = {"fact": "load_balance.skew_ratio", "op": "<", "bound": 1.5, "value": 4.0, "holds": False}
    linked = linked_values(
        analysis,
        analysis.document["findings"][0],
        [{"id": "look", "measured_pieces": [], "answers": [{"checks": [check]}], "done": {"checks": []}}],
    )
    context = Context({"diagnosed": analysis, "log_page": ""})

    assert " data-whole>4 times</a>" in linked_value(context, check, linked.checks)
    with_every_page = Path("static/css/workbench.css").read_text()
    assert "a.value[data-whole] { white-space: nowrap; }" in with_every_page, "a runbook has no style of findings"


def test_of_several_lines_the_one_that_says_the_value_with_its_unit_is_linked(people: People) -> None:
    analysis = diagnosed_case(people.alice)
    signal, (citation,) = analysis.signals[0], Citation.objects.filter(finding__analysis=analysis)
    other = Citation(
        finding=citation.finding, file=citation.file, path=citation.path, line=7, text="took 14 s, not 4 s"
    )
    signal["citations"].append(signal["citations"][0] | {"line": 7})
    measurements = Measurements(analysis, [citation, other])

    source = measurements.source_of("load_balance.skew_ratio", 4.0, signal["subject"], "4 s")
    assert source == ValueSource(other, is_exact=True)
    assert measurements.source_of("load_balance.skew_ratio", 4.0, signal["subject"], "4") == ValueSource(
        citation, False
    )


def test_a_number_resolves_to_its_line_its_hash_and_the_versions_of_program_and_rule_f197(people: People) -> None:
    analysis = diagnosed_case(people.alice)
    analysis.document["program"] = "0123456789ab"
    document_store(analysis)
    alice = signed_in(people.alice)
    file = analysis.files.get()

    page = alice.get(analysis.case.get_absolute_url()).content.decode()
    address = reverse("uploads:lines", args=[file.pk, 2])
    line = alice.get(address).content.decode()

    assert f'<a class="value" href="{address}' in page
    assert "rule skew.test version 1" in page
    assert file.sha256 in line
    assert '<span class="mono">0123456789ab</span>' in line
