"""Access to Redis: queueing tasks, signs of life of workers, publish/subscribe."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import redis
from celery import current_app
from django.conf import settings
from django.db import transaction

WORKER_KEY = f"{settings.CELERY_TASK_DEFAULT_QUEUE}:worker-beat"
WORKER_BEAT_SECONDS = 3.0
WORKER_SILENT_SECONDS = 15
"""A worker silent for this long does not count. Our choice: five beats."""

WARMING_KEY = f"{settings.CELERY_TASK_DEFAULT_QUEUE}:warming"
WARMING_SECONDS = 90.0
"""How long a process counts as warming up, whatever becomes of it. Our choice: a busy machine took 35 s."""

SPARK_KEY = f"{settings.CELERY_TASK_DEFAULT_QUEUE}:spark-missed"
SPARK_MISSED_SECONDS = 25
"""Our choice: longer than a worker takes to find out that a server hangs."""


@cache
def _redis() -> redis.Redis:
    return redis.Redis.from_url(settings.REDIS_URL, socket_connect_timeout=2, socket_timeout=2)


class Messages:
    """Messages published on a channel after subscribing."""

    def __init__(self, subscription: redis.client.PubSub) -> None:
        self._subscription = subscription

    def next_within(self, seconds: float) -> bytes | None:
        """The next message; None when there is none in that time. Raises redis.RedisError."""
        message = self._subscription.get_message(ignore_subscribe_messages=True, timeout=seconds)
        return message["data"] if message else None


def publish(channel: str, message: str) -> None:
    """Publishes a message to the present subscribers. Raises redis.RedisError."""
    _redis().publish(channel, message)


@contextmanager
def subscribed(channel: str) -> Iterator[Messages]:
    """Subscribes to a channel within the block. Raises redis.RedisError."""
    with _redis().pubsub() as subscription:  # type: ignore[no-untyped-call]
        subscription.subscribe(channel)
        yield Messages(subscription)


def send_when_committed(task: str, *arguments: Any) -> None:
    """Queues a task, by its full name, after the transaction is committed.

    A broker that is down must not turn a stored change into an error page: the row waits, the recovery of lost rows
    queues the task later, and `/readyz` reports the broker.
    """

    def send() -> None:  # a function, because Django logs its name on failure, which a partial does not have
        current_app.send_task(task, arguments)

    transaction.on_commit(send, robust=True)


def broker_answers() -> None:
    """Raises redis.RedisError when the broker does not answer."""
    _redis().ping()


def worker_beat() -> None:
    """Records that a worker accepts tasks."""
    _redis().set(WORKER_KEY, 1, ex=WORKER_SILENT_SECONDS)


def worker_seen() -> bool:
    """Whether any worker did so recently. Raises redis.RedisError."""
    return bool(_redis().exists(WORKER_KEY))


def warm_up_begins(processes: Iterable[str]) -> None:
    """Records that these processes of a worker warm up; each counts until its end is recorded, or WARMING_SECONDS."""
    until = time.time() + WARMING_SECONDS
    _redis().zadd(WARMING_KEY, dict.fromkeys(processes, until))


def warm_up_ends(process: str) -> None:
    """Records that a process does not warm up any more."""
    _redis().zrem(WARMING_KEY, process)


def warming_up() -> int:
    """Number of processes that warm up. Raises redis.RedisError."""
    return int(_redis().zcount(WARMING_KEY, time.time(), "+inf"))


def spark_missed() -> None:
    """Records that a worker waits for Spark; expires after SPARK_MISSED_SECONDS."""
    _redis().set(SPARK_KEY, 1, ex=SPARK_MISSED_SECONDS)


def spark_is_missed() -> bool:
    """Whether a worker did so recently. Raises redis.RedisError."""
    return bool(_redis().exists(SPARK_KEY))


def messages_waiting() -> int:
    """Number of queued messages. Raises redis.RedisError."""
    return int(_redis().llen(settings.CELERY_TASK_DEFAULT_QUEUE))
