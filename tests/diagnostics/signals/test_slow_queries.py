"""Slow queries of a database: reads and writes apart, each by the statement that took most of the time."""

from __future__ import annotations

from typing import Any

from diagnostics.signals import slow_queries
from tests.diagnostics.hand_made import START, hand_made, needs, only


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


def test_the_logs_tell_how_much_of_a_look_up_joins_time_its_queries_take() -> None:
    reads = [query(900.0, "SELECT a FROM t", ts_ms=START + 1_000 * second) for second in range(21)]
    log = [record for subtask in (0, 1) for record in started(subtask, "LookupJoin(table=[t])")]
    facts = only(slow_queries.measure(hand_made(slow_query=reads, log_record=log)), "slow_queries").facts
    assert (facts["look_up_task"], facts["look_up_subtasks"]) == ("LookupJoin(table=[t])", 2)
    assert facts["look_up_ratio"] == 21 * 900 / (20_000 * 2)
    other = [record for subtask in (0, 1) for record in started(subtask, "enrich")]
    facts = only(slow_queries.measure(hand_made(slow_query=reads, log_record=other)), "slow_queries").facts
    assert "look_up_ratio" not in facts
