"""Runs the server for `serve`: in the foreground, warmed up, restarted when it dies or hangs.

The warm-up is imported where it is used: it brings the whole pipeline, a second in which the server could start.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn
from uuid import uuid4

from diagnostics.errors import SparkUnavailable
from diagnostics.spark.client import answers, connect, disconnect
from diagnostics.spark.java import ClassArchive
from diagnostics.spark.server import STOP_SIGNALS, Server, remote_at, with_spare_slots
from diagnostics.spark.watching import ServerWatch

HUNG_SECONDS = 30.0
"""A server without an answer for this long is ended. Our choice: long garbage collections take a few seconds."""


def serve(port: int, say: Callable[[str], None], *, cold: bool = False) -> int:
    """Run the server until SIGTERM or SIGINT; when its JVM dies or hangs, start it again.

    A server that is started again is warmed up here, unless `cold`; the first one by the sessions of the workers, which
    warm up themselves, so that it is not done twice on a machine that starts everything at once.
    A signal ends the process with status 0 at any point: threads of a warm-up on a busy machine would outlast a
    supervisor's patience.
    Gives   an exit status, 1 when it cannot be started.
    """
    if answers(remote_at(port)):
        say(f"port {port} is in use")
        return 1

    server: Server | None = None

    def stop(*_: object) -> NoReturn:
        for name in STOP_SIGNALS:
            signal.signal(name, signal.SIG_IGN)
        if server is not None:
            server.stop()
        os._exit(0)

    for name in STOP_SIGNALS:
        signal.signal(name, stop)
    if not ClassArchive().exists:
        say("no class archive: this start is slower; `python -m diagnostics.spark_service prepare` makes it")
    started_once = False
    while True:
        began = time.monotonic()
        server = Server(port, master=os.environ.get("SPARK_MASTER", with_spare_slots()))
        try:
            server.wait_until_it_answers()
            say(f"Spark Connect answers at {server.remote} after {time.monotonic() - began:.1f} s")
            is_restart, started_once = started_once, True
            with _ended_when_it_hangs(server, say):
                if is_restart and not cold:
                    _warm_up(server, say)
                while server.ended is None:
                    time.sleep(0.2)
            say(f"the Spark server ended with status {server.ended}; it is started again")
            time.sleep(1.0)
        except SparkUnavailable as error:
            say(str(error))
            if not started_once:
                return 1
        finally:
            server.stop()


def _warm_up(server: Server, say: Callable[[str], None]) -> None:
    try:
        from diagnostics.spark_service.warm_up import warm_up

        say(f"warmed up in {warm_up(server):.1f} s")
    except Exception as error:
        say(f"warm-up failed, the first analyses are slower: {error}")


@contextmanager
def _ended_when_it_hangs(server: Server, say: Callable[[str], None]) -> Iterator[None]:
    """Watch the server during the block, and kill it when it does not answer any more."""

    def end() -> None:
        say(f"the Spark server has not answered for {HUNG_SECONDS:.0f} s")
        server.kill()

    session = connect(server.remote, str(uuid4()))
    try:
        with ServerWatch(server.remote, session, HUNG_SECONDS, end):
            yield
    finally:
        disconnect(session, release=False)
