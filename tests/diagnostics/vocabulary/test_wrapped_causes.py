"""Exceptions that only say where something failed: what is said of them when their cause was not copied along."""

from __future__ import annotations

import pytest

from diagnostics.vocabulary.message_remedies import known_message, message_remedies

WITHOUT_A_CAUSE = (
    "RuntimeException: An error occurred in ElasticsearchSink.",
    "IOException: Writing records to JDBC failed.",
    "FlinkRuntimeException: Failed to send data to Kafka views-0@-1 with FlinkKafkaInternalProducer",
    "RuntimeException: One or more fetchers have encountered exception",
    "ExceptionInChainedOperatorException: Could not forward element to next operator",
    "IOException: Could not perform checkpoint 3 for operator Sink: views (1/2)#0.",
)


@pytest.mark.parametrize("chain", WITHOUT_A_CAUSE)
def test_the_lines_below_are_asked_for_where_the_cause_was_left_out(chain: str) -> None:
    known = known_message(chain)
    assert known is not None
    assert known.innermost
    assert known.remedy.startswith("Add the lines below this one")


@pytest.mark.parametrize("chain", WITHOUT_A_CAUSE)
def test_nothing_is_asked_for_where_the_cause_follows(chain: str) -> None:
    known = known_message(f"{chain}\nIllegalStateException: the frobnicator is closed")
    assert known is None or not known.innermost


def test_nothing_is_asked_for_where_the_message_itself_says_how_the_system_failed() -> None:
    known = known_message(
        "Exception: Failed to send data to Kafka: This server is not the leader for that topic-partition."
    )
    assert known is None or not known.asks_for_cause


def test_a_wrapper_in_another_one_is_still_without_a_cause() -> None:
    chain = (
        "IOException: Could not perform checkpoint 3 for operator Sink: views (1/2)#0.\n"
        "CheckpointException: Could not complete snapshot 3 for operator Sink: views (1/2)#0."
    )
    known = known_message(chain)
    assert known is not None
    assert known.id == "checkpoint-of-operator-failed"


def test_an_entry_without_a_cause_makes_no_message_of_any_text() -> None:
    assert all(each.is_general for each in message_remedies() if each.innermost)
