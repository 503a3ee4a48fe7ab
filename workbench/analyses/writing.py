"""Writes of a worker that wait for a disk with room and for a database that answers."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from django.db import Error, InterfaceError, OperationalError, connection

from workbench.machine.disk import means_full_disk

logger = logging.getLogger(__name__)

AGAIN_SECONDS = 1.0
"""How soon such a write is tried again. Our choice: sooner than anybody takes the run for lost."""


def write_patiently(write: Callable[[], object], most_seconds: float) -> None:
    """Calls `write` until it succeeds, as long as the disk is full or the database is away.

    write  one transaction: what failed has changed nothing
    Raises what it raised for another reason, or when it still does after `most_seconds`.
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
                # A new connection; on a full disk SQLite could not open its journals again.
                connection.close()
            time.sleep(AGAIN_SECONDS)
        else:
            return
