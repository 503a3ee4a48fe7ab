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
    """Opens it in the background, so that the first run has Python workers already."""

    def prepare() -> None:
        # The first run waits for a server that is not available yet.
        with contextlib.suppress(SparkUnavailable):
            worker_session().open()

    threading.Thread(target=prepare, name="spark-session", daemon=True).start()
