"""Spark's daemon of Python workers, with what the workers need imported before it forks them."""

from __future__ import annotations

import gc

import pandas  # noqa: F401 - pyarrow loads it with the first values that it is given: 0.3 s in each worker
import pyspark.worker  # noqa: F401 - loaded once, as all here
from pyspark.daemon import manager

import diagnostics.reading  # noqa: F401 - loaded once, shared by every forked worker
from diagnostics.log_scan.selection import scanner_of

if __name__ == "__main__":
    scanner_of(None)
    # Spark collects garbage after each task: to look for it in a thousand modules took 50 ms of processor time, more
    # than most tasks themselves. What is frozen is not looked at.
    gc.freeze()
    manager()
