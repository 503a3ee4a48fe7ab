"""Decides which values of Flink's options are secret, as Flink does before it shows a configuration."""

from __future__ import annotations

import re

MASK = "******"

SECRET_PARTS = (
    "password",
    "secret",
    "fs.azure.account.key",
    "apikey",
    "api-key",
    "auth-params",
    "service-key",
    "token",
    "basic-auth",
    "jaas.config",
    "http-headers",
    "credential",
    "private-key",
    "access-key",
    "access.key",
)
"""Parts of a key, in lower case, whose value is never kept.

Source: Flink's `GlobalConfiguration.SENSITIVE_KEYS` (to `http-headers`); the last four are ours, keys of object stores.
"""

NOT_SECRET = frozenset(
    (
        "security.kerberos.login.use-ticket-cache",
        "security.delegation.tokens.enabled",
        "security.delegation.tokens.renewal.retry.backoff",
        "security.delegation.tokens.renewal.time-ratio",
    )
)
"""Options whose key contains such a part but whose value is not secret."""


def is_secret(key: str) -> bool:
    """Whether the value of this key must be masked."""
    lowered = key.lower()
    return lowered not in NOT_SECRET and any(part in lowered for part in SECRET_PARTS)


_SECRET_PROPERTY = re.compile(r"(-D[^=\s]{0,200}(?:password|secret|token|key)[^=\s]{0,200}=)\S+", re.IGNORECASE)


def masked(key: str, value: str | None) -> str | None:
    """The value with secrets, and secret system properties within it, replaced; None stays None."""
    if value and is_secret(key):
        return MASK
    return _SECRET_PROPERTY.sub(rf"\1{MASK}", value) if value else value
