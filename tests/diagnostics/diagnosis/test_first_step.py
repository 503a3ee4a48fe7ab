"""What a diagnosis says to do first: the step of the root cause, else that of what is seen and not explained."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.diagnosis.first_step import first_step_of
from tests.diagnostics.symptoms.judged import judged

LOST: dict[str, Any] = {
    "lost": 1,
    "task_managers": ["tm-1"],
    "unreachable": 0,
    "container_ends": 0,
    "ended": 0,
    "first_ms": 1_000,
}
EXPIRED: dict[str, Any] = {"expired": 3, "expired_ids": [7, 8, 9], "completed": 4, "failed": 3}
FAILED: dict[str, Any] = {"failures": 1, "first_name": "ExampleException", "first_message": "no", "first_ms": 1_000}
RESTARTED: dict[str, Any] = {"restarts": 0, "final_state": "RUNNING"}


@pytest.mark.parametrize(
    ("facts", "step"),
    [
        ({"task_manager_loss_all": LOST}, "Look first whether memory ended or stalled the process"),
        (
            {"task_manager_loss_all": LOST | {"lived_on": 1, "gc_ratio_before": 0.3}},
            "The process lived on: look at its pauses",
        ),
        ({"checkpoint_progress": EXPIRED}, "Open the failed checkpoint"),
        (
            {
                "checkpoint_progress": EXPIRED,
                "checkpoint_phases": {"barrier_share_ratio": 0.8, "async_share_ratio": 0.1},
            },
            "Relieve the task that holds the records back",
        ),
        (
            {
                "back_pressure_job": {
                    "origins": 0,
                    "worst_ratio": 0.9,
                    "worst_vertex": "parse",
                    "high_lasted_ms": 60_000,
                }
            },
            "Look for the first task behind parse",
        ),
        ({"exceptions": FAILED, "restarts": RESTARTED}, "Read the last 'Caused by' of the first failure"),
        (
            {"exceptions": FAILED, "restarts": RESTARTED | {"strategy": "NoRestartBackoffTimeStrategy"}},
            "Let the job restart: turn on checkpoints",
        ),
        (
            {"exceptions": FAILED | {"first_remedy": "Grant the right."}, "restarts": RESTARTED},
            "Grant the right.",
        ),
        (
            {"alarming_records": {"error_count": 1, "error_text": "no", "fatal_count": 0, "error_remedy": "Grant it."}},
            "Grant it.",
        ),
    ],
    ids=[
        "a process that is gone",
        "a process that lived on",
        "late checkpoints",
        "late barriers",
        "back pressure without an origin",
        "a failure",
        "a job that does not restart",
        "a failure with a known repair",
        "a logged error with a known repair",
    ],
)
def test_where_no_cause_leads_it_says_what_to_do_about_what_is_seen(facts: dict[str, Any], step: str) -> None:
    document = judged(**facts)
    assert document["verdict"]["symptom_class"] == "inconclusive"
    assert (first_step_of(document) or "").startswith(step)


def test_the_step_of_the_cause_comes_before_that_of_its_consequences() -> None:
    cause = {"role": "root_cause", "caused_by": None, "severity": "warning", "first_step": "Repair it."}
    seen = {"role": "consequence", "caused_by": None, "severity": "critical", "first_step": "Look at it."}
    rest = {"verdict": {"symptom_class": "inconclusive"}}
    assert first_step_of({"findings": [cause, seen], **rest}) == "Repair it."
    assert first_step_of({"findings": [cause | {"first_step": None}, seen], **rest}) is None
    assert first_step_of({"findings": [seen], **rest}) == "Look at it."


def test_what_is_explained_says_nothing() -> None:
    seen = {"role": "consequence", "caused_by": 0, "severity": "critical", "first_step": "Look at it."}
    rest = {"inputs": [], "verdict": {"symptom_class": "inconclusive"}}
    assert first_step_of({"findings": [seen], **rest}) is None


@pytest.mark.parametrize(("verdict", "said"), [("inconclusive", "Look at it."), ("healthy", None)])
def test_a_remark_says_what_to_do_where_nothing_else_is_seen(verdict: str, said: str | None) -> None:
    remark = {"role": "consequence", "caused_by": None, "severity": "info", "first_step": "Look at it."}
    remark |= {"symptom_class": "early_warning"}
    assert first_step_of({"findings": [remark], "inputs": [], "verdict": {"symptom_class": verdict}}) == said


def test_what_contributes_says_what_to_do_where_nothing_else_does() -> None:
    lost = {"role": "contributing", "caused_by": None, "severity": "info", "first_step": "Bring it back."}
    document = {"findings": [lost], "verdict": {"symptom_class": "inconclusive"}}
    assert first_step_of(document) == "Bring it back."


def test_a_logged_error_with_a_known_repair_comes_before_the_general_step_of_a_failure() -> None:
    logged = {"error_count": 1, "error_text": "no", "fatal_count": 0, "error_remedy": "Start from the savepoint."}
    document = judged(exceptions=FAILED, restarts=RESTARTED, alarming_records=logged)
    assert first_step_of(document) == "Start from the savepoint."


@pytest.mark.parametrize(("known", "names_timeout"), [({}, True), ({"timeout_to_need_ratio": 4.0}, False)])
def test_a_fenced_producer_may_have_met_its_timeout_unless_that_is_known_to_suffice(
    known: dict[str, Any], names_timeout: bool
) -> None:
    document = judged(kafka_transactions={"fenced": 1, "first_text": "an old epoch", **known})
    assert document["verdict"]["symptom_class"] == "exactly_once_kafka"
    assert ("transaction.timeout.ms" in (first_step_of(document) or "")) is names_timeout


@pytest.mark.parametrize("was_read", [True, False])
def test_logs_without_trouble_ask_for_no_change_and_for_one_file(was_read: bool) -> None:
    log = {"what": "restarts", "read": was_read, "evidence": "The JobManager's log of the time of the incident"}
    missing = {"what": "The back pressure of each vertex", "why": "…", "how": "python3 collect_flink.py"}
    document = {
        "findings": [],
        "verdict": {"symptom_class": "inconclusive"},
        "looked_at": [log],
        "split": None,
        "missing_evidence": [missing],
        "inputs": [{"file": "jobmanager.log", "format": "flink-log"}],
        "jobs": [{"job_id": "a" * 32}],
    }
    step = first_step_of(document)
    assert (step is not None) is was_read
    begins = (
        "Change nothing for what these files hold, and add the back pressure of each vertex (python3 collect_flink.py)"
    )
    assert step is None or step.startswith(f"{begins}: ")
    named = first_step_of(document | {"looked_at": [log | {"harmless": ["two clients have one name", "Name them."]}]})
    assert not was_read or (named or "").startswith("Nothing is wrong with the job because of what its logs report:")
    assert not was_read or f"one name. Name them. {begins}" in (named or "")
    assert first_step_of(document | {"verdict": {"symptom_class": "healthy"}}) is None
    small = {"role": "contributing", "caused_by": None, "severity": "info", "symptom_class": "resource_shortage"}
    assert first_step_of(document | {"findings": [small]}) is None, "a finding asks for a change"
    unknown = {"file": "pod.txt", "format": None}
    of_unknown = first_step_of(document | {"inputs": [unknown]}) or ""
    assert of_unknown.startswith("What shows the trouble may be in pod.txt, which could not") is was_read, (
        "it may hold what asks for a change"
    )
    without_job = first_step_of(document | {"jobs": [{"job_id": None}]}) or ""
    assert without_job.startswith("Change nothing for what these files hold: no record of them is known") is was_read
    assert ("If a process or the job does not come up, add its log from its start" in without_job) is was_read


def test_a_bug_of_the_release_that_runs_comes_first_where_no_cause_leads() -> None:
    seen = {"role": "consequence", "caused_by": None, "severity": "critical", "first_step": "Read the log."}
    bug = {"role": "consequence", "caused_by": None, "severity": "info", "first_step": "Upgrade Flink to 1.17.2."}
    findings = [seen, bug | {"rule": {"id": "bug.known"}}]
    rest = {"verdict": {"symptom_class": "inconclusive"}}
    assert first_step_of({"findings": findings, **rest}) == "Upgrade Flink to 1.17.2."
    cause = seen | {"role": "root_cause", "first_step": "Raise the heap."}
    assert first_step_of({"findings": [*findings, cause], **rest}) == "Raise the heap."


@pytest.mark.parametrize(
    ("verdict", "roles", "said"),
    [
        ("inconclusive", [], "This is by design."),
        ("inconclusive", ["root_cause"], "Repair it."),
        ("inconclusive", ["contributing"], "Repair it."),
        ("healthy", [], None),
    ],
)
def test_what_is_by_design_is_said_where_nothing_stands_out(verdict: str, roles: list[str], said: str | None) -> None:
    findings = [{"role": each, "severity": "info", "caused_by": None, "first_step": "Repair it."} for each in roles]
    place = {"read": True, "evidence": "", "by_design": ["This is by design."]}
    document = {"findings": findings, "verdict": {"symptom_class": verdict}, "looked_at": [place], "inputs": []}
    assert first_step_of(document) == said


@pytest.mark.parametrize(
    ("facts", "step"),
    [
        ({"idle_reader": "Source: KafkaIO.Read", "is_beam": True}, "Let Source: KafkaIO.Read move the watermark"),
        ({"assigner": "WatermarkAssigner[2]", "is_sql": True}, "SET 'table.exec.source.idle-timeout' = '30 s'"),
        ({"assigner": "Timestamps/Watermarks"}, "If the job is to emit by event time, give every source"),
    ],
)
def test_a_window_that_waits_for_a_watermark_asks_for_idleness_in_the_words_of_its_program(
    facts: dict[str, Any], step: str
) -> None:
    document = judged(watermarks_job={"gauges": 2, **facts})
    assert (first_step_of(document) or "").startswith(step)


@pytest.mark.parametrize(("severity", "step"), [("info", None), ("warning", "Set it")])
def test_a_job_that_is_well_has_a_first_step_only_where_something_warns(severity: str, step: str | None) -> None:
    remark = {"role": "contributing", "severity": severity, "first_step": "Set it", "caused_by": None}
    remark |= {"symptom_class": "misconfiguration"}
    document = {"inputs": [], "verdict": {"symptom_class": "healthy"}, "findings": [remark]}
    assert first_step_of(document) == step
