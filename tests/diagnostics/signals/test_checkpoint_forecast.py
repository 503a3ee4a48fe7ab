"""Forecasts of duration and state size, with their error, and when there is none."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.signals.checkpoint_forecast import measure
from tests.diagnostics.hand_made import JOB, START, hand_made, needs, only

MINUTE, HOUR = 60_000, 3_600_000
TIMEOUT = {"scope": "job", "job_id": JOB, "key": "execution.checkpointing.timeout", "value": "10 min"}


def completed(number: int, duration_ms: float, state_bytes: float = 1e9) -> dict[str, Any]:
    trigger = START + number * MINUTE
    return {
        "job_id": JOB,
        "checkpoint_id": number,
        "status": "COMPLETED",
        "is_savepoint": False,
        "trigger_ms": trigger,
        "latest_ack_ms": trigger + round(duration_ms),
        "end_to_end_ms": duration_ms,
        "state_bytes": state_bytes,
    }


def expired(number: int) -> dict[str, Any]:
    trigger = START + number * MINUTE
    return {
        "job_id": JOB,
        "checkpoint_id": number,
        "status": "FAILED",
        "trigger_ms": trigger,
        "failure_ms": trigger + 600_000,
        "end_to_end_ms": 600_000.0,
        "failure_message": "Checkpoint expired before completing.",
    }


def facts(*rows: dict[str, Any]) -> Any:
    return only(measure(hand_made(checkpoint=list(rows), config_option=[TIMEOUT])), "checkpoint_forecast").facts


def test_linear_growth_reaches_the_timeout_when_the_line_does() -> None:
    """Ten seconds more each minute: after 12 minutes at 120 s, the timeout of 600 s is 48 minutes ahead."""
    found = facts(*(completed(number, 10_000.0 * number) for number in range(1, 13)))

    assert found["timeout_in_ms"] == pytest.approx(48 * MINUTE, rel=0.05)
    assert (found["timeout_earliest_ms"], found["timeout_latest_ms"]) == (48 * MINUTE, 48 * MINUTE)
    assert found["duration_rise_ms_per_h"] == pytest.approx(600_000)
    assert found["duration_doubles_in_ms"] == pytest.approx(12 * MINUTE)
    assert found["duration_error_ms"] == 0


def test_state_that_grows_has_a_doubling_time() -> None:
    """100 MB more each minute from 1.1 GB on: 2.2 GB at the end double in 22 minutes."""
    found = facts(*(completed(number, 5_000.0, 1e9 + number * 1e8) for number in range(1, 13)))

    assert found["state_rise_bytes_per_h"] == pytest.approx(6e9)
    assert found["state_doubles_in_ms"] == pytest.approx(22 * MINUTE)
    assert "timeout_in_ms" not in found


def test_five_checkpoints_that_grow_at_each_step_have_a_forecast_between_their_steps() -> None:
    found = facts(*(completed(number, took) for number, took in enumerate((60e3, 100e3, 150e3, 190e3, 230e3), 1)))

    assert found["checkpoints"] == 5
    assert found["duration_rise_low_ms_per_h"] == pytest.approx(40e3 * 60)
    assert found["duration_rise_high_ms_per_h"] == pytest.approx(50e3 * 60)
    assert found["timeout_earliest_ms"] < found["timeout_in_ms"] < found["timeout_latest_ms"]


def test_a_timeout_that_was_reached_is_not_foreseen() -> None:
    found = facts(*(completed(number, 10_000.0 * number) for number in range(1, 13)), expired(13))

    assert "timeout_in_ms" not in found
    assert found["duration_rise_ms_per_h"] > 0


def test_durations_and_states_that_do_not_rise_have_no_forecast() -> None:
    steady = [completed(number, 5_000.0 + number % 3 * 100) for number in range(1, 20)]

    assert list(measure(hand_made(checkpoint=steady, config_option=[TIMEOUT]))) == []


def test_checkpoints_that_take_longer_than_at_first_have_an_onset() -> None:
    steady = [completed(number, 2_000.0) for number in range(1, 11)]
    longer = [completed(number, 2_000.0 + (number - 10) * 20_000.0) for number in range(11, 21)]

    assert facts(*steady, *longer)["longer_from_ms"] == START + 11 * MINUTE
    assert "longer_from_ms" not in facts(*(completed(number, 50_000.0 + number * 1_000) for number in range(1, 21)))


def test_four_checkpoints_are_too_few() -> None:
    few = [completed(number, 10_000.0 * number) for number in range(1, 5)]

    assert needs(measure(hand_made(checkpoint=few))) == {"checkpoint_forecast": "checkpoint-history"}
