"""Plans from the environment what to start, and refuses invalid combinations."""

from __future__ import annotations

import errno
import secrets
import shutil
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from diagnostics.errors import SparkUnavailable
from diagnostics.language import joined_sentences
from diagnostics.spark.java import java_home
from diagnostics.spark.ports import free_ports
from diagnostics.storage.shared_folder import STORAGE_EXAMPLE, STORAGE_FORM, STORAGE_VARIABLE
from diagnostics.wording.phrase import size as size_text
from workbench.languages.sentences import say
from workbench.machine.environment import Environment

START_BYTES = 32 * 1024**2
"""Bytes that a start writes: the journals of the database and the queue, logs. Our choice."""
PROJECT = Path(__file__).resolve().parent.parent.parent


class LaunchRefused(Exception):
    """The workbench cannot start; the message is one line for the person at the terminal."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The folders, addresses and servers of a workbench.

    `redis_port` and `spark_port` are None when REDIS_URL or SPARK_REMOTE name an external server. `is_cold` leaves out
    the warm-up of a Spark server that was started again. `variables` is the whole environment of every started program.
    """

    data: Path
    host: str
    port: int
    redis_port: int | None
    redis_password: str
    spark_port: int | None
    is_cold: bool
    variables: dict[str, str]

    @property
    def run(self) -> Path:
        """Folder of files that exist only at run time: configuration, lock, addresses."""
        return self.data / "run"

    @property
    def logs(self) -> Path:
        """Folder of logs, one per program."""
        return self.data / "logs"

    @property
    def address(self) -> str:
        """The address for a browser on this machine."""
        return f"http://{'127.0.0.1' if self.host == '0.0.0.0' else self.host}:{self.port}"  # noqa: S104 compared only


def plan_from(environ: Mapping[str, str]) -> Plan:
    """The plan for this environment. Raises LaunchRefused."""
    environment = Environment(environ)
    data = environment.folder("WORKBENCH_DATA", PROJECT / "var")
    host = environment.text("WORKBENCH_BIND", "127.0.0.1")
    port = environment.number("WORKBENCH_PORT", 8000, 1, 65_535)
    is_cold = environment.switch("WORKBENCH_COLD")
    environment.matching(STORAGE_VARIABLE, "", STORAGE_FORM, STORAGE_EXAMPLE)
    for problem in environment.problems:
        raise LaunchRefused(joined_sentences([str(problem.msg), str(problem.hint)]))
    own_redis, own_spark = not environ.get("REDIS_URL"), not environ.get("SPARK_REMOTE")
    if own_spark:
        _refuse_unfit_java(environ)
    redis_port, spark_port = free_ports(2)
    password, token = secrets.token_urlsafe(24), secrets.token_urlsafe(24)
    variables = dict(environ) | {"WORKBENCH_DATA": str(data), "WORKBENCH_PORT": str(port), "PYTHONUNBUFFERED": "1"}
    # Ten processes run this program: without compiled code on the disk each of them compiles it, for 1 s.
    variables.pop("PYTHONDONTWRITEBYTECODE", None)
    if own_redis:
        variables["REDIS_URL"] = f"redis://:{password}@127.0.0.1:{redis_port}/0"
    if own_spark:
        # "localhost": only to this name does pyspark send the token without TLS.
        variables["SPARK_REMOTE"] = f"sc://localhost:{spark_port}"
        variables["SPARK_CONNECT_AUTHENTICATE_TOKEN"] = token
    return Plan(
        data=data,
        host=host,
        port=port,
        redis_port=redis_port if own_redis else None,
        redis_password=password,
        spark_port=spark_port if own_spark else None,
        is_cold=is_cold,
        variables=variables,
    )


def refuse_taken_port(plan: Plan) -> None:
    """Raises LaunchRefused when the web server's port is taken."""
    try:
        with socket.create_server((plan.host, plan.port)):
            pass
    except OSError as error:
        where = f"{plan.host}:{plan.port}"
        if error.errno == errno.EADDRINUSE:
            raise LaunchRefused(
                say("{where} is in use. Choose another port: WORKBENCH_PORT=8001 make up", where=where)
            ) from error
        raise LaunchRefused(say("Cannot listen on {where}: {reason}.", where=where, reason=error.strerror)) from error


def refuse_full_disk(plan: Plan) -> None:
    """Raises LaunchRefused when database, queue and logs have no space."""
    free = shutil.disk_usage(plan.data).free
    if free < START_BYTES:
        raise LaunchRefused(
            say(
                "The disk of {folder} is full: a start needs {needed}, {free} are free. "
                "Make room on it; nothing of the workbench has to go if something else can.",
                folder=plan.data,
                needed=size_text(START_BYTES),
                free=size_text(free),
            )
        )


def _refuse_unfit_java(given: Mapping[str, str]) -> None:
    """An unsuitable Java would fail with a class version error in Spark's log, over and over."""
    try:
        java_home(given)
    except SparkUnavailable as error:
        raise LaunchRefused(str(error)) from error
