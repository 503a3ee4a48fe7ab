"""JSON with places: lines of values in pretty files, pointers, and outlines of beginnings."""

from __future__ import annotations

import pytest

from diagnostics.notation.json_document import outline as outline_of
from diagnostics.notation.json_document import parse_json, pointer, walk
from tests.diagnostics.formats.reading_aids import head_of

PRETTY = """{
  "a/b": {
    "~": [1,
      {"x": "}{\\"",
       "y": 2}]
  },
  "n": null
}
"""


@pytest.mark.parametrize(
    ("path", "line", "last_line", "printed"),
    [
        ((), 1, 8, ""),
        (("a/b",), 2, 6, "/a~1b"),
        (("a/b", "~"), 3, 5, "/a~1b/~0"),
        (("a/b", "~", 0), 3, 3, "/a~1b/~0/0"),
        (("a/b", "~", 1), 4, 5, "/a~1b/~0/1"),
        (("a/b", "~", 1, "y"), 5, 5, "/a~1b/~0/1/y"),
        (("n",), 7, 7, "/n"),
        (("n", "gone"), 7, 7, "/n/gone"),
    ],
)
def test_lines_of_a_pretty_document(path: tuple[str | int, ...], line: int, last_line: int, printed: str) -> None:
    assert parse_json(PRETTY).at(*path) == {"line": line, "last_line": last_line, "pointer": printed}


def test_a_document_on_one_line_has_that_line() -> None:
    assert parse_json('\n\n{"a":[1]}\n').at("a", 0) == {"line": 3, "last_line": 3, "pointer": "/a/0"}


def test_a_long_pretty_document_is_cited_by_pointer_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("diagnostics.notation.json_document.MOST_NUMBERED_CHARACTERS", 10)
    assert parse_json(PRETTY).at("n") == {"line": None, "last_line": None, "pointer": "/n"}


def test_a_document_of_very_many_values_is_cited_by_pointer_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("diagnostics.notation.json_document.MOST_PLACES", 3)
    assert parse_json(PRETTY).at("n") == {"line": None, "last_line": None, "pointer": "/n"}


def test_a_too_deeply_nested_value_is_cited_at_its_parent() -> None:
    text = '{"a":\n' + "[\n" * 300 + "0,\n" * 5_000 + "0" + "]" * 300 + ',\n"b": 1}'
    document = parse_json(text)
    assert len({step.path for step in walk(text)}) < 50
    assert (document.at("a")["line"], document.at("a")["last_line"]) == (2, 5_302)
    assert document.at("a", *[0] * 200)["line"] == 17
    assert document.at("b")["line"] == 5_303


def test_pointers_escape_as_rfc_6901_says() -> None:
    assert pointer("a/b", "~1", 0) == "/a~1b/~01/0"


def test_a_walk_bears_text_that_ends_anywhere() -> None:
    for end in range(len(PRETTY)):
        list(walk(PRETTY[:end]))


def test_an_outline_of_a_cut_array_of_objects() -> None:
    seen = outline_of(head_of('[{"id":"a","value":{"x":1}},{"id":"b","ot'))
    assert seen is not None
    assert seen.is_array
    assert seen.keys["*"] >= {"id", "value"}
    assert seen.keys["*/value"] == {"x"}


@pytest.mark.parametrize(
    ("text", "empty", "several"), [("[]", True, False), ("{}\n", True, False), ("{}{}", True, True)]
)
def test_outlines_of_empty_and_several_values(text: str, empty: bool, several: bool) -> None:
    seen = outline_of(head_of(text))
    assert seen is not None
    assert (seen.is_empty, seen.several) == (empty, several)


def test_text_that_is_not_json_has_no_outline() -> None:
    assert outline_of(head_of("key: value")) is None
