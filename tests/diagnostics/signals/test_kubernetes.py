"""Events of Kubernetes and Flink's operator about pods and deployments."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.signals.kubernetes import measure
from tests.diagnostics.hand_made import START, hand_made, needs, only

POD = "orders-taskmanager-1-1"


def event(name: str, message: str, **rest: Any) -> dict[str, Any]:
    return {"event": name, "message": message, "logger": "kubernetes", "level": "WARN", **rest}


def test_evictions_are_counted_as_often_as_kubernetes_counts_them() -> None:
    text = f"Evicted: The node was low on resource: memory. (pod/{POD})"
    log = [event("k8s.event.evicted", text, count=3.0, task_manager=POD, process="taskmanager", ts_ms=START)]
    facts = only(measure(hand_made(log_record=log)), "kubernetes").facts
    assert (facts["evicted"], facts["evicted_text"], facts["first_ms"]) == (3, text, START)
    assert (facts["not_started"], facts["no_state"]) == (0, 0)


def test_the_operators_refusal_is_distinguished_from_its_other_warnings() -> None:
    log = [
        event("op.restore", "HA metadata not available to restore from last state."),
        event("op.event.warning", ">>> Event  | Warning | MISSING | Missing JobManager deployment"),
    ]
    facts = only(measure(hand_made(log_record=log)), "kubernetes").facts
    assert (facts["no_state"], facts["operator_warnings"]) == (1, 1)


def test_a_record_of_another_event_is_ignored() -> None:
    log = [event("k8s.event.unschedulable", "FailedScheduling: 0/3 nodes are available (pod/a)")]
    assert list(measure(hand_made(log_record=log))) == []


def test_nothing_is_measured_without_logs() -> None:
    assert needs(measure(hand_made())) == {"kubernetes": "jobmanager-log"}


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("SpotInterruption: Spot Interruption notice was received (node/worker-3)", "spot"),
        (f"ScaleDown: deleting pod for node scale down (pod/{POD})", "scaled down"),
        (f"NodeNotReady: Node is not ready (pod/{POD})", None),
    ],
)
def test_a_node_that_is_taken_away_on_purpose_is_told_from_one_that_is_lost(said: str, why: str | None) -> None:
    facts = only(measure(hand_made(log_record=[event("k8s.event.node_lost", said)])), "kubernetes").facts
    assert facts.get("node_taken") == why
