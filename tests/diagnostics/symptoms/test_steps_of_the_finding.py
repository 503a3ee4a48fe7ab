"""A runbook shows for a finding the steps that concern it, and not those of other findings of its class."""

from __future__ import annotations

from typing import Any

from diagnostics.runbook import fill, runbooks
from tests.diagnostics.symptoms.judged import JOB, judged


def stored(key: str, **facts: Any) -> dict[str, Any]:
    subject = {"job": JOB}
    return {"key": key, "level": "job", "subject": subject, "facts": facts, "citations": [], "citation_count": 0}


def shown(runbook: str, rule: str, **facts: dict[str, Any]) -> list[str]:
    """The ids of the steps that the runbook shows for a finding of this rule."""
    signals = [stored(key.replace("__", "."), **of_key) for key, of_key in facts.items()]
    finding = {"subject": {"job": JOB}, "rule": {"id": rule, "version": 1}}
    return [each["id"] for each in fill(runbooks()[runbook], finding, signals)["steps"] if not each["left_out"]]


def rules_of(**facts: dict[str, Any]) -> list[str]:
    return [each["rule"]["id"] for each in judged(**facts)["findings"]]


def test_a_reading_of_a_setting_is_not_followed_by_the_settings_of_checkpoints() -> None:
    reading = {"kind": "debloated-to-the-least", "what": "it is small", "advice": "Raise it.", "place": "map"}
    assert shown("misconfiguration", "conf.by-reading", alarming_readings__misconfiguration=reading) == ["found"]


def test_a_short_interval_is_followed_by_the_settings_of_checkpoints() -> None:
    steps = shown("misconfiguration", "conf.interval", settings={"interval_ms": 500})
    assert {"what-is-in-effect", "retention", "pace", "failures"} <= set(steps)


def test_a_sink_that_loads_nothing_is_not_told_to_batch() -> None:
    assert shown("slow-sink", "sink.held") == ["outside-system"]


def test_uneven_partitions_are_not_told_to_salt_a_key() -> None:
    assert not {"aggregate-before-the-shuffle", "salt-the-hot-key"} & set(shown("data-skew", "skew.source"))


def test_a_resource_of_the_operator_is_not_followed_by_what_a_restore_throws() -> None:
    resource = {"cause": "restore_failure", "what": "it waits", "advice": "Name the savepoint.", "resource": "orders"}
    assert shown("restore-failure", "restore.resource-state", operator_resources=resource) == ["resource"]


def test_a_watermark_that_does_not_come_is_no_matter_of_clocks_and_bounds() -> None:
    reading = {"kind": "reader-without-records", "what": "a subtask is idle", "advice": "Mark it idle."}
    reading |= {"stands_still": True}
    steps = shown("out-of-order-events", "time.by-reading", alarming_readings__out_of_order_events=reading)
    assert steps == ["watermark-against-wall-clock", "idle-source", "repair-and-verify"]


def test_a_full_disk_is_not_followed_by_heap_slots_and_cpu() -> None:
    limit = {"of_limits": 4, "kind": "a disk is full", "said": "IOException: No space left on device"}
    document = judged(host_limits=limit | {"remedy": "Enlarge the volume.", "rounds": 4, "reported_by": "failure"})
    assert [each["runbook"] for each in document["findings"]] == ["host-limit"]
    assert shown("host-limit", "resource.host-limit", host_limits=limit) == ["limit", "verify"]


def test_slots_that_are_gone_lead_to_slots_alone() -> None:
    steps = shown("resource-shortage", "resource.slots-fell", slots={"fell_by": 4, "free_end": 0, "total_end": 20})
    assert steps == ["which-resource", "slots", "verify-under-load"]


def test_an_error_of_an_unnamed_memory_leads_to_the_heap_and_what_is_outside_of_it() -> None:
    steps = shown(
        "resource-shortage", "resource.out-of-memory", out_of_memory={"unspecified_errors": 1, "heap_errors": 0}
    )
    assert steps == ["which-resource", "what-lives-on-the-heap", "outside-the-heap", "verify-under-load"]


def test_a_statement_whose_message_is_known_is_not_followed_by_general_branches() -> None:
    fault = {"origin": "statement", "exception": "TableException", "said": "TableException: x", "of_code": 1}
    known = shown("user-code", "code.statement", code_faults={**fault, "remedy": "Upgrade Flink."})
    assert known == ["root-exception", "restart-strategy"]
    assert "statement" in shown("user-code", "code.statement", code_faults=fault)


def test_a_record_with_two_findings_keeps_the_one_that_knows_it() -> None:
    known = {"failures": 3, "unreachable": 3, "kind": "it refuses the login", "said": "x", "rounds": 3, "system": "S3"}
    known |= {"is_first": True, "reported_by": "failure", "opening": True}
    alike = {"resembles": "outside_system", "said": "x", "lead": 5, "strongest": 5, "points": 5}
    traits = {**alike, "reported_by": "failure", "rounds": 3, "is_first": True}
    assert rules_of(fault_traits=traits) == ["outside.by-traits"]
    assert rules_of(fault_traits=traits, outside_faults=known) == ["outside.unreachable"]


def test_a_failure_with_traits_of_the_program_is_asked_nothing_about_statements_and_python() -> None:
    assert not {"statement", "python"} & set(
        shown("user-code", "user.by-traits", fault_traits={"resembles": "user_code"})
    )
