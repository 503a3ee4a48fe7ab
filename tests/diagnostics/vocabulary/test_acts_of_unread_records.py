"""What records are that a format cannot read, by what its parser meets in them."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.message_remedies import known_message

READ = "java.io.IOException: Failed to deserialize JSON '…'.\nJsonParseException: "


@pytest.mark.parametrize(
    ("message", "entry"),
    [
        ("Illegal character ((CTRL-CHAR, code 0)): only regular white space", "json-of-a-registry"),
        ("Illegal character ((CTRL-CHAR, code 31)): only regular white space", "json-compressed"),
        ("Illegal character ((CTRL-CHAR, code 2)): only regular white space", "json-binary"),
        ("Unrecognized token 'abc': was expecting (JSON String, Number, …)", "json-plain-text"),
        ("Unexpected character (''' (code 39)): was expecting double-quote to start field name", "json-single-quotes"),
        ("Unexpected end-of-input: expected close marker for Object", "json-cut"),
        ("DateTimeParseException: Text '2024-01-01T00:00:00Z' could not be parsed at index 10", "json-time-of-iso"),
        ("DateTimeParseException: Text '2024/01/01' could not be parsed at index 4", "json-time-of-another-form"),
        ("Non-standard token 'NaN': enable", "json-not-a-number"),
        ("No content to map due to end-of-input", "empty-record"),
    ],
)
def test_the_act_is_that_of_what_the_parser_met(message: str, entry: str) -> None:
    known = known_message(f"{READ}{message}")
    assert known is not None
    assert known.id == entry


def test_an_answer_of_a_service_is_no_record_of_a_table() -> None:
    known = known_message(
        "com.fasterxml.jackson.core.JsonParseException: Unrecognized token 'Bad': was expecting (JSON"
    )
    assert known is None or known.id != "json-plain-text"
