"""What Django looks for in the backend that `DATABASES` names."""

from __future__ import annotations

from typing import Any

from django.db.backends.postgresql import base

from workbench.machine.postgresql import driver

CONNECT_SECONDS = 5
"""How long a new connection may take. Our choice: a server in the same network takes some ms."""
UNACKNOWLEDGED_MS = 15_000
"""After which a connection to a machine that is gone is given up. Our choice, as for statements of pages."""


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's, by a driver whose connections are bounded."""

    Database = driver

    def get_connection_params(self) -> dict[str, Any]:
        """With bounds, where DATABASE_URL names no others."""
        bounds = {"connect_timeout": CONNECT_SECONDS, "tcp_user_timeout": UNACKNOWLEDGED_MS}
        return bounds | dict(super().get_connection_params())

    def is_usable(self) -> bool:
        """Whether the connection can be used for the next request; asked where CONN_HEALTH_CHECKS says so."""
        connection = self.connection
        if connection is None:
            return False
        connection.answer_seconds = driver.HEALTH_SECONDS
        try:
            return bool(super().is_usable())
        finally:
            connection.answer_seconds = None
