"""`python -m workbench.launch up|demo`: start everything and stay, or load the demo cases and return."""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from workbench.launch.open_files import open_files_raise
from workbench.launch.plan import PROJECT, LaunchRefused, Plan, plan_from, refuse_full_disk, refuse_taken_port
from workbench.launch.presence import only_one, shared_with_commands, variables_of_the_running
from workbench.launch.programs import programs, write_configuration
from workbench.launch.readiness import wait_until_ready
from workbench.launch.redis_watch import RedisWatch
from workbench.launch.supervision import Supervised
from workbench.machine.environment import keep_files_private

STOPPING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
WATCH_EVERY_SECONDS = 2


class Stopped(BaseException):
    """The launcher is asked to stop: Ctrl-C, a closed terminal, or SIGTERM."""


def main() -> int:
    """Runs one command of the launcher and gives the exit status."""
    parser = argparse.ArgumentParser(prog="python -m workbench.launch", description=__doc__)
    parser.add_argument("command", choices=["up", "demo"])
    command = parser.parse_args().command
    keep_files_private()
    for number in STOPPING_SIGNALS:
        signal.signal(number, _stop)
    try:
        plan = plan_from(os.environ)
        return up(plan) if command == "up" else demo(plan)
    except LaunchRefused as refused:
        sys.stderr.write(f"{command}: {refused}\n")
        return 1
    except Stopped:
        print("Ended.", flush=True)
        return 0


def up(plan: Plan) -> int:
    """Starts everything and runs until it is stopped."""
    with running(plan) as supervised:
        print(f"The workbench is ready: {plan.address}   (Ctrl-C ends it; logs: {plan.logs})", flush=True)
        watch = RedisWatch(plan)
        while supervised.alive():
            watch.look()
            time.sleep(WATCH_EVERY_SECONDS)
    raise LaunchRefused(f"The supervisor ended by itself; see {plan.logs}/supervisor.log")


def demo(plan: Plan) -> int:
    """Loads the demo cases into the running workbench, else into one started for this purpose."""
    found = variables_of_the_running(plan)
    if found:
        _python("manage.py", "demo_cases", "--wait", variables=plan.variables | found)
        return 0
    with running(plan):
        _python("manage.py", "demo_cases", "--wait", variables=plan.variables)
    print("The demo cases are on the home page of: make up", flush=True)
    return 0


@contextmanager
def running(plan: Plan) -> Iterator[Supervised]:
    """The workbench, prepared, started and ready; all its processes end with the context."""
    started = time.monotonic()
    open_files_raise()
    refuse_full_disk(plan)
    for folder in (plan.run, plan.logs):
        folder.mkdir(exist_ok=True, mode=0o700)
    with only_one(plan):
        refuse_taken_port(plan)
        print("Preparing the database", flush=True)
        _python("-m", "workbench.launch.prepare", variables=plan.variables)
        print(f"Starting {', '.join(program.name for program in programs(plan))}", flush=True)
        with Supervised(plan, write_configuration(plan)) as supervised:
            wait_until_ready(plan, supervised.alive)
            print(f"Started in {time.monotonic() - started:.1f} s", flush=True)
            with shared_with_commands(plan):
                yield supervised


def _python(*arguments: str, variables: dict[str, str]) -> None:
    """Runs Python to its end, shielded from the terminal's signals. Raises LaunchRefused when it fails."""
    done = subprocess.run([sys.executable, *arguments], cwd=PROJECT, env=variables, start_new_session=True, check=False)
    if done.returncode != 0:
        raise LaunchRefused(f"{' '.join(arguments)} failed; the reason is above.")


def _stop(number: int, frame: FrameType | None) -> None:
    """Stops the launcher on the first signal; further ones must not interrupt the orderly end, whose time is
    limited.
    """
    for stopping in STOPPING_SIGNALS:
        signal.signal(stopping, signal.SIG_IGN)
    raise Stopped


if __name__ == "__main__":
    sys.exit(main())
