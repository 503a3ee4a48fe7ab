"""The states of the walk-throughs, step by step, and that what is stored adds up."""

from __future__ import annotations

import re

import pytest

from diagnostics.language import CHINESE, reading_in
from diagnostics.signals import DEFINITIONS
from diagnostics.walk_throughs import WALK_THROUGHS
from diagnostics.walk_throughs.recovery import CHECKPOINT_AT, FAILS_AT
from diagnostics.walk_throughs.walk_through import WalkThrough
from diagnostics.wording.phrase import placeholders

ALIGNED, CLASSIC, UNALIGNED = (
    WALK_THROUGHS[each] for each in ("aligned-barriers", "chandy-lamport", "unaligned-barriers")
)


def lanes(walk: WalkThrough, step: int) -> dict[str, list[str]]:
    return {lane.name: [item.text for item in lane.items] for lane in walk.steps[step].lanes}


def saved(walk: WalkThrough, step: int) -> dict[str, list[str]]:
    told = {lane.name: [item.text for item in lane.items if item.saved] for lane in walk.steps[step].lanes}
    return {name: items for name, items in told.items() if items}


@pytest.mark.parametrize("walk", [ALIGNED, CLASSIC, UNALIGNED], ids=lambda each: each.id)
def test_all_three_begin_with_the_same_channels_of_three_and_four_elements(walk: WalkThrough) -> None:
    assert lanes(walk, 0) == {
        "Channel 1": ["2", "barrier", "3"],
        "Channel 2": ["2", "9", "7", "barrier"],
        "Operator": ["sum 1"],
        "Output": ["1"],
    }


def test_aligned_blocks_the_first_channel_until_the_last_barrier_and_saves_no_data() -> None:
    blocked = [any(lane.note == "blocked" for lane in step.lanes) for step in ALIGNED.steps]
    assert blocked == [False, False, True, True, True, True, False, False]
    assert ALIGNED.steps[-1].checkpoint == ("state: sum 21", "in-flight data: none")
    assert lanes(ALIGNED, -2)["Output"] == ["1", "2", "2", "9", "7", "barrier"]


def test_chandy_and_lamport_record_9_and_7_as_the_state_of_the_channel() -> None:
    assert CLASSIC.steps[-1].checkpoint == ("state: sum 5", "channel 1: empty", "channel 2: 9, 7")
    assert 5 + 9 + 7 == 21


def test_unaligned_overtakes_2_in_the_channel_and_1_in_the_output() -> None:
    assert saved(UNALIGNED, 1) == {"Channel 1": ["2"], "Channel 2": ["2", "9", "7"], "Output": ["1"]}
    assert lanes(UNALIGNED, 1)["Output"] == ["barrier", "1"]
    assert UNALIGNED.steps[-1].checkpoint == ("state: sum 1", "channel 1: 2", "output: 1", "channel 2: 2, 9, 7")
    assert 1 + 2 + 2 + 9 + 7 == 21


def test_recovery_goes_back_to_the_checkpoint_and_replays_two_records() -> None:
    walk = WALK_THROUGHS["recovery"]
    assert FAILS_AT - CHECKPOINT_AT == 2
    assert lanes(walk, 3)["Sum"] == ["flink 1, hello 2, world 2"]
    assert (lanes(walk, 4)["Source"], lanes(walk, 4)["Sum"]) == (["offset 3"], ["hello 2, world 1"])
    assert saved(walk, 4)["Records of the source"] == ["4 flink", "5 world"]
    assert lanes(walk, 5)["Sum"] == lanes(walk, 3)["Sum"]


def test_two_phase_commit_shows_records_only_after_the_commit() -> None:
    walk = WALK_THROUGHS["two-phase-commit"]
    visible = [lanes(walk, step)["Kafka: committed, visible to readers"] for step in range(4)]
    assert visible == [[], [], [], ["a", "b", "c"]]
    assert [step.title for step in walk.steps[:2]] + [walk.steps[3].title] == [
        "beginTransaction",
        "preCommit",
        "commit",
    ]


def test_a_barrier_is_broadcast_on_every_channel_and_a_record_goes_to_one_subtask_s130() -> None:
    walk = WALK_THROUGHS["broadcast-barriers"]
    channels = [{name: items for name, items in lanes(walk, step).items() if " to " in name} for step in range(5)]

    assert all(len(each) == 6 for each in channels)
    barriers = [sorted(name for name, items in each.items() if "barrier" in items) for each in channels]
    assert barriers[1] == ["Source 1 to Sum 1", "Source 1 to Sum 2", "Source 1 to Sum 3"], "the empty channel too"
    assert len(barriers[3]) == 5, "of six, one has arrived"
    assert all(items[-1] == "barrier" for items in channels[3].values() if "barrier" in items), "behind the records"
    for key in ("a", "b", "c"):
        assert len({name[-5:] for name, items in channels[0].items() if any(each[0] == key for each in items)}) == 1
    assert walk.steps[-1].checkpoint == (
        "Source 1: offset",
        "Source 2: offset",
        "Sum 1: a 6",
        "Sum 2: b 1",
        "Sum 3: c 1",
    )


@pytest.mark.parametrize("walk", WALK_THROUGHS.values(), ids=lambda each: each.id)
def test_the_sentences_about_a_case_ask_for_what_is_measured(walk: WalkThrough) -> None:
    named = [reference.rpartition(".") for sentence in walk.own for reference, _ in placeholders(sentence)]
    assert [f"{key}.{fact}" for key, _, fact in named if fact not in DEFINITIONS[key].facts] == []


HAN = re.compile(r"[\u4e00-\u9fff]")


@pytest.mark.parametrize("walk", WALK_THROUGHS.values(), ids=lambda each: each.id)
def test_a_walk_through_is_in_the_language_of_its_reader(walk: WalkThrough) -> None:
    with reading_in(CHINESE):
        read, steps = walk.read(), walk.steps
    texts = [read.title, read.summary, *read.afterwards, *read.own, *(step.text for step in steps)]
    assert [text for text in texts if not HAN.search(text)] == []
    assert [set(placeholders(text)) for text in read.own] == [set(placeholders(text)) for text in walk.own]
    assert not any(HAN.search(step.text) for step in walk.steps)
