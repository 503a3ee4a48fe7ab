"""The improvements that the source documents state, as a pair of snapshots shows them: in percent and as a factor."""

from __future__ import annotations

import pytest

from diagnostics.proof.quantities import GROUPS
from diagnostics.proof.quantity import Observed, Quantity, judge
from diagnostics.proof.reading import reading_of_samples, reading_of_share
from diagnostics.proof.words import change_in_words

NOISE = (0.97, 0.98, 0.99, 1.0, 1.0, 1.01, 1.02, 1.03)
"""Eight checkpoints of each snapshot scatter by three percent."""
MINUTE = 60_000.0
M = "\N{MINUS SIGN}"


def duration_change(before_ms: float, after_ms: float) -> str:
    quantity = Quantity("usual", "Duration of checkpoints", "duration", lambda _: None, least=1000.0)
    sides = [reading_of_samples([value * part for part in NOISE], "checkpoint") for value in (before_ms, after_ms)]
    return change_in_words(judge(quantity, *sides))


@pytest.mark.parametrize(
    ("row", "before_ms", "after_ms", "shown"),
    [
        ("S026: upload time", 10_000.0, 7_000.0, f"{M}3 s ({M}30 %)"),
        ("S062: 100 GB incremental", 10 * MINUTE, 2 * MINUTE, f"{M}8 min ({M}80 %, 5 times shorter)"),
        ("S080: checkpoint", 5 * MINUTE, 30_000.0, f"{M}4 min 30 s ({M}90 %, 10 times shorter)"),
    ],
)
def test_a_duration_that_fell_is_shown_in_percent_and_as_a_factor(
    row: str, before_ms: float, after_ms: float, shown: str
) -> None:
    assert duration_change(before_ms, after_ms) == shown, row


@pytest.mark.parametrize(
    ("row", "failed_before", "failed_after", "shown"),
    [
        ("S020: failure rate", 100, 30, f"{M}35 points ({M}70 %, 3.3 times smaller)"),
        ("S070: failures", 100, 40, f"{M}30 points ({M}60 %, 2.5 times smaller)"),
    ],
)
def test_a_failure_rate_that_fell_is_shown_in_points_and_in_percent(
    row: str, failed_before: int, failed_after: int, shown: str
) -> None:
    """Of two hundred checkpoints each."""
    quantity = Quantity("failed", "Failed checkpoints", "percent", lambda _: None)
    sides = [reading_of_share(count, 200) for count in (failed_before, failed_after)]

    assert change_in_words(judge(quantity, *sides)) == shown, row


def observed(*courses: list[float], measure: str = "back_pressured") -> Observed:
    """A job of one task; a column of ten-second slots for each subtask."""
    subtasks = [{"busy": course, "back_pressured": course, measure: course} for course in courses]
    jobs = [{"job_id": "a", "vertices": [{"vertex": "enrich", "subtasks": subtasks}]}]
    charts = {"subtask-activity": {"slot_ms": 10_000, "jobs": jobs}}
    return Observed(lambda _: None, "a", "enrich", {}, charts)


def quantity(name: str) -> Quantity:
    return next(each for group in GROUPS.values() for each in group if each.id == name)


def with_facts(**facts: object) -> Observed:
    """A job of which only these facts are known; `__` stands for the point in a fact's name."""
    known = {name.replace("__", "."): value for name, value in facts.items()}
    return Observed(lambda fact: known.get(fact), "a", None, {}, {})  # type: ignore[arg-type, return-value]


def test_times_that_back_pressure_became_high_are_counted_per_hour_s053() -> None:
    """A burst in every sixth slot of an hour is sixty times; in every tenth it is 36 times, 40 % less."""
    often = [0.9 if slot % 6 == 3 else 0.0 for slot in range(360)]
    seldom = [0.9 if slot % 10 == 3 else 0.0 for slot in range(360)]
    counted = quantity("pressure-episodes")
    before, after = (counted.read(observed(course)) for course in (often, seldom))

    assert before is not None
    assert after is not None
    assert (before.value, after.value) == (60.0, 36.0)
    assert f"{M}40 %" in change_in_words(judge(counted, before, after))


def test_a_long_back_pressure_began_once() -> None:
    reading = quantity("pressure-episodes").read(observed([0.9] * 360))

    assert reading is not None
    assert reading.value == 1.0


def test_utilisation_is_the_mean_busy_time_of_all_subtasks_s092() -> None:
    reading = quantity("mean-busy").read(observed([0.9] * 30, [0.3] * 30))

    assert reading is not None
    assert reading.value == pytest.approx(0.6)


def test_slots_in_use_are_compared_s092() -> None:
    """Four of eight slots before, 5.2 of 8 as 13 of 20 after: 30 % more."""
    sides = (
        with_facts(slots__total_end=8, slots__free_end=4),
        with_facts(slots__total_end=20, slots__free_end=7),
    )
    used = quantity("slots-used")
    before, after = (used.read(side) for side in sides)

    assert before is not None
    assert before.basis == "4 of 8 slots at the end"
    assert change_in_words(judge(used, before, after)) == "+15 points (+30 %)"


def test_the_success_rate_of_checkpoints_is_compared_s075() -> None:
    sides = [with_facts(checkpoint_progress__completed=c, checkpoint_progress__failed=200 - c) for c in (100, 190)]
    rate = quantity("succeeded")
    effect = judge(rate, *(rate.read(side) for side in sides))

    assert change_in_words(effect) == "+45 points (+90 %, 1.9 times larger)"
    assert effect.judgement == "better"


def test_the_recovery_time_is_compared_s121() -> None:
    """Ten recoveries on each side: 40 s before, 100 s after, as with more in-flight data to restore."""
    took = quantity("recovery")
    before, after = (
        took.read(with_facts(recovery__durations_ms=[value * part for part in (*NOISE, 1.0, 1.0)]))
        for value in (40_000.0, 100_000.0)
    )
    effect = judge(took, before, after)

    assert effect.judgement == "worse"
    assert change_in_words(effect) == "+60 s (+150 %, 2.5 times longer)"
