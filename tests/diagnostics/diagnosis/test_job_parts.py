"""What a document says of each of its jobs beside the verdict: possible causes, what was read, what to add."""

from __future__ import annotations

from typing import Any

from diagnostics.diagnosis.job_parts import evidence_to_add, parts_of_jobs
from diagnostics.diagnosis.judge import judge
from diagnostics.diagnosis.terminal import render
from diagnostics.rules.rule import Ruleset
from tests.diagnostics.diagnosis.test_verdict import EXPIRED, FIT, INPUTS, JOB, OTHER_JOB, SKEW, rule, signal

RULES = Ruleset.of(
    [
        SKEW,
        EXPIRED,
        FIT,
        rule("heap", "resource_shortage", "heap.full", explains=["checkpoint_timeout"]),
        rule("conf", "misconfiguration", "conf.wrong", explains=["checkpoint_timeout"]),
    ]
)
MISSING = [
    {"key": "heap", "needs": "gc-log", "reason": "no log"},
    {"key": "conf", "needs": "configuration", "reason": "no configuration"},
]
HEALTHY_JOB = "c" * 32


def document_of(*signals: dict[str, Any]) -> dict[str, Any]:
    names = ((JOB, "Orders"), (OTHER_JOB, "Clicks"), (HEALTHY_JOB, "Views"))
    known = [signal("job_overview", job, name=name) for job, name in names]
    return judge([*known, *signals, *MISSING], INPUTS, RULES)


def test_a_job_without_a_cause_says_what_to_add_beside_one_with_a_cause() -> None:
    document = document_of(signal("load", skew=3), signal("checkpoints", OTHER_JOB, expired=2))
    ill, undecided, _ = parts_of_jobs(document)
    assert (ill.name, undecided.name) == ("Orders", "Clicks")
    assert not ill.hypotheses
    assert document["hypotheses"] == []
    assert undecided.hypotheses
    assert undecided.split
    assert undecided.split["how"]
    assert {each["what"] for each in undecided.missing} >= {
        "The configuration",
        "The TaskManagers' garbage collection logs",
    }
    text = render(document)
    assert "Clicks: Possible causes:" in text
    assert "Clicks: Shows" in text


def test_what_is_asked_for_several_jobs_is_named_once_with_a_reason_for_each() -> None:
    document = document_of(signal("checkpoints", expired=2), signal("checkpoints", OTHER_JOB, expired=2))
    asked = evidence_to_add(parts_of_jobs(document))
    assert len({each.what for each in asked}) == len(asked)
    log = next(each for each in asked if "garbage collection" in each.what)
    assert [name for name, _ in log.reasons][:2] == ["Orders", "Clicks"]
    assert len(log.ways) == 1
    assert log.why.startswith("Orders: Shows")


def test_a_healthy_job_beside_another_asks_for_nothing() -> None:
    document = document_of(signal("load", skew=3), signal("checkpoints", HEALTHY_JOB, completed=5))
    healthy = next(each for each in parts_of_jobs(document) if each.name == "Views")
    assert healthy.document["verdict"]["symptom_class"] == "healthy"
    assert healthy.missing == ()


def test_causes_of_a_quiet_job_are_frequencies_though_another_job_is_in_trouble() -> None:
    document = document_of(signal("load", skew=3))
    quiet = next(each for each in parts_of_jobs(document) if each.name == "Clicks")
    assert quiet.heading == "Possible causes, if the job is in trouble"


def test_a_stored_document_of_an_earlier_version_has_the_entries_of_its_first_job() -> None:
    document = document_of(signal("checkpoints", expired=2))
    for job in document["jobs"]:
        for entry in ("looked_at", "split", "missing_evidence"):
            del job[entry]
    first, second, _ = parts_of_jobs(document)
    assert first.split == document["split"]
    assert first.missing == document["missing_evidence"]
    assert (second.split, second.missing, second.looked_at) == (None, (), ())
