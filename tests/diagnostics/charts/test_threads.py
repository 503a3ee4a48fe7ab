from __future__ import annotations

from diagnostics.charting.chart import Theme
from diagnostics.charts.threads import CHART, points_of
from diagnostics.notation.thread_stack import thread_of
from diagnostics.reconstruction.stacks.thread_locks import DumpedThread, lock_queues

DUMP = """"writer" #12 prio=5 tid=0x1 nid=0x2 waiting for monitor entry
   java.lang.Thread.State: BLOCKED (on object monitor)
	at com.acme.Cache.put(Cache.java:1)
	- waiting to lock <0x0000000000000001> (a java.lang.Object)
	- locked <0x0000000000000002> (a java.lang.Class for com.acme.Cache)

   Locked ownable synchronizers:
	- <0x0000000000000003> (a java.util.concurrent.locks.ReentrantLock$NonfairSync)"""


def thread(name: str, waits_for: str | None = None, *holds: str, state: str = "BLOCKED") -> DumpedThread:
    return DumpedThread(name, state, ("java.lang.Thread.run", f"com.acme.{name}.run"), waits_for, holds)


def test_the_locks_of_a_thread_are_read_as_jstack_prints_them() -> None:
    found = thread_of(DUMP.splitlines())

    assert found is not None
    assert found.waits_for == "java.lang.Object@0x0000000000000001"
    assert found.holds == [
        "java.lang.Class for com.acme.Cache@0x0000000000000002",
        "java.util.concurrent.locks.ReentrantLock$NonfairSync@0x0000000000000003",
    ]


def test_a_monitor_given_up_in_wait_is_not_held() -> None:
    printed = ['"w" #1 in Object.wait()', "\t- waiting on <0x1> (a X)", "\t- locked <0x1> (a X)"]

    found = thread_of(printed)

    assert found is not None
    assert (found.waits_for, found.holds) == (None, [])


def test_locks_of_flinks_rest_answer_are_read_too() -> None:
    printed = ['"a" Id=1 BLOCKED on X@1 owned by "b" Id=2', "\t-  blocked on java.lang.Object@1f", "\t-  locked Y@2"]

    found = thread_of(printed)

    assert found is not None
    assert (found.waits_for, found.holds) == ("java.lang.Object@1f", ["Y@2"])


def test_threads_that_wait_for_each_other_are_a_deadlock() -> None:
    queues = lock_queues([thread("a", "L2", "L1"), thread("b", "L1", "L2"), thread("c", "L1")])

    assert queues[0].circle in (("a", "b"), ("b", "a"))
    assert "Deadlock: " in CHART.summary(points_of({(0, 0): [thread("a", "L2", "L1"), thread("b", "L1", "L2")]}))


def test_a_chain_leads_to_the_thread_that_does_not_wait() -> None:
    queues = lock_queues([thread("a", "L1"), thread("b", "L2", "L1"), thread("c", None, "L2", state="RUNNABLE")])

    chain = next(queue for queue in queues if queue.lock == "L1")
    assert (chain.chain, chain.circle) == (("b", "c"), ())


def test_a_pool_that_parks_for_work_waits_for_nobody() -> None:
    assert lock_queues([thread("idle", "queue", state="WAITING")]) == []


def test_equal_stacks_are_counted_at_once_and_over_the_dumps() -> None:
    same = [thread("pool", state="WAITING") for _ in range(3)]

    points = points_of({(0, 1000): same, (0, 2000): same[:2]})

    assert (points["groups"][0]["threads"], points["groups"][0]["dumps"]) == (3, 2)
    assert points["dumps"][1]["states"] == {"WAITING": 2}
    assert CHART.figure(points, Theme("light"))["data"][0]["y"] == [3, 2]
