from __future__ import annotations

from diagnostics.charting.chart import Theme
from diagnostics.charts.threads import CHART, points_of
from diagnostics.reconstruction.stacks.thread_locks import DumpedThread


def thread(name: str, waits_for: str | None = None, *holds: str, state: str = "BLOCKED") -> DumpedThread:
    return DumpedThread(name, state, ("java.lang.Thread.run", f"com.acme.{name}.run"), waits_for, holds)


def test_equal_stacks_are_counted_at_once_and_over_the_dumps() -> None:
    same = [thread("pool", state="WAITING") for _ in range(3)]

    points = points_of({(0, 1000): same, (0, 2000): same[:2]})

    assert (points["groups"][0]["threads"], points["groups"][0]["dumps"]) == (3, 2)
    assert points["dumps"][1]["states"] == {"WAITING": 2}
    assert CHART.figure(points, Theme("light"))["data"][0]["y"] == [3, 2]


def test_a_deadlock_is_named_in_the_summary() -> None:
    assert "Deadlock: " in CHART.summary(points_of({(0, 0): [thread("a", "L2", "L1"), thread("b", "L1", "L2")]}))


def test_every_lock_that_as_many_threads_wait_for_is_named() -> None:
    one = [thread("a", "L1"), thread("holder", None, "L1", state="RUNNABLE")]
    two = [*one, thread("b", "L2"), thread("c", None, "L2", state="RUNNABLE")]

    said = CHART.summary(points_of({(0, 1000): one, (0, 2000): two}))
    assert "1 thread waits for L1, held by holder in com.acme.holder.run." in said
    assert "1 thread waits for L2, held by c in com.acme.c.run." in said
    assert said.count("1 thread waits for L1") == 1

    three = [*two, thread("d", "L2")]
    crowded = CHART.summary(points_of({(0, 1000): two, (0, 2000): three}))
    assert "2 threads wait for L2" in crowded
    assert "L1" not in crowded

    many = [each for n in range(5) for each in (thread(f"w{n}", f"L{n}"), thread(f"h{n}", None, f"L{n}"))]
    assert "2 more locks have as many." in CHART.summary(points_of({(0, 1000): many}))


def test_parked_threads_are_folded_and_counted() -> None:
    pool = DumpedThread("pool", "WAITING", ("java.lang.Thread.run", "jdk.internal.misc.Unsafe.park"), None, ())
    points = points_of({(0, 1000): [pool] * 30 + [thread("work", state="RUNNABLE")], (0, 2000): [pool] * 40})

    assert (points["parked"], [group["parked"] for group in points["groups"]]) == (40, [False, True])
    figure = CHART.figure(points, Theme("light"))
    assert figure["data"][-1]["x"] == [1]
    titles = [each["text"] for each in figure["layout"]["annotations"]]
    assert "Equal stacks together: threads at once · 40 parked threads folded" in titles
    assert "Up to 40 threads wait for work at once (parked, folded)." in CHART.summary(points)
    assert sum(row[0] == "equal stacks" for row in CHART.table(points)) == 2


def test_where_all_threads_are_parked_they_are_drawn() -> None:
    pool = DumpedThread("pool", "WAITING", ("java.lang.Thread.run", "jdk.internal.misc.Unsafe.park"), None, ())
    figure = CHART.figure(points_of({(0, 1000): [pool] * 3}), Theme("light"))
    assert figure["data"][-1]["x"] == [3]
    assert not any("folded" in each["text"] for each in figure["layout"]["annotations"])
