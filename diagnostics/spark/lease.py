"""How Python workers learn that the client of their session has ended: by the lock of a file that the client holds.

Spark forks the Python workers of a session from a daemon of their own, which it keeps until the server ends: ten
sessions, ten daemons of 40 MB. The client of a session therefore holds its lease, a locked file that is named after
the session; the kernel lets go of it even when the client is killed. A daemon whose lease has ended ends itself.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from pathlib import Path

from diagnostics.spark.java import cache_folder


class Lease:
    """The lease of one session, held from its construction until `end`.

    session  the server's own id of the session, which Spark also gives to the session's Python workers
    """

    def __init__(self, session: str) -> None:
        self._path = _lease_path(session)
        self._path.parent.mkdir(mode=0o700, exist_ok=True)
        # Nobody may see the file before it is locked.
        draft = self._path.with_name(f".{session}")
        self._file = os.open(draft, os.O_WRONLY | os.O_CREAT, 0o600)
        fcntl.flock(self._file, fcntl.LOCK_EX)
        draft.rename(self._path)

    def end(self) -> None:
        """Let go of it."""
        self._path.unlink(missing_ok=True)
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def lease_exists(session: str) -> bool:
    """Whether the session has a lease on this machine, held or not."""
    return _lease_path(session).exists()


def lease_has_ended(session: str) -> bool:
    """Whether nobody holds the lease any more; what a killed client left of it is removed."""
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
