"""Spark for this program: the only place that finds Java and builds sessions.

One Spark Connect server (`python -m diagnostics.spark_service serve --port N`) serves every worker; each of them is a
thin client that keeps one session, whose work any process can interrupt. `embedded()` runs a server for one block.

Why a Connect server and not a classic session, also for the command line: see `embedded` for the measurement.
"""

from __future__ import annotations

from diagnostics.spark.client import (
    answers,
    connect,
    disconnect,
    ends_analysis,
    interrupt,
    on_progress,
)
from diagnostics.spark.kept_session import KeptSession
from diagnostics.spark.server import embedded

__all__ = [
    "KeptSession",
    "answers",
    "connect",
    "disconnect",
    "embedded",
    "ends_analysis",
    "interrupt",
    "on_progress",
]
