"""The channels between the subtasks of a job: on each one a barrier of every checkpoint travels.

Source: Flink documentation, "Network Memory Tuning Guide" (channels of an exchange) and "Stateful Stream Processing",
Barriers. An exchange that is not FORWARD connects every sending subtask with every receiving one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from diagnostics.reconstruction.job.cluster import Cluster

FORWARD = "FORWARD"


@dataclass(frozen=True, slots=True)
class Exchange:
    """One edge of a job graph whose both parallelisms are known.

    per_subtask  input channels of one receiving subtask
    """

    sender: str
    receiver: str
    senders: int
    receivers: int
    per_subtask: int

    @property
    def channels(self) -> int:
        """All channels of the edge."""
        return self.receivers * self.per_subtask


def exchanges(cluster: Cluster, job_id: str | None) -> Iterator[Exchange]:
    """The edges of a job, by ids of their tasks."""
    for (job, receiver_id), edges in cluster.inputs.items():
        receiver = cluster.tasks.get((job, receiver_id))
        for sender_id, strategy in edges:
            sender = cluster.tasks.get((job, sender_id))
            if job == job_id and receiver and sender and receiver.parallelism and sender.parallelism:
                per_subtask = 1 if strategy == FORWARD else sender.parallelism
                yield Exchange(sender_id, receiver_id, sender.parallelism, receiver.parallelism, per_subtask)


def barriers_waited_for(cluster: Cluster, job_id: str | None) -> dict[str, int]:
    """Id of each task with inputs -> the barriers that one of its subtasks waits for."""
    counts: Counter[str] = Counter()
    for each in exchanges(cluster, job_id):
        counts[each.receiver] += each.per_subtask
    return dict(counts)
