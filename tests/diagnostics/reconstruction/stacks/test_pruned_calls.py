from __future__ import annotations

from typing import Any

from diagnostics.reconstruction.stacks.pruned_calls import MERGED, MOST_NODES, tree_of

RUN = "java.lang.Thread.run"
PARK = "jdk.internal.misc.Unsafe.park"
WORK = "com.acme.Score.score"


def stack(frames: list[str], weight: float, state: str | None = None) -> dict[str, Any]:
    return {"frames": frames, "weight": weight, "state": state}


def test_weights_add_up_and_waiting_is_distinguished_from_running() -> None:
    tree = tree_of([stack([RUN, WORK], 30), stack([RUN, PARK], 70), stack([RUN, WORK, "java.util.HashMap.get"], 10)])

    frames = {frame[0]: frame for frame in tree["frames"]}
    assert tree["total"] == 110
    assert frames[RUN][2:] == [110, 70, 0]  # in all, of them waiting, on itself
    assert frames[WORK][2:] == [40, 0, 30]
    assert frames[PARK][2:] == [70, 70, 70]


def test_a_thread_that_a_dump_calls_blocked_waits_whatever_its_top_frame() -> None:
    assert tree_of([stack([RUN, WORK], 1, "BLOCKED")])["frames"][0][3] == 1


def test_frames_under_a_thousandth_are_merged_with_their_weight() -> None:
    tree = tree_of([stack([RUN, WORK], 9990), *(stack([RUN, f"rare.C.m{number}"], 1) for number in range(10))])

    merged = [frame for frame in tree["frames"] if frame[0] == MERGED]
    assert [frame[2] for frame in merged] == [10]
    assert tree["merged_share"] == 0.001  # 10 of 10,000


def test_a_wide_tree_is_cut_to_what_a_page_can_draw() -> None:
    tree = tree_of(
        [stack([RUN, f"a.B.m{number}"], 1) for number in range(900)]
        + [stack([RUN, f"c.D{n}.x", "e.F.y"], 1) for n in range(90)]
    )
    wide = tree_of(stack([f"r{root}.A.b", f"s{leaf}.C.d"], 100) for root in range(40) for leaf in range(40))

    assert len(tree["frames"]) <= MOST_NODES
    assert sum(1 for frame in wide["frames"] if frame[0] != MERGED) <= MOST_NODES
    root = wide["frames"][0]
    children = sum(frame[2] for frame in wide["frames"] if frame[1] == 0)
    assert root[2] == children == 160_000  # 40 * 40 * 100: nothing is lost
