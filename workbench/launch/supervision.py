"""Runs supervisord, and ends every process that it started."""

from __future__ import annotations

import contextlib
import ctypes
import signal
import subprocess
import sys
from pathlib import Path
from types import TracebackType

import psutil

from workbench.languages.sentences import say
from workbench.launch.plan import Plan

STOP_SECONDS = 45  # longer than the sum of the programs' stop_seconds
LAST_MOMENTS_SECONDS = 3  # a program's children notice its end and exit
PROGRAM = Path(__file__).with_name("supervisord.py")
PR_SET_PDEATHSIG = 1  # Linux, prctl(2)


class Supervised:
    """The running programs, as a context: entering starts supervisord, leaving ends every process below it."""

    def __init__(self, plan: Plan, configuration: Path) -> None:
        self._configuration = configuration
        self._plan = plan
        self._log = plan.logs / "supervisor.log"
        self._family: set[psutil.Process] = set()
        self._reported = self._log.stat().st_size if self._log.exists() else 0

    def __enter__(self) -> Supervised:
        # In its own session: Ctrl-C or a closed terminal reaches only the launcher, which then ends everything in
        # order. Output goes to a file, because a pipe would end with a killed launcher.
        with self._log.open("ab") as output:
            self._supervisord = subprocess.Popen(
                [sys.executable, "-P", str(PROGRAM), "--configuration", str(self._configuration)],
                cwd=self._plan.data,
                env=self._plan.variables,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
                preexec_fn=end_with_parent if sys.platform == "linux" else None,
            )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._remember()
        if self._supervisord.poll() is None:
            self._supervisord.terminate()
            try:
                self._supervisord.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self._supervisord.kill()
                self._supervisord.wait()
        self._end_left_over()

    def alive(self) -> bool:
        """Reports programs that died and records all processes. Gives whether supervisord runs."""
        self._report()
        self._remember()
        return self._supervisord.poll() is None

    def _remember(self) -> None:
        """Records every process below supervisord, so that it can be ended even if supervisord is killed."""
        try:
            below = psutil.Process(self._supervisord.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            return
        self._family = {process for process in self._family if process.is_running()} | set(below)

    def _end_left_over(self) -> None:
        """Ends processes that outlived their parent."""
        _, left = psutil.wait_procs([each for each in self._family if each.is_running()], LAST_MOMENTS_SECONDS)
        for process in left:
            process.kill()
        psutil.wait_procs(left, LAST_MOMENTS_SECONDS)

    def _report(self) -> None:
        """Reports programs that died, from supervisord's log."""
        if not self._log.exists() or self._log.stat().st_size == self._reported:
            return
        if self._log.stat().st_size < self._reported:
            self._reported = 0  # the log was full and restarted
        with self._log.open("rb") as log:
            log.seek(self._reported)
            new, complete, _ = log.read().rpartition(b"\n")
        self._reported += len(new + complete)
        for line in new.decode("utf-8", "replace").splitlines():
            _, exited, what = line.partition("exited: ")
            if exited and "not expected" in what:
                name, _, reason = what.partition(" ")
                reason = reason.replace("; not expected", "").strip("()")
                with contextlib.suppress(OSError):  # the log may be on a full disk
                    its_log = self._plan.logs / f"{name}.log"
                    print(
                        say(
                            "{name} ended ({reason}) and is started again; see {log}",
                            name=name,
                            reason=reason,
                            log=its_log,
                        ),
                        flush=True,
                    )


def end_with_parent() -> None:
    """In a child before exec: the kernel will signal it when its parent is killed."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
