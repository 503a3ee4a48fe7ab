"""When failing checkpoints will fail the job itself."""

from __future__ import annotations

from itertools import takewhile

from diagnostics.reconstruction.checkpoints.history import History

FEWEST_FAILED = 2
"""Failures in a row from which their pace is known."""


def gives_up_ms(history: History, tolerated: int) -> int | None:
    """When one failure more than tolerated is reached, epoch ms, if checkpoints go on to fail at the pace of the last
    ones in a row; None without two of them, and where the number is reached already.

    Flink fails the job at the first failure above `execution.checkpointing.tolerable-failed-checkpoints` in a row.
    Source: Flink's CheckpointFailureManager.
    """
    ended = history.select_statuses("completed", "expired", "declined", "failed")
    failed = list(takewhile(lambda each: each.status != "completed", reversed(ended)))
    times = sorted(each.ended_ms for each in failed if each.ended_ms is not None)
    remaining = tolerated + 1 - len(failed)
    if len(times) < max(FEWEST_FAILED, len(failed)) or remaining <= 0:
        return None
    return round(times[-1] + remaining * (times[-1] - times[0]) / (len(times) - 1))
