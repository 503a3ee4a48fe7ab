"""Waits until `/readyz` reports that database, broker, worker and Spark answer, and that the workers are warm."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable

from workbench.languages.sentences import say
from workbench.launch.plan import LaunchRefused, Plan

READY_SECONDS = 240  # the first start also builds Spark's class archive; a loaded machine took over a minute
ASK_EVERY_SECONDS = 0.3
LOGS = {"database": "web", "broker": "redis"}  # parts of /readyz whose name differs from their program
WARM_UP = "warm-up"
"""What is waited for when every part answers. Somebody who drops a case meanwhile would wait for it twice: the case and
three warm-ups share the cores (14 s in the queue were measured)."""


def wait_until_ready(plan: Plan, alive: Callable[[], bool]) -> None:
    """Returns once everything answers and is warm. Raises LaunchRefused, naming the parts that do not answer."""
    started, said, waiting = time.monotonic(), "", "web"
    while time.monotonic() - started < READY_SECONDS:
        if not alive():
            raise LaunchRefused(say("The supervisor ended by itself; see {log}", log=plan.logs / "supervisor.log"))
        waiting = _not_ready(plan.address)
        if not waiting:
            return
        if waiting != said and time.monotonic() - started > 1:
            print(f"  {say('waiting for {parts}', parts=waiting)}", flush=True)
            said = waiting
        time.sleep(ASK_EVERY_SECONDS)
    if waiting == WARM_UP:
        return
    refusal = say("Not ready after {seconds} s: {parts} does not answer.", seconds=READY_SECONDS, parts=waiting)
    raise LaunchRefused(f"{refusal}\n{_last_lines(plan, waiting)}")


def _not_ready(address: str) -> str:
    """The parts that do not answer yet, else WARM_UP while workers warm up, else empty."""
    try:
        with urllib.request.urlopen(f"{address}/readyz", timeout=15) as answer:  # noqa: S310 our own http address
            return WARM_UP if json.load(answer)["warming_up"] else ""
    except urllib.error.HTTPError as error:
        return _failing_parts(error.read())
    except (OSError, ValueError, KeyError):
        return "web"


def _failing_parts(body: bytes) -> str:
    """The parts that `/readyz` names as failing."""
    try:
        parts = json.loads(body)["parts"]
        return ", ".join(name for name, state in parts.items() if state != "ok") or "web"
    except (ValueError, KeyError, AttributeError):
        return "web"


def _last_lines(plan: Plan, waiting: str) -> str:
    """The end of the logs of the programs that do not answer."""
    ends = []
    for name in waiting.split(", "):
        log = plan.logs / f"{LOGS.get(name, name)}.log"
        if log.exists():
            lines = log.read_text("utf-8", errors="replace").splitlines()[-15:]
            ends += [say("The end of {log}:", log=log), *(f"  {line}" for line in lines)]
    return "\n".join(ends)
