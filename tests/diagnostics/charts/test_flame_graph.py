from __future__ import annotations

from typing import Any

from diagnostics.charting.chart import Theme
from diagnostics.charts.flame_graph import CHART
from diagnostics.reconstruction.stacks.pruned_calls import MERGED, MOST_NODES, tree_of
from tests.diagnostics.hand_made import JOB, MIDDLE, SINK, START, hand_made, line_of_jobs

RUN = "java.lang.Thread.run"
PARK = "jdk.internal.misc.Unsafe.park"
WORK = "com.acme.Score.score"


def stack(frames: list[str], weight: float, state: str | None = None) -> dict[str, Any]:
    return {"frames": frames, "weight": weight, "state": state}


def test_weights_add_up_and_waiting_is_told_apart_from_running() -> None:
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


def test_the_busiest_task_is_drawn_in_the_profile_that_shows_waiting_too() -> None:
    def sampled(vertex: str, mode: str, weight: float) -> dict[str, Any]:
        frames = [RUN, WORK]
        return {
            "job_id": JOB,
            "vertex_id": vertex,
            "profile": "flame-graph",
            "mode": mode,
            "frames": frames,
            "weight": weight,
        }

    busy = [
        {
            "metric": "busyTimeMsPerSecond",
            "scope": "task",
            "job_id": JOB,
            "vertex_id": vertex,
            "subtask": 0,
            "ts_ms": START,
            "value": value,
        }
        for vertex, value in ((MIDDLE, 950.0), (SINK, 20.0))
    ]
    evidence = hand_made(
        **line_of_jobs(),
        metric_sample=busy,
        stack_sample=[sampled(SINK, "full", 900.0), sampled(MIDDLE, "on-cpu", 50.0), sampled(MIDDLE, "full", 40.0)],
    )

    points = CHART.points(evidence)

    assert points is not None
    job = points["jobs"][0]
    assert (job["vertex"], job["mode"], job["total"]) == ("enrich", "full", 40.0)


def test_the_icicle_escapes_frames_and_names_the_hottest_one() -> None:
    tree = tree_of([stack([RUN, "com.acme.Job$<init>.run"], 75), stack([RUN, PARK], 25)])
    points = {
        "jobs": [{"job_id": JOB, "name": "orders", "vertex": "score", "profile": "collapsed", "mode": "wall", **tree}]
    }

    figure = CHART.figure(points, Theme("light"))

    icicle = figure["data"][0]
    assert icicle["parents"][:2] == ["", "0"]
    assert "Job$&lt;init&gt;.run" in icicle["labels"]
    assert CHART.summary(points) == (
        "score: 25 % of the samples wait, the others run. Most are in com.acme.Job$<init>.run (75 %)."
    )
    assert CHART.table(points)[1][2:4] == ["com.acme.Job$<init>.run", 75]
