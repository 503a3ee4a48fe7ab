"""One attempt at a queued analysis, from the claim to the stored report or the reason for failure."""

from __future__ import annotations

import contextlib
import logging
import shutil
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from uuid import UUID

import redis
from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db import InterfaceError, OperationalError
from django.utils import timezone

from diagnostics import spark
from diagnostics.analyze import Progress, analyze
from diagnostics.errors import AnalysisInterrupted, DiagnosticsError, NoUsableInput, ServerLost, SparkUnavailable
from diagnostics.reading.memory import bounded_memory
from diagnostics.spark import KeptSession
from diagnostics.storage.shared_folder import SharedFolder, run_folder
from diagnostics.wording.phrase import size as size_text
from workbench.analyses.beginnings import beginning_of
from workbench.analyses.case_evidence import case_evidence
from workbench.analyses.models import Analysis
from workbench.analyses.outcome import report_save
from workbench.analyses.room import OutOfRoom, out_of_room_raised
from workbench.analyses.services import analysis_claim, analysis_fail, analysis_give_back, waiting_analyses_wake
from workbench.analyses.turns import analysis_next
from workbench.analyses.watch import Watch
from workbench.analyses.worker_session import SESSION_TURN, worker_session
from workbench.analyses.writing import write_patiently
from workbench.languages.sentences import say, to_say
from workbench.machine import broker
from workbench.rules.selectors import rules_of
from workbench.uploads.arrivals import Busy, Gone, arrival_redact
from workbench.uploads.models import ArrivalState, UploadedFile

logger = logging.getLogger(__name__)

ENDS_SERVERS = to_say(
    "The last times nothing else ran, so it may need more memory than the Spark server has (`SPARK_DRIVER_MEMORY`); "
    "the server's log says why it ended."
)
"""Advice for a run that repeatedly ends the Spark server."""

REDACTED_ELSEWHERE_SECONDS = 0.5
"""Interval of checking whether another worker has finished redacting a file. Our choice."""
SPARK_RETURNS_SECONDS = 120.0
"""How long a worker waits for an unavailable Spark server before it turns to other work. Measured: a killed server is
back after 2 s on a quiet machine and after 40 s on a very busy one.
"""

MOST_UNSTORED_SECONDS = 1200.0
"""How long a worker keeps a result that cannot be stored. Our choice: longer than a restart of the database; then the
run is repeated.
"""

MOST_WORKER_BYTES = 4 * 1024**3
"""Memory limit of a run beyond its worker process's baseline. Our choice: four times the estimated states of 2 GB of
logs.
"""


def next_analysis_run() -> None:
    """Runs the next queued analysis and stores its outcome. Does nothing when none can start."""
    if analysis_next() is None:
        return
    session = worker_session()
    with SESSION_TURN:
        if not _wait_for_spark(session):
            logger.warning("analyses go on waiting: the Spark server does not answer")
            return
        while (analysis := analysis_next()) is not None:
            orphan = (analysis.spark_session, analysis.claim)
            claim = analysis_claim(analysis, session.id)
            if claim is not None:  # no other worker claimed it
                _run(analysis, claim, session, orphan)
                waiting_analyses_wake()
                return


def _run(analysis: Analysis, claim: UUID, session: KeptSession, orphan: tuple[UUID | None, UUID | None]) -> None:
    """One attempt, with any outcome."""
    watch = Watch(analysis, claim, session)
    with watch:
        store_outcome = _outcome(analysis, claim, watch, orphan)
        # The run is watched until then, so that it sends signs of life while it waits for space or the database.
        try:
            write_patiently(store_outcome, MOST_UNSTORED_SECONDS)
        except Exception as error:
            logger.exception("the outcome of analysis %s could not be stored", analysis.pk)
            analysis_fail(analysis=analysis, claim=claim, reason=_reason_of(error))


