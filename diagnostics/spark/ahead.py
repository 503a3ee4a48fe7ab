"""Starts a server while the program that needs it is still being imported.

On two cores this saves a user at a terminal two seconds.
"""

from __future__ import annotations

import atexit
import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from diagnostics.errors import SparkUnavailable
from diagnostics.spark.server import Server, logged_server, options_for

_started: list[Server] = []


def start_ahead(arguments: Iterable[str]) -> None:
    """Start a server for one analysis of the files on a command line, if any.

    It ends with the process, whether used or not.
    """
    paths = [Path(each) for each in arguments if not each.startswith("-") and os.path.lexists(each)]
    if not paths or os.environ.get("SPARK_REMOTE"):
        return
    with contextlib.suppress(SparkUnavailable):  # reported by the command later
        server = logged_server(options_for(sum(_sizes(paths))))
        atexit.register(server.stop)
        _started.append(server)


def started_ahead() -> Server | None:
    """The server that was started; returned only once."""
    return _started.pop() if _started else None


def _sizes(paths: Iterable[Path]) -> Iterator[int]:
    for path in paths:
        for place, _, names in os.walk(path):
            for name in names:
                with contextlib.suppress(OSError):
                    yield Path(place, name).lstat().st_size
        if not path.is_dir():
            with contextlib.suppress(OSError):
                yield path.stat().st_size
