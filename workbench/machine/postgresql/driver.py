"""psycopg with a bound on the time that a statement waits for its answer.

The server's own `statement_timeout` does not help against a server that hangs, and neither do the timeouts of TCP where
its kernel still acknowledges what arrives.
"""

from __future__ import annotations

import time
from typing import Any

import psycopg
from psycopg import OperationalError

WEB_SECONDS = 15.0
"""How long a page waits for one statement. Our choice: longer than the slowest search of pages, shorter than the
patience of a visitor."""
WORKER_SECONDS = 30.0
"""The same of a worker, which writes outcomes of some ten MB. Our choice."""
HEALTH_SECONDS = 3.0
"""The same of the question whether a connection is of use. Our choice: it asks for nothing."""

_program_seconds: float | None = None


def __getattr__(name: str) -> Any:
    """All else that Django looks for in a driver is psycopg's: errors, `Binary` and further types, cursors."""
    return getattr(psycopg, name)


def answer_within(seconds: float) -> None:
    """Bounds all statements of this process. Commands such as migrations have no bound."""
    global _program_seconds
    _program_seconds = seconds


class BoundedConnection(psycopg.Connection[Any]):
    """Closed by the statement that gets no answer in time, which raises OperationalError.

    answer_seconds  the bound of this connection; None for the bound of the process
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
            # Its answer may still come, to whoever asks next.
            self.close()
            raise OperationalError(f"the server has not answered within {seconds:g} s") from None


connect = BoundedConnection.connect
