"""Operators of SQL that read rows and hand out none."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.signals import silent_operators
from tests.diagnostics.hand_made import JOB, MIDDLE, SINK, START, hand_made, line_of_jobs, needs, only, signals_of_key


def counted(**by_operator: tuple[float, float]) -> dict[str, list[dict[str, Any]]]:
    rows = line_of_jobs()
    rows["metric_sample"] = [
        {
            "job_id": JOB,
            "vertex_id": MIDDLE,
            "vertex": "enrich",
            "operator": name,
            "subtask": 0,
            "metric": metric,
            "ts_ms": START + second * 1000,
            "value": value * second / 120,
        }
        for name, counts in by_operator.items()
        for metric, value in zip(("numRecordsIn", "numRecordsOut"), counts, strict=True)
        for second in range(0, 121, 10)
    ]
    return rows


def option(key: str, value: str) -> list[dict[str, Any]]:
    return [{"scope": "table", "key": key, "value": value, "line": 1}]


@pytest.mark.parametrize(
    ("operator", "kind"),
    [
        ("Join[7]", "join"),
        ("Join_7_", "join"),
        ("LookupJoin(table=[dim])", "lookup-join"),
        ("IntervalJoin[2]", "interval-join"),
        ("Calc[2]", "condition"),
        ("Match[3]", "match-recognize"),
    ],
)
def test_an_operator_that_hands_out_nothing_is_silent(operator: str, kind: str) -> None:
    facts = only(silent_operators.measure(hand_made(**counted(**{operator: (6_000, 0)}))), "silent_operators").facts
    assert (facts["kind"], facts["rows_in"], facts["rows_out"], facts["certain"]) == (kind, 6_000, 0, False)


@pytest.mark.parametrize(("read", "written"), [(6_000, 4_000), (50, 0), (0, 0)])
def test_an_operator_that_hands_out_some_or_read_little_is_not(read: float, written: float) -> None:
    evidence = hand_made(**counted(**{"Join[7]": (read, written)}))
    assert not signals_of_key(silent_operators.measure(evidence), "silent_operators")


def test_a_constraint_that_drops_some_rows_is_certain() -> None:
    evidence = hand_made(**counted(**{"Join[7]": (9_000, 0), "ConstraintEnforcer[4]": (6_000, 4_000)}))
    facts = only(silent_operators.measure(evidence), "silent_operators").facts
    assert (facts["kind"], facts["rows_lost"], facts["certain"]) == ("not-null-enforcer", 2_000, True)


def test_a_source_whose_format_leaves_out_all_is_certain_by_its_option() -> None:
    rows = counted(**{"Source: orders[1]": (6_000, 0)})
    plain = only(silent_operators.measure(hand_made(**rows)), "silent_operators").facts
    assert plain["kind"] == "source-drops"
    told = hand_made(config_option=option("json.ignore-parse-errors", "true"), **rows)
    assert only(silent_operators.measure(told), "silent_operators").facts["kind"] == "source-drops-all"


def test_a_source_behind_which_rows_arrive_only_counts_none() -> None:
    evidence = hand_made(**counted(**{"Source: orders[1]": (6_000, 0), "Calc[2]": (6_000, 5_000)}))
    assert not signals_of_key(silent_operators.measure(evidence), "silent_operators")


def test_a_source_that_read_nothing_from_the_latest_offset_is_silent() -> None:
    rows = counted(**{"Source: orders[1]": (0, 0)})
    told = hand_made(config_option=option("scan.startup.mode", "latest-offset"), **rows)
    assert only(silent_operators.measure(told), "silent_operators").facts["kind"] == "source-from-latest"
    assert not signals_of_key(silent_operators.measure(hand_made(**rows)), "silent_operators")


def test_a_task_that_hands_nothing_to_the_next_one_is_silent_by_one_rest_answer() -> None:
    rows = line_of_jobs()
    rows["vertex"] = [
        {**each, "name": "Join[7] -> Calc[8]"} if each["vertex_id"] == MIDDLE else each for each in rows["vertex"]
    ]
    rows["metric_sample"] = [
        {
            "job_id": JOB,
            "vertex_id": vertex,
            "metric": metric,
            "aggregate": "sum",
            "ts_ms": START,
            "value": value,
        }
        for vertex in (MIDDLE, SINK)
        for metric, value in (("numRecordsIn", 52_000.0), ("numRecordsOut", 0.0))
    ]
    facts = only(silent_operators.measure(hand_made(**rows)), "silent_operators").facts
    assert (facts["operator"], facts["kind"], facts["rows_in"]) == ("Join[7]", "join", 52_000)


def test_without_metrics_nothing_is_measured() -> None:
    assert needs(silent_operators.measure(hand_made())) == {"silent_operators": "metric-scrapes"}
