"""Start delay at a source: no barrier waits there, so that other words and other remedies fit."""

from __future__ import annotations

from typing import Any

import pytest

from tests.diagnostics.symptoms.judged import judged

PHASES = {
    "barrier_share_ratio": 1.0,
    "async_share_ratio": 0.0,
    "longest_delay_ms": 42_764,
    "longest_delay_id": 4,
    "longest_delay_vertex": "Source: orders",
    "async_ms": 1,
    "longest_async_ms": 316,
    "state_bytes": 3_100,
    "reference_id": 2,
    "barrier_delay_ms": 29_500,
    "barrier_delay_id": 2,
    "barrier_delay_vertex": "Sink: revenue",
    "barrier_delay_subtask": 0,
}
PROGRESS = {"expired": 2, "expired_ids": [3, 4], "timeout_ms": 60_000, "completed": 2, "unaligned_count": 0}


def told(at_source: dict[str, Any]) -> str:
    """What the findings of expired checkpoints and of unaligned ones say."""
    found = judged(
        checkpoint_phases=PHASES | at_source, checkpoint_progress=PROGRESS, back_pressure_job={"worst_ratio": 1.0}
    )["findings"]
    assert {each["rule"]["id"] for each in found} >= {"timeout.expired", "warning.unaligned-would-help"}
    sentences = [sentence for each in found for sentence in each["sentences"]]
    return " ".join("".join(piece["text"] for piece in sentence) for sentence in sentences)


def test_a_late_source_is_told_apart_from_barriers_that_wait() -> None:
    of_source = {"source_delay_ms": 42_764, "source_delay_id": 4, "source_delay_vertex": "Source: orders"}
    text = told({"longest_delay_at_source": True, **of_source})
    assert "Source: orders reacted to the trigger of checkpoint 4 only after 42.8 s" in text
    assert "They do not shorten the 42.8 s" in text
    assert "Of the subtasks that acknowledged checkpoint 2, subtask 0 of Sink: revenue waited longest for" in text
    assert "in Source: orders, in checkpoint 4): barriers wait" not in text


@pytest.mark.parametrize("at_source", [{"longest_delay_at_source": False}, {}])
def test_elsewhere_or_without_a_graph_barriers_wait_behind_records(at_source: dict[str, Any]) -> None:
    text = told(at_source)
    assert "in checkpoint 4): barriers wait behind records" in text
    assert "They do not shorten" not in text


@pytest.mark.parametrize("is_source", [True, False])
def test_a_look_up_does_not_call_the_delay_of_a_source_one_of_barriers_in_front_of_it(is_source: bool) -> None:
    """No subtask of the look-up acknowledged the checkpoint: how long barriers waited in front of it is not known."""
    origin = {
        "position": "middle",
        "busy_known": True,
        "busy_median_ratio": 1.0,
        "upstream_ratio": 1.0,
        "upstream_max_ratio": 1.0,
        "upstream_vertices": ["Source: orders"],
        "lasted_ms": 90_000,
    }
    calls = {"position": "middle", "role": "look-up", "role_from": "method", "role_ratio": 1.0, "system": "PostgreSQL"}
    frames = {"client_frame": "PgStatement.execute", "waiting_frame": "Net.poll", "call_ms": 52}
    [found] = [
        each
        for each in judged(
            back_pressure_origin=origin,
            blocking_calls=calls | frames,
            checkpoint_phases=PHASES | {"longest_delay_at_source": is_source},
            checkpoint_progress=PROGRESS,
        )["findings"]
        if each["rule"]["id"] == "lookup.origin"
    ]
    of_source = "and in checkpoint 4 Source: orders could not emit and reacted to the trigger only after 42.8 s"
    assert (of_source in found["statement"]) == is_source
    assert ("in front of this task (start delay 42.8 s in checkpoint 4)" in found["statement"]) != is_source
