"""Full and incremental checkpoints, rates, late acknowledgements, in-flight data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from diagnostics.evidence.subject import FactValue
from diagnostics.reconstruction.checkpoints.compaction import COUNTER, LOGGED
from diagnostics.reconstruction.checkpoints.history import Checkpoint, History
from diagnostics.signals import checkpoint_sizes
from diagnostics.signals.checkpoint_sizes import _late, _state, _written
from diagnostics.signals.signal import known_facts
from tests.diagnostics.hand_made import JOB, MIDDLE, START, hand_made, only

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


def test_the_next_increment_is_that_of_the_present_interval_when_the_last_checkpoints_are_short_again() -> None:
    """Five of 4 s in a timeout of 30 s, after two of 20 s: nothing asks for a longer interval any more."""
    seconds = (20, 20, 4, 4, 4, 4, 4)
    history = History(JOB, tuple(_checkpoint(n, 60 * n, 60 * n, seconds=each) for n, each in enumerate(seconds, 1)))
    stated = {"interval_ms": 10_000, "timeout_ms": 30_000}
    assert _written(history, stated)["next_interval_ms"] == 10_000
    slow_again = History(JOB, (*history.checkpoints, _checkpoint(8, 480, 480, seconds=20)))
    assert _written(slow_again, stated)["next_interval_ms"] == 40_000


def test_a_state_that_stands_still_at_the_end_grows_by_nothing_whatever_it_did_before() -> None:
    sizes = (15, 60, 108.9, 109, 109.1, 109.1, 109.1)
    history = History(JOB, tuple(_checkpoint(number, size, size) for number, size in enumerate(sizes, 1)))
    assert "growth_bytes_per_s" not in known_facts(_written(history, {"interval_ms": 10_000}))
    grows = History(JOB, tuple(_checkpoint(number, 10 * number, 10 * number) for number in range(1, 9)))
    assert "growth_bytes_per_s" in known_facts(_written(grows, {"interval_ms": 10_000}))


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


def test_in_flight_data_that_comes_with_back_pressure_is_no_growth_of_the_state() -> None:
    """The state goes up and down between 1 and 4 MB; for some checkpoints 21 MB of in-flight data are beside it."""
    own = (1.0, 1.9, 2.9, 3.9, 1.0, 1.6, 1.1, 1.5, 2.0, 2.9)
    persisted = (0, 0, 0, 0, 21, 21, 21, 21, 0, 0)
    pairs = [(one + extra, extra) for one, extra in zip(own, persisted, strict=True)]
    history = History(
        JOB, tuple(_checkpoint(number, size, size, persisted=extra) for number, (size, extra) in enumerate(pairs, 1))
    )
    facts = _written(history, {"interval_ms": 10_000, "timeout_ms": 30_000})
    assert facts["growth_by_checkpoint_bytes"] == pytest.approx(0.9 * MB), "the median step of the state alone"
    assert facts["needed_bytes"] == pytest.approx((22.6 + 2 * 1.0) * MB)
    assert "growth_bytes_per_s" not in known_facts(facts), "largest in its first half, it has not grown since"
    rising = History(JOB, (*history.checkpoints, _checkpoint(11, 4.2, 4.2)))
    assert "growth_bytes_per_s" not in known_facts(_written(rising, {"interval_ms": 10_000})), "it goes up and down"
    state = _state(history)
    assert (state["first_state_bytes"], state["last_state_bytes"]) == (1.0 * MB, pytest.approx(2.9 * MB))


def test_the_needed_rate_writes_the_grown_state_in_half_of_the_timeout() -> None:
    facts = _written(History(JOB, (_checkpoint(1, 100, 100), _checkpoint(2, 150, 150))), {"timeout_ms": 100_000})
    assert facts["needed_bytes_per_s"] == 5 * MB  # (150 + 2 x 50) MB in 50 s
    assert "planned_bytes_per_s" not in facts or facts["planned_bytes_per_s"] is None, "nothing asks for a longer one"


def test_the_needed_rate_is_also_that_of_the_longer_timeout() -> None:
    """71 s of an expired checkpoint ask for 3 min: (150 + 2 x 50) MB in 90 s."""
    late = replace(_checkpoint(3, 150, 150), status="expired", triggered_ms=START, late_ms=(START + 71_000,))
    history = History(JOB, (_checkpoint(1, 100, 100), _checkpoint(2, 150, 150), late))
    facts = _written(history, {"timeout_ms": 30_000})
    assert facts["planned_bytes_per_s"] == pytest.approx(250 * MB / 90)


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
    facts = _state(history)
    assert (facts["state_settled_count"], facts["settled_growth_bytes_per_s"]) == (count, 0.0 if count else None)


def test_a_settled_state_has_the_spread_of_its_last_checkpoints() -> None:
    sizes = (15, 60, 90, 108.600102, 108.9, 109.136362, 109.1, 109.0)
    facts = _state(History(JOB, tuple(_checkpoint(number, size, size) for number, size in enumerate(sizes, 1))))
    assert facts["state_settled_count"] == 5
    assert facts["settled_spread_ratio"] == pytest.approx(109.136362 / 108.600102 - 1)


def _growing(*samples: dict[str, Any]) -> Mapping[str, FactValue]:
    """Facts of a job whose state grows by 1 MB a second, with a checkpoint of all of it each minute, at 10 MB/s."""
    checkpoints = [
        {
            "job_id": JOB,
            "checkpoint_id": number,
            "status": "COMPLETED",
            "trigger_ms": START + number * 60_000,
            "end_to_end_ms": 6_000.0 * number,
            "checkpointed_bytes": 60 * number * int(MB),
            "state_bytes": 60 * number * int(MB),
        }
        for number in (1, 2, 3)
    ]
    settings = [{"job_id": JOB, "scope": "job", "key": "execution.checkpointing.interval", "value": "60 s"}]
    evidence = hand_made(checkpoint=checkpoints, config_option=settings, metric_sample=samples)
    return only(checkpoint_sizes.measure(evidence), "checkpoint_sizes").facts


def _compacted(metric: str, subtask: int, *values: float) -> list[dict[str, Any]]:
    """One value each half minute."""
    about = {"metric": metric, "job_id": JOB, "vertex_id": MIDDLE, "operator": "profiles", "subtask": subtask}
    return [{**about, "ts_ms": START + place * 30_000, "value": value} for place, value in enumerate(values)]


@pytest.mark.parametrize(
    ("samples", "rewritten", "most"),
    [
        (_compacted(COUNTER, 0, 0, 0, 40e6, 40e6) + _compacted(COUNTER, 1, 0, 0, 0, 30e6), 70e6, 130e6),
        (_compacted(LOGGED, 0, 10e6, 1e6, 40e6, 20e6), 61e6, 121e6),
        (_compacted(COUNTER, 0, 0, 0, 900e6), 900e6, 240e6),
        (_compacted(COUNTER, 0, 500e6, 5e6, 25e6), 20e6, 80e6),
        (_compacted(COUNTER, 0, 0, 0, 50e6) + _compacted(LOGGED, 0, 20e6, 0, 20e6), 50e6, 110e6),
    ],
    ids=["of all subtasks", "from RocksDB's log", "at most the state", "after a restart", "the look that saw more"],
)
def test_an_incremental_checkpoint_may_write_what_compaction_rewrote_in_its_interval_too(
    samples: list[dict[str, Any]], rewritten: float, most: float
) -> None:
    facts = _growing(*samples)
    assert (facts["next_interval_ms"], facts["next_incremental_bytes"]) == (60_000, 60 * MB)
    assert facts["compacted_bytes"] == rewritten
    assert facts["next_incremental_most_bytes"] == most
    assert facts["next_incremental_interval_ratio"] == pytest.approx(most / (10 * MB) / 60)


def test_compaction_that_was_measured_for_less_than_an_interval_gives_no_upper_bound() -> None:
    assert "compacted_bytes" not in _growing(*_compacted(COUNTER, 0, 0, 50e6))
