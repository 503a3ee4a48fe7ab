"""What the runbook of a slow sink proposes, by what is measured about the outside system."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.runbook import fill, runbooks

JOB = "a" * 32
SINK = {"job": JOB, "vertex": "Sink: documents", "vertex_id": "b" * 32}
MORE_AT_ONCE = ("atchSize", "InFlight", "BulkFlush", "batch.size", "linger.ms")


def steps(**outside: Any) -> dict[str, dict[str, Any]]:
    """The steps of the case's way by their ids."""
    measured = {"key": "outside_system", "subject": {"job": JOB}, "level": "job", "facts": outside}
    filled = fill(runbooks()["slow-sink"], {"subject": SINK}, [{**measured, "citations": [], "citation_count": 0}])
    return {step["id"]: step for step in filled["steps"] if not step["left_out"]}


def changes(of: dict[str, dict[str, Any]]) -> str:
    return "\n".join(change["to"] for step in of.values() for change in step["change"])


def test_a_system_that_refuses_is_not_sent_more_at_once() -> None:
    way = steps(refused=14, slow_requests=100)

    assert not any(word in changes(way) for word in MORE_AT_ONCE)
    assert "limiter.acquire();" in changes(way)
    assert way["limit-rate"]["restart"]


@pytest.mark.parametrize("outside", [{"refused": 0, "slow_requests": 100}, {}])
def test_a_system_that_refuses_nothing_is_sent_larger_batches(outside: dict[str, Any]) -> None:
    way = steps(**outside)

    assert ".setMaxBatchSize(2000).setMaxInFlightRequests(4)" in changes(way)
    assert all(change["sure"] for change in way["batching"]["change"] if "setMaxBatchSize" in change["to"] and outside)
    assert "limit-rate" not in way


def test_the_question_to_the_outside_system_changes_nothing() -> None:
    assert not steps(refused=14)["outside-system"]["changes_something"]
    assert "gauge(" not in changes(steps(refused=14))


def test_more_subtasks_are_no_step_for_a_system_that_refuses() -> None:
    assert "parallelism" not in steps(refused=14)
    assert "parallelism" in steps(refused=0)
    assert "parallelism" in steps()


def test_causes_behind_which_barriers_wait_agree_on_what_does_not_help_the_checkpoints() -> None:
    """The longer timeout that one plan left out was a change of another, of the same constellation."""
    causes = ("slow-sink", "slow-dimension-join", "cpu-hotspot", "data-skew")
    assert len({runbooks()[name].useless for name in causes}) == 1
    assert "execution.checkpointing.timeout" in runbooks()["slow-sink"].useless


def test_a_limit_on_requests_is_code_that_can_be_copied_and_is_decided_by_a_look() -> None:
    (limit,) = (change for change in steps(refused=14)["limit-rate"]["change"] if change["kind"] == "code")
    assert limit["only_if"]
    jar, declared, _, limited, *sent = limit["to"].strip().splitlines()
    assert "com.google.guava:guava" in jar
    assert declared.startswith("private transient RateLimiter limiter;")
    assert limited.startswith("if (limiter == null) limiter = RateLimiter.create(<agreed requests per second> / ")
    assert sent == ["limiter.acquire();", "send(request);"]
    assert limit["from"] == "", "an example of a sink's code is no text to look for"
    assert limit["unset"][0] == "What it replaces, in general form: send(request);"


def test_the_runbook_states_the_bound_of_refused_requests_that_the_finding_states() -> None:
    bounded = {"refused": 14, "refused_text": "HTTP 429", "refused_most_ratio": 0.1146, "slow_beside_refused": 108}
    measured = " ".join(steps(**bounded)["outside-system"]["measured"])

    assert "108 slow requests were answered: at most 12 % were refused" in measured
    assert "not known" not in measured
    assert "at most 11 %" not in " ".join(steps(refused=14)["outside-system"]["measured"])


def test_the_most_that_the_sink_took_is_stated_with_its_time_and_the_rates_around_the_refusal() -> None:
    rate = {"highest_per_s": 6273.0, "highest_ms": 35_000, "unrefused_per_s": 650.0, "refused_per_s": 465.0}
    stored = [
        {"key": key, "subject": subject, "level": level, "facts": facts, "citations": [], "citation_count": 0}
        for key, subject, level, facts in (
            ("outside_system", {"job": JOB}, "job", {"refused": 28}),
            ("record_rate", SINK, "vertex", rate),
        )
    ]
    (step,) = (
        each for each in fill(runbooks()["slow-sink"], {"subject": SINK}, stored)["steps"] if each["id"] == "limit-rate"
    )
    measured = " ".join(step["measured"])
    assert "650 records/s before the first refusal, and 465 records/s while requests were refused" in measured
    assert "The most seen was 6,273 records/s, mean of 35 s" in measured
