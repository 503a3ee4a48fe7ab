"""Lag of a consumer group: the last reading counts, and a course only when commits cannot explain it."""

from __future__ import annotations

from typing import Any

from diagnostics.signals import consumer_lag
from tests.diagnostics.hand_made import JOB, START, hand_made, needs, only


def look(second: int, *lags: int | None, group: str = "orders") -> list[dict[str, Any]]:
    return [
        {"ts_ms": START + second * 1_000, "consumer_group": group, "topic": "t", "partition": number, "lag": lag}
        for number, lag in enumerate(lags)
    ]


def test_the_lag_is_that_of_the_last_look_and_grows_when_its_low_points_do() -> None:
    rows = [
        *look(0, 100, 0, None),
        *look(30, 900, 0, None),
        *look(60, 700, 0, None),
        *look(90, 1_500, 200, None),
        *look(90, 3, group="other"),
    ]
    facts = only(consumer_lag.measure(hand_made(consumer_position=rows)), "consumer_lag").facts
    assert (facts["groups"], facts["consumer_group"], facts["lag"], facts["partitions"]) == (2, "orders", 1_700, 2)
    assert (facts["partition"], facts["partition_share_ratio"]) == (0, 1_500 / 1_700)
    assert (facts["lag_first"], facts["lag_growth"], facts["lag_growth_per_s"]) == (100, 600, 600 / 60)


def test_two_looks_show_a_lag_but_no_course() -> None:
    rows = [*look(0, 100), *look(30, 9_000)]
    facts = only(consumer_lag.measure(hand_made(consumer_position=rows)), "consumer_lag").facts
    assert facts["lag"] == 9_000
    assert "lag_growth" not in facts


def used(*classes: str) -> list[dict[str, Any]]:
    return [{"scope": "program", "key": "connector.class", "value": each} for each in classes]


def test_positions_are_not_asked_for_where_the_sources_read_from_something_else() -> None:
    assert list(consumer_lag.measure(hand_made(config_option=used("DataGeneratorSource", "KafkaSink")))) == []
    both = hand_made(config_option=used("DataGeneratorSource", "KafkaSource"))
    assert needs(consumer_lag.measure(both)) == {"consumer_lag": "consumer-groups"}
    assert needs(consumer_lag.measure(hand_made(config_option=used("KafkaSink")))) == {
        "consumer_lag": "consumer-groups"
    }


def test_positions_are_not_asked_for_where_no_task_started_a_kafka_consumer() -> None:
    """Kafka's consumers log their settings when they start."""
    started = {"event": "task.state", "state_to": "RUNNING", "subtask": 0, "vertex": "Source: orders", "job_id": JOB}
    logs = {
        "log_record": [{**started, "ts_ms": START, "file_id": 3, "message": "switched to RUNNING"}],
        "log_count": [{"file_id": 3, "last_ms": START, "level": "INFO", "process": "taskmanager", "records": 9}],
    }
    assert list(consumer_lag.measure(hand_made(**logs))) == []
    consumer = [{"scope": "kafka consumer", "key": "group.id", "value": "orders"}]
    for other in (hand_made(**logs, config_option=consumer), hand_made(log_record=logs["log_record"])):
        assert needs(consumer_lag.measure(other)) == {"consumer_lag": "consumer-groups"}


def test_without_committed_positions_there_is_no_signal() -> None:
    assert needs(consumer_lag.measure(hand_made())) == {"consumer_lag": "consumer-groups"}
    assert list(consumer_lag.measure(hand_made(consumer_position=look(0, None)))) == []
