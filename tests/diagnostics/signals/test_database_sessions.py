"""What a database says of its statements: running ones by what they wait for, summed ones by their whole time."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.signals import database_sessions
from tests.diagnostics.hand_made import hand_made, needs, only


def session(state: str, statement: str, waits_for: str | None, duration_ms: float | None = None) -> dict[str, Any]:
    return {
        "system": "PostgreSQL",
        "state": state,
        "statement": statement,
        "waits_for": waits_for,
        "duration_ms": duration_ms,
    }


def test_running_sessions_are_counted_by_what_most_of_them_run_and_wait_for() -> None:
    rows = [
        session("active", "UPDATE t SET n = ?", "Lock: tuple", 4_000.0),
        session("active", "UPDATE t SET n = ?", "Lock: tuple", 9_000.0),
        session("active", "SELECT a", None, 2.0),
        session("idle", "COMMIT", "Client: ClientRead"),
    ]
    facts = only(database_sessions.measure(hand_made(database_statement=rows)), "database_sessions").facts
    assert (facts["sessions"], facts["active"], facts["waiting"], facts["waiting_for_locks"]) == (4, 3, 2, 2)
    assert (facts["statement"], facts["statement_sessions"]) == ("UPDATE t SET n = ?", 2)
    assert (facts["waits_for"], facts["longest_ms"]) == ("Lock: tuple", 9_000.0)
    assert (facts["waits_for_sessions"], facts["waits_for_ratio"]) == (2, pytest.approx(2 / 3))
    assert "costly_statement" not in facts


def test_of_summed_statements_the_one_with_most_time_stands_for_all() -> None:
    rows = [
        session("summed", "SELECT slow", None, 2_000.0) | {"calls": 3},
        session("summed", "SELECT often", None, 3.0) | {"calls": 8_000},
    ]
    facts = only(database_sessions.measure(hand_made(database_statement=rows)), "database_sessions").facts
    assert (facts["costly_statement"], facts["costly_calls"], facts["costly_mean_ms"]) == ("SELECT often", 8_000, 3.0)
    assert facts["costly_share_ratio"] == 0.8
    assert "active" not in facts


def test_of_several_looks_the_busiest_counts_and_none_is_added_to_another() -> None:
    calm = [session("active", "SELECT a", None, 2.0), session("idle", "COMMIT", None)]
    busy = [session("active", "UPDATE t SET n = ?", "Lock: tuple", 4_000.0) for _ in range(3)]
    rows = [
        *({**row, "look": 1} for row in calm),
        *({**row, "look": 2} for row in busy),
        *({**row, "file_id": 1} for row in calm),
    ]
    facts = only(database_sessions.measure(hand_made(database_statement=rows)), "database_sessions").facts
    assert (facts["looks"], facts["sessions"], facts["active"], facts["waiting_for_locks"]) == (3, 3, 3, 3)


def test_of_sums_that_grow_from_look_to_look_the_last_counts() -> None:
    early = [session("summed", "SELECT a", None, 5.0) | {"calls": 100, "look": 1}]
    late = [session("summed", "SELECT a", None, 6.0) | {"calls": 300, "look": 2}]
    facts = only(database_sessions.measure(hand_made(database_statement=[*early, *late])), "database_sessions").facts
    assert (facts["costly_calls"], facts["costly_mean_ms"], facts["costly_share_ratio"]) == (300, 6.0, 1.0)


def test_without_a_view_nothing_is_measured() -> None:
    assert needs(database_sessions.measure(hand_made())) == {"database_sessions": "database-log"}
