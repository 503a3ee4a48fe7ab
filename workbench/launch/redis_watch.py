"""Kills the workbench's own Redis when it hangs, so that the supervisor restarts it."""

from __future__ import annotations

import time

import psutil
import redis

from workbench.languages.sentences import say
from workbench.launch.plan import Plan

ANSWER_SECONDS = 2.0
"""Time limit of an answer. Our choice: it takes less than a millisecond."""

HUNG_SECONDS = 15.0
"""A Redis without an answer for this long is killed. Our choice: rewriting its file takes a queue less than a
second.
"""


class RedisWatch:
    """Polls the plan's Redis; an external one is left alone."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._answered = time.monotonic()
        self._redis = redis.Redis.from_url(
            plan.variables["REDIS_URL"],
            socket_connect_timeout=ANSWER_SECONDS,
            socket_timeout=ANSWER_SECONDS,
            retry=None,
        )

    def look(self) -> None:
        """Poll once, and kill a Redis that has been silent for too long."""
        if self._plan.redis_port is None:
            return
        try:
            self._redis.ping()
        except redis.TimeoutError:
            if time.monotonic() - self._answered > HUNG_SECONDS:
                self._end()
        except redis.RedisError:
            self._answered = time.monotonic()  # it is starting, which supervisord supervises
        else:
            self._answered = time.monotonic()

    def _end(self) -> None:
        print(say("redis has not answered for {seconds:.0f} s", seconds=HUNG_SECONDS), flush=True)
        self._answered = time.monotonic()
        for process in psutil.process_iter(["cmdline"]):
            line = " ".join(process.info["cmdline"] or ())
            if "redis-server" in line and f":{self._plan.redis_port}" in line:
                process.kill()
