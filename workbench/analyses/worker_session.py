"""The Spark Connect session that a worker process keeps for all its runs."""

from __future__ import annotations

import contextlib
import logging
import socket
import threading
import time
from functools import cache

import redis
from django.conf import settings

from diagnostics.errors import SparkUnavailable
from diagnostics.formats import flink_log
from diagnostics.spark import KeptSession
from diagnostics.spark_service.warm_up import analyse_samples
from workbench.machine import broker

logger = logging.getLogger(__name__)

SERVER_STARTS_SECONDS = 300.0
"""How long a new process waits for the server to warm up its session. Our choice: far longer than a server starts."""

WARM_UP = "warm-up"
"""Tag of the session's first work."""

SESSION_TURN = threading.Lock()
"""Held while a run or the warm-up uses the session."""


@cache
def worker_session() -> KeptSession:
    """The session of this process, opened by its warm-up or the first run."""
    return KeptSession(settings.SPARK_REMOTE)


def warm_up_expect() -> None:
    """Before the pool forks: records that its processes warm up, for those who wait for a warm workbench."""
    with contextlib.suppress(redis.RedisError):
        broker.warm_up_begins(_process(index) for index in range(settings.CELERY_WORKER_CONCURRENCY))


def _process(index: int) -> str:
    """The name of the pool's process at this place."""
    return f"{socket.gethostname()}-{index}"


def worker_session_prepare(index: int) -> threading.Thread:
    """Opens the session in the background and analyses the samples of some formats with it.

    A session's first analysis took four times as long as the next ones: it starts the Python daemon and its workers,
    and loads what this process loads when it is used. A run that comes first is not kept waiting.
    """

    def warm_up() -> None:
        try:
            _warm_up()
        finally:
            with contextlib.suppress(redis.RedisError):
                broker.warm_up_ends(_process(index))

    thread = threading.Thread(target=warm_up, name="spark-session", daemon=True)
    thread.start()
    return thread


def _warm_up() -> None:
    if not _is_open() or not SESSION_TURN.acquire(blocking=False):
        return
    began = time.monotonic()
    try:
        worker_session().run(
            lambda connected: analyse_samples(connected, settings.WORKSPACES_DIR, [flink_log.FORMAT]), WARM_UP
        )
    except Exception:
        logger.warning("the warm-up of the session failed, the first analysis is slower", exc_info=True)
    else:
        logger.info("the session is warmed up after %.1f s", time.monotonic() - began)
    finally:
        SESSION_TURN.release()


def _is_open() -> bool:
    """Whether the session is open, once the server answers."""
    deadline = time.monotonic() + SERVER_STARTS_SECONDS
    while time.monotonic() < deadline:
        try:
            worker_session().open()
        except SparkUnavailable:
            time.sleep(0.5)
        else:
            return True
    return False
