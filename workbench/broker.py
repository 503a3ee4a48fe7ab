"""What the workbench asks Redis beside the queue itself: is a worker alive, is anything waiting."""

from __future__ import annotations

from functools import cache

import redis
from django.conf import settings

WORKER_KEY = f"{settings.CELERY_TASK_DEFAULT_QUEUE}:worker-beat"
WORKER_BEAT_SECONDS = 3.0
WORKER_SILENT_SECONDS = 15
"""A worker that said nothing for so long does not count. Our choice: five beats."""


@cache
def _redis() -> redis.Redis:
    return redis.Redis.from_url(settings.REDIS_URL, socket_connect_timeout=2, socket_timeout=2)


def broker_answers() -> None:
    """Raises redis.RedisError when the broker does not answer."""
    _redis().ping()


def worker_beat() -> None:
    """Says that a worker takes work."""
    _redis().set(WORKER_KEY, 1, ex=WORKER_SILENT_SECONDS)


def worker_seen() -> bool:
    """Whether any worker said so lately. Raises redis.RedisError."""
    return bool(_redis().exists(WORKER_KEY))


def messages_waiting() -> int:
    """How many messages no worker has taken yet. Raises redis.RedisError."""
    return int(_redis().llen(settings.CELERY_TASK_DEFAULT_QUEUE))
