from __future__ import annotations

from typing import Any

from diagnostics.charting.chart import Theme
from diagnostics.charts.flame_graph import CHART
from diagnostics.reconstruction.stacks.pruned_calls import tree_of
from diagnostics.wording.phrase import FORMATS
from tests.diagnostics.hand_made import JOB, MIDDLE, SINK, START, hand_made, line_of_jobs

RUN = "java.lang.Thread.run"
PARK = "jdk.internal.misc.Unsafe.park"
WORK = "com.acme.Score.score"


def stack(frames: list[str], weight: float, state: str | None = None) -> dict[str, Any]:
    return {"frames": frames, "weight": weight, "state": state}


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


def test_samples_that_wait_for_input_are_folded() -> None:
    idle = "org.apache.flink.streaming.runtime.tasks.mailbox.TaskMailboxImpl.take"
    both = [([RUN, WORK], 10.0), ([RUN, idle, PARK], 30.0)]
    told = {"job_id": JOB, "vertex_id": SINK, "profile": "flame-graph", "mode": "full"}
    rows = [{**told, "frames": frames, "weight": weight} for frames, weight in both]

    points = CHART.points(hand_made(**line_of_jobs(), stack_sample=rows))

    assert points is not None
    job = points["jobs"][0]
    assert (job["total"], job["idle"]) == (10.0, 30.0)
    assert PARK not in [name for name, *_ in job["frames"]]
    assert "75 % of the samples wait for input or for room in the output and are folded" in CHART.summary(points)
    rarely = [{**rows[0], "weight": 1.0}, rows[1]]
    hardly_busy = CHART.points(hand_made(**line_of_jobs(), stack_sample=rarely))
    assert hardly_busy is not None
    assert "hardly works: 97 % of the samples wait" in CHART.summary(hardly_busy)
    assert "Most are in" not in CHART.summary(hardly_busy)
    only_idle = CHART.points(hand_made(**line_of_jobs(), stack_sample=rows[1:]))
    assert only_idle is not None
    assert (only_idle["jobs"][0]["total"], only_idle["jobs"][0]["idle"]) == (30.0, 0.0)


def test_a_profile_before_the_trouble_is_not_added_to_one_of_it() -> None:
    idle = "org.apache.flink.streaming.runtime.tasks.mailbox.TaskMailboxImpl.take"
    told = {"job_id": JOB, "vertex_id": SINK, "profile": "flame-graph", "mode": "full"}
    before = [
        {**told, "ts_ms": START, "frames": [RUN, idle, PARK], "weight": 362.0},
        {**told, "ts_ms": START, "frames": [RUN, WORK], "weight": 38.0},
    ]
    during = [{**told, "ts_ms": START + 60_000, "frames": [RUN, WORK], "weight": 400.0}]

    points = CHART.points(hand_made(**line_of_jobs(), stack_sample=[*before, *during]))
    alone = CHART.points(hand_made(**line_of_jobs(), stack_sample=during))

    assert points is not None
    assert alone is not None
    assert (points["jobs"][0]["total"], points["jobs"][0]["idle"]) == (400.0, 0.0)
    drawn = FORMATS["time"](START + 60_000)
    assert CHART.summary(points).endswith(f"Of its 2 profiles the one with the most work is drawn, that of {drawn}.")
    assert "profiles" not in CHART.summary(alone)


def test_samples_of_thread_dumps_are_added_and_their_times_are_said() -> None:
    told = {"profile": "thread-dump", "mode": "dump", "vertex": "enrich", "frames": [RUN, WORK], "weight": 1.0}
    dumps = [{**told, "ts_ms": START + 1_000 * each} for each in range(3)]

    points = CHART.points(hand_made(**line_of_jobs(), stack_sample=dumps))

    assert points is not None
    assert points["jobs"][0]["total"] == 3.0
    first, last = (FORMATS["time"](START + each) for each in (0, 2_000))
    assert f"The samples of 3 thread dumps are added, from {first} to {last}." in CHART.summary(points)


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
        "score: 25 % of the samples wait, the rest run. Most are in com.acme.Job$<init>.run (75 %)."
    )
    assert CHART.table(points)[1][2:4] == ["com.acme.Job$<init>.run", 75]


def test_each_of_several_jobs_is_named_before_its_task() -> None:
    tree = tree_of([stack([RUN, "com.acme.Job.run"], 120)])
    jobs = [
        {"job_id": name, "name": name, "vertex": task, "profile": "collapsed", "mode": "wall", **tree}
        for name, task in (("orders", "score"), ("views", "Source: pages"))
    ]
    told = CHART.summary({"jobs": jobs})
    assert told.startswith("orders: score: all of the samples run.")
    assert "views: Source: pages: all of the samples run." in told


def test_a_share_of_few_samples_is_a_number() -> None:
    tree = tree_of([stack([RUN, "com.acme.Job.run"], 12), stack([RUN, "com.acme.Job.read"], 3)])
    job = {"job_id": JOB, "name": "orders", "vertex": "score", "profile": "collapsed", "mode": "wall", **tree}

    assert CHART.summary({"jobs": [job]}).endswith("Most are in com.acme.Job.run (12 of 15).")


def test_a_share_that_would_be_said_as_the_whole_is_nearly_all() -> None:
    tree = tree_of([stack([RUN, "com.acme.Job.run"], 1197), stack([RUN, "com.acme.Job.read"], 3)])
    job = {"job_id": JOB, "name": "orders", "vertex": "score", "profile": "collapsed", "mode": "wall", **tree}

    assert CHART.summary({"jobs": [job]}).endswith("Nearly all are in com.acme.Job.run.")


def test_a_task_without_work_is_idle_and_one_at_work_is_drawn_before_it() -> None:
    idle = "org.apache.flink.streaming.runtime.tasks.mailbox.TaskMailboxImpl.take"
    told = {"job_id": JOB, "profile": "flame-graph", "mode": "full"}
    waiting = {**told, "vertex_id": MIDDLE, "frames": [RUN, idle, PARK], "weight": 30.0}
    working = {**told, "vertex_id": SINK, "frames": [RUN, WORK], "weight": 1.0}

    alone = CHART.points(hand_made(**line_of_jobs(), stack_sample=[waiting]))
    both = CHART.points(hand_made(**line_of_jobs(), stack_sample=[waiting, working]))

    assert alone is not None
    assert both is not None
    assert CHART.summary(alone) == (
        "enrich is idle in all samples: its threads wait for input or for room in the output."
    )
    assert both["jobs"][0]["vertex"] == "Sink: documents"
