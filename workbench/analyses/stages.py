"""The stages of a run for the page and its script."""

from __future__ import annotations

from typing import Any

import redis
from django.conf import settings

from diagnostics import spark
from diagnostics.language import joined_sentences
from workbench.analyses.models import Analysis, AnalysisStatus
from workbench.analyses.reading import document_read
from workbench.analyses.room import room_missed
from workbench.languages.sentences import say, say_stored, to_say
from workbench.machine import broker

STAGES = (
    to_say("Unpacking"),
    to_say("Reading"),
    to_say("Measuring"),
    to_say("Judging"),
    to_say("Drawing"),
)
"""The stages of `diagnostics.analyze`, in order."""
TIMED = {"unpack_ms": STAGES[0], "read_ms": STAGES[1], "measure_ms": STAGES[2], "draw_ms": STAGES[4]}
"""Name of a stored duration -> its stage."""


def stage_title(duration: str) -> str:
    """The stage of a stored duration, in the language of the reader; the name of one that is unknown."""
    return say(TIMED[duration]) if duration in TIMED else duration


def run_shown(analysis: Analysis) -> dict[str, Any]:
    """JSON values: status, headline, progress 0..1, the stages with `done`, `now` or `next`, and what went wrong."""
    without_room = room_missed(analysis)
    return {
        "id": analysis.pk,
        "status": analysis.status,
        "active": analysis.is_active,
        "headline": say("Waits for room on the disk") if without_room else _headline(analysis),
        "progress": round(analysis.progress, 3),
        "detail": without_room or _detail(analysis),
        "error": say_stored(analysis.error),
        "stages": _stages(analysis),
    }


def _headline(analysis: Analysis) -> str:
    if analysis.status == AnalysisStatus.QUEUED:
        position = analysis.queue_position or 1
        return say("Next in the queue") if position == 1 else say("Number {position} in the queue", position=position)
    if analysis.status == AnalysisStatus.RUNNING:
        return say(analysis.stage) if analysis.stage else say("Starting")
    if analysis.status == AnalysisStatus.DONE:
        document = document_read(analysis)
        return str(document["verdict"]["summary"]) if document else say("Done")
    return {
        AnalysisStatus.FAILED: say("No file could be used") if analysis.is_unusable else say("The analysis failed"),
        AnalysisStatus.CANCELLED: say("The analysis was cancelled"),
    }[AnalysisStatus(analysis.status)]


def _detail(analysis: Analysis) -> str:
    if analysis.status == AnalysisStatus.QUEUED:
        return joined_sentences((say_stored(analysis.detail), _held_back_by()))
    detail = say_stored(analysis.detail)
    return detail.replace("_", " ") if analysis.is_active else detail


def _held_back_by() -> str:
    """Why the queue is blocked; empty when no reason is known."""
    try:
        if not broker.worker_seen():
            silent = broker.WORKER_SILENT_SECONDS
            return say("No worker has said anything for {seconds} s; it starts when one is back.", seconds=silent)
        spark_is_missed = broker.spark_is_missed()
    except redis.RedisError:
        return say("The queue (Redis) does not answer; it starts when it does.")
    if spark_is_missed or not spark.answers(settings.SPARK_REMOTE):
        return say("Spark does not answer; it starts when it does.")
    return ""


def _stages(analysis: Analysis) -> list[dict[str, str]]:
    if analysis.status == AnalysisStatus.DONE:
        return [{"name": say(stage), "state": "done"} for stage in STAGES]
    reached = STAGES.index(analysis.stage) if analysis.stage in STAGES else -1
    running = analysis.status == AnalysisStatus.RUNNING
    return [
        {"name": say(stage), "state": "done" if place < reached else "now" if place == reached and running else "next"}
        for place, stage in enumerate(STAGES)
    ]
