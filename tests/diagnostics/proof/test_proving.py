"""The effect of a change on the problems diagnosed before it."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.proof import Proof, SnapshotData, prove

JOB, LATER = "a" * 32, "b" * 32


def stored(key: str, level: str, subject: dict[str, Any], **facts: Any) -> dict[str, Any]:
    return {"key": key, "level": level, "subject": subject, "facts": facts, "citations": [], "citation_count": 0}


def finding(job: str, symptom_class: str, severity: str, role: str = "root_cause") -> dict[str, Any]:
    title = f"{symptom_class} is {severity}"
    subject = {"job": job}
    entry = {"symptom_class": symptom_class, "severity": severity, "role": role, "title": title, "subject": subject}
    return {**entry, "runbook": "data-skew" if symptom_class == "data_skew" else None}


def snapshot(
    job: str = JOB,
    name: str = "orders",
    findings: list[dict[str, Any]] | None = None,
    verdict: str = "data_skew",
    skew_ratio: float = 3.0,
    rate: float = 1000.0,
    completed: int = 10,
    written: float = 1e6,
    restarts: int = 0,
) -> SnapshotData:
    task = {"job": job, "vertex": "score", "vertex_id": "e" * 32}
    signals = [
        stored("job_overview", "job", {"job": job}, name=name, state="RUNNING", observed_ms=3_600_000),
        stored("load_balance", "vertex", task, skew_ratio=skew_ratio),
        stored("record_rate", "vertex", task, records_per_s=rate),
        stored("checkpoint_progress", "job", {"job": job}, completed=completed, failed=0),
        stored("restarts", "job", {"job": job}, restarts=restarts),
    ]
    told = {"symptom_class": verdict, "confidence": 0.9}
    jobs = [{"job_id": job, "name": name, "verdict": told, "health": 40}]
    document = {"verdict": told, "jobs": jobs, "findings": findings or [], "health": {"score": 40}}
    taken = {"savepoint": False, "status": "completed", "end_to_end_ms": 900.0, "checkpointed_bytes": written}
    history = {"jobs": [{"job_id": job, "checkpoints": [taken] * 10}]}
    return SnapshotData(document, signals, {"checkpoint-history": history})


def proof(**after: Any) -> Proof:
    """The incident has a critical skew with its consequence."""
    before = [finding(JOB, "data_skew", "critical"), finding(JOB, "back_pressure", "warning", "consequence")]
    return prove(snapshot(findings=before), snapshot(**after))


def judged(found: Proof) -> dict[str, str]:
    return {each.symptom_class: each.judgement for each in found.problems}


def test_gone_with_its_exit_conditions_fulfilled_is_fixed() -> None:
    found = proof(job=LATER, verdict="healthy", skew_ratio=1.0)
    assert found.judgement == "fixed"
    assert judged(found) == {"data_skew": "fixed", "back_pressure": "fixed"}


def test_gone_while_no_exit_condition_holds_is_no_proof() -> None:
    found = proof(verdict="healthy", skew_ratio=3.0)
    assert found.judgement == "cannot tell"
    assert "no exit condition" in found.headline


def test_evidence_that_does_not_suffice_proves_nothing() -> None:
    assert proof(verdict="inconclusive", skew_ratio=1.0).judgement == "cannot tell"


@pytest.mark.parametrize(
    ("severity", "skew_ratio", "expected"),
    [("critical", 3.0, "unchanged"), ("warning", 2.0, "better"), ("warning", 1.2, "fixed")],
)
def test_what_remains_is_judged_by_its_severity_and_the_exit_conditions(
    severity: str, skew_ratio: float, expected: str
) -> None:
    assert judged(proof(findings=[finding(JOB, "data_skew", severity)], skew_ratio=skew_ratio))["data_skew"] == expected


def test_a_vanished_consequence_with_a_remaining_cause_is_reported() -> None:
    found = proof(findings=[finding(JOB, "data_skew", "critical")])
    assert found.judgement == "better"
    assert found.headline == "Fixed: back_pressure is warning. The cause remains: data_skew is critical."


def test_a_fix_is_verified_only_when_nothing_else_got_worse() -> None:
    found = proof(verdict="healthy", skew_ratio=1.0, written=30e6)
    assert found.judgement == "traded"
    assert found.headline.endswith("Traded for: bytes that a checkpoint writes from 1 MB to 30 MB.")


def test_a_measure_that_got_worse_without_any_gain_is_no_trade() -> None:
    before = [finding(JOB, "data_skew", "critical")]
    found = prove(snapshot(findings=before), snapshot(findings=before, restarts=20))
    assert found.judgement == "worse"
    assert found.headline.endswith("Worse as well: restarts from 0 per hour to 20 per hour.")


def test_one_restart_in_an_hour_is_within_the_noise() -> None:
    found = proof(verdict="healthy", skew_ratio=1.0, restarts=1)
    (restarts,) = [each for each in found.effects["pauses"] if each.quantity.id == "restarts"]
    assert (found.judgement, restarts.judgement) == ("fixed", "unchanged")


def test_a_new_problem_beside_the_fix_is_its_price() -> None:
    found = proof(findings=[finding(JOB, "user_code", "critical")], verdict="user_code", skew_ratio=1.0)
    assert found.judgement == "traded"
    assert found.headline.endswith("Traded for: a new problem, “user_code is critical”.")


def test_a_new_problem_is_said() -> None:
    found = proof(findings=[finding(JOB, "data_skew", "critical"), finding(JOB, "user_code", "critical")])
    assert (found.judgement, judged(found)["user_code"]) == ("worse", "worse")


def over(entry: dict[str, Any]) -> dict[str, Any]:
    return {
        **entry,
        "onset": {"ts": "2026-11-21T01:02:30.000Z", "at_start": False, "ended": "2026-11-21T01:03:20.000Z"},
    }


def test_a_new_trouble_that_ended_within_the_evidence_is_no_price() -> None:
    found = proof(findings=[over(finding(LATER, "user_code", "critical"))], job=LATER, skew_ratio=1.0)
    assert judged(found) == {"data_skew": "fixed", "back_pressure": "fixed", "user_code": "cannot tell"}
    assert found.judgement == "fixed"


def test_a_less_severe_remainder_that_is_over_counts_as_fixed() -> None:
    later = finding(JOB, "data_skew", "warning")
    assert judged(proof(findings=[later]))["data_skew"] == "better"
    found = proof(findings=[over(later)])
    assert judged(found)["data_skew"] == "fixed"
    assert "only a warning remains, “data_skew is warning”, and its trouble has been over since" in found.headline


def test_another_job_proves_nothing() -> None:
    found = proof(job=LATER, name="payments", verdict="healthy", skew_ratio=1.0)
    assert (found.judgement, found.problems, found.effects) == ("cannot tell", [], {})


@pytest.mark.parametrize(
    ("less", "expected"),
    [({"rate": 100.0}, "The load fell from 1,000/s to 100/s"), ({"completed": 1}, "Only 1 checkpoint ended")],
)
def test_less_load_or_too_little_time_is_a_doubt_and_no_proof(less: dict[str, Any], expected: str) -> None:
    found = proof(verdict="healthy", skew_ratio=1.0, **less)
    assert found.judgement == "cannot tell"
    assert found.doubts[0].startswith(expected)


def test_an_incident_without_findings_has_nothing_to_fix() -> None:
    assert prove(snapshot(verdict="healthy"), snapshot(verdict="healthy")).judgement == "cannot tell"


def beside(data: SnapshotData, name: str, symptom_class: str) -> SnapshotData:
    """The snapshot with another job."""
    told = {"symptom_class": symptom_class, "confidence": 0.9}
    jobs = [*data.document["jobs"], {"job_id": name, "name": name, "verdict": told, "health": 36}]
    return SnapshotData({**data.document, "jobs": jobs}, data.signals, data.charts)


@pytest.mark.parametrize(
    ("after", "judgement", "remark"),
    [
        ("healthy", "fixed", ""),
        (
            "user_code",
            "better",
            "After the change another job has trouble: invoices (failure in the job's code or JARs, ",
        ),
        ("", "better", "The evidence after the change does not hold another one: invoices (failure in the job's code "),
    ],
)
def test_a_fix_of_one_job_is_none_of_another_one(after: str, judgement: str, remark: str) -> None:
    first = beside(snapshot(findings=[finding(JOB, "data_skew", "critical")]), "invoices", "user_code")
    second = snapshot(verdict="healthy", skew_ratio=1.0)
    found = prove(first, beside(second, "invoices", after) if after else second)
    assert found.judgement == judgement
    assert found.headline.startswith("orders: ")
    assert remark in found.headline