def _outcome(
    analysis: Analysis, claim: UUID, watch: Watch, orphan: tuple[UUID | None, UUID | None]
) -> Callable[[], object]:
    """Makes the attempt; gives a function that stores its outcome and may be called again when it fails."""
    try:
        with _workspace(analysis) as workspace, out_of_room_raised(analysis, watch, workspace):
            _end_orphan(*orphan)
            with run_folder(settings.SPARK_STORAGE, str(claim)) as shared, bounded_memory(MOST_WORKER_BYTES):
                return _attempt(analysis, claim, watch, workspace, shared)
    except OutOfRoom as error:
        return partial(analysis_give_back, analysis=analysis, claim=claim, reason=str(error), counted=False)
    except (OperationalError, InterfaceError):
        logger.warning("analysis %s lost the database", analysis.pk, exc_info=True)
        reason = say("The database did not answer while it ran.")
        return partial(analysis_give_back, analysis=analysis, claim=claim, reason=reason, server_lost=True)
    except SparkUnavailable as error:
        reason = say("Spark is not there: {error}.", error=error)
        server_lost = isinstance(error, ServerLost)
        return partial(
            analysis_give_back,
            analysis=analysis,
            claim=claim,
            reason=reason,
            server_lost=server_lost,
            hint=ENDS_SERVERS if server_lost else "",
        )
    except AnalysisInterrupted as error:
        reason = str(error).capitalize() if watch.too_slow else say("Its Spark work was interrupted from outside.")
    except SoftTimeLimitExceeded:
        reason = say("It took longer than {seconds} seconds.", seconds=settings.MOST_ANALYSIS_SECONDS)
    except MemoryError:
        logger.exception("analysis %s took too much memory", analysis.pk)
        reason = say(
            "What was read could not be judged in {size} of memory. Send fewer files.",
            size=size_text(MOST_WORKER_BYTES),
        )
    except NoUsableInput as error:
        return partial(analysis_fail, analysis=analysis, claim=claim, reason=str(error), is_unusable=True)
    except DiagnosticsError as error:
        reason = str(error)
    except Exception as error:
        logger.exception("analysis %s ended with an error of our own", analysis.pk)
        reason = _reason_of(error)
    return partial(analysis_fail, analysis=analysis, claim=claim, reason=reason)


def _reason_of(error: Exception) -> str:
    return say("The workbench failed ({error}); the worker's log has the details.", error=type(error).__name__)


def _wait_for_spark(session: KeptSession) -> bool:
    """Whether the session is open; waits up to SPARK_RETURNS_SECONDS.

    A run that does not start by then stays in the queue: its message is sent again.
    """
    deadline = time.monotonic() + SPARK_RETURNS_SECONDS
    while time.monotonic() < deadline:
        try:
            session.open()
        except SparkUnavailable:
            with contextlib.suppress(redis.RedisError):
                broker.spark_missed()
            time.sleep(0.5)
        else:
            return True
    return False


def _attempt(
    analysis: Analysis,
    claim: UUID,
    watch: Watch,
    workspace: Path,
    shared: SharedFolder | None,
) -> Callable[[], object]:
    _wait_for_redacted(analysis, watch)
    files = list(analysis.files.order_by("name"))
    case = case_evidence(files, beginning_of(analysis))
    ruleset, unreadable = rules_of(analysis.ruleset)
    report = worker_session().run(
        lambda connected: analyze(
            case,
            ruleset=ruleset,
            spark=connected,
            workspace=workspace,
            shared=shared,
            progress=watch.progress,
        ),
        tag=str(claim),
    )

    def store_report() -> None:
        if report_save(analysis=analysis, claim=claim, report=report, warnings=unreadable):
            logger.info("analysis %s done: %s", analysis.pk, report.stage_ms)

    return store_report


def _wait_for_redacted(analysis: Analysis, watch: Watch) -> None:
    """Redacts large files of the case that wait for it, or waits for the worker that does."""
    if analysis.snapshot != analysis.case.snapshot_number:
        return
    for arrival in analysis.case.arrivals.redacting():

        def show_progress(seen: int, name: str = arrival.name) -> None:
            detail = say(
                "taking secrets out of {name}, {megabytes:,.0f} MB gone through", name=name, megabytes=seen / 1e6
            )
            watch.progress(Progress("Unpacking", 0.01, detail))

        while arrival.state == ArrivalState.REDACTING:
            try:
                arrival_redact(arrival=arrival, on_progress=show_progress)
            except Busy:
                time.sleep(REDACTED_ELSEWHERE_SECONDS)
                arrival.refresh_from_db()
                show_progress(arrival.redacted_bytes)
            except Gone:
                break
        if arrival.file_id is None:
            continue
        taken = UploadedFile.objects.present().filter(pk=arrival.file_id, snapshot=analysis.snapshot)
        taken.update(analysed_at=timezone.now())
        analysis.files.add(*taken)


@contextlib.contextmanager
def _workspace(analysis: Analysis) -> Iterator[Path]:
    """An empty folder for the run, without leftovers of a killed attempt."""
    folder = settings.WORKSPACES_DIR / str(analysis.pk)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _end_orphan(session: UUID | None, claim: UUID | None) -> None:
    """Stops the Spark work of an earlier attempt, which continues after its client was killed, and removes its
    files.
    """
    if session is None or claim is None:
        return
    with contextlib.suppress(DiagnosticsError):
        spark.interrupt(settings.SPARK_REMOTE, str(session), str(claim))
    if settings.SPARK_STORAGE:
        (SharedFolder.of(settings.SPARK_STORAGE) / str(claim)).remove()
