"""psycopg with a time limit for the answer to a statement.

The server's own `statement_timeout` has no effect on a server that hangs, nor do TCP's timeouts when its kernel still
acknowledges packets.
"""

from __future__ import annotations

import time
from typing import Any

import psycopg
from psycopg import OperationalError

WEB_SECONDS = 15.0
"""Time limit of one statement of a page. Our choice: longer than the slowest search of pages, shorter than the patience
of a visitor.
"""
WORKER_SECONDS = 30.0
"""The same for a worker, which writes outcomes of some ten MB. Our choice."""
HEALTH_SECONDS = 3.0
"""The same for the health check of a connection. Our choice: it queries nothing."""

_program_seconds: float | None = None


def __getattr__(name: str) -> Any:
    """Everything else of a driver is psycopg's: errors, `Binary` and further types, cursors."""
    return getattr(psycopg, name)


def answer_within(seconds: float) -> None:
    """Sets the time limit of all statements of this process. Commands such as migrations have none."""
    global _program_seconds
    _program_seconds = seconds


class BoundedConnection(psycopg.Connection[Any]):
    """Closed by a statement that exceeds the time limit and raises OperationalError.

    answer_seconds  the limit of this connection; None for that of the process
    """

    answer_seconds: float | None = None

    def wait(self, gen: Any, *arguments: Any, **options: Any) -> Any:
        """As psycopg's, for every statement, commit and rollback."""
        seconds = self.answer_seconds or _program_seconds
        if seconds is None or "timeout" in options:
            return super().wait(gen, *arguments, **options)
        deadline = time.monotonic() + seconds
        try:
            return super().wait(gen, *arguments, **options | {"timeout": seconds})
        except OperationalError:
            if time.monotonic() < deadline:
                raise
            # A late answer would go to the next statement.
            self.close()
            raise OperationalError(f"the server has not answered within {seconds:g} s") from None


connect = BoundedConnection.connect
