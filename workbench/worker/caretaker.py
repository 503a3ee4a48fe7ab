"""Periodic duties of a worker beside its tasks: recovers lost runs, deletes what has expired."""

from __future__ import annotations

import logging
import time
from typing import Any

import redis
from celery import bootsteps
from django.db import Error, connections

from workbench.machine import broker
from workbench.machine.steady_clock import SteadyClock

logger = logging.getLogger(__name__)

MOST_ROUND_SECONDS = 4 * broker.WORKER_BEAT_SECONDS
"""After a longer gap since the previous round, this process itself was suspended. Our choice."""
EXPIRE_SECONDS = 3_600.0
"""Between two rounds that delete old rows, which are kept for months."""


class Caretaker(bootsteps.StartStopStep):
    """A timer in the worker's own loop, so that its beat also proves that the loop runs.

    It runs in the parent process, which forks the workers; so it keeps no database connection between two beats.
    """

    requires = ("celery.worker.consumer.tasks:Tasks",)

    def __init__(self, parent: Any, **options: Any) -> None:
        self._entry: Any = None
        self._last_round = float("-inf")
        self._awake = True
        self._clock = SteadyClock()
        self._expired = float("-inf")

    def start(self, parent: Any) -> None:
        self._care(parent)
        self._entry = parent.timer.call_repeatedly(broker.WORKER_BEAT_SECONDS, self._care, (parent,))

    def stop(self, parent: Any) -> None:
        if self._entry:
            self._entry.cancel()
            self._entry = None

    def _care(self, parent: Any) -> None:
        from workbench.alerts.services import alerts_expire, due_collections_request
        from workbench.analyses.log_books import log_books_purge
        from workbench.analyses.retention import evidence_expire
        from workbench.analyses.services import lost_analyses_recover
        from workbench.audit.retention import entries_expire
        from workbench.cases.holds import any_hold
        from workbench.channels.services import deliveries_expire, due_deliveries_send
        from workbench.clusters.services import lost_collections_recover
        from workbench.rules.health_weights import weights_resume
        from workbench.uploads.arrivals import arrivals_expire, redactions_resume
        from workbench.uploads.services import removed_files_purge
        from workbench.watching.services import checks_expire, due_checks_request
        from workbench.worker.pool import end_hung_processes

        # After a pause of its own (a suspended machine, a hanging database) it would consider all others dead.
        now = time.monotonic()
        self._awake = now - self._last_round < MOST_ROUND_SECONDS or not self._awake
        self._last_round = now
        try:
            if self._awake:
                end_hung_processes(parent.pool._pool._pool)
            broker.worker_beat()
            if self._awake:
                lost_analyses_recover()
            lost_collections_recover()
            due_collections_request()
            due_deliveries_send()
            due_checks_request()
            redactions_resume()
            log_books_purge()
            if self._clock.is_steady():
                removed_files_purge()
                arrivals_expire()
                evidence_expire()
                if now - self._expired > EXPIRE_SECONDS:
                    self._expired = now
                    alerts_expire()
                    deliveries_expire()
                    checks_expire()
                    entries_expire(is_held=any_hold())
                    weights_resume()
        except (redis.RedisError, Error, OSError):  # OSError: a read-only data folder
            logger.warning("the worker could not look after lost runs; it tries again", exc_info=True)
        finally:
            connections.close_all()
