"""Access to Redis beside the queue: sending tasks, signs of life of workers, published messages."""

from __future__ import annotations

from collections.abc import Iterator
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
"""A worker that said nothing for so long does not count. Our choice: five beats."""

SPARK_KEY = f"{settings.CELERY_TASK_DEFAULT_QUEUE}:spark-missed"
SPARK_MISSED_SECONDS = 25
"""Our choice: longer than a worker takes to find out that a server hangs."""


@cache
def _redis() -> redis.Redis:
    return redis.Redis.from_url(settings.REDIS_URL, socket_connect_timeout=2, socket_timeout=2)


class Messages:
    """What is published on a channel from now on."""

    def __init__(self, subscription: redis.client.PubSub) -> None:
        self._subscription = subscription

    def next_within(self, seconds: float) -> bytes | None:
        """The next message; None when there is none in that time. Raises redis.RedisError."""
        message = self._subscription.get_message(ignore_subscribe_messages=True, timeout=seconds)
        return message["data"] if message else None


def publish(channel: str, message: str) -> None:
    """Sends a message to whoever listens now. Raises redis.RedisError."""
    _redis().publish(channel, message)


@contextmanager
def subscribed(channel: str) -> Iterator[Messages]:
    """Listens to a channel while the block runs. Raises redis.RedisError."""
    with _redis().pubsub() as subscription:  # type: ignore[no-untyped-call]
        subscription.subscribe(channel)
        yield Messages(subscription)


def send_when_committed(task: str, *arguments: Any) -> None:
    """Queues the message of a task, by its full name, once the transaction is committed.

    A broker that is down must not turn what is stored into an error page: the row waits, whoever looks after lost rows
    sends the message later, and `/readyz` names the broker.
    """

    def send() -> None:  # a function: where it fails, Django logs its name, which a partial does not have
        current_app.send_task(task, arguments)

    transaction.on_commit(send, robust=True)


def broker_answers() -> None:
    """Raises redis.RedisError when the broker does not answer."""
    _redis().ping()


def worker_beat() -> None:
    """Says that a worker takes work."""
    _redis().set(WORKER_KEY, 1, ex=WORKER_SILENT_SECONDS)


def worker_seen() -> bool:
    """Whether any worker said so lately. Raises redis.RedisError."""
    return bool(_redis().exists(WORKER_KEY))


def spark_missed() -> None:
    """Says that a worker waits for Spark, which does not answer; it holds for SPARK_MISSED_SECONDS."""
    _redis().set(SPARK_KEY, 1, ex=SPARK_MISSED_SECONDS)


def spark_is_missed() -> bool:
    """Whether a worker said so lately. Raises redis.RedisError."""
    return bool(_redis().exists(SPARK_KEY))


def messages_waiting() -> int:
    """How many messages no worker has taken yet. Raises redis.RedisError."""
    return int(_redis().llen(settings.CELERY_TASK_DEFAULT_QUEUE))
