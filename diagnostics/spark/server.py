"""The Spark Connect server: start, readiness and end of its JVM."""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING
from urllib.parse import urlsplit

from diagnostics.errors import SparkUnavailable
from diagnostics.language import say
from diagnostics.spark.client import answers, connect, disconnect, load_client, start_python_worker
from diagnostics.spark.java import ClassArchive, cache_folder, java_home, jvm_command, spark_home
from diagnostics.spark.ports import free_port

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

START_SECONDS = 120.0
"""How long a server may take to answer. Measured: 2 s, but 75 s were seen on a cold and busy machine."""

STOP_SECONDS = 5.0
"""How long a server may take to end before it is killed. Measured: 1 s."""

ARCHIVE_SECONDS = 180.0
"""How long the training run may take to write the archive when it ends. Measured: 5 s."""

KILL_TIMEOUT = "0ms"
"""How long a cancelled task may continue before Spark kills its Python worker; Spark checks every two seconds. A
worker's work never has to be completed.
"""

PROGRESS_INTERVAL = "500ms"
"""Interval of Spark's progress messages. Its default of 2 s is longer than most analyses read."""

LIGHTLY_COMPILED = ("-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=240m")
"""The JVM's second compiler pays off only over many analyses, or over much data. Without it a JVM keeps 48 MB for code,
which Spark fills: code was evicted and compiled again (the sixth analysis of a small case took 20 instead of 14 s of
processor time).
"""

FOR_ONE_ANALYSIS = (*LIGHTLY_COMPILED, "-XX:+UseSerialGC")
"""A concurrent collector takes processor time from the program."""

LIGHTLY_COMPILED_BYTES = 32 * 1024**2
"""Up to this input size on disk, a JVM for one analysis runs without its second compiler. Measured on 3.9 MB in 166
files, alternating, processor time from the command's start to its end: 30 instead of 52 s. On 20 million events the
second compiler halves the time.
"""

SERVER_CLASS = "org.apache.spark.sql.connect.service.SparkConnectServer"

TOKEN_VARIABLE = "SPARK_CONNECT_AUTHENTICATE_TOKEN"  # noqa: S105 - a name, not a secret
"""Environment variable with the shared secret of server and clients, because every user of a machine can reach the
port.
"""

SECRET_VARIABLE = "_SPARK_AUTH_SECRET"  # noqa: S105 - a name, not a secret
"""The environment variable in which Spark passes the secret of master, workers, driver and executors of a standalone
cluster. Source: `org.apache.spark.SecurityManager.ENV_AUTH_SECRET`."""

STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)

DAEMON_MODULE = "diagnostics.spark_service.daemon"
"""The module that forks Spark's Python workers; by name, because it preloads modules that this package does not
import.
"""

_PR_SET_PDEATHSIG = 1


SLOTS_PER_CORE = 4
"""Tasks that run at the same time for each core, which the kernel divides by their priority. An analysis occupies at
most two for each core, a large one a single one (`diagnostics/reading/spark_job.py`): a small one always finds a slot.
"""

_SLOTS = re.compile(r"local\[(\d+)\]")

FAIR_SHARES = """\
<?xml version="1.0"?>
<allocations>
  <pool name="default">
    <schedulingMode>FAIR</schedulingMode>
    <weight>1</weight>
    <minShare>0</minShare>
  </pool>
</allocations>
"""
"""Waiting jobs get cores in turn, so that a small analysis does not wait for a large one. All jobs share one pool,
because a Connect client cannot select another. Source: Spark, "Job Scheduling", Fair Scheduler Pools.
"""


def is_local(master: str) -> bool:
    """Whether the server's own JVM executes the work."""
    return master.startswith("local")


def with_spare_slots() -> str:
    """The master of a server for several analyses at once."""
    return f"local[{SLOTS_PER_CORE * (os.cpu_count() or 1)}]"


def has_spare_slots(master: str) -> bool:
    """Whether the server's own JVM runs more tasks at the same time than it has cores."""
    slots = _SLOTS.fullmatch(master)
    return slots is not None and int(slots[1]) > (os.cpu_count() or 1)


