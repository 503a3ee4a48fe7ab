from __future__ import annotations

from diagnostics.notation.thread_stack import thread_of

DUMP = """"writer" #12 prio=5 tid=0x1 nid=0x2 waiting for monitor entry
   java.lang.Thread.State: BLOCKED (on object monitor)
	at com.acme.Cache.put(Cache.java:1)
	- waiting to lock <0x0000000000000001> (a java.lang.Object)
	- locked <0x0000000000000002> (a java.lang.Class for com.acme.Cache)

   Locked ownable synchronizers:
	- <0x0000000000000003> (a java.util.concurrent.locks.ReentrantLock$NonfairSync)"""


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


def test_a_thread_that_waits_for_a_class_to_be_initialized_does_not_run() -> None:
    """The JVM gives such a thread the state RUNNABLE, and says in its header that it waits."""
    states = {"RUNNABLE": "WAITING", "TIMED_WAITING": "TIMED_WAITING"}
    for printed, state in states.items():
        lines = [
            '"a" #1 nid=0x1 in Object.wait() [0x1]',
            f"   java.lang.Thread.State: {printed}",
            "\tat a.B.c(B.java:1)",
        ]
        found = thread_of(lines)
        assert found is not None
        assert found.state == state
