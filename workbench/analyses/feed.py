"""Server-sent events with the progress of runs, which the worker publishes through Redis.

Nothing rests on it: the database says how far a run is, too, and a page that cannot listen asks for that.
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

MOST_FEEDS = WEB_THREADS // 2
"""Feeds of one web process at a time; each holds a thread. Our choice: half of them, the others serve pages."""

FEED_SECONDS = 60.0
"""How long a feed lasts at most; then the browser opens the next one. Our choice: a page that was closed is noticed."""

LOOK_SECONDS = 1.0
"""How often a silent feed looks into the database. Our choice: a run that was lost gives no sign."""

_feeds = threading.BoundedSemaphore(MOST_FEEDS)


def feed_open(analysis: Analysis) -> Iterator[str] | None:
    """Server-sent events of a run until it has ended; None where too many listen already."""
    return _events(analysis) if _feeds.acquire(blocking=False) else None


def _events(analysis: Analysis) -> Iterator[str]:
    until = time.monotonic() + FEED_SECONDS
    try:
        with broker.subscribed(channel_of(analysis.pk)) as messages:
            while time.monotonic() < until:
                # After subscribing, so that an end in between is not missed.
                analysis = Analysis.objects.light().get(pk=analysis.pk)
                lost_analysis_recover(analysis)
                yield _event("progress" if analysis.is_active else "end", analysis)
                if not analysis.is_active:
                    return
                yield from _published(analysis, messages, min(until, time.monotonic() + LOOK_SECONDS))
    except (redis.RedisError, Error, Analysis.DoesNotExist):  # the page asks again
        return
    finally:
        _feeds.release()


def _published(analysis: Analysis, messages: broker.Messages, until: float) -> Iterator[str]:
    """What the worker says until then, or until it says that the run has ended."""
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
