"""Channels between subtasks, and the barriers that travel on them."""

from __future__ import annotations

from diagnostics.reconstruction.job.channels import barriers_waited_for, exchanges
from diagnostics.reconstruction.job.cluster import Cluster, Task

JOB = "a" * 32


def cluster(*edges: tuple[str, str, str], **parallelism: int) -> Cluster:
    """Tasks with their parallelism, and edges from one to another with the strategy."""
    tasks = {(JOB, name): Task(JOB, name, name, parallelism=count) for name, count in parallelism.items()}
    inputs: dict[tuple[str | None, str], tuple[tuple[str, str | None], ...]] = {}
    for source, target, strategy in edges:
        inputs[JOB, target] = (*inputs.get((JOB, target), ()), (source, strategy))
    return Cluster(tasks=tasks, inputs=inputs)


def test_a_barrier_goes_from_every_subtask_to_every_subtask_of_an_exchange_by_key() -> None:
    job = cluster(("source", "sum", "HASH"), source=2, sum=3)

    assert barriers_waited_for(job, JOB) == {"sum": 2}
    assert [each.channels for each in exchanges(job, JOB)] == [6]


def test_a_forward_edge_has_one_channel_for_each_subtask() -> None:
    job = cluster(("source", "map", "FORWARD"), source=4, map=4)

    assert barriers_waited_for(job, JOB) == {"map": 1}
    assert [each.channels for each in exchanges(job, JOB)] == [4]


def test_a_task_with_two_inputs_waits_for_the_barriers_of_both() -> None:
    job = cluster(("clicks", "join", "HASH"), ("orders", "join", "HASH"), clicks=2, orders=5, join=3)

    assert barriers_waited_for(job, JOB) == {"join": 7}


def test_edges_of_other_jobs_and_of_unknown_parallelism_count_nothing() -> None:
    job = cluster(("source", "sum", "HASH"), source=2)

    assert barriers_waited_for(job, JOB) == {}
    assert barriers_waited_for(cluster(("source", "sum", "HASH"), source=2, sum=3), "b" * 32) == {}
