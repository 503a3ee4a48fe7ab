"""The Celery application. Only ids cross the queue."""

from __future__ import annotations

import os

from celery import Celery
from celery.signals import worker_init, worker_process_init, worker_process_shutdown

from workbench.machine.environment import keep_files_private, refuse_wrong_environment

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")

app = Celery("workbench")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_init.connect
def refuse_to_start_with_wrong_settings(**_: object) -> None:
    """A worker with an unreadable environment stops at once, as every other process does.

    The pipeline is imported here, before the pool forks: its processes share it and begin their first task sooner.
    """
    keep_files_private()
    refuse_wrong_environment()
    from workbench.analyses import run  # noqa: F401
    from workbench.worker import pool  # noqa: F401


@worker_process_init.connect
def begin_process_of_pool(**_: object) -> None:
    """Each process of the pool gives signs of life, and has a Spark session for as long as it lives."""
    from billiard import current_process

    from workbench.analyses.worker_session import worker_session_prepare
    from workbench.worker.pool import start_beats

    start_beats(current_process().index)
    worker_session_prepare()


@worker_process_shutdown.connect
def end_spark_session(**_: object) -> None:
    """The server need not remember it; the Python workers of a process that is killed end without this, too."""
    from workbench.analyses.worker_session import worker_session

    worker_session().close()


app.steps["consumer"].add("workbench.worker.caretaker:Caretaker")
