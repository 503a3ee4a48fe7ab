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


QUERIES = {"system": "PostgreSQL", "read_usual_ms": 30.0, "read_queries": 2000, "read_statement": "SELECT * FROM f($1)"}


def test_a_query_of_a_function_is_looked_at_in_the_database_first() -> None:
    """Reading the function's body costs a minute and no restart; the time of the look-up passes in it."""
    facts = {"back_pressure_origin": ORIGIN, "blocking_calls": CALLS | {"call_ms": 33.0}, "record_rate": RATE}
    of_function = leading(**facts, slow_queries=QUERIES | {"read_function": "f"})
    said = "Read the body of f in PostgreSQL: of the 33 ms of a look-up 30 ms pass there."
    assert of_function["first_step"].startswith(said)
    assert leading(**facts, slow_queries=QUERIES)["first_step"].startswith("Make the look-ups of")


def test_a_query_that_sleeps_is_to_be_woken_before_anything_else_is_built() -> None:
    """pg_sleep is deleted in a minute; asynchronous look-ups take weeks."""
    facts = {"back_pressure_origin": ORIGIN, "blocking_calls": CALLS | {"call_ms": 33.0}, "record_rate": RATE}
    asleep = {"system": "PostgreSQL", "active": 3, "waits_for": "Timeout: PgSleep", "waits_for_sessions": 3}
    said = leading(
        **facts, slow_queries=QUERIES | {"read_function": "f"}, database_sessions=asleep | {"waits_for_ratio": 1.0}
    )
    assert said["first_step"].startswith("Find the call of pg_sleep in f, and why it is there: 3 of 3 running sessions")
    assert 'ran a statement, 3 waited for "Timeout: PgSleep".' in said["statement"]
    few = leading(**facts, slow_queries=QUERIES, database_sessions=asleep | {"waits_for_ratio": 0.1})
    assert "pg_sleep" not in few["first_step"] + few["statement"]
    locks = asleep | {"waits_for": "Lock: tuple", "waits_for_ratio": 1.0}
    held = leading(**facts, slow_queries=QUERIES | {"read_function": "f"}, database_sessions=locks)
    assert 'for what waits for "Lock: tuple"' in held["first_step"]


def test_a_cache_is_told_to_key_an_input_that_spreads_the_keys() -> None:
    book = runbooks()["slow-dimension-join"]
    subject = {"job": "f" * 32, "vertex": "enrich", "vertex_id": "e" * 32}

    def taken(keyed: bool) -> bool:
        signals = [
            {"key": key, "level": "vertex", "subject": subject, "facts": facts, "citations": [], "citation_count": 0}
            for key, facts in (("load_balance", {"keyed": keyed}), ("record_rate", RATE))
        ]
        steps = fill(book, {"subject": subject}, signals)["steps"]
        answers = next(step for step in steps if step["id"] == "cache")["answers"]
        return any(each["taken"] for each in answers if "not distributed by the look-up key" in each["if"])

    assert (taken(keyed=False), taken(keyed=True)) == (True, False)


def test_the_reasons_of_a_confidence_add_up_to_it() -> None:
    """What supports this one adds up to 100 %, and no finding is surer than 98 %: that is a reason too."""
    lead = leading(
        back_pressure_origin=ORIGIN | {"named_look_up": True},
        blocking_calls=CALLS | {"call_ms": 33.0},
        record_rate=RATE,
        slow_queries=QUERIES,
    )
    assert (lead["confidence"], sum(each["delta"] for each in lead["reasons"])) == (0.98, pytest.approx(0.98))


def blocks_of(**facts: dict[str, Any]) -> str:
    """The code that the runbook proposes for a look-up of a task that is not distributed by key."""
    subject = {"job": "f" * 32, "vertex": "enrich", "vertex_id": "e" * 32}
    known = {"load_balance": {"keyed": False}, "record_rate": RATE, "job_overview": {"is_sql": False}, **facts}
    signals = [
        {"key": key, "level": "vertex", "subject": subject, "facts": each, "citations": [], "citation_count": 0}
        for key, each in known.items()
    ]
    steps = fill(runbooks()["slow-dimension-join"], {"subject": subject}, signals)["steps"]
    return "\n".join(each["to"] for step in steps for each in step["change"])


def test_the_code_of_a_look_up_has_the_types_and_the_key_of_the_source() -> None:
    code = {"look_up_function": "CustomerLookup", "look_up_key": "customerId"}
    code |= {"look_up_made": 'CustomerLookup(p.get("jdbc"))'}
    code |= {"look_up_key_type": "Integer", "look_up_answer_type": "String"}
    said = blocks_of(blocking_calls=CALLS | {"async_capacity": 9, "async_timeout_ms": 2000.0}, job_code=code)
    assert 'input, new AsyncCustomerLookup(p.get("jdbc")),' in said
    assert "Cache<Integer, List<String>> cache;" in said
    assert ".keyBy(record -> record.customerId)" in said
    assert not any(gap in said for gap in ("<type of", "<its", "<function", "(record -> record.<"))


def test_a_look_up_that_failed_never_and_calls_a_function_is_asked_nothing_about_scans_and_time_outs() -> None:
    subject = {"job": "f" * 32, "vertex": "enrich", "vertex_id": "e" * 32}
    known = {"restarts": {"restarts": 0}, "slow_queries": QUERIES | {"read_function": "f"}}
    signals = [
        {"key": key, "level": "job", "subject": {"job": "f" * 32}, "facts": each, "citations": [], "citation_count": 0}
        for key, each in known.items()
    ]
    steps = fill(runbooks()["slow-dimension-join"], {"subject": subject}, signals)["steps"]
    [outside] = [each for each in steps if each["id"] == "outside-system"]
    assert [each["taken"] for each in outside["answers"][:2]] == [False, False]
