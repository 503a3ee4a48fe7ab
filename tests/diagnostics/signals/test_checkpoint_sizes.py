"""Full and incremental checkpoints, rates, late acknowledgements, in-flight data."""

from __future__ import annotations

import pytest

from diagnostics.reconstruction.checkpoints.history import Checkpoint, History
from diagnostics.signals.checkpoint_sizes import _late, _state, _written
from tests.diagnostics.hand_made import JOB, START

MB = 1e6


def _checkpoint(number: int, written: float, state: float, *, seconds: float = 10, persisted: float = 0) -> Checkpoint:
    return Checkpoint(
        JOB,
        number,
        "completed",
        triggered_ms=START + number * 60_000,
        duration_ms=seconds * 1000,
        checkpointed_bytes=written * MB,
        state_bytes=state * MB,
        persisted_bytes=persisted * MB,
    )


def test_without_incremental_checkpoints_each_one_writes_everything() -> None:
    facts = _written(History(JOB, (_checkpoint(1, 50, 50), _checkpoint(2, 100, 100), _checkpoint(3, 150, 150))), {})
    assert (facts["full"], facts["full_share_ratio"]) == (3, 1.0)
    assert facts["bytes_per_s_max"] == 15 * MB  # 150 MB in 10 s
    assert facts["growth_by_checkpoint_bytes"] == 50 * MB
    assert facts["expected_incremental_ms"] == pytest.approx(50 / 15 * 1000)


def test_the_next_increment_is_that_of_the_longer_interval_which_the_durations_ask_for() -> None:
    """Each checkpoint is a minute after the one before, whatever the interval that was stated."""
    history = History(JOB, tuple(_checkpoint(number, 60 * number, 60 * number, seconds=30) for number in (1, 2, 3)))
    facts = _written(history, {"interval_ms": 10_000})
    assert (facts["growth_bytes_per_s"], facts["next_interval_ms"]) == (MB, 60_000)
    assert facts["next_incremental_bytes"] == 60 * MB
    assert facts["next_incremental_ms"] == pytest.approx(10_000)  # at 180 MB in 30 s
    assert _written(history, {"interval_ms": 600_000})["next_interval_ms"] == 600_000
    assert "next_interval_ms" not in _written(history, {})


def test_a_compaction_makes_an_incremental_checkpoint_write_all_again() -> None:
    history = History(
        JOB, (_checkpoint(1, 52, 55), _checkpoint(2, 46, 101), _checkpoint(3, 147, 147), _checkpoint(4, 40, 190))
    )
    facts = _written(history, {})
    assert facts["full_again_ids"] == [3]
    assert _written(history, {"incremental": False})["full_again"] == 0, "without them none writes anything again"
    assert (facts["partial_min_bytes"], facts["partial_max_bytes"]) == (40 * MB, 52 * MB)


def test_growth_alone_is_no_writing_again() -> None:
    """The second checkpoint is full, but nine tenths of it are new."""
    facts = _written(History(JOB, (_checkpoint(1, 5, 5), _checkpoint(2, 50, 50))), {})
    assert facts["full_again"] == 0


def test_in_flight_data_does_not_count_as_state() -> None:
    """22 of 24 MB are in-flight data; of the 4 MB of state 2 are written: incremental."""
    facts = _written(History(JOB, (_checkpoint(1, 24, 26, persisted=22), _checkpoint(2, 24, 26, persisted=22))), {})
    assert facts["full"] == 0
    state = _state(History(JOB, (_checkpoint(1, 24, 26, persisted=22),)))
    assert state["own_state_max_bytes"] == 4 * MB
    assert state["persisted_share_ratio"] == pytest.approx(22 / 24)


def test_the_needed_rate_writes_the_grown_state_in_half_of_the_timeout() -> None:
    facts = _written(History(JOB, (_checkpoint(1, 100, 100), _checkpoint(2, 150, 150))), {"timeout_ms": 100_000})
    assert facts["needed_bytes_per_s"] == 5 * MB  # (150 + 2 x 50) MB in 50 s


def test_acknowledgements_after_the_expiry_are_counted_with_their_delay() -> None:
    late = Checkpoint(JOB, 6, "expired", ended_ms=START, late_ms=(START + 10_000, START + 41_000))
    assert _late(History(JOB, (late,))) == {
        "late_acks": 2,
        "late_ids": [6],
        "late_min_ms": 10_000,
        "late_max_ms": 41_000,
    }


def test_small_checkpoints_show_neither_rates_nor_fullness() -> None:
    assert "full" not in _written(History(JOB, (_checkpoint(1, 0.01, 0.01), _checkpoint(2, 0.02, 0.02))), {})


@pytest.mark.parametrize(
    ("sizes", "count"),
    [
        ((15, 60, 108.9, 109, 109.1, 109.1, 109.1), 5),
        ((15, 60, 109, 109, 109, 109), None),
        ((15, 30, 45, 60, 75, 90), None),
    ],
)
def test_a_state_that_kept_its_size_over_the_last_checkpoints_has_settled(
    sizes: tuple[float, ...], count: int | None
) -> None:
    history = History(JOB, tuple(_checkpoint(number, size, size) for number, size in enumerate(sizes, 1)))
    assert _state(history)["state_settled_count"] == count
