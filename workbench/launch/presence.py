"""Locks a data folder for one workbench, and publishes the addresses of its servers to other commands."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from workbench.languages.sentences import say
from workbench.launch.plan import LaunchRefused, Plan

SHARED_VARIABLES = ("WORKBENCH_PORT", "DATABASE_URL", "REDIS_URL", "SPARK_REMOTE", "SPARK_CONNECT_AUTHENTICATE_TOKEN")


@contextmanager
def only_one(plan: Plan) -> Iterator[None]:
    """Holds the data folder. Raises LaunchRefused when another launcher does; the kernel releases it when the process
    dies.
    """
    with _lock(plan.data).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            at = variables_of_the_running(plan).get("WORKBENCH_PORT", say("a port it has not reported yet"))
            raise LaunchRefused(
                say("The workbench already runs on {folder}, port {port}.", folder=plan.data, port=at)
            ) from error
        _variables(plan).unlink(missing_ok=True)
        yield


@contextmanager
def shared_with_commands(plan: Plan) -> Iterator[None]:
    """Within the context, other commands of this user can connect to the running workbench's servers."""
    shared = {name: plan.variables[name] for name in SHARED_VARIABLES if name in plan.variables}
    with open(os.open(_variables(plan), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        json.dump(shared, file)
    try:
        yield
    finally:
        _variables(plan).unlink(missing_ok=True)


def is_running(data: Path) -> bool:
    """Whether a launcher holds the data folder."""
    try:
        with _lock(data).open("r") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


def variables_of_the_running(plan: Plan) -> dict[str, str]:
    """The servers of the workbench that runs on the same data folder; empty when none is ready."""
    variables = _variables(plan)
    if not is_running(plan.data) or not variables.exists():
        return {}
    return dict(json.loads(variables.read_text("utf-8")))


def _lock(data: Path) -> Path:
    return data / "run" / "lock"


def _variables(plan: Plan) -> Path:
    return plan.run / "environment.json"
