from __future__ import annotations

from diagnostics.reconstruction.stacks.thread_locks import DumpedThread, lock_queues


def thread(name: str, waits_for: str | None = None, *holds: str, state: str = "BLOCKED") -> DumpedThread:
    return DumpedThread(name, state, ("java.lang.Thread.run", f"com.acme.{name}.run"), waits_for, holds)


def test_threads_that_wait_for_each_other_are_a_deadlock() -> None:
    queues = lock_queues([thread("a", "L2", "L1"), thread("b", "L1", "L2"), thread("c", "L1")])

    assert [each.name for each in queues[0].circle] in (["a", "b"], ["b", "a"])


def test_a_chain_leads_to_the_thread_that_does_not_wait() -> None:
    queues = lock_queues([thread("a", "L1"), thread("b", "L2", "L1"), thread("c", None, "L2", state="RUNNABLE")])

    chain = next(queue for queue in queues if queue.lock == "L1")
    assert ([each.name for each in chain.chain], chain.circle) == (["b", "c"], ())


def test_a_parked_pool_is_not_waiting_for_a_lock() -> None:
    assert lock_queues([thread("idle", "queue", state="WAITING")]) == []
