"""Spark's daemon of Python workers, which preloads their modules before forking.

It ends with the client of its session.
"""

from __future__ import annotations

import gc
import os
import signal

import pandas  # noqa: F401 - pyarrow loads it with the first values that it is given: 0.3 s in each worker
import pyspark.worker  # noqa: F401 - loaded once, as all here
from pyspark.daemon import manager

import diagnostics.reading.spark_job  # noqa: F401 - loads the formats and aggregators that the workers run
from diagnostics.log_scan.selection import scanner_of
from diagnostics.reading.log_selection import log_selection
from diagnostics.spark.lease import lease_exists, lease_has_ended

SESSION_VARIABLE = "SPARK_JOB_ARTIFACT_UUID"
"""Environment variable with the session of a daemon. Source: `org.apache.spark.api.python.BasePythonRunner`."""

LOOK_SECONDS = 5.0
"""Interval of checking whether its session is still in use. Our choice."""

UNUSED_SECONDS = 600.0
"""A daemon without workers for this long ends when the session's client is on another machine or has another data
folder. Our choice: Spark starts it again in a second.
"""


def end_with_session(session: str) -> None:
    """End this process once the client of the session has ended.

    By an alarm signal, because a thread would not survive the fork of a worker.
    """
    has_lease = lease_exists(session)
    looks_without_worker = 0

    def look(*_: object) -> None:
        nonlocal looks_without_worker
        looks_without_worker = 0 if _has_workers() else looks_without_worker + 1
        unused = looks_without_worker * LOOK_SECONDS > UNUSED_SECONDS
        if lease_has_ended(session) if has_lease else unused:
            os.kill(os.getpid(), signal.SIGTERM)

    signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, LOOK_SECONDS, LOOK_SECONDS)


def _has_workers() -> bool:
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return False
    return True


if __name__ == "__main__":
    scanner_of(log_selection())
    # Spark collects garbage after each task; scanning a thousand modules took 50 ms of processor time, more than most
    # tasks. Frozen objects are not scanned.
    gc.freeze()
    session = os.environ.get(SESSION_VARIABLE)
    if session:
        end_with_session(session)
    manager()
