"""Sizes that the start script of Flink computes for a TaskManager: they are no settings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

MEMORY = "taskmanager.memory."
COMPUTED_SIZES = frozenset(
    MEMORY + name for name in ("network.min", "network.max", "jvm-overhead.min", "jvm-overhead.max")
)
"""Options in which the start script hands the computed sizes to a TaskManager, whose log prints them as arguments: no
settings, where the configuration is known from elsewhere. Source: Flink's `TaskExecutorProcessUtils`.
"""


def without_computed_sizes(rows: Iterable[Any]) -> list[Any]:
    """The rows of config_option without sizes that only the start script states.

    They stay where nothing but TaskManagers' own logs states an option of their memory: no configuration is known then.
    """
    listed = list(rows)
    is_known = any(row.process != "taskmanager" and row.key.startswith(MEMORY) and row.value for row in listed)
    return [row for row in listed if not (is_known and row.process == "taskmanager" and row.key in COMPUTED_SIZES)]
