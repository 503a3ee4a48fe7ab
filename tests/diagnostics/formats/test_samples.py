"""The samples of every format are recognised as its own and give the stated rows."""

from __future__ import annotations

from pathlib import Path

import pytest

from diagnostics.formats import FORMATS, LEAST_CONFIDENCE, recognise
from diagnostics.formats.format import Format, Sample
from tests.diagnostics.formats.reading_aids import head_of, read

CASES = [
    pytest.param(one, sample, id=f"{one.id}-{number}")
    for one in FORMATS.values()
    for number, sample in enumerate(one.samples)
]


@pytest.mark.parametrize("one", FORMATS.values(), ids=FORMATS.keys())
def test_a_format_has_samples_tables_and_a_documentation(one: Format) -> None:
    assert one.samples
    assert one.documentation.startswith("https://")
    assert one.title
    assert one.recognise(head_of("")) == 0


@pytest.mark.parametrize(("one", "sample"), CASES)
def test_a_sample_is_recognised_as_its_format(one: Format, sample: Sample) -> None:
    assert recognise(head_of(sample.text, sample.name), binary=one.binary).format_id == one.id
    assert one.recognise(head_of(sample.text, sample.name)) >= LEAST_CONFIDENCE


@pytest.mark.parametrize(("one", "sample"), CASES)
def test_no_format_is_surer_of_a_sample_than_its_certainty(one: Format, sample: Sample) -> None:
    head = head_of(sample.text, sample.name)
    surest = {each.id: each.recognise(head) for each in FORMATS.values() if each.binary is one.binary}

    assert [name for name, claim in surest.items() if claim > FORMATS[name].certainty] == []


@pytest.mark.parametrize(("one", "sample"), CASES)
def test_a_format_that_is_not_asked_would_not_have_won(one: Format, sample: Sample) -> None:
    head = head_of(sample.text, sample.name)
    claims = sorted((-each.recognise(head), each.id) for each in FORMATS.values() if each.binary is one.binary)

    assert (recognise(head, binary=one.binary).format_id, claims[0][0]) == (claims[0][1], -one.recognise(head))


@pytest.mark.parametrize(("one", "sample"), CASES)
def test_a_sample_gives_exactly_its_rows(one: Format, sample: Sample, tmp_path: Path) -> None:
    found = read(one, sample.text, tmp_path, sample.name).rows
    assert {table: len(rows) for table, rows in found.items() if rows} == {
        table: len(rows) for table, rows in sample.rows.items() if rows
    }
    for table, rows in sample.rows.items():
        for given, expected in zip(found.get(table, []), rows, strict=True):
            assert {column: given.get(column) for column in expected} == dict(expected)
