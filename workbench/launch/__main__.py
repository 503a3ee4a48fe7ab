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

from diagnostics.language import LANGUAGES, command_language, reader_language, reading_in
from workbench.languages.sentences import say
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
    with reading_in(command_language(sys.argv[1:], os.environ)):
        return _run(_command())


def _command() -> str:
    """The command of the command line, in the language of whose reader sentences are made."""
    description = say("up starts everything and stays; demo loads the demo cases and returns.")
    parser = argparse.ArgumentParser(prog="python -m workbench.launch", description=description)
    parser.add_argument("command", choices=["up", "demo"])
    parser.add_argument(
        "--language", choices=LANGUAGES, help=say("of help and messages; without it, that of the terminal's locale")
    )
    return str(parser.parse_args().command)


def _run(command: str) -> int:
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
        print(say("Ended."), flush=True)
        return 0


def up(plan: Plan) -> int:
    """Starts everything and runs until it is stopped."""
    with running(plan) as supervised:
        ready = say(
            "The workbench is ready: {address}   (Ctrl-C ends it; logs: {logs})", address=plan.address, logs=plan.logs
        )
        print(ready, flush=True)
        watch = RedisWatch(plan)
        while supervised.alive():
            watch.look()
            time.sleep(WATCH_EVERY_SECONDS)
    raise LaunchRefused(say("The supervisor ended by itself; see {log}", log=plan.logs / "supervisor.log"))


def demo(plan: Plan) -> int:
    """Loads the demo cases into the running workbench, else into one started for this purpose."""
    found = variables_of_the_running(plan)
    if found:
        _python("manage.py", "demo_cases", "--wait", variables=plan.variables | found)
        return 0
    with running(plan):
        _python("manage.py", "demo_cases", "--wait", variables=plan.variables)
    print(say("The demo cases are on the home page of: make up"), flush=True)
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
        print(say("Preparing the database"), flush=True)
        _python("-m", "workbench.launch.prepare", variables=plan.variables)
        names = ", ".join(program.name for program in programs(plan))
        print(say("Starting {programs}", programs=names), flush=True)
        with Supervised(plan, write_configuration(plan)) as supervised:
            wait_until_ready(plan, supervised.alive)
            print(say("Started in {seconds:.1f} s", seconds=time.monotonic() - started), flush=True)
            with shared_with_commands(plan):
                yield supervised


def _python(*arguments: str, variables: dict[str, str]) -> None:
    """Runs a program of ours to its end, in the language of the launcher and shielded from the terminal's signals.

    Raises LaunchRefused when it fails.
    """
    command = [sys.executable, *arguments, "--language", reader_language()]
    done = subprocess.run(command, cwd=PROJECT, env=variables, start_new_session=True, check=False)
    if done.returncode != 0:
        raise LaunchRefused(say("{command} failed; the reason is above.", command=" ".join(arguments)))


def _stop(number: int, frame: FrameType | None) -> None:
    """Stops the launcher on the first signal; further ones must not interrupt the orderly end, whose time is
    limited.
    """
    for stopping in STOPPING_SIGNALS:
        signal.signal(stopping, signal.SIG_IGN)
    raise Stopped


if __name__ == "__main__":
    sys.exit(main())
