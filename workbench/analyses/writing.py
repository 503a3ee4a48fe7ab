"""Writes of a worker that wait while the disk is full or the database is unavailable."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from django.db import Error, InterfaceError, OperationalError, connection

from workbench.machine.disk import means_full_disk

logger = logging.getLogger(__name__)

AGAIN_SECONDS = 1.0
"""Interval of retries. Our choice: shorter than the time after which a run counts as lost."""


def write_patiently(write: Callable[[], object], most_seconds: float) -> None:
    """Calls `write` until it succeeds, while the disk is full or the database is unavailable.

    write  one transaction: a failure has changed nothing
    Raises other errors at once, and these after `most_seconds`.
    """
    deadline = time.monotonic() + most_seconds
    said = False
    while True:
        try:
            write()
        except (Error, OSError) as error:
            is_full = means_full_disk(error)
            if not (is_full or isinstance(error, (OperationalError, InterfaceError))) or time.monotonic() > deadline:
                raise
            if not said:
                logger.warning("an outcome cannot be stored yet; it is tried again", exc_info=True)
                said = True
            if not is_full:
                # A new connection; after a full disk SQLite could not open its journals again.
                connection.close()
            time.sleep(AGAIN_SECONDS)
        else:
            return
