"""`/healthz`: the process lives. `/readyz`: database, broker, worker and Spark answer; the failing part is named."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as TookTooLong
from typing import Any
from uuid import uuid4

import redis
from django.conf import settings
from django.http import HttpRequest, JsonResponse

from diagnostics import spark
from diagnostics.wording.phrase import size as size_text
from workbench.cases.models import Case
from workbench.machine import broker
from workbench.machine.disk import disk_room

SPARK_SECONDS = 10.0
"""Time limit of an empty query. A warm server takes 0.1 s; the first query of a process loads PySpark too, which took 5
s on a busy machine.
"""

SPARK_REMEMBERED_SECONDS = 5.0
"""How long an answer is cached, so that frequent monitoring costs nothing. Our choice."""


class NotReady(Exception):
    """A part does not answer; the text says what was tried, without secrets."""


def healthz(request: HttpRequest) -> JsonResponse:
    """200 as long as the web server can answer."""
    return JsonResponse({"status": "ok"})


def readyz(request: HttpRequest) -> JsonResponse:
    """200 when every part answers, else 503; `parts` has "ok" or the reason for each, `warnings` lists approaching
    problems, `warming_up` is the number of worker processes whose first analysis would still be slow.
    """
    parts = {name: _state(ask) for name, ask in PARTS.items()}
    ready = all(state == "ok" for state in parts.values())
    return JsonResponse(
        {
            "status": "ok" if ready else "unavailable",
            "parts": parts,
            "warnings": _warnings(),
            "warming_up": _warming_up(),
        },
        status=200 if ready else 503,
        headers={"Cache-Control": "no-store"},
    )


def _warnings() -> list[str]:
    room = disk_room()
    return [f"the disk has {size_text(max(room.free, 0))} left for evidence"] if room.is_short else []


def _warming_up() -> int:
    try:
        return broker.warming_up()
    except redis.RedisError:
        return 0


def _state(ask: Callable[[], None]) -> str:
    try:
        ask()
    except NotReady as error:
        return str(error)
    except Exception as error:
        return f"does not answer ({type(error).__name__})"
    return "ok"


def _ask_database() -> None:
    Case.objects.exists()


def _ask_worker() -> None:
    if not broker.worker_seen():
        raise NotReady(f"no worker has said anything for {broker.WORKER_SILENT_SECONDS} seconds")


class SparkProbe:
    """Runs an empty query in a session that is kept; caches the answer for a few seconds."""

    def __init__(self) -> None:
        self._one_at_a_time = threading.Lock()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="spark-probe")
        self._session: Any = None
        self._asked_at = float("-inf")
        self._failed: str | None = None

    def ask(self) -> None:
        """Raises NotReady."""
        with self._one_at_a_time:
            if time.monotonic() - self._asked_at > SPARK_REMEMBERED_SECONDS:
                self._failed = self._answer()
                self._asked_at = time.monotonic()
        if self._failed:
            raise NotReady(self._failed)

    def _answer(self) -> str | None:
        """None when Spark answered, else the reason."""
        if not spark.answers(settings.SPARK_REMOTE):
            return "no Spark Connect server listens at SPARK_REMOTE"
        try:
            self._thread.submit(self._query).result(SPARK_SECONDS)
        except TookTooLong:
            # The thread may hang for ever on a dead server: it is abandoned, and the next query gets a new one.
            self._thread.shutdown(wait=False, cancel_futures=True)
            self._thread = ThreadPoolExecutor(1, thread_name_prefix="spark-probe")
            self._session = None
            return f"a query was not answered within {SPARK_SECONDS:g} seconds"
        except Exception as error:
            self._session = None
            return f"a query failed ({type(error).__name__})"
        return None

    def _query(self) -> None:
        """Queries in the kept session, or in a new one when the server no longer knows it."""
        if self._session is not None:
            try:
                self._session.range(1).collect()
            except Exception:
                self._session = None
            else:
                return
        session = spark.connect(settings.SPARK_REMOTE, str(uuid4()))
        session.range(1).collect()
        self._session = session


PARTS: Mapping[str, Callable[[], None]] = {
    "database": _ask_database,
    "broker": broker.broker_answers,
    "worker": _ask_worker,
    "spark": SparkProbe().ask,
}
