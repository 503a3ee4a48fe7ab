"""The module that Django imports for the backend in `DATABASES`."""

from __future__ import annotations

from typing import Any

from django.db.backends.postgresql import base

from workbench.machine.postgresql import driver

CONNECT_SECONDS = 5
"""Time limit of a new connection. Our choice: a server in the same network takes some ms."""
UNACKNOWLEDGED_MS = 15_000
"""Time after which a connection to a dead machine is closed. Our choice, as for statements of pages."""


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's wrapper, with a driver whose connections have time limits."""

    Database = driver

    def get_connection_params(self) -> dict[str, Any]:
        """Adds time limits, unless DATABASE_URL sets others."""
        bounds = {"connect_timeout": CONNECT_SECONDS, "tcp_user_timeout": UNACKNOWLEDGED_MS}
        return bounds | dict(super().get_connection_params())

    def is_usable(self) -> bool:
        """Whether the connection is usable for the next request; called with CONN_HEALTH_CHECKS."""
        connection = self.connection
        if connection is None:
            return False
        connection.answer_seconds = driver.HEALTH_SECONDS
        try:
            return bool(super().is_usable())
        finally:
            connection.answer_seconds = None
