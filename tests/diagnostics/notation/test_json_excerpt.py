"""Excerpts of JSON that a person copied, completed on the lines on which they stand."""

from __future__ import annotations

import json

import pytest

from diagnostics.notation.json_excerpt import MOST_CHARACTERS, complete_excerpt


@pytest.mark.parametrize(
    ("copied", "value"),
    [
        ('"id": 1, "b": {"x": 2', {"id": 1, "b": {"x": 2}}),
        ('{"a": 1, ... "b": [1, 2, ...]}', {"a": 1, "b": [1, 2]}),
        ('{"id": 1},\n{"id": 2}', [{"id": 1}, {"id": 2}]),
        ('{"a": {"c": 1.5},\n …\n}', {"a": {"c": 1.5}}),
        ('"a": 1,\n"c": "Checkpoint expired ..."\n},\n', {"a": 1, "c": "Checkpoint expired ..."}),
        ('{"a": 1, "b":', {"a": 1}),
        ('{"a": 1,', {"a": 1}),
        ('{"a": 1}]', [{"a": 1}]),
    ],
)
def test_an_excerpt_is_completed_on_its_lines(copied: str, value: object) -> None:
    whole = complete_excerpt(copied)
    assert whole is not None
    assert json.loads(whole) == value
    assert [line for line, text in enumerate(whole.split("\n")) if "1" in text] == [
        line for line, text in enumerate(copied.split("\n")) if "1" in text
    ]


@pytest.mark.parametrize(
    "text",
    [
        '{"a": "cut in a te',
        '{"a": 1}\n{"b": 2}',
        'It says "a": 1',
        '"a word" in quotation marks',
        '"a": 1' + " " * MOST_CHARACTERS,
        "[" * 20_000,
    ],
)
def test_what_is_no_excerpt_stays_as_it_is(text: str) -> None:
    assert complete_excerpt(text) is None
