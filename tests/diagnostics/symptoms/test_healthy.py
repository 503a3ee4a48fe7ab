"""Past trouble that keeps a job from being called healthy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from diagnostics.diagnosis.fact_view import SignalIndex
from diagnostics.diagnosis.finding import Finding
from diagnostics.diagnosis.match import match
from diagnostics.rules.rule import Ruleset
from diagnostics.rules.shipped import shipped_rules
from diagnostics.signals import DEFINITIONS

WELL = {
    "checkpoint_progress": {
        "completed": 15,
        "failed": 0,
        "recent_failed": 0,
        "max_duration_ms": 167,
        "timeout_ms": 60_000,
        "max_duration_to_timeout_ratio": 0.003,
        "recent_duration_to_timeout_ratio": 0.003,
    },
    "back_pressure.job": {"high_share_ratio": 0.0, "worst_ratio": 0.2},
    "restarts": {"restarts": 0},
    "heap_pressure": {"full_gcs_most": 0},
}
RULES = Ruleset.of(rule for rule in shipped_rules() if rule.symptom_class == "healthy")


def is_healthy(**changed: dict[str, Any]) -> bool:
    return bool(findings(WELL, **changed))


def findings(measured: Mapping[str, Mapping[str, Any]], **changed: dict[str, Any]) -> tuple[Finding, ...]:
    signals = [
        {
            "key": key,
            "level": DEFINITIONS[key].level,
            "subject": {"job": "1a"},
            "facts": {**facts, **changed.get(key.replace(".", "_"), {})},
            "citations": [],
            "citation_count": 0,
        }
        for key, facts in measured.items()
    ]
    return match(SignalIndex.from_stored(signals), RULES).findings


def test_a_job_whose_checkpoints_complete_and_that_nothing_holds_back_is_healthy() -> None:
    assert is_healthy()


def test_one_failure_before_all_tasks_ran_is_no_illness() -> None:
    assert is_healthy(checkpoint_progress={"failed": 1, "completed_after_failure": 15})


def test_a_first_checkpoint_that_failed_is_no_illness_in_a_short_observation() -> None:
    first_failed = {"completed": 4, "failed": 1, "recent_failed": 1, "completed_before_failure": 0}
    assert is_healthy(checkpoint_progress=first_failed | {"completed_after_failure": 4})
    assert not is_healthy(checkpoint_progress=first_failed | {"completed_after_failure": 1})


def test_one_burst_in_a_short_observation_is_no_illness() -> None:
    burst = {"high_share_ratio": 0.125, "high_lasted_ms": 10_000, "last_ratio": 0.1, "moments": 8}
    assert is_healthy(back_pressure_job=burst)
    assert not is_healthy(back_pressure_job=burst | {"high_lasted_ms": 40_000})
    assert not is_healthy(back_pressure_job=burst | {"last_ratio": 0.9})


def test_a_job_that_was_rescaled_a_minute_ago_is_healthy() -> None:
    assert is_healthy(restarts={"restarts": 1, "for_faults": 0, "steady_ms": 60_000})
    assert not is_healthy(restarts={"restarts": 1, "for_faults": 1, "steady_ms": 60_000})


def test_thirty_checkpoints_since_the_last_failure_show_that_its_cause_is_gone() -> None:
    assert is_healthy(checkpoint_progress={"failed": 8, "completed_after_failure": 30})


@pytest.mark.parametrize(
    "changed",
    [
        {"checkpoint_progress": {"failed": 8, "completed_after_failure": 11}},
        {"checkpoint_progress": {"recent_failed": 1}},
        {"checkpoint_progress": {"recent_duration_to_timeout_ratio": 0.85}},
        {"restarts": {"restarts": 1, "steady_ms": 60_000}},
        {"back_pressure_job": {"high_share_ratio": 0.4}},
    ],
    ids=["failures until lately", "a failure lately", "no room before the timeout", "a restart lately", "held back"],
)
def test_what_is_not_over_yet_is_not_healthy(changed: dict[str, dict[str, Any]]) -> None:
    assert not is_healthy(**changed)


def test_full_collections_of_unknown_length_leave_it_open_whether_a_job_is_healthy() -> None:
    assert not is_healthy(heap_pressure={"full_gcs_most": 59})
    assert is_healthy(heap_pressure={"full_gcs_most": 59, "share_ratio": 0.01})


def test_what_was_not_looked_at_is_said_and_makes_it_less_sure() -> None:
    (whole,) = findings(WELL, heap_pressure={"share_ratio": 0.01})
    (unseen,) = findings({key: WELL[key] for key in ("checkpoint_progress", "back_pressure.job")})
    assert whole.confidence - unseen.confidence >= 0.2
    assert "memory was not looked at" in unseen.statement
    assert "do not tell whether the job restarted" in unseen.statement
    assert "memory" not in whole.statement


def test_full_collections_that_cost_time_are_no_rest() -> None:
    assert is_healthy(heap_pressure={"full_gcs_for_room_most": 3, "share_ratio": 0.01})
    assert not is_healthy(heap_pressure={"full_gcs_for_room_most": 3, "share_ratio": 0.045})


def test_a_heap_that_is_nearly_full_at_the_only_look_is_not_called_well() -> None:
    assert is_healthy(heap_pressure={"share_ratio": 0.01, "span_ms": 0, "used_last_ratio": 0.5})
    assert not is_healthy(heap_pressure={"share_ratio": 0.01, "span_ms": 0, "used_last_ratio": 0.9})
    assert is_healthy(heap_pressure={"share_ratio": 0.01, "span_ms": 120_000, "used_last_ratio": 0.9})


def test_a_task_without_rest_is_not_called_well_although_nothing_waits_for_it() -> None:
    assert not is_healthy(back_pressure_job={"busy_ratio": 0.99})


def test_a_job_whose_input_piles_up_is_not_called_well() -> None:
    growing = {**WELL, "source_backlog": {"pending": 90_000, "growth": 40_000, "growth_per_s": 300.0}}
    assert not findings(growing)


def test_one_or_two_looks_make_less_sure() -> None:
    (seldom,) = findings(WELL, back_pressure_job={"moments": 1})
    (often,) = findings(WELL, back_pressure_job={"moments": 20})
    assert seldom.confidence == pytest.approx(often.confidence - 0.1)


def test_time_that_was_lost_between_the_looks_is_no_rest() -> None:
    assert not is_healthy(back_pressure_job={"accumulated_ms": 150_000})


def test_a_sink_whose_requests_are_refused_again_and_again_is_not_called_well() -> None:
    asked = {**WELL, "outside_system": {"refused": 3, "slow_requests": 0}}
    assert findings(asked)
    assert not findings(asked, outside_system={"refused": 28})
    assert not findings(asked, outside_system={"slow_requests": 40, "slow_median_ms": 1_600})


def test_a_watermark_without_a_time_makes_less_sure_and_is_said() -> None:
    (dated,) = findings({**WELL, "watermark_lag": {"vertex": "Window", "behind_ms": 3_000, "is_bound": False}})
    (undated,) = findings({**WELL, "watermark_lag": {"vertex": "Window", "undated": True}})
    assert undated.confidence < dated.confidence
    assert "How far the watermark of Window is behind the wall clock was not judged" in undated.statement
    assert "wall clock" not in dated.statement


def test_a_watermark_two_hours_behind_is_not_called_well_unless_no_record_comes() -> None:
    lag = {"vertex": "Window", "behind_ms": 7_200_000, "is_bound": True, "undated": True}
    assert not findings({**WELL, "watermark_lag": lag})
    assert findings({**WELL, "watermark_lag": {**lag, "idle": True}})
