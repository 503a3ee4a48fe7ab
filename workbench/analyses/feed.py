"""Server-sent events with the progress of runs, which the worker publishes through Redis.

Optional: the database has the progress too, and a page without events polls it.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator

import redis
from django.db import Error

from workbench.analyses.models import Analysis, AnalysisStatus
from workbench.analyses.publishing import channel_of
from workbench.analyses.services import lost_analysis_recover
from workbench.analyses.stages import run_shown
from workbench.machine import broker
from workbench.machine.environment import WEB_THREADS

MOST_FEEDS = WEB_THREADS // 3
"""Concurrent feeds per web process; each occupies a thread. Our choice: a third of the threads; uploads
occupy half at most, so that some are left for pages."""

FEED_SECONDS = 60.0
"""Maximum duration of a feed; then the browser reconnects. Our choice: closed pages are detected."""

LOOK_SECONDS = 1.0
"""Interval at which a silent feed reads the database. Our choice: a lost run publishes nothing."""

_OPENED, _REFUSED = "opened", "refused"

_feeds = threading.BoundedSemaphore(MOST_FEEDS)


def feed_open(analysis: Analysis) -> Iterator[str] | None:
    """Server-sent events of a run until its end; None when there are too many feeds."""
    events = _events(analysis)
    return events if next(events) == _OPENED else None


def _events(analysis: Analysis) -> Iterator[str]:
    if not _feeds.acquire(blocking=False):
        yield _REFUSED
        return
    until = time.monotonic() + FEED_SECONDS
    try:
        # Only a generator that has begun runs its `finally`: a client that leaves before the first event would
        # otherwise keep its place for as long as the process lives.
        yield _OPENED
        with broker.subscribed(channel_of(analysis.pk)) as messages:
            while time.monotonic() < until:
                # After subscribing, so that no end is missed in between.
                analysis = Analysis.objects.light().get(pk=analysis.pk)
                lost_analysis_recover(analysis)
                yield _event("progress" if analysis.is_active else "end", analysis)
                if not analysis.is_active:
                    return
                yield from _published(analysis, messages, min(until, time.monotonic() + LOOK_SECONDS))
    except (redis.RedisError, Error, Analysis.DoesNotExist):  # the page polls instead
        return
    finally:
        _feeds.release()


def _published(analysis: Analysis, messages: broker.Messages, until: float) -> Iterator[str]:
    """Messages of the worker until `until`, or until the end of the run."""
    while (left := until - time.monotonic()) > 0:
        message = messages.next_within(left)
        if message is None:
            continue
        said = json.loads(message)
        if said is None:
            return
        analysis.status, analysis.stage = AnalysisStatus.RUNNING, said["stage"]
        analysis.progress, analysis.detail = said["progress"], said["detail"]
        yield _event("progress", analysis)


def _event(name: str, analysis: Analysis) -> str:
    return f"event: {name}\ndata: {json.dumps(run_shown(analysis))}\n\n"
