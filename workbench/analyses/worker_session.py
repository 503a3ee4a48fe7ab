"""The Spark Connect session that a worker process keeps for all its runs."""

from __future__ import annotations

import logging
import threading
import time
from functools import cache

from django.conf import settings

from diagnostics.errors import SparkUnavailable
from diagnostics.formats import flink_log
from diagnostics.spark import KeptSession
from diagnostics.spark_service.warm_up import analyse_samples

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


def worker_session_prepare() -> threading.Thread:
    """Opens the session in the background and analyses the sample of a Flink log with it.

    A session's first analysis took four times as long as the next ones: it starts the Python daemon and its workers,
    and loads what this process loads when it is used. The server analyses all samples itself. A run that comes first
    is not kept waiting.
    """
    thread = threading.Thread(target=_warm_up, name="spark-session", daemon=True)
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
