"""Spark for this program: the only place that finds Java and builds sessions.

One Spark Connect server (`python -m diagnostics.spark serve --port N`) serves every worker; each analysis is a thin
client with a session id of its own, which any process can interrupt. `embedded()` runs a server for one block.

Why a Connect server and not a classic session, also for the command line: see `embedded` for the measurement.
"""

from __future__ import annotations

from diagnostics.spark.client import (
    answers,
    connect,
    disconnect,
    ends_analysis,
    expect_rows,
    interrupt,
    on_progress,
    run,
    watched,
)
from diagnostics.spark.server import embedded, prepare, serve, warm_up

__all__ = [
    "answers",
    "connect",
    "disconnect",
    "embedded",
    "ends_analysis",
    "expect_rows",
    "interrupt",
    "on_progress",
    "prepare",
    "run",
    "serve",
    "warm_up",
    "watched",
]
