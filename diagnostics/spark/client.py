"""Thin clients of a Spark Connect server; any process can interrupt a session's work."""

from __future__ import annotations

import atexit
import contextlib
import os
import socket
import sys
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from diagnostics.errors import AnalysisInterrupted, ServerLost, SparkUnavailable
from diagnostics.language import say
from diagnostics.spark.lease import Lease

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# At each fork gRPC stops its threads and starts them again. While Spark was in use, that aborted one child in ten
# before it became the program to run, and some hung (measured: 255 of 2,422 aborted, none of 2,944 without it). No
# process of ours forks a child that continues to use its gRPC. Read when the first channel is made.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")

USER = "workbench"
"""All clients use one Connect user, because a session is identified by (user, session id)."""

RETRIES = 4
"""Retries of a call on a lost connection: 4 s in total. pyspark's own 15 wait ten minutes for a dead server, and again
in a call at exit of the process.
"""

CALL_SECONDS = 10.0
"""Time limit of a server's answer to a call that does no work: a setting, an interruption, the end of a session. Our
choice: a hundred times what it takes on a busy machine.
"""

_CONNECTION_LOST = (
    *("StatusCode.UNAVAILABLE", "StatusCode.CANCELLED", "StatusCode.DEADLINE_EXCEEDED"),
    *("on closed channel", "SparkContext was shut down"),
)

SESSION_SETTINGS = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
"""No generated code: an analysis is one job whose work is done by Python workers, and each session has its own class
loader, so the few operators around them would be compiled again per session.
"""

_leases: WeakKeyDictionary[SparkSession, Lease] = WeakKeyDictionary()


def address(remote: str) -> tuple[str, int]:
    """Host and port of `sc://host:port/...`. Raises SparkUnavailable for anything else."""
    parts = urlsplit(remote)
    if parts.scheme != "sc" or not parts.hostname:
        raise SparkUnavailable(say("SPARK_REMOTE must look like sc://host:port, found {value}", value=repr(remote)))
    return parts.hostname, parts.port or 15002


def answers(remote: str, seconds: float = 1.0) -> bool:
    """Whether something listens at the server's address."""
    try:
        with socket.create_connection(address(remote), timeout=seconds):
            return True
    except OSError:
        return False


def connect(remote: str, session_id: str) -> SparkSession:
    """A new session on the server, which any process can access by `session_id` (a UUID).

    Raises  ServerLost when the server does not answer.
    """
    host, port = address(remote)
    if not answers(remote, 5.0):
        raise ServerLost(say("no Spark Connect server answers at {host}:{port}", host=host, port=port))
    session = _client(remote, session_id)
    try:
        _set(session, SESSION_SETTINGS)
        _leases[session] = Lease(str(session.client._server_session_id))
    except Exception as error:
        disconnect(session, release=False)
        if connection_lost(error):
            raise ServerLost(say("the Spark server at {host}:{port} does not answer", host=host, port=port)) from error
        raise
    return session


def _set(session: SparkSession, settings: Mapping[str, str]) -> None:
    for key, value in settings.items():
        session.conf.set(key, value)


def interrupt(remote: str, session_id: str, tag: str) -> bool:
    """Stop the tagged Spark work of a session, from any process.

    Gives   whether anything was running.
    Raises  ServerLost when the server does not answer.
    """
    if not answers(remote, 5.0):
        host, port = address(remote)
        raise ServerLost(say("no Spark Connect server answers at {host}:{port}", host=host, port=port))
    session = _client(remote, session_id)
    try:
        return interrupt_tagged(session, tag)
    finally:
        disconnect(session, release=False)


def interrupt_tagged(session: SparkSession, tag: str) -> bool:
    """Stop the session's tagged work, from any thread. Gives and raises as `interrupt` does."""
    try:
        return bool(session.interruptTag(tag))
    except Exception as error:
        if session_lost(error):
            return False
        raise ServerLost(say("the Spark server did not take the interruption")) from error


def disconnect(session: SparkSession, *, release: bool = True) -> None:
    """Close the client; with `release` the server drops the session too, whose id cannot be reused."""
    session.release_session_on_close = release  # type: ignore[attr-defined]
    session.stop()
    lease = _leases.pop(session, None)
    if lease is not None:
        lease.end()


def on_progress(session: SparkSession, report: Callable[[int, int], None]) -> Callable[[], None]:
    """Call `report(completed tasks, all tasks)` while jobs of this session run, every PROGRESS_INTERVAL.

    Gives   a function that stops it.
    """

    def handler(stages: Any, inflight_tasks: int, operation_id: str | None, done: bool) -> None:
        total = sum(stage.num_tasks for stage in stages or ())
        if total:
            report(sum(stage.num_completed_tasks for stage in stages), total)

    session.registerProgressHandler(handler)  # type: ignore[arg-type]
    return lambda: session.removeProgressHandler(handler)  # type: ignore[arg-type]


def start_python_worker(session: SparkSession) -> None:
    """Make Spark start this session's Python workers while the caller still unpacks files.

    Every session has its own workers, and the first takes about 0.8 s.
    """

    def start() -> None:
        with contextlib.suppress(Exception):
            # Not `count()`: an aggregation is compiled whatever the settings are.
            session.range(1).mapInArrow(lambda batches: batches, "id long").toArrow()

    threading.Thread(target=start, name="spark-python-worker", daemon=True).start()


def ends_analysis(error: BaseException) -> bool:
    """Whether an error of one measurement ends the whole analysis: cancelled, or Spark is unavailable."""
    if isinstance(error, AnalysisInterrupted | SparkUnavailable):
        return True
    return interrupted(error) or session_lost(error) or connection_lost(error)


def load_client() -> None:
    """Import the client's modules, which takes a second, while a started server starts."""
    import pyspark.sql.connect.session  # noqa: F401 - for its effect


def _client(remote: str, session_id: str) -> SparkSession:
    from pyspark.sql import SparkSession
    from pyspark.sql.connect.client.core import RpcDeadlines
    from pyspark.sql.connect.client.retries import DefaultPolicy

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    host, port = address(remote)
    url = f"sc://{host}:{port}/;user_id={USER};session_id={session_id}"
    session = SparkSession.builder.remote(url).create()
    client = session.client
    client.set_retry_policies([DefaultPolicy(max_retries=RETRIES)])
    client._rpc_deadlines = RpcDeadlines(
        config=CALL_SECONDS, interrupt=CALL_SECONDS, release_session=CALL_SECONDS, fetch_error_details=CALL_SECONDS
    )
    # What lets a query outlive its connection costs two more calls and a third of the processor time of a small one
    # (68 and 46 ms, measured); a lost connection ends an analysis anyway, see `watched`.
    client.disable_reattachable_execute()
    atexit.unregister(client._on_exit)
    return session


def connection_lost(error: BaseException) -> bool:
    """Whether the server did not answer a call in time."""
    return any(mark in str(error) for mark in _CONNECTION_LOST)


def session_lost(error: BaseException) -> bool:
    """Whether the server does not know the session (any more)."""
    return any(mark in str(error) for mark in ("NO_ACTIVE_SESSION", "INVALID_HANDLE.SESSION"))


def interrupted(error: BaseException) -> bool:
    """Whether the work was interrupted."""
    return any(mark in str(error) for mark in ("OPERATION_CANCELED", "OPERATION_ABANDONED"))
