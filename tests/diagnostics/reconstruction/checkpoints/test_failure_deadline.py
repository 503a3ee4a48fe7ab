"""When checkpoints that go on to fail will fail the job."""

from __future__ import annotations

import pytest

from diagnostics.reconstruction.checkpoints.failure_deadline import gives_up_ms
from diagnostics.reconstruction.checkpoints.history import Checkpoint, History, Status

MINUTE = 60_000


def history(*statuses: Status) -> History:
    """A checkpoint a minute, ended in this way."""
    return History(
        "a",
        tuple(Checkpoint("a", n, status, ended_ms=n * MINUTE) for n, status in enumerate(statuses)),
    )


@pytest.mark.parametrize(
    ("statuses", "tolerated", "minute"),
    [
        (("completed", "expired", "expired"), 20, 21),
        (("expired", "completed", "expired", "declined"), 2, 4),
        (("completed", "expired"), 20, None),
        (("expired", "expired", "completed"), 20, None),
        (("completed", "expired", "expired"), 1, None),
    ],
)
def test_the_job_fails_with_the_first_failure_that_is_not_tolerated(
    statuses: tuple[Status, ...], tolerated: int, minute: int | None
) -> None:
    """Two failures in a row, at minutes 1 and 2: with 20 tolerated the 21st comes at minute 21."""
    assert gives_up_ms(history(*statuses), tolerated) == (None if minute is None else minute * MINUTE)
