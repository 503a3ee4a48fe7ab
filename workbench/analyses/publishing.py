"""Publishes the progress of a run through Redis; `feed.py` is the reader."""

from __future__ import annotations

import json
import logging
from functools import partial

import redis
from django.conf import settings
from django.db import transaction

from diagnostics.analyze import Progress
from workbench.machine import broker

logger = logging.getLogger(__name__)


def channel_of(analysis_id: int) -> str:
    """The channel on which a run's progress is published."""
    return f"{settings.CELERY_TASK_DEFAULT_QUEUE}:analysis:{analysis_id}"


def progress_publish(analysis_id: int, progress: Progress | None) -> None:
    """Publish the progress of a run; None when it has ended. Ignores an unavailable broker."""
    said = {"stage": progress.stage, "progress": progress.fraction, "detail": progress.detail} if progress else None
    try:
        broker.publish(channel_of(analysis_id), json.dumps(said))
    except redis.RedisError:
        logger.debug("the progress of analysis %s could not be published", analysis_id, exc_info=True)


def end_publish(analysis_id: int) -> None:
    """Publish, after commit, that a run has ended or waits again."""
    transaction.on_commit(partial(progress_publish, analysis_id, None), robust=True)
