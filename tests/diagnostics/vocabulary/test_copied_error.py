"""Which copied texts name a cause."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.copied_error import is_error_line, names_cause, shortened_to_known


@pytest.mark.parametrize(
    "text",
    [
        "tee: job_check_log: Permission denied",
        "changelog mode is not INSERT_ONLY, primary key is required but",
        "Reason:       OOMKilled",
        "Container is running beyond physical memory limits. Current usage: 2.1 GB of 2 GB physical memory used.",
        "Error while parsing YAML configuration file : security.kerberos.login.keytab",
    ],
)
def test_a_message_of_the_catalogues_names_a_cause(text: str) -> None:
    assert names_cause(text)


@pytest.mark.parametrize("text", ["", "select * from orders", "replicas: 2\nimage: flink:1.20\n", "{}"])
def test_other_texts_name_none(text: str) -> None:
    assert not names_cause(text)


@pytest.mark.parametrize(
    "line",
    [
        "ERROR: pooler: ***: authentication failed",
        "ERROR:the vswitch ip is not enough",
        "[ERROR] Could not execute SQL statement. Reason:",
        'Exception in thread "main" java.lang.IllegalStateException: x',
    ],
)
def test_a_line_may_say_that_it_is_an_error(line: str) -> None:
    assert is_error_line(line)


@pytest.mark.parametrize("line", ["errors: 0 in 12 files read", "error_rate 0.01", "log.level = ERROR", "ERROR: no"])
def test_other_lines_with_the_word_do_not(line: str) -> None:
    assert not is_error_line(line)


def test_a_known_text_behind_the_beginning_of_a_message_is_kept() -> None:
    event = "Encountered change event 'Event{" + "x" * 400 + "}'"
    kept = shortened_to_known(f"{event} for table shop.orders whose schema isn't known to this connector. {event}", 300)
    assert kept.startswith("Encountered change event")
    assert "shop.orders whose schema isn't known to this connector" in kept
    assert len(kept) < 500


def test_without_a_known_text_the_beginning_is_all() -> None:
    assert shortened_to_known("The row " + "x" * 400 + " is odd.", 300) == "The row " + "x" * 292
