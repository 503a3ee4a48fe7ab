"""A temporary PostgreSQL on the loopback interface, which can hang, die and come back."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from diagnostics.spark.ports import free_port

INSTALLED = Path("/usr/lib/postgresql")
"""Where Debian and Ubuntu keep the server's programs, which are not on the PATH."""


@dataclass(frozen=True, slots=True)
class PostgresServer:
    """A server with a data folder below `place`."""

    place: str
    programs: Path
    port: int

    @property
    def url(self) -> str:
        """Its DATABASE_URL."""
        return f"postgres://bench@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        """Returns once it takes connections."""
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={self.place}"
        self._control("-w", "-l", f"{self.place}/log", "-o", options, "start")

    def stop(self) -> None:
        """At once, as after a crash."""
        self._control("-m", "immediate", "stop")

    def processes(self) -> list[psutil.Process]:
        """The server's, its parent first."""
        parent = psutil.Process(int(Path(self.place, "data", "postmaster.pid").read_text().split()[0]))
        return [parent, *parent.children(recursive=True)]

    def hang(self) -> None:
        """Its kernel still takes connections, and nothing answers."""
        self._send_all(signal.SIGSTOP)

    def go_on(self) -> None:
        """The end of `hang`."""
        self._send_all(signal.SIGCONT)

    def _send_all(self, sign: signal.Signals) -> None:
        """To each process that still lives: those of a maintenance run may end meanwhile."""
        for process in self.processes():
            with contextlib.suppress(psutil.NoSuchProcess):
                process.send_signal(sign)

    def _control(self, *arguments: str) -> None:
        _run(self.place, [f"{self.programs}/pg_ctl", "-D", f"{self.place}/data", *arguments])


@contextmanager
def postgres_server() -> Iterator[PostgresServer | None]:
    """A running server; None where none is installed."""
    found = sorted(INSTALLED.glob("*/bin/initdb"))
    initdb = found[-1] if found else shutil.which("initdb")
    if initdb is None:
        yield None
        return
    programs = Path(initdb).parent
    with tempfile.TemporaryDirectory(prefix="postgres-") as place:
        port = free_port()
        if os.geteuid() == 0:
            shutil.chown(place, "postgres")
        server = PostgresServer(place, programs, port)
        created = ["-D", f"{place}/data", "-U", "bench", "-A", "trust", "-E", "UTF8", "--no-locale"]
        _run(place, [f"{programs}/initdb", *created])
        server.start()
        try:
            yield server
        finally:
            server.stop()


@contextmanager
def postgres() -> Iterator[str | None]:
    """The DATABASE_URL of a running server; None where no server is installed."""
    with postgres_server() as server:
        yield server.url if server else None


def _run(place: str, command: list[str]) -> None:
    """As the user postgres when we are root: its programs refuse root."""
    as_user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    subprocess.run([*as_user, *command], cwd=place, check=True, stdout=subprocess.DEVNULL)
