"""The program `celery --app workbench.worker.program`: actions at the start and end of a worker."""

from __future__ import annotations

import gc

from celery.signals import worker_init, worker_process_init, worker_process_shutdown
from django.conf import settings

from diagnostics.rare_collection import rare_collection
from workbench.celery import app
from workbench.machine.environment import keep_files_private, refuse_wrong_environment
from workbench.machine.postgresql.driver import WORKER_SECONDS, answer_within


@worker_init.connect
@rare_collection()
def refuse_to_start_with_wrong_settings(**_: object) -> None:
    """A worker with an invalid environment exits at once, like every other process.

    Loads the pipeline and what it reads of the program's files before the pool forks: its processes share it, start
    their first task sooner, and their garbage collections skip it.
    """
    keep_files_private()
    refuse_wrong_environment()
    answer_within(WORKER_SECONDS)
    from diagnostics.spark_service.preloading import analysis_preload
    from workbench.analyses import run  # noqa: F401
    from workbench.analyses.worker_session import warm_up_expect
    from workbench.channels import planning  # noqa: F401
    from workbench.worker import pool  # noqa: F401

    if not settings.STARTS_COLD:
        analysis_preload()
        warm_up_expect()
    gc.collect()
    gc.freeze()


@worker_process_init.connect
def begin_process_of_pool(**_: object) -> None:
    """Starts a pool process's signs of life, and its Spark session for its lifetime."""
    from billiard import current_process

    from workbench.analyses.worker_session import worker_session_prepare
    from workbench.worker.pool import start_beats

    index = current_process().index  # type: ignore[attr-defined]  # of the pool's processes
    start_beats(index)
    if not settings.STARTS_COLD:
        worker_session_prepare(index)


@worker_process_shutdown.connect
def end_spark_session(**_: object) -> None:
    """Releases the session on the server; the Python workers of a killed process end without this, too."""
    from workbench.analyses.worker_session import worker_session

    worker_session().close()


app.steps["consumer"].add("workbench.worker.caretaker:Caretaker")
