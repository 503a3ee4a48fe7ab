"""The fingerprint that recognises a problem when it recurs."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.diagnosis.fingerprint import fingerprint, fingerprint_parts, traits


def finding(rule: str, symptom_class: str, role: str = "root_cause", **values: Any) -> dict[str, Any]:
    subject = {"job": "a", **values.pop("subject", {})}
    return {
        "rule": {"id": rule, "version": 1},
        "symptom_class": symptom_class,
        "role": role,
        "severity": "critical",
        "subject": subject,
        "facts": values,
    }


def document(symptom_class: str, *findings: dict[str, Any], name: str | None = "Orders", **more: Any) -> dict[str, Any]:
    job = {"job_id": "a", "name": name, "verdict": {"symptom_class": symptom_class}, "health": 20}
    verdict = {"symptom_class": symptom_class}
    return {"verdict": verdict, "jobs": [job], "findings": list(findings), "inputs": [], **more}


SKEW = finding("skew.hot-subtask", "data_skew", subject={"vertex": "Window", "subtask": 2, "host": "tm-1"}, ratio=3.1)


def test_the_parts_are_the_class_the_job_and_where_the_causes_lie() -> None:
    assert fingerprint_parts(document("data_skew", SKEW)) == [
        ("class", "data_skew"),
        ("job", "orders"),
        ("operator", "Window"),
    ]


def test_numbers_hosts_and_subtasks_do_not_count() -> None:
    again = finding(
        "skew.hot-subtask", "data_skew", subject={"vertex": "Window", "subtask": 5, "host": "tm-9"}, ratio=9
    )
    assert fingerprint(document("data_skew", SKEW)) == fingerprint(document("data_skew", again))


def test_another_rule_of_the_same_class_is_other_evidence_of_the_same_problem() -> None:
    expired = finding("rocks.expired-upload", "rocksdb_slow_upload")
    slow = finding("rocks.slow-upload", "rocksdb_slow_upload")
    assert fingerprint(document(expired["symptom_class"], expired)) == fingerprint(
        document(slow["symptom_class"], slow)
    )


@pytest.mark.parametrize(
    "other",
    [
        document("data_skew", finding("skew.hot-subtask", "data_skew", subject={"vertex": "Join"})),
        document("data_skew", SKEW, name="Clicks"),
        document("slow_sink", finding("sink.origin", "slow_sink", subject={"vertex": "Window"})),
        document("data_skew", SKEW, finding("user.own-code", "user_code", exception_class="a.B")),
    ],
)
def test_another_operator_job_class_or_cause_is_another_problem(other: dict[str, Any]) -> None:
    assert fingerprint(document("data_skew", SKEW)) != fingerprint(other)


def test_what_follows_from_the_cause_does_not_count() -> None:
    late = finding("timeout.near", "checkpoint_timeout", role="consequence")
    assert fingerprint(document("data_skew", SKEW, late)) == fingerprint(document("data_skew", SKEW))


def test_problems_of_one_class_are_distinguished_by_the_exception() -> None:
    parse = finding("user.own-code", "user_code", exception_class="java.lang.NumberFormatException")
    null = finding("user.own-code", "user_code", exception_class="java.lang.NullPointerException")
    assert fingerprint(document("user_code", parse)) != fingerprint(document("user_code", null))


def test_mistakes_in_settings_are_distinguished_by_their_rule() -> None:
    interval = finding("conf.interval", "misconfiguration")
    storage = finding("conf.storage", "misconfiguration")
    assert fingerprint(document("misconfiguration", interval)) != fingerprint(document("misconfiguration", storage))


def test_a_date_in_a_jobs_name_does_not_count_and_a_version_does() -> None:
    stamped = [fingerprint(document("data_skew", SKEW, name=name)) for name in ("orders-20240514", "orders-2024-06-01")]
    assert stamped[0] == stamped[1]
    assert fingerprint(document("data_skew", SKEW, name="orders-v2")) != stamped[0]


@pytest.mark.parametrize(
    "unknown", [document("data_skew", SKEW, name=None), document("healthy"), document("inconclusive")]
)
def test_what_is_not_known_equals_nothing(unknown: dict[str, Any]) -> None:
    assert fingerprint(unknown) is None


def test_a_healthy_job_beside_an_ill_one_is_no_trait() -> None:
    mixed = document("data_skew", SKEW)
    healthy = {**mixed["jobs"][0], "job_id": "b", "name": "clicks", "verdict": {"symptom_class": "healthy"}}
    sink = {**healthy, "job_id": "c", "name": "exports", "verdict": {"symptom_class": "slow_sink"}}
    found = {(each.kind, each.value) for each in traits({**mixed, "jobs": [*mixed["jobs"], healthy, sink]})}
    assert {value for kind, value in found if kind == "job"} == {"orders", "exports"}
    assert {value for kind, value in found if kind == "class"} == {"data_skew", "slow_sink"}
    alone = traits({**mixed, "verdict": {"symptom_class": "healthy"}, "findings": [], "jobs": [healthy]})
    assert ("job", "clicks") in {(each.kind, each.value) for each in alone}


def test_traits_leave_out_remarks_and_keep_the_minor_version() -> None:
    remark = {**finding("conf.risky", "misconfiguration", role="contributing"), "severity": "info"}
    found = traits(document("data_skew", SKEW, remark, inputs=[{"flink_version": "1.20.5"}, {"flink_version": None}]))
    assert [(trait.kind, trait.value) for trait in found] == [
        ("class", "data_skew"),
        ("finding", "skew.hot-subtask"),
        ("flink", "1.20"),
        ("job", "orders"),
        ("operator", "Window"),
    ]
