"""A PostgreSQL of its own on the loopback interface; nothing of it is left."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

INSTALLED = Path("/usr/lib/postgresql")
"""Where Debian and Ubuntu keep the server's programs, which are not on the PATH."""


@contextmanager
def postgres() -> Iterator[str | None]:
    """The DATABASE_URL of a running server; None where no server is installed."""
    found = sorted(INSTALLED.glob("*/bin/initdb"))
    initdb = found[-1] if found else shutil.which("initdb")
    if initdb is None:
        yield None
        return
    programs = Path(initdb).parent
    with tempfile.TemporaryDirectory(prefix="postgres-") as place:
        with socket.create_server(("127.0.0.1", 0)) as probe:
            port = probe.getsockname()[1]
        if os.geteuid() == 0:
            shutil.chown(place, "postgres")
        data = f"{place}/data"
        options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={place}"
        _run(place, [f"{programs}/initdb", "-D", data, "-U", "bench", "-A", "trust", "-E", "UTF8", "--no-locale"])
        _run(place, [f"{programs}/pg_ctl", "-D", data, "-w", "-l", f"{place}/log", "-o", options, "start"])
        try:
            yield f"postgres://bench@127.0.0.1:{port}/postgres"
        finally:
            _run(place, [f"{programs}/pg_ctl", "-D", data, "-m", "immediate", "stop"])


def _run(place: str, command: list[str]) -> None:
    """As the user postgres when we are root: its programs refuse root."""
    as_user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    subprocess.run([*as_user, *command], cwd=place, check=True, stdout=subprocess.DEVNULL)
