"""A Spark standalone cluster on this machine, from the installed PySpark: one master and workers, each its own JVM.

Work that runs here on several JVMs runs on several machines too: executors outside of the server, Python workers that
are not its children, and failures of either.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import IO, NoReturn

from diagnostics.errors import SparkUnavailable
from diagnostics.spark.client import answers
from diagnostics.spark.java import cache_folder, class_command, home_for_launchers, scala_version, spark_home
from diagnostics.spark.ports import free_ports
from diagnostics.spark.server import (
    SECRET_VARIABLE,
    START_SECONDS,
    STOP_SECONDS,
    STOP_SIGNALS,
    TOKEN_VARIABLE,
    Server,
    die_with_parent,
    remote_at,
)

WORKERS = 2

DAEMON_HEAP = "256m"
"""Heap of a master and of a worker, which only start and supervise executors. Our choice."""

EXECUTOR_MEMORY = "1g"
"""Heap of an executor, Spark's own default. The readers' memory is in its Python workers."""

MASTER_CLASS = "org.apache.spark.deploy.master.Master"
WORKER_CLASS = "org.apache.spark.deploy.worker.Worker"


class StandaloneCluster:
    """The master and its workers; they end with the process that made them.

    master     the address for `SPARK_MASTER`
    web        the address of the master's own page
    """

    def __init__(self, workers: int = WORKERS, *, output: IO[bytes] | None = None) -> None:
        self._scratch = Path(tempfile.mkdtemp(prefix="cluster-", dir=cache_folder()))
        self._output = output or sys.stderr.buffer
        self._java = home_for_launchers(self._scratch / "java")
        self._processes: list[subprocess.Popen[bytes]] = []
        self._workers = workers
        self.secret = secrets.token_urlsafe(24)
        port, web_port = free_ports(2)
        self.master = f"spark://127.0.0.1:{port}"
        self.web = f"http://127.0.0.1:{web_port}"

    def start(self, seconds: float = START_SECONDS) -> None:
        """Start the master, then the workers, and wait until it knows them all.

        Raises  SparkUnavailable when a part ends or the time is over.
        """
        deadline = time.monotonic() + seconds
        listen = ["--host", "127.0.0.1"]
        # Without retries: on a port that is taken a master would choose another one, which nobody would know.
        options = ["-Dspark.master.rest.enabled=false", "-Dspark.port.maxRetries=0"]
        ports = ["--port", self.master.rpartition(":")[2], "--webui-port", self.web.rpartition(":")[2]]
        self._processes.append(self._started(MASTER_CLASS, options, [*listen, *ports]))
        # A worker whose first registration finds no master waits for many seconds before its next one.
        self._wait_for_workers(0, deadline)
        cores = max(1, (os.cpu_count() or 1) // self._workers)
        for number in range(self._workers):
            # A worker's folder identifies it, so that a test can find its executor.
            place = ["--work-dir", str(self._scratch / f"worker-{number}"), "--webui-port", "0"]
            size = ["--cores", str(cores), "--memory", EXECUTOR_MEMORY]
            self._processes.append(self._started(WORKER_CLASS, [], [*listen, *place, *size, self.master]))
        self._wait_for_workers(self._workers, deadline)

    def _started(self, name: str, options: list[str], arguments: list[str]) -> subprocess.Popen[bytes]:
        environment = os.environ | {
            "JAVA_HOME": str(self._java),
            "SPARK_HOME": str(spark_home()),
            "SPARK_LOCAL_DIRS": str(self._scratch),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_SCALA_VERSION": scala_version(),
            SECRET_VARIABLE: self.secret,
        }
        return subprocess.Popen(  # noqa: S603 - our own command
            class_command(name, [f"-Xmx{DAEMON_HEAP}", "-Dspark.authenticate=true", *options], arguments),
            env=environment,
            cwd=self._scratch,
            stdin=subprocess.DEVNULL,
            stdout=self._output,
            stderr=self._output,
            process_group=0,
            preexec_fn=die_with_parent,
        )

    def _wait_for_workers(self, count: int, deadline: float) -> None:
        while (known := self._known_workers()) is None or known < count:
            if self.ended is not None:
                raise SparkUnavailable(
                    f"a part of the cluster ended at once with status {self.ended}; its log says why"
                )
            if time.monotonic() > deadline:
                answer = "did not answer" if known is None else f"knew {known} of {count} workers"
                raise SparkUnavailable(f"the master of the cluster {answer} when the time to start was over")
            time.sleep(0.1)

    def _known_workers(self) -> int | None:
        """None while the master does not answer."""
        try:
            with urllib.request.urlopen(f"{self.web}/json/", timeout=2) as answer:  # noqa: S310 - our own address
                return int(json.load(answer)["aliveworkers"])
        except (OSError, ValueError, KeyError):
            return None

    @property
    def ended(self) -> int | None:
        """The exit status of a process that has ended, None while all live."""
        return next((status for each in self._processes if (status := each.poll()) is not None), None)

    def worker_pid(self, number: int) -> int:
        """The process of a worker, whose executors are its children."""
        return self._processes[1 + number].pid

    def stop(self) -> None:
        """End all parts, workers first, and remove their scratch files."""
        for process in reversed(self._processes):
            process.terminate()
        for process in reversed(self._processes):
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self._scratch, ignore_errors=True)


@contextlib.contextmanager
def on_a_cluster(
    port: int, *, workers: int = WORKERS, output: IO[bytes] | None = None, shares_code: bool = True
) -> Iterator[tuple[StandaloneCluster, Server]]:
    """A ready cluster with a Connect server on it, within the block.

    shares_code  False: workers get this program as on other machines, from each session
    Raises  SparkUnavailable when they do not start.
    """
    os.environ.setdefault(TOKEN_VARIABLE, secrets.token_urlsafe(24))
    cluster = StandaloneCluster(workers, output=output)
    try:
        cluster.start()
        server = Server(port, output=output, master=cluster.master, secret=cluster.secret, shares_code=shares_code)
        try:
            server.wait_until_it_answers()
            yield cluster, server
        finally:
            server.stop()
    finally:
        cluster.stop()


def serve_on_a_cluster(port: int, workers: int, say: Callable[[str], None]) -> int:
    """Run a cluster with a Connect server until SIGTERM or SIGINT, or until a part of it ends.

    Gives   an exit status, 1 when it cannot be started or a part ended by itself.
    """
    if answers(remote_at(port)):
        say(f"port {port} is in use")
        return 1
    has_token = TOKEN_VARIABLE in os.environ
    for name in STOP_SIGNALS:
        signal.signal(name, _stop)
    try:
        with on_a_cluster(port, workers=workers) as (cluster, server):
            say(f"a master and {workers} workers: {cluster.web}")
            token = "" if has_token else f"{TOKEN_VARIABLE}={os.environ[TOKEN_VARIABLE]} "
            say(f"in another terminal: SPARK_REMOTE={server.remote} {token}make up   (Ctrl-C ends the cluster)")
            while (status := cluster.ended) is None and (status := server.ended) is None:
                time.sleep(0.2)
            say(f"a part of the cluster ended with status {status}")
            return 1
    except _Stopped:
        say("the cluster has ended")
        return 0


class _Stopped(BaseException):
    """Raised when the cluster is asked to end."""


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    """Stop on the first signal; a further one must not interrupt the orderly end, whose time is limited."""
    for name in STOP_SIGNALS:
        signal.signal(name, signal.SIG_IGN)
    raise _Stopped
