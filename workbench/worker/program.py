"""The program `celery --app workbench.worker.program`: what a worker does at its start and end."""

from __future__ import annotations

from celery.signals import worker_init, worker_process_init, worker_process_shutdown

from workbench.celery import app
from workbench.machine.environment import keep_files_private, refuse_wrong_environment
from workbench.machine.postgresql.driver import WORKER_SECONDS, answer_within


@worker_init.connect
def refuse_to_start_with_wrong_settings(**_: object) -> None:
    """A worker with an unreadable environment stops at once, as every other process does.

    The pipeline is imported here, before the pool forks: its processes share it and begin their first task sooner.
    """
    keep_files_private()
    refuse_wrong_environment()
    answer_within(WORKER_SECONDS)
    from workbench.analyses import run  # noqa: F401
    from workbench.worker import pool  # noqa: F401


@worker_process_init.connect
def begin_process_of_pool(**_: object) -> None:
    """Each process of the pool gives signs of life, and has a Spark session for as long as it lives."""
    from billiard import current_process

    from workbench.analyses.worker_session import worker_session_prepare
    from workbench.worker.pool import start_beats

    start_beats(current_process().index)  # type: ignore[attr-defined]  # of the pool's processes
    worker_session_prepare()


@worker_process_shutdown.connect
def end_spark_session(**_: object) -> None:
    """The server need not remember it; the Python workers of a process that is killed end without this, too."""
    from workbench.analyses.worker_session import worker_session

    worker_session().close()


app.steps["consumer"].add("workbench.worker.caretaker:Caretaker")
