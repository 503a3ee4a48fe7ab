"""The guarantee from end to end, from the code of a job, its settings and what Kafka's clients log."""

from __future__ import annotations

from typing import Any

from diagnostics.signals import delivery_guarantee
from tests.diagnostics.hand_made import JOB, SINK, SOURCE, START, hand_made, line_of_jobs, needs, only

INTERVAL = {"scope": "program", "key": "execution.checkpointing.interval", "value": "5000 ms"}
EXACTLY = {"scope": "program", "key": "sink.delivery-guarantee", "value": "EXACTLY_ONCE"}
RUNNING = {"job_id": JOB, "name": "orders", "state": "RUNNING", "start_ms": START, "ts_ms": START}


def uses(name: str) -> dict[str, Any]:
    return {"scope": "program", "key": "connector.class", "value": name}


def facts(*options: dict[str, Any]) -> Any:
    evidence = hand_made(job=[RUNNING], config_option=list(options))
    return only(delivery_guarantee.measure(evidence), "delivery_guarantee").facts


def test_a_source_that_forgets_is_the_weakest_part_of_an_exactly_once_job() -> None:
    found = facts(INTERVAL, EXACTLY, uses("socketTextStream"), uses("FlinkKafkaProducer"))

    assert (found["source"], found["engine"], found["sink"]) == ("at most once", "exactly once", "exactly once")
    assert (found["end_to_end"], found["weakest"]) == ("at most once", "source")
    assert found["source_notes"] == ["Socket: what was read before a failure cannot be read again"]


def test_records_that_the_source_generates_do_not_wait_outside() -> None:
    assert facts(INTERVAL, uses("DataGeneratorSource"))["generated"] is True
    assert facts(INTERVAL, uses("DataGeneratorSource"), uses("KafkaSource"))["generated"] is False


def test_kafka_to_kafka_with_transactions_is_exactly_once() -> None:
    found = facts(INTERVAL, EXACTLY, uses("KafkaSource"), uses("KafkaSink"))

    assert found["end_to_end"] == "exactly once"


def test_at_least_once_checkpointing_is_the_weakest_part() -> None:
    mode = {"scope": "program", "key": "execution.checkpointing.mode", "value": "AT_LEAST_ONCE"}
    found = facts(INTERVAL, mode, EXACTLY, uses("KafkaSource"), uses("KafkaSink"))

    assert (found["end_to_end"], found["weakest"]) == ("at least once", "checkpointing")


def test_a_sink_whose_setting_no_file_states_leaves_the_guarantee_open() -> None:
    found = facts(INTERVAL, uses("KafkaSource"), uses("KafkaSink"))

    assert "sink" not in found
    assert "end_to_end" not in found


def stored(vertex: str, *sizes: float) -> list[dict[str, Any]]:
    """One checkpoint for each size, acknowledged by the first subtask."""
    return [
        {
            "job_id": JOB,
            "checkpoint_id": number,
            "vertex_id": vertex,
            "subtask": 0,
            "ack_ms": START + number,
            "end_to_end_ms": 40.0,
            "state_bytes": size,
        }
        for number, size in enumerate(sizes, 1)
    ]


def test_a_source_that_stores_nothing_in_any_checkpoint_is_not_read_again() -> None:
    empty = hand_made(**line_of_jobs(), subtask_checkpoint=stored(SOURCE, 0, 0, 0))
    found = only(delivery_guarantee.measure(empty), "delivery_guarantee")

    assert (found.subject.job, found.facts["source"]) == (JOB, "at most once")
    assert "hold no position" in str(found.facts["source_notes"])
    assert found.citations


def test_what_the_code_of_the_only_job_names_and_what_its_checkpoints_show_is_one_statement() -> None:
    """Two statements hid each other by the first letter of the job's id, and a source that forgets was read again."""
    empty = hand_made(
        **line_of_jobs(), config_option=[uses("KafkaSink"), INTERVAL], subtask_checkpoint=stored(SOURCE, 0, 0, 0)
    )
    found = only(delivery_guarantee.measure(empty), "delivery_guarantee")

    assert (found.subject.job, found.facts["source"]) == (JOB, "at most once")
    assert found.facts["sinks"]


def test_a_source_between_two_files_or_a_sink_without_state_says_nothing_of_what_is_read_again() -> None:
    for stated in (stored(SOURCE, 0, 0, 24), stored(SOURCE, 0, 0), stored(SINK, 0, 0, 0)):
        evidence = hand_made(**line_of_jobs(), subtask_checkpoint=stated)
        assert needs(delivery_guarantee.measure(evidence)) == {"delivery_guarantee": "configuration"}


def test_without_a_named_source_or_sink_it_is_not_measured() -> None:
    assert needs(delivery_guarantee.measure(hand_made(config_option=[INTERVAL]))) == {
        "delivery_guarantee": "configuration"
    }
