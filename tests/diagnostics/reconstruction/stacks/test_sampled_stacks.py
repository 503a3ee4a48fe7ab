"""The sampled stacks of an analysis, read once."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.aggregators import stack_samples as module
from diagnostics.reconstruction.stacks.sampled_stacks import SampledStacks, sampled_stacks
from tests.diagnostics.hand_made import hand_made


def sampled(*frames: str, weight: float = 1.0, **columns: Any) -> dict[str, Any]:
    return {"profile": "collapsed", "mode": "wall", "frames": list(frames), "weight": weight, **columns}


def read(*rows: dict[str, Any]) -> SampledStacks:
    stacks = sampled_stacks(hand_made(stack_sample=rows))
    assert stacks
    return stacks


def heaviest(stacks: SampledStacks, *keys: str) -> list[tuple[Any, ...]]:
    """Frames, keys and weight of each."""
    return [(row["frames"], *(row[key] for key in keys), row["weight"]) for row in stacks.rows(stacks.heaviest(keys))]


def test_equal_stacks_weigh_together_and_the_heaviest_come_first() -> None:
    stacks = read(sampled("run", "b", weight=3), sampled("run", "a", weight=2), sampled("run", "a", weight=2))
    assert heaviest(stacks) == [(["run", "a"], 4.0), (["run", "b"], 3.0)]


def test_stacks_of_one_weight_stand_in_the_order_of_their_keys_and_frames() -> None:
    stacks = read(
        sampled("run", "b", thread="t"),
        sampled("run", "b", "a", thread="t"),
        sampled("run", "c"),
        sampled("run"),
    )
    assert heaviest(stacks, "thread") == [
        (["run"], None, 1.0),
        (["run", "c"], None, 1.0),
        (["run", "b"], "t", 1.0),
        (["run", "b", "a"], "t", 1.0),
    ]


def test_a_stack_has_the_place_of_its_heaviest_sample() -> None:
    stacks = read(sampled("run", weight=1), sampled("run", weight=5), sampled("run", weight=2))
    (place,) = stacks.heaviest(())["place"].to_pylist()
    assert stacks.samples["line"][place].as_py() == 2


def test_a_thread_without_frames_is_in_its_dump_and_in_no_profile() -> None:
    stacks = read(sampled(profile="thread-dump", thread="GC Thread#0"), sampled("run"))
    assert stacks.threads["thread"].to_pylist() == ["GC Thread#0"]
    assert heaviest(stacks) == [(["run"], 1.0)]


def test_a_cut_stack_keeps_the_frames_at_its_root() -> None:
    stacks = read(sampled("run", "a", "b"), sampled("run", "a", "c"))
    (row,) = stacks.rows(stacks.heaviest((), stacks.cut(2)))
    assert (row["frames"], row["weight"]) == (["run", "a"], 2.0)


def test_of_too_many_samples_equal_stacks_are_one_whenever_they_were_taken_and_the_heaviest_are_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MOST_SAMPLES", 2)
    stacks = read(
        sampled("run", "a", weight=2, ts_ms=1),
        sampled("run", "a", weight=2, ts_ms=2),
        sampled("run", "b", weight=3),
        sampled("run", "c", weight=1),
    )
    assert heaviest(stacks) == [(["run", "a"], 4.0), (["run", "b"], 3.0)]
    assert stacks.left_out == 1
