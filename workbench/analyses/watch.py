"""The second thread of a run: sends signs of life and progress, and receives cancellation."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from dataclasses import replace
from typing import Self
from uuid import UUID

from django.conf import settings
from django.db import Error, connection
from django.utils import timezone

from diagnostics.analyze import Progress
from diagnostics.errors import AnalysisInterrupted, DiagnosticsError
from diagnostics.spark import KeptSession
from workbench.analyses.models import Analysis, AnalysisStatus
from workbench.analyses.publishing import progress_publish
from workbench.languages.sentences import say
from workbench.machine.disk import disk_room

logger = logging.getLogger(__name__)

BEAT_SECONDS = 0.5
"""Interval of signs of life and of checking for cancellation. Our choice: cancelling takes a second."""

PUBLISH_SECONDS = 0.1
"""Minimum interval of publishing progress. Our choice: as often as the eye notices."""

SILENCE_SHOWN_SECONDS = 8.0
"""The page reports an unresponsive Spark server after this time. Our choice: a busy server may take some seconds."""


class Watch:
    """Watches one attempt during its block.

    When the run is cancelled or takes too long, `stopped_because` has the reason, its Spark work is interrupted until
    the block ends, and the next `progress` raises AnalysisInterrupted.
    """

    def __init__(self, analysis: Analysis, claim: UUID, session: KeptSession) -> None:
        self._row = Analysis.objects.filter(pk=analysis.pk, status=AnalysisStatus.RUNNING, claim=claim)
        self._analysis_id = analysis.pk
        self._published = 0.0
        self._claim = claim
        self._session = session
        self._deadline = time.monotonic() + settings.MOST_ANALYSIS_SECONDS
        self._latest = Progress("Starting", 0.0)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, name=f"watch-{analysis.pk}", daemon=True)
        self.stopped_because: str | None = None
        self.too_slow = False
        self.out_of_room = False

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def progress(self, progress: Progress) -> None:
        """Records and publishes the progress. Raises AnalysisInterrupted when the run must stop."""
        self._latest = progress
        now = time.monotonic()
        if now - self._published >= PUBLISH_SECONDS:
            self._published = now
            progress_publish(self._analysis_id, progress)
        if self.stopped_because:
            raise AnalysisInterrupted(self.stopped_because)

    def _watch(self) -> None:
        try:
            while not self._ended.wait(BEAT_SECONDS):
                self._beat()
                if self.stopped_because:
                    self._interrupt()
        finally:
            connection.close()

    def _beat(self) -> None:
        if disk_room().free < 0:
            self.out_of_room = True
            self.stopped_because = say("the disk is full")
        latest = self._latest
        silence = self._session.silence
        if silence > SILENCE_SHOWN_SECONDS:
            detail = say(
                "Spark has not answered for {silence:.0f} s; when it does not return, this is begun anew",
                silence=silence,
            )
            latest = replace(latest, detail=detail)
            progress_publish(self._analysis_id, latest)
        try:
            wanted = self._row.update(
                heartbeat_at=timezone.now(),
                stage=latest.stage[:100],
                progress=latest.fraction,
                detail=latest.detail.replace("\x00", "")[:500],
            )
        except Error:
            logger.warning("a sign of life could not be written", exc_info=True)
            connection.close()
            return
        if not wanted:
            self.stopped_because = say("the analysis is no longer wanted")
        elif time.monotonic() > self._deadline:
            self.too_slow = True
            self.stopped_because = say("it took longer than {seconds} seconds", seconds=settings.MOST_ANALYSIS_SECONDS)

    def _interrupt(self) -> None:
        with contextlib.suppress(DiagnosticsError):
            self._session.interrupt(str(self._claim))