def _on_this_machine(master: str) -> bool:
    """Whether everything that works for this master shares this machine's folders and loopback interface."""
    return is_local(master) or urlsplit(master).hostname in ("localhost", "127.0.0.1")


def _settings(port: int, scratch: Path, master: str, *, shares_code: bool) -> dict[str, str]:
    shares = scratch / "fair-shares.xml"
    shares.write_text(FAIR_SHARES)
    settings = {
        "spark.master": master,
        "spark.app.name": "flink-workbench",
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
        "spark.connect.progress.reportInterval": PROGRESS_INTERVAL,
        "spark.python.task.killTimeout": KILL_TIMEOUT,
        "spark.scheduler.mode": "FAIR",
        "spark.scheduler.allocation.file": f"file://{shares}",
        "spark.ui.enabled": "false",
        "spark.sql.warehouse.dir": str(scratch / "warehouse"),
        "spark.pyspark.python": sys.executable,
        "spark.sql.session.timeZone": "UTC",
    }
    if not master.startswith("spark:"):
        # Spark makes the secret itself; a standalone master has one of its own, see `Server`. Without it every user of
        # the machine reaches the driver's RPC, which deserialises what it is sent. Source: Spark, "Security".
        settings["spark.authenticate"] = "true"
    if is_local(master):
        settings["spark.default.parallelism"] = settings["spark.sql.shuffle.partitions"] = str(os.cpu_count() or 2)
    if _on_this_machine(master):
        settings |= {
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
        }
        if shares_code:
            settings |= {
                "spark.python.daemon.module": DAEMON_MODULE,
                "spark.executorEnv.PYTHONPATH": _python_path(),
            }
    return settings


def _python_path() -> str:
    repository = Path(__file__).resolve().parents[2]
    return os.pathsep.join(filter(None, [str(repository), os.environ.get("PYTHONPATH", "")]))


