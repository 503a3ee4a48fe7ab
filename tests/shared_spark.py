"""One Spark server for all processes of a test run, started when the first test asks for it.

A fresh JVM takes about half a minute of processor time before it is quick: with one for each test process and each
workbench that was a tenth of the whole run. The process that collects nothing itself (pytest-xdist's controller) or,
without pytest-xdist, the only one keeps the server; the others ask for it and wait in its folder.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import time
import uuid
from pathlib import Path

import pytest

from diagnostics.spark.server import START_SECONDS, TOKEN_VARIABLE, logged_server, options_for
from tests import s3_server

FOLDER_VARIABLE = "WORKBENCH_TESTS_SPARK"
LOOK_SECONDS = 0.1


class Keeper:
    """Starts the server when `wanted` appears in the folder, writes `remote` (or `failed`), and ends it in the end."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._ended = threading.Event()
        # The JVM ends with the thread that started it.
        self._thread = threading.Thread(target=self._keep, name="shared-spark", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Ends the server, if there was one, and removes the folder."""
        self._ended.set()
        self._thread.join()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _keep(self) -> None:
        while not (self.folder / "wanted").exists():
            if self._ended.wait(LOOK_SECONDS):
                return
        server = logged_server(options_for(None))
        try:
            server.wait_until_it_answers()
            self._tell("remote", server.remote)
            self._ended.wait()
        except Exception as error:
            self._tell("failed", str(error))
        finally:
            server.stop()

    def _tell(self, name: str, text: str) -> None:
        written = self.folder / f".{name}"
        written.write_text(text, "utf-8")
        written.rename(self.folder / name)


KEEPER = pytest.StashKey[Keeper]()


def pytest_configure(config: pytest.Config) -> None:
    """In the controller, before it starts the processes that inherit its environment."""
    if not hasattr(config, "workerinput"):
        os.environ.setdefault(TOKEN_VARIABLE, str(uuid.uuid4()))
        folder = Path(tempfile.mkdtemp(prefix="tests-spark-"))
        os.environ[FOLDER_VARIABLE] = str(folder)
        os.environ.update(s3_server.environment())
        config.stash[KEEPER] = Keeper(folder)


def pytest_unconfigure(config: pytest.Config) -> None:
    """At the end of the controller, when the other processes have ended."""
    if KEEPER in config.stash:
        config.stash[KEEPER].end()


@pytest.fixture(scope="session")
def spark_remote() -> str:
    """The address of the server; `SPARK_REMOTE`, where it is set, names another."""
    given = os.environ.get("SPARK_REMOTE")
    if given:
        return given
    folder = Path(os.environ[FOLDER_VARIABLE])
    (folder / "wanted").touch()
    deadline = time.monotonic() + 2 * START_SECONDS
    while not (folder / "remote").exists():
        assert not (folder / "failed").exists(), (folder / "failed").read_text("utf-8")
        assert time.monotonic() < deadline, "the Spark server of the tests did not start"
        time.sleep(LOOK_SECONDS)
    return (folder / "remote").read_text("utf-8")
