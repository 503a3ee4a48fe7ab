"""Slow queries of a database: reads and writes apart, each by the statement that took most of the time."""

from __future__ import annotations

from typing import Any

from diagnostics.signals import slow_queries
from tests.diagnostics.hand_made import JOB, MIDDLE, START, hand_made, needs, only


def query(duration_ms: float, statement: str, **rest: Any) -> dict[str, Any]:
    kind = statement.split()[0]
    return {"ts_ms": START, "system": "MySQL", "kind": kind, "statement": statement, "duration_ms": duration_ms, **rest}


def test_the_statement_that_took_most_time_speaks_for_its_kind() -> None:
    rows = [
        query(5_000.0, "SELECT once"),
        *(query(duration, "SELECT often", rows_examined=500, rows_sent=1) for duration in (3_000.0, 2_000, 1_000)),
        query(400.0, "UPDATE t", lock_ms=300.0),
        query(9_000.0, "ALTER TABLE t"),
    ]
    signal = only(slow_queries.measure(hand_made(slow_query=rows)), "slow_queries")
    facts = signal.facts
    assert (facts["queries"], facts["read_queries"], facts["write_queries"]) == (6, 4, 1)
    assert (facts["read_statement"], facts["read_usual_ms"], facts["read_longest_ms"]) == ("SELECT often", 2_000, 5_000)
    assert facts["read_rows_ratio"] == 1_500 / 3
    assert facts["write_lock_ratio"] == 300 / 400
    assert signal.citations[0].line == 2, "the longest of the statement stands for it"


def test_without_a_databases_log_nothing_is_measured() -> None:
    assert needs(slow_queries.measure(hand_made())) == {"slow_queries": "database-log"}


def test_a_statement_that_reads_from_a_function_names_it() -> None:
    rows = [query(30.0, "SELECT region, tier FROM customer_dim($1)")]
    facts = only(slow_queries.measure(hand_made(slow_query=rows)), "slow_queries").facts
    assert facts["read_function"] == "customer_dim"
    rows = [query(30.0, "SELECT a FROM customers WHERE id IN (?)")]
    assert "read_function" not in only(slow_queries.measure(hand_made(slow_query=rows)), "slow_queries").facts


def started(subtask: int, name: str) -> list[dict[str, Any]]:
    place = {"process": "taskmanager", "level": "INFO", "event": "task.state", "vertex": name, "subtask": subtask}
    return [
        {**place, "ts_ms": START, "state_from": "DEPLOYING", "state_to": "INITIALIZING", "message": "x"},
        {**place, "ts_ms": START + 9, "state_from": "INITIALIZING", "state_to": "RUNNING", "message": "x"},
    ]


READS = [query(900.0, "SELECT a FROM t", ts_ms=START + 1_000 * second) for second in range(21)]


def test_the_logs_tell_how_much_of_a_look_up_joins_time_its_queries_take() -> None:
    log = [record for subtask in (0, 1) for record in started(subtask, "LookupJoin(table=[t])")]
    facts = only(
        slow_queries.measure_look_up(hand_made(slow_query=READS, log_record=log)), "slow_queries.look_up"
    ).facts
    assert (facts["task"], facts["subtasks"], facts["load_seen"]) == ("LookupJoin(table=[t])", 2, False)
    assert facts["ratio"] == 21 * 900 / (20_000 * 2)
    other = [record for subtask in (0, 1) for record in started(subtask, "enrich")]
    assert list(slow_queries.measure_look_up(hand_made(slow_query=READS, log_record=other))) == []


def test_reads_are_those_of_the_job_that_has_the_look_up_join() -> None:
    """The other job of the case asks nothing, and is not accused of it."""
    names = {"a" * 32: "LookupJoin(table=[t])", "b" * 32: "count per user"}
    tasks = [
        {"job_id": job, "vertex_id": job, "name": name, "parallelism": 1, "ts_ms": START} for job, name in names.items()
    ]
    jobs = [{"job_id": job, "name": job[0], "state": "RUNNING", "ts_ms": START} for job in names]
    log = [record for name in names.values() for record in started(0, name)]
    evidence = hand_made(slow_query=READS, log_record=log, vertex=tasks, job=jobs)
    signal = only(slow_queries.measure_look_up(evidence), "slow_queries.look_up")
    assert signal.subject.job == "a" * 32


def test_two_tasks_that_may_have_asked_leave_open_whose_reads_they_are() -> None:
    log = [record for name in ("LookupJoin(table=[t])", "LookupJoin(table=[u])") for record in started(0, name)]
    assert list(slow_queries.measure_look_up(hand_made(slow_query=READS, log_record=log))) == []


def test_a_look_at_the_load_before_the_reads_says_nothing_of_their_time() -> None:
    log = [record for subtask in (0, 1) for record in started(subtask, "LookupJoin(table=[t])")]

    def is_seen(asked_ms: int) -> object:
        look = {"ts_ms": asked_ms, "job_id": JOB, "vertex_id": MIDDLE, "subtask": 0, "back_pressured_ratio": 0.0}
        evidence = hand_made(slow_query=READS, log_record=log, back_pressure=[look])
        return only(slow_queries.measure_look_up(evidence), "slow_queries.look_up").facts["load_seen"]

    assert is_seen(START - 600_000) is False
    assert is_seen(START + 600_000) is False
    assert is_seen(START + 10_000) is True
