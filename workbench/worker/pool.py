"""Signs of life of the worker's processes: a hanging one is killed and replaced."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Iterable
from typing import Protocol

from django.conf import settings

logger = logging.getLogger(__name__)

BEAT_SECONDS = 1.0
"""Interval of a pool process's signs of life. Our choice: one costs a few microseconds."""

HUNG_SECONDS = 30.0
"""A process without a sign for this long is killed. Our choice: twice the time after which a run counts as lost."""

_beats = multiprocessing.Array("d", settings.CELERY_WORKER_CONCURRENCY, lock=False)
"""Last sign of life of each pool process, by the monotonic clock, in shared memory."""


class PoolProcess(Protocol):
    """A process of Celery's pool: `index` is its place in the pool, which its replacement takes."""

    index: int
    pid: int | None


def start_beats(index: int) -> None:
    """In a pool process: give signs of life as long as it can run Python at all."""

    def beat() -> None:
        while True:
            _beats[index] = time.monotonic()
            time.sleep(BEAT_SECONDS)

    threading.Thread(target=beat, name="pool-beat", daemon=True).start()


def end_hung_processes(processes: Iterable[PoolProcess]) -> int:
    """In the worker's parent: kill pool processes without signs of life; Celery replaces them. Gives how many.

    Their tasks return to the queue.
    """
    now = time.monotonic()
    hung = [each for each in processes if each.pid and 0 < _beats[each.index] < now - HUNG_SECONDS]
    for process in hung:
        logger.warning("process %s has given no sign of life for %.0f s and is ended", process.pid, HUNG_SECONDS)
        _beats[process.index] = 0
        os.kill(process.pid or 0, signal.SIGKILL)
    return len(hung)
