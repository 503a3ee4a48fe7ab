"""Lets Python workers detect that their session's client has ended, by a locked file that the client holds.

Spark forks a session's Python workers from a daemon per session, which it keeps until the server ends: ten sessions,
ten daemons of 40 MB. The client therefore holds a lease, a locked file named after the session; the kernel releases it
even when the client is killed. A daemon whose lease has ended exits.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from pathlib import Path

from diagnostics.spark.java import cache_folder


class Lease:
    """The lease of one session, held from construction until `end`.

    session  the server's own id of the session, which Spark also passes to the session's Python workers
    """

    def __init__(self, session: str) -> None:
        self._path = _lease_path(session)
        self._path.parent.mkdir(mode=0o700, exist_ok=True)
        # The file must be locked before it is visible.
        draft = self._path.with_name(f".{session}")
        self._file = os.open(draft, os.O_WRONLY | os.O_CREAT, 0o600)
        fcntl.flock(self._file, fcntl.LOCK_EX)
        draft.rename(self._path)

    def end(self) -> None:
        """Release it."""
        self._path.unlink(missing_ok=True)
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def lease_exists(session: str) -> bool:
    """Whether the session has a lease on this machine, held or not."""
    return _lease_path(session).exists()


def lease_has_ended(session: str) -> bool:
    """Whether the lease is no longer held; removes the file that a killed client left."""
    try:
        file = os.open(_lease_path(session), os.O_WRONLY)
    except FileNotFoundError:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(file)
    with contextlib.suppress(OSError):
        _lease_path(session).unlink()
    return True


def _lease_path(session: str) -> Path:
    return cache_folder() / "sessions" / session
