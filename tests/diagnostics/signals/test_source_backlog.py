"""Records that wait for the sources, from Flink's metrics."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.signals import source_backlog
from diagnostics.vocabulary.operators_at_limit import behind_of
from tests.diagnostics.hand_made import JOB, SOURCE, START, hand_made, line_of_jobs, needs, only


def pending(subtask: int, values: list[float], *, every_s: int = 30, later_ms: int = 0) -> list[dict[str, Any]]:
    about = {"job_id": JOB, "vertex_id": SOURCE, "operator": "orders", "metric": "pendingRecords", "subtask": subtask}
    return [
        {**about, "ts_ms": START + place * every_s * 1000 + later_ms, "value": value}
        for place, value in enumerate(values)
    ]


def facts_of(rows: list[dict[str, Any]]) -> Any:
    evidence = hand_made(**line_of_jobs(), metric_sample=rows)
    return only(source_backlog.measure(evidence), "source_backlog").facts


def test_growth_compares_what_the_fetches_leave() -> None:
    facts = facts_of([*pending(0, [0, 90, 10, 100, 60, 160]), *pending(1, [0, 0, 0, 0, 0, 0])])
    assert (facts["vertex"], facts["pending"], facts["growth"]) == ("Source: orders", 160, 60)
    assert facts["growth_per_s"] == pytest.approx(0.5)


def test_a_backlog_that_is_worked_off_again_and_again_does_not_grow() -> None:
    assert facts_of(pending(0, [0, 500, 0, 500, 0, 500]))["growth"] == 0


def test_subtasks_that_are_scraped_at_different_moments_are_not_added() -> None:
    facts = facts_of([*pending(0, [10] * 6), *pending(1, [0, 100, 200, 300, 400, 500], later_ms=700)])
    assert (facts["pending"], facts["growth"]) == (500, 300)


def test_a_short_look_shows_no_growth() -> None:
    facts = facts_of(pending(0, [0, 10, 20, 30, 40, 50], every_s=1))
    assert (facts["pending"], "growth" in facts) == (50, False)


def test_without_metrics_nothing_is_measured() -> None:
    assert needs(source_backlog.measure(hand_made())) == {"source_backlog": "metric-scrapes"}


def test_sources_that_cannot_count_their_backlog_are_not_asked_for_it() -> None:
    rows = [{"job_id": JOB, "vertex_id": SOURCE, "metric": "numRecordsOut", "subtask": 0, "ts_ms": START, "value": 1.0}]
    assert list(source_backlog.measure(hand_made(**line_of_jobs(), metric_sample=rows))) == []


def lag(values: list[float]) -> list[dict[str, Any]]:
    about = {"job_id": JOB, "vertex_id": SOURCE, "operator": "orders", "metric": "currentFetchEventTimeLag"}
    return [{**about, "subtask": 0, "ts_ms": START + place * 30_000, "value": v} for place, v in enumerate(values)]


def test_a_source_that_stands_still_falls_behind_by_a_second_each_second() -> None:
    facts = facts_of(lag([0, 30_000, 60_000, 90_000, 120_000, 150_000]))
    assert (facts["lag_ms"], facts["lag_growth_ratio"], "pending" in facts) == (150_000, pytest.approx(1.0), False)


def test_a_source_that_catches_up_does_not_fall_behind() -> None:
    assert facts_of(lag([900_000, 700_000, 500_000, 300_000, 100_000, 1_000]))["lag_growth_ratio"] < 0


@pytest.mark.parametrize(
    ("task", "tables", "word"),
    [
        ("Source: TableSourceScan(table=[[c, d, t]])", {"t": "oracle-cdc"}, "online_catalog"),
        ("Source: oracle-cdc reader -> Sink: doris", {}, "online_catalog"),
        ("Source: MySQL Source", {}, None),
        ("Source: t[1]", {"t": "postgres-cdc"}, "pg_replication_slots"),
        ("Source: t[1]", {"t": "kafka"}, None),
    ],
)
def test_the_connector_decides_what_lets_a_source_read_sooner(
    task: str, tables: dict[str, str], word: str | None
) -> None:
    act = behind_of(task, tables)
    assert act is None if word is None else word in str(act)


def test_the_onset_is_the_foot_of_the_rise() -> None:
    facts = facts_of(pending(0, [50, 40, 60, 45, 50, 600, 1200, 1800, 2400, 3000]))
    assert (facts["onset_ms"], facts["onset_at_start"]) == (START + 90_000, False)


def test_a_backlog_that_grows_from_the_first_look_on_may_be_older() -> None:
    facts = facts_of(pending(0, [100 * step for step in range(12)]))
    assert (facts["onset_ms"], facts["onset_at_start"]) == (START, True)


def test_the_lag_of_kafka_consumers_shows_the_backlog_of_a_source_that_does_not_count_it() -> None:
    rows = [
        {**row, "metric": "KafkaSourceReader.KafkaConsumer.records-lag-max"}
        for subtask in (0, 1)
        for row in pending(subtask, [100, 200, 300, 400, 500, 600])
    ]
    facts = facts_of(rows)
    assert (facts["pending"], facts["growth"]) == (1_200, 600)
