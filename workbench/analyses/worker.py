"""What every worker does beside its tasks: says that it lives, takes up lost runs, deletes what was removed."""

from __future__ import annotations

import logging
from typing import Any

import redis
from celery import bootsteps
from django.db import DatabaseError, connections

from workbench import broker

logger = logging.getLogger(__name__)


class Caretaker(bootsteps.StartStopStep):
    """A timer in the worker's own loop, so that its beat also proves that the loop turns.

    It runs in the parent process, which forks the workers; so it keeps no database connection between two beats.
    """

    requires = {"celery.worker.consumer.tasks:Tasks"}

    def __init__(self, parent: Any, **options: Any) -> None:
        self._entry: Any = None

    def start(self, parent: Any) -> None:
        self._care()
        self._entry = parent.timer.call_repeatedly(broker.WORKER_BEAT_SECONDS, self._care)

    def stop(self, parent: Any) -> None:
        if self._entry:
            self._entry.cancel()
            self._entry = None

    def _care(self) -> None:
        from workbench.analyses.log_books import log_books_purge
        from workbench.analyses.retention import evidence_expire
        from workbench.analyses.services import lost_analyses_recover
        from workbench.clusters.services import lost_collections_recover
        from workbench.uploads.arrivals import arrivals_expire, redactions_resume
        from workbench.uploads.services import removed_files_purge

        try:
            broker.worker_beat()
            lost_analyses_recover()
            lost_collections_recover()
            removed_files_purge()
            arrivals_expire()
            redactions_resume()
            evidence_expire()
            log_books_purge()
        except (redis.RedisError, DatabaseError, OSError):  # OSError: a data folder that can only be read
            logger.warning("the worker could not look after lost runs; it tries again", exc_info=True)
        finally:
            connections.close_all()
