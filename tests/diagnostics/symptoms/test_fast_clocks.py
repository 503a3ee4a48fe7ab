"""Clocks that begin to run fast while the job runs: one lead of the watermark, and when to look at the result."""

from __future__ import annotations

from typing import Any

from diagnostics.runbook import fill, runbooks

JOB = "a" * 32


def _signal(key: str, vertex: str | None, **facts: Any) -> dict[str, Any]:
    of_task = {"vertex": vertex, "vertex_id": vertex} if vertex else {}
    level = "vertex" if vertex else "job"
    subject = {"job": JOB, **of_task}
    return {"key": key, "level": level, "subject": subject, "facts": facts, "citations": [], "citation_count": 0}


def test_the_runbook_of_a_job_takes_the_lead_from_its_source_and_says_when_to_look_again() -> None:
    """The sink received the watermark a sample later, 33.8 s ahead; it ran ahead 70 s after the first sample."""
    signals = [
        _signal("watermarks", "Sink: db", ahead_max_ms=33_842.0, first_in_graph=False),
        _signal("watermarks", "Source: readings", ahead_max_ms=33_951.0, first_in_graph=True),
        _signal("late_records", "average", changed_after_ms=70_003),
    ]
    filled = fill(runbooks()["out-of-order-events"], {"subject": {"job": JOB}}, signals)
    measured = " ".join(sentence for step in filled["steps"] for sentence in step["measured"])

    assert "So the watermark was up to 34 s ahead of the wall clock" in measured
    assert (
        "jumped only 70 s after the first sample: look at the result of the change after the job has run for"
        in measured
    )
