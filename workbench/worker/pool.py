"""Signs of life of the worker's processes: one that hangs is killed and replaced."""

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
"""How often a process of the pool gives a sign of life. Our choice: it costs a few microseconds."""

HUNG_SECONDS = 30.0
"""A process that gave none for so long is ended. Our choice: twice as long as a run without one counts as lost."""

_beats = multiprocessing.Array("d", settings.CELERY_WORKER_CONCURRENCY, lock=False)
"""When each process of the pool last gave a sign of life, by the monotonic clock; the worker's processes share it."""


class PoolProcess(Protocol):
    """What Celery's pool says of a process: `index` is its place in the pool, which the one that replaces it takes."""

    index: int
    pid: int | None


def start_beats(index: int) -> None:
    """In a process of the pool: give signs of life from now on, as long as it can run Python at all."""

    def beat() -> None:
        while True:
            _beats[index] = time.monotonic()
            time.sleep(BEAT_SECONDS)

    threading.Thread(target=beat, name="pool-beat", daemon=True).start()


def end_hung_processes(processes: Iterable[PoolProcess]) -> int:
    """In the worker's parent: kill the processes without a sign of life; Celery starts others. Gives how many.

    Their tasks go back to the queue.
    """
    now = time.monotonic()
    hung = [each for each in processes if each.pid and 0 < _beats[each.index] < now - HUNG_SECONDS]
    for process in hung:
        logger.warning("process %s has given no sign of life for %.0f s and is ended", process.pid, HUNG_SECONDS)
        _beats[process.index] = 0
        os.kill(process.pid or 0, signal.SIGKILL)
    return len(hung)
