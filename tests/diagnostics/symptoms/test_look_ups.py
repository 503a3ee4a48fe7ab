"""Look-ups: synchronous, with a full queue of asynchronous calls, and at their limit before anything waits long."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.runbook import fill, runbooks
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


@pytest.mark.parametrize(("lacks", "belongs"), [(True, False), (False, True), (None, True)])
def test_more_parallelism_is_no_way_where_its_subtasks_would_not_fit_the_slots(
    lacks: bool | None, belongs: bool
) -> None:
    """Without knowing what the sources offer, the change waits for somebody's look at the free slots."""
    offered = {} if lacks is None else {"offered_parallelism": 13 if lacks else 5, "offered_lacks_slots": lacks}
    facts = {"room_by_slots": True, "parallelism_by_slots": 6 if lacks else 5, "slots_total": 6, **offered}
    subject = {"job": "f" * 32, "vertex": "enrich", "vertex_id": "e" * 32}
    stored = [
        {"key": key, "level": "vertex", "subject": subject, "facts": known, "citations": [], "citation_count": 0}
        for key, known in {"record_rate": facts, "back_pressure.origin": {"parallelism": 3}}.items()
    ]
    filled = fill(runbooks()["slow-dimension-join"], {"subject": subject}, stored)
    [step] = [each for each in filled["steps"] if each["id"] == "parallelism"]
    assert bool(step["left_out"]) is not belongs
    if lacks is None:
        assert [each["only_if"] for each in step["change"]] == ["free slots suffice for the subtasks that are needed"]
    else:
        assert [each["to"] for each in step["change"]] == ([".setParallelism(5)"] if belongs else [])
    if lacks:
        assert "13 subtasks" in step["left_out"]["reason"]
