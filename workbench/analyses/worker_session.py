"""The Spark Connect session that a worker process keeps for all its runs."""

from __future__ import annotations

import contextlib
import threading
from functools import cache

from django.conf import settings

from diagnostics.errors import SparkUnavailable
from diagnostics.spark import KeptSession


@cache
def worker_session() -> KeptSession:
    """The session of this process, opened by the first run that needs it."""
    return KeptSession(settings.SPARK_REMOTE)


def worker_session_prepare() -> None:
    """Opens it beside whatever the process does, so that its first run finds Python workers that have started."""

    def prepare() -> None:
        # A server that is not there yet is waited for by the first run.
        with contextlib.suppress(SparkUnavailable):
            worker_session().open()

    threading.Thread(target=prepare, name="spark-session", daemon=True).start()
