"""What is left to do after restarts that lost records, and by when their cause has to be repaired."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.analyses.after_restarts import comes_again, lost_by_restarts, to_reconcile
from workbench.analyses.models import Analysis
from workbench.runbooks.plans import PlanShown, due_because, restart_price, waits_because

JOB = "a" * 32
LOST = {"undone_ms": 58_800.0, "undone_from_ms": 1_795_223_261_000, "undone_to_ms": 1_795_223_320_000}
RESTARTED = {"gives_up_after_ms": 275_000.0, "interval_ms": 27_500, "final_state": "RUNNING"}


def signal(key: str, **facts: Any) -> dict[str, Any]:
    stored = {"key": key, "level": "job", "subject": {"job": JOB}, "facts": facts}
    return {**stored, "citations": [], "citation_count": 0}


def analysed(*signals: dict[str, Any], over: bool = True) -> Analysis:
    onset = {"ts": "2026-11-21T01:07:46Z", "at_start": False, "ended": "2026-11-21T01:08:52Z" if over else None}
    root = {"role": "root_cause", "severity": "critical", "symptom_class": "checkpoint_declined", "onset": onset}
    jobs = [{"job_id": JOB, "name": "balances", "verdict": {"symptom_class": "checkpoint_declined"}}]
    document = {"jobs": jobs, "findings": [{**root, "subject": {"job": JOB}}], "inputs": []}
    return Analysis(document=document, signals=list(signals))


def test_what_restarts_lost_is_left_to_reconcile_with_the_rate_of_what_if() -> None:
    forgets = signal("delivery_guarantee", source="at most once")
    rates = signal("throughput", before_per_s=4_908.0, emitting_per_s=4_776.0)
    lost = analysed(signal("recovery", **LOST), forgets, rates)
    assert to_reconcile(lost, [JOB]) == [
        "Left to do: reconcile what the sinks hold for 01:07:41 to 01:08:40 UTC with the origin of the records. The "
        "state lacks what came then, up to about 290,000 records."
    ]
    assert lost_by_restarts(analysed(signal("recovery", **LOST), rates), JOB) is None, "the source is read again"
    assert to_reconcile(analysed(forgets, rates), [JOB]) == []


def test_trouble_that_would_end_the_job_with_its_checkpoints_does_not_wait_for_the_next_deployment() -> None:
    deleted = signal("settings", retention="NO_EXTERNALIZED_CHECKPOINTS")
    found = analysed(signal("restarts", **RESTARTED), deleted)
    assert due_because(found, JOB) == (
        "The trouble has been over since 2026-11-21 01:08:52 UTC. If the trouble comes again with a failure each "
        "27.5 s, the restart strategy ends the job for good about 4 min 35 s after the first one, and with the "
        "retention NO_EXTERNALIZED_CHECKPOINTS Flink deletes its checkpoints then. Plan this change for today."
    )
    assert due_because(found, JOB, "").endswith("Flink deletes its checkpoints then.")
    assert waits_because(found, JOB) == ""
    assert due_because(analysed(signal("restarts", **RESTARTED), deleted, over=False), JOB) == ""


def test_a_plan_that_waits_for_the_next_deployment_sends_to_nothing_first() -> None:
    """The report said to begin with what the verdict says to do first, and the verdict had nothing of the kind."""
    plan = {"remark": "Begin with what the verdict says to do first."}
    assert PlanShown(None, plan, [], "The trouble has been over.", "").remark == ""
    assert PlanShown(None, plan, [], "", "").remark == plan["remark"]


def test_a_plan_tells_what_its_restart_loses_for_good() -> None:
    """The step said so, and the plan had only the commands."""
    rates = signal("throughput", before_per_s=4_908.0, emitting_per_s=4_776.0)
    forgets = signal("delivery_guarantee", source="at most once")
    lost = restart_price(analysed(forgets, rates), 0, {"repeats": False})
    assert "what comes while the job is down is lost: about 290,000 records if it is down for 60 s" in lost
    assert restart_price(analysed(forgets, rates), 0, None) == "", "nothing is restarted"
    again = analysed(signal("delivery_guarantee", source="exactly once"), rates)
    assert restart_price(again, 0, {"repeats": False}) == "", "the source is read again"
    buffers = signal("job_code", unsaved_buffers=["Sink.buffer (line 66)"])
    held = restart_price(
        analysed(signal("delivery_guarantee", source="exactly once", generated=True), buffers), 0, {"repeats": False}
    )
    assert "a sink keeps records in Sink.buffer (line 66)" in held


@pytest.mark.parametrize(
    ("restarts", "retention"),
    [
        (RESTARTED, "RETAIN_ON_CANCELLATION"),
        ({**RESTARTED, "final_state": "FAILED"}, "NO_EXTERNALIZED_CHECKPOINTS"),
        ({"interval_ms": 27_500}, "NO_EXTERNALIZED_CHECKPOINTS"),
        ({**RESTARTED, "for_faults": 0, "for_ended": 3}, "NO_EXTERNALIZED_CHECKPOINTS"),
    ],
)
def test_a_job_that_keeps_its_checkpoints_has_ended_restarts_for_ever_or_in_a_deployment_has_no_deadline(
    restarts: dict[str, Any], retention: str
) -> None:
    found = analysed(signal("restarts", **restarts), signal("settings", retention=retention))
    assert comes_again(found, JOB) == ""
    assert "nothing of this is worth a restart now" in waits_because(found, JOB)
