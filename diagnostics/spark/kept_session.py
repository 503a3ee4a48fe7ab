"""A session that a process keeps for successive pieces of work."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self, TypeVar
from uuid import uuid4

from diagnostics.errors import AnalysisInterrupted, DiagnosticsError, ServerLost
from diagnostics.language import say
from diagnostics.spark.client import (
    answers,
    connect,
    connection_lost,
    disconnect,
    interrupt_tagged,
    interrupted,
    start_python_worker,
)
from diagnostics.spark.watching import ServerWatch

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

T = TypeVar("T")

SILENT_SECONDS = 60.0
"""Work is given up after this time without an answer. Our choice: `serve` ends a hanging server earlier."""


class KeptSession:
    """A session with the lifetime of its process; a failed or lost one is replaced.

    A new session per analysis cost a second each, the start of its Python daemon. One piece of work runs at a time, and
    every operation of it carries a tag, by which it can be interrupted.

    remote  address of the server
    id      of the session, for other processes; changes when it is replaced
    """

    def __init__(self, remote: str) -> None:
        self.remote = remote
        self.id = str(uuid4())
        self._session: SparkSession | None = None
        self._watch: ServerWatch | None = None
        self._opening = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def open(self) -> SparkSession:
        """The session; a new one when the server does not know it any more.

        Raises  ServerLost when the server does not answer.
        """
        with self._opening:
            if self._session is not None and not _is_known(self._session):
                self._drop(release=False)
            if self._session is None:
                self._session = connect(self.remote, self.id)
                start_python_worker(self._session)
            return self._session

    @property
    def silence(self) -> float:
        """Seconds without an answer from the server while work is running."""
        return self._watch.silence if self._watch else 0.0

    def run(self, work: Callable[[SparkSession], T], tag: str) -> T:
        """Do `work`, watching the server.

        Raises  ServerLost when the server ends, hangs or loses the session meanwhile, AnalysisInterrupted when the
                work was interrupted.
        """
        session = self.open()
        self._watch = ServerWatch(self.remote, session, SILENT_SECONDS, session.client._channel.close)
        try:
            with _tagged(session, tag), self._watch:
                return work(session)
        except ServerLost:
            self.close(release=False)
            raise
        except DiagnosticsError:
            raise
        except Exception as error:
            if interrupted(error) and not self._watch.lost:
                raise AnalysisInterrupted(say("the analysis was cancelled")) from error
            lost = self._watch.lost or connection_lost(error) or not _is_known(session)
            self.close(release=not lost)
            if lost:
                raise ServerLost(say("the Spark server stopped while this analysis ran")) from error
            raise
        finally:
            self._watch = None

    def interrupt(self, tag: str) -> bool:
        """Stop the tagged work, from another thread.

        Gives   whether anything was running.
        Raises  ServerLost when the server does not answer.
        """
        session = self._session
        return session is not None and interrupt_tagged(session, tag)

    def close(self, *, release: bool = True) -> None:
        """End the session; `release` notifies the server, which otherwise drops it after a while."""
        with self._opening:
            self._drop(release=release)

    def _drop(self, *, release: bool) -> None:
        session, self._session = self._session, None
        self.id = str(uuid4())
        if session is not None:
            disconnect(session, release=release and answers(self.remote))


def _is_known(session: SparkSession) -> bool:
    """Whether the server still answers for the session. Whatever error says that it does not: the next session replaces
    this one, and reports a server that is gone.
    """
    try:
        session.conf.get("spark.sql.session.timeZone")
    except Exception:
        return False
    return True


@contextmanager
def _tagged(session: SparkSession, tag: str) -> Iterator[None]:
    """Tag every operation of the block in all threads; PySpark itself keeps tags per thread."""
    client = session.client
    client.get_tags = lambda: {tag}  # type: ignore[method-assign]
    try:
        yield
    finally:
        del client.get_tags
