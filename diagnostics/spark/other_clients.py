"""Who else talks to a Spark server of this machine."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import psutil

from diagnostics.spark.client import address, disconnect

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOOK_SECONDS = 0.5
"""A connection that stands for so long is no probe of the port. Our choice: probes last milliseconds."""


@contextmanager
def giving_way(session: SparkSession, remote: str) -> Iterator[threading.Event]:
    """Within the block: as soon as another process talks to the server, the session ends with all that it asked for.

    Gives   what is set when that has happened.
    """
    gave_way, over = threading.Event(), threading.Event()

    def watch() -> None:
        before: frozenset[tuple[int, int]] = frozenset()
        while not over.wait(LOOK_SECONDS):
            now = connections_of_others(address(remote)[1])
            if now & before:
                gave_way.set()
                disconnect(session)
                return
            before = now

    watching = threading.Thread(target=watch, name="giving-way", daemon=True)
    watching.start()
    try:
        yield gave_way
    finally:
        over.set()
        watching.join()


def connections_of_others(port: int) -> frozenset[tuple[int, int]]:
    """The connections of other processes to a port of this machine: process id and the port at their end."""
    try:
        found = psutil.net_connections("tcp")
    except (psutil.Error, OSError):
        # Not every system lets a user look. Nobody is seen then.
        return frozenset()
    return frozenset(
        (each.pid, each.laddr.port)
        for each in found
        if each.laddr and each.raddr and each.raddr.port == port and each.status == psutil.CONN_ESTABLISHED
        if each.pid is not None and each.pid != os.getpid()
    )
