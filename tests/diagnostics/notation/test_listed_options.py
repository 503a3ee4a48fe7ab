"""The options that a message of Flink's tables lists."""

from __future__ import annotations

from diagnostics.notation.listed_options import listed_options


def test_options_that_a_connector_lacks_end_at_those_that_it_has() -> None:
    said = (
        "Unsupported options found for connector 'upsert-kafka'.\n\nUnsupported options:\n\nformat\nscan.startup.mode"
        "\n\nSupported options:\n\nconnector\nkey.format"
    )
    found = listed_options(said)
    assert (found.connector, found.unsupported) == ("upsert-kafka", ("format", "scan.startup.mode"))
    assert found.missing == ()


def test_options_that_are_missing() -> None:
    said = "One or more required options are missing.\n\nMissing required options are:\n\nurl\ntable-name"
    assert listed_options(said).missing == ("url", "table-name")


def test_a_message_on_one_line_is_read_too() -> None:
    said = "Unsupported options found for 'jdbc'. Unsupported options: lookup.cachee Supported options: url"
    assert listed_options(said).unsupported == ("lookup.cachee",)


def test_other_messages_list_nothing() -> None:
    found = listed_options("One or more required options are missing.")
    assert (found.connector, found.unsupported, found.missing) == (None, (), ())