def die_with_parent() -> None:
    """In the child, before exec of the JVM: end with the supervisor, even when that is killed."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def options_for(input_bytes: int | None) -> list[str]:
    """Options of a JVM that ends after one analysis of `input_bytes`; None for several analyses."""
    archive = ClassArchive().use()
    if input_bytes is None or input_bytes > LIGHTLY_COMPILED_BYTES:
        return archive
    return [*archive, *FOR_ONE_ANALYSIS]


def remote_at(port: int) -> str:
    """The address of a server on this machine; pyspark sends its token without TLS only to the name `localhost`."""
    return f"sc://localhost:{port}"


class Server:
    """One JVM that runs a Spark Connect server on 127.0.0.1.

    master       where its work runs, else `SPARK_MASTER`, else the JVM itself
    secret       of the standalone cluster that `master` belongs to
    shares_code  whether workers on this machine import this program where it lies

    A process group of its own keeps a terminal's Ctrl-C from it: its supervisor ends it in order. It is no session of
    its own, between which Linux shares its cores without regard to niceness. Source: sched(7), "The autogroup feature".

    In local mode SPARK_HOME is an empty folder: Spark would put `python/lib/pyspark.zip` before the installed package,
    and each session's first Python worker then compiles pyspark from the zip (1.6 instead of 0.8 s, measured).
    """

    def __init__(
        self,
        port: int,
        *,
        jvm_options: list[str] | None = None,
        output: IO[bytes] | None = None,
        master: str | None = None,
        secret: str | None = None,
        shares_code: bool = True,
    ) -> None:
        self.port = port
        # Only to this name does pyspark send SPARK_CONNECT_AUTHENTICATE_TOKEN without TLS.
        self.remote = f"sc://localhost:{port}"
        self.scratch = Path(tempfile.mkdtemp(prefix="server-", dir=cache_folder()))
        master = master or os.environ.get("SPARK_MASTER", "local[*]")
        environment = os.environ | {
            "SPARK_HOME": str(self.scratch if is_local(master) else spark_home()),
            "JAVA_HOME": str(java_home()),
            "PYSPARK_PYTHON": sys.executable,
            "SPARK_LOCAL_DIRS": str(self.scratch),
            "PYTHONPATH": _python_path(),
        }
        if _on_this_machine(master):
            # Executors elsewhere connect to the driver by the machine's own address.
            environment["SPARK_LOCAL_IP"] = "127.0.0.1"
        environment.pop("SPARK_REMOTE", None)
        arguments = ["--class", SERVER_CLASS]
        settings = _settings(port, self.scratch, master, shares_code=shares_code)
        if secret:
            # A driver reads it from its settings only, and a command line is visible to every user.
            private = self.scratch / "private.conf"
            private.touch(mode=0o600)
            private.write_text(f"spark.authenticate true\nspark.authenticate.secret {secret}\n")
            arguments += ["--properties-file", str(private)]
        for key, value in settings.items():
            arguments += ["--conf", f"{key}={value}"]
        options = ClassArchive().use() if jvm_options is None else jvm_options
        self._process = subprocess.Popen(  # noqa: S603 - our own command
            jvm_command([f"-Djava.io.tmpdir={self.scratch}", *options], [*arguments, "spark-internal"]),
            env=environment,
            cwd=self.scratch,
            stdin=subprocess.DEVNULL,
            stdout=output or sys.stderr.buffer,
            stderr=output or sys.stderr.buffer,
            process_group=0,
            preexec_fn=die_with_parent,
        )

    @property
    def ended(self) -> int | None:
        """The exit status of the JVM, None while it lives."""
        return self._process.poll()

    def wait_until_it_answers(self, seconds: float = START_SECONDS) -> None:
        """Raises  SparkUnavailable when the JVM ends or the time is over."""
        deadline = time.monotonic() + seconds
        while not answers(self.remote):
            if self.ended is not None:
                raise SparkUnavailable(
                    say("the Spark server ended at once with status {status}; its log says why", status=self.ended)
                )
            if time.monotonic() > deadline:
                raise SparkUnavailable(say("the Spark server did not answer within {seconds:.0f} s", seconds=seconds))
            time.sleep(0.02)

    def kill(self) -> None:
        """End the JVM at once, also one that is stopped or hangs."""
        self._process.kill()

    def stop(self, seconds: float = STOP_SECONDS) -> None:
        """End the JVM and its Python workers, and remove its scratch files."""
        if self.ended is None:
            self._process.terminate()
            try:
                self._process.wait(seconds)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        shutil.rmtree(self.scratch, ignore_errors=True)


@contextlib.contextmanager
def embedded(input_bytes: int | None = None, started: Server | None = None) -> Iterator[SparkSession]:
    """A session for the command line and for tests; its own server lives and ends with the block.

    input_bytes  how much one analysis will read before the server ends, None when there will be several
    started      a server that is on its way already
    With `SPARK_REMOTE` set that server is used and left running. A server and not a classic session: interleaved on a
    busy machine it gave its first result from cold after 12 to 31 s, a classic session after 33 to 62 s, in each of
    three rounds about twice as late (the launcher's second JVM, py4j, and SparkContext's own start).
    Raises  SparkUnavailable when Spark cannot be started; the log is `spark.log` in the cache folder.
    """
    remote = os.environ.get("SPARK_REMOTE")
    if remote:
        session = connect(remote, str(uuid.uuid4()))
        try:
            yield session
        finally:
            disconnect(session)
        return
    server = started or logged_server(options_for(input_bytes))
    try:
        load_client()
        server.wait_until_it_answers()
        session = connect(server.remote, str(uuid.uuid4()))
        start_python_worker(session)
        try:
            yield session
        finally:
            disconnect(session, release=False)
    finally:
        # Nothing of a server for one analysis is kept: its orderly end would be a second that somebody waits.
        server.stop(STOP_SECONDS if input_bytes is None else 0.0)


def logged_server(jvm_options: list[str]) -> Server:
    """A server whose output goes to `spark.log` in the cache folder."""
    os.environ.setdefault(TOKEN_VARIABLE, str(uuid.uuid4()))
    with (cache_folder() / "spark.log").open("ab") as log:
        return Server(free_port(), jvm_options=jvm_options, output=log)
