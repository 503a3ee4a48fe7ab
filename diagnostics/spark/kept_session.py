"""One session of a process, kept for one piece of work after another."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self, TypeVar
from uuid import uuid4

from diagnostics.errors import AnalysisInterrupted, DiagnosticsError, ServerLost
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
"""After so long without an answer work is given up. Our choice: `serve` has ended a server that hangs before."""


class KeptSession:
    """A session that lives as long as its process; one that failed or was lost is replaced by the next.

    A session of its own for each analysis made each a second slower: so long its Python daemon takes to start. One
    piece of work runs at a time, and every operation of it carries a tag, by which it is interrupted.

    remote  address of the server
    id      of the session, by which other processes find it; another one once it was replaced
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
        """The session, another one where the server does not know it any more.

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
        """Seconds for which the server has not answered while work is under way."""
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
                raise AnalysisInterrupted("the analysis was cancelled") from error
            lost = self._watch.lost or connection_lost(error) or not _is_known(session)
            self.close(release=not lost)
            if lost:
                raise ServerLost("the Spark server stopped while this analysis ran") from error
            raise
        finally:
            self._watch = None

    def interrupt(self, tag: str) -> bool:
        """Stop the work of that tag, from another thread.

        Gives   whether anything was running.
        Raises  ServerLost when the server does not answer.
        """
        session = self._session
        return session is not None and interrupt_tagged(session, tag)

    def close(self, *, release: bool = True) -> None:
        """End the session; `release` lets the server know, else it forgets the session after a while."""
        with self._opening:
            self._drop(release=release)

    def _drop(self, *, release: bool) -> None:
        session, self._session = self._session, None
        self.id = str(uuid4())
        if session is not None:
            disconnect(session, release=release and answers(self.remote))


def _is_known(session: SparkSession) -> bool:
    try:
        session.conf.get("spark.sql.session.timeZone")
    except Exception:
        return False
    return True


@contextmanager
def _tagged(session: SparkSession, tag: str) -> Iterator[None]:
    """Every operation of the block carries the tag, in any thread; PySpark itself keeps tags by thread."""
    client = session.client
    client.get_tags = lambda: {tag}  # type: ignore[method-assign]
    try:
        yield
    finally:
        del client.get_tags
