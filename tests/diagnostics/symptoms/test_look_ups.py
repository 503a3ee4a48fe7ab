"""Look-ups: synchronous, with a full queue of asynchronous calls, and at their limit before anything waits long."""

from __future__ import annotations

from typing import Any

from tests.diagnostics.symptoms.judged import judged

ORIGIN = {
    "position": "middle",
    "graph_known": True,
    "busy_known": True,
    "busy_median_ratio": 1.0,
    "busy_min_ratio": 0.97,
    "busy_max_ratio": 1.0,
    "back_pressured_ratio": 0.0,
    "upstream_ratio": 0.97,
    "upstream_max_ratio": 1.0,
    "upstream_vertices": ["Source: orders"],
    "lasted_ms": 200_000,
}
CALLS = {
    "position": "middle",
    "role": "look-up",
    "role_ratio": 0.97,
    "role_from": "operator",
    "sees_all": True,
    "waiting_ratio": 0.97,
    "working_samples": 60,
    "system": "PostgreSQL",
    "client_frame": "org.postgresql.jdbc.PgPreparedStatement.executeQuery",
}
RATE = {"records_per_s": 90.0, "latest_per_s": 90.0, "subtasks": 3, "ms_per_record": 32.0, "ceiling_per_s": 31.0}


def leading(**facts: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = judged(**facts)["findings"][0]
    return found


def test_a_synchronous_look_up_is_told_to_become_asynchronous() -> None:
    lead = leading(back_pressure_origin=ORIGIN, blocking_calls=CALLS, record_rate=RATE)
    assert lead["rule"]["id"] == "lookup.origin"


def test_a_full_queue_of_asynchronous_calls_is_not_a_synchronous_look_up() -> None:
    calls = CALLS | {"system": "asynchronous calls"}
    lead = leading(back_pressure_origin=ORIGIN, blocking_calls=calls, record_rate=RATE)
    assert (lead["rule"]["id"], lead["symptom_class"]) == ("lookup.asynchronous-queue", "slow_dimension_join")
    assert "Calls do complete" in lead["statement"]
    stuck = leading(back_pressure_origin=ORIGIN, blocking_calls=calls, record_rate=RATE | {"latest_per_s": 0.0})
    assert "never completed" in stuck["statement"]


def test_a_look_up_at_its_limit_is_seen_below_half_of_back_pressure() -> None:
    little = ORIGIN | {"upstream_ratio": 0.3, "upstream_max_ratio": 0.4}
    lead = leading(back_pressure_origin=little, blocking_calls=CALLS, record_rate=RATE)
    assert (lead["rule"]["id"], lead["symptom_class"]) == ("lookup.saturated", "slow_dimension_join")
    rested = judged(back_pressure_origin=little | {"busy_min_ratio": 0.5}, blocking_calls=CALLS, record_rate=RATE)
    assert rested["verdict"]["symptom_class"] != "slow_dimension_join"
