"""Spark's daemon of Python workers, with what the workers need imported before it forks them."""

from __future__ import annotations

from pyspark.daemon import manager

import diagnostics.reading  # noqa: F401 - loaded once, shared by every forked worker
from diagnostics.log_scan.matching import prepare

if __name__ == "__main__":
    prepare()
    manager()
